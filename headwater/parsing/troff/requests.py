"""The requests of troff that every macro package uses, and its tables.

Belongs here: lines, arguments, definitions, conditions, unfilled text, tbl. Not here: macros (`man`, `mdoc`), escapes
(`escapes`). Guarantee: no file is included, and nothing that a file defines is run but its strings.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from headwater.parsing.troff.escapes import ROMAN, Run, plain_text, read_runs, with_quotation_marks, write_runs
from headwater.parsing.troff.manual_page import Page

_CONTROL = re.compile(r"[.'][ \t]*(?P<name>\\?[^\s\\]*)[ \t]*(?P<rest>.*)")
_COMMENT = re.compile(r"(?:[.'][ \t]*)?\\[\"#].*|'''.*|[.'][ \t]*")
_TRAILING = re.compile(r"(?<!\\)\\[\"#].*")
_ARGUMENT = re.compile(r'"(?P<quoted>(?:[^"]|"")*)"?|(?P<plain>(?:\\.|[^\s\\])+|\\$)')
_SKIPPED = re.compile(r"\.\.[ \t]*")
_OPTION_TAB = re.compile(r"\btab[ \t]*\((.)\)")
_MAX_STRING = 500  # characters
_MAX_GROWTH = 2_000_000  # characters that strings may add to a text
_RULE = re.compile(r"[_=\\\s^]*")
_MAX_HEADER = 2  # rows
_FONT_MACRO = re.compile(r"\.(?P<name>B|I|R|BR|BI|IB|IR|RB|RI|SB|SM)[ \t]+(?P<rest>.*)")
_CAPITALS = re.compile(r"[^\Wa-z\d_][^a-z\n]+")


class Requests:
    """Reads a file line by line; a macro package adds its macros to `handlers`."""

    def __init__(self, source: str) -> None:
        self.page = Page()
        self.strings: dict[str, str] = {}
        self.font = ROMAN
        self.handlers: dict[str, Callable[[str], None]] = {
            "ds": self._define, "br": self._break, "sp": self._space, "nf": self._begin_unfilled,
            "fi": self._begin_filled, "EX": self._begin_unfilled, "EE": self._begin_filled, "Vb": self._begin_unfilled,
            "Ve": self._begin_filled, "TS": self._table, "de": self._skip, "de1": self._skip,
            "am": self._skip, "ig": self._skip, "if": self._condition, "ie": self._condition, "el": self._otherwise,
            "ft": self._change_font,
        }  # fmt: skip
        self._max_string = min(_MAX_STRING, _MAX_GROWTH // (source.count("\\*") + 1))
        self._lines = source.split("\n")
        self._at = 0
        self._code: list[str] | None = None
        self._was_true = False

    def read(self) -> Page:
        """The page of the whole file."""
        while (line := self.next_line()) is not None:
            self._take(line)
        self._begin_filled("")
        return self.page

    def next_line(self) -> str | None:
        """The next line, with those that it continues; None at the end."""
        if self._at >= len(self._lines):
            return None
        line = self._lines[self._at]
        self._at += 1
        lines = [line]
        while lines[-1].endswith("\\") and not lines[-1].endswith("\\\\") and self._at < len(self._lines):
            lines[-1] = lines[-1][:-1]
            lines.append(self._lines[self._at])
            self._at += 1
        return "".join(lines)

    def put_back(self, line: str) -> None:
        """Read a line, which `next_line` has returned, once more."""
        self._at -= 1
        self._lines[self._at] = line

    @property
    def is_unfilled(self) -> bool:
        """Whether lines are kept as they are."""
        return self._code is not None

    def take_text(self, line: str) -> None:
        """A line of text."""
        self.page.line(self.to_markdown(line))

    def take_unknown(self, name: str, rest: str) -> None:
        """A macro or request without a handler; it leaves no trace."""

    def to_markdown(self, line: str) -> str:
        """A line as markdown; a font that crosses its borders is left out, since it is mostly a mistake."""
        font = self.font
        runs, self.font = read_runs(with_quotation_marks(line), self.strings, font)
        if runs and font != ROMAN:
            runs[0] = Run(runs[0].text)
        if runs and self.font != ROMAN:
            runs[-1] = Run(runs[-1].text)
        return write_runs(runs)

    def plain(self, line: str) -> str:
        """A line without fonts."""
        return plain_text(line, self.strings)

    def arguments(self, rest: str) -> list[str]:
        """The arguments of a macro, their quotation marks removed."""
        rest = _TRAILING.sub("", rest)
        return [
            match["plain"] if match["quoted"] is None else match["quoted"].replace('""', '"')
            for match in _ARGUMENT.finditer(rest)
        ]

    def _take(self, line: str) -> None:
        if _COMMENT.fullmatch(line):
            return
        control = _CONTROL.match(line)
        if control is None:
            self._take_text(line)
            return
        handler = self.handlers.get(control["name"])
        if handler is not None:
            handler(control["rest"])
        else:
            self.take_unknown(control["name"], control["rest"])

    def _take_text(self, line: str) -> None:
        if self._code is not None:
            self._code.append(self.plain(line))
        elif not line.strip():
            self.page.paragraph()
        else:
            self.take_text(_TRAILING.sub("", line))

    def add_unfilled(self, text: str) -> None:
        """A line of unfilled text that a macro makes."""
        if self._code is not None:
            self._code.append(text)

    def _define(self, rest: str) -> None:
        name, _, value = rest.partition(" ")
        value = value.strip().removeprefix('"').replace("``", "“").replace("''", "”")
        self.strings[name] = value[: self._max_string]

    def _break(self, _: str) -> None:
        self.page.break_line()

    def _space(self, _: str) -> None:
        if self._code is not None:
            self._code.append("")
        else:
            self.page.paragraph()

    def _begin_unfilled(self, _: str) -> None:
        self.page.paragraph() if not self.page.awaits_body else None
        self._code = self._code if self._code is not None else []

    def _begin_filled(self, _: str) -> None:
        code, self._code = self._code, None
        if code is not None:
            self.page.code(code)

    def _skip(self, rest: str) -> None:
        """Leave out a definition, up to its end."""
        names = rest.split()
        end = f".{names[1]}" if len(names) > 1 else ".."
        while (line := self.next_line()) is not None and not line.replace(" ", "").startswith(end):
            pass

    def _condition(self, rest: str) -> None:
        """What stands behind `n`, which means a terminal, is read; any other condition is false."""
        condition, _, then = rest.partition(" ")
        self._was_true = condition in ("n", "!t")
        self._branch(then, is_true=self._was_true)

    def _otherwise(self, rest: str) -> None:
        self._branch(rest, is_true=not self._was_true)

    def _branch(self, then: str, *, is_true: bool) -> None:
        then = then.strip()
        is_block = then.startswith("\\{") or "\\{" in then
        depth = then.count("\\{") - then.count("\\}")
        lines = [then.replace("\\{", "").replace("\\}", "")]
        while is_block and depth > 0 and (line := self.next_line()) is not None:
            depth += line.count("\\{") - line.count("\\}")
            lines.append(line.replace("\\{", "").replace("\\}", ""))
        for line in lines:
            if is_true and line.strip() and not _COMMENT.fullmatch(line.strip()) and not line.strip().startswith(".if"):
                self._take(line.strip())

    def _change_font(self, rest: str) -> None:
        _, self.font = read_runs(f"\\f[{rest.strip() or 'P'}]", {}, self.font)

    def _table(self, _: str) -> None:
        """A table of tbl."""
        lines: list[str] = []
        while (line := self.next_line()) is not None and not line.startswith(".TE"):
            lines.append(line)
        options = lines.pop(0) if lines and lines[0].rstrip().endswith(";") else ""
        tab = match[1] if (match := _OPTION_TAB.search(options)) else "\t"
        sections = [
            _Part(formats, [[self.to_markdown(cell) for cell in row] for row in _rows(body, tab, self._cell_line)])
            for formats, body in _parts(lines)
        ]
        rows = [row for section in sections for row in section.rows]
        count = _header_count(sections, lines) or int(_names_columns(rows))
        header = [" ".join(filter(None, cells)) for cells in zip_longest(*rows[:count], fillvalue="")]
        self.page.table([header, *rows[count:]] if count else rows, has_header=count > 0)

    def _cell_line(self, line: str) -> str:
        """A line of a cell; of macros, those that only change the font have text."""
        control = _FONT_MACRO.match(line)
        if control is None:
            return "" if line.startswith((".", "'")) else line
        arguments = self.arguments(control["rest"])
        return ("" if len(control["name"]) > 1 else " ").join(arguments)


class _Part(NamedTuple):
    """The rows of a table that have the same formats; the last format is that of all further rows."""

    formats: list[str]
    rows: list[list[str]]


def _parts(lines: Sequence[str]) -> Iterator[tuple[list[str], Sequence[str]]]:
    """The formats of each part of a table, and its lines."""
    begins = [0, *(index + 1 for index, line in enumerate(lines) if line.startswith(".T&")), len(lines) + 1]
    for begin, end in pairwise(begins):
        section = lines[begin : end - 1]
        last = next((index for index, line in enumerate(section) if line.rstrip().endswith(".")), len(section))
        yield [name for line in section[: last + 1] for name in line.split(",")], section[last + 1 :]


def _header_count(parts: Sequence[_Part], lines: Sequence[str]) -> int:
    """How many rows are the header: bold ones with a format of their own, or those above the table's only rule."""
    formats, rows = parts[0]
    if len(parts) > 1 and all("b" in line_format.lower() for line_format in formats) and len(rows) <= _MAX_HEADER:
        return len(rows)
    rule_index = next(
        (index for index, line_format in enumerate(formats) if line_format.strip() and _RULE.fullmatch(line_format)), 0
    )
    if rule_index:
        return rule_index
    if len(formats) > 1 and "b" in formats[0].lower() and "b" not in formats[-1].lower():
        return 1
    rules = [index for index, line in enumerate(lines) if line.strip() and _RULE.fullmatch(line)]
    body = len(formats)  # each format has a line of its own
    is_above = len(rules) == 1 and body < rules[0] <= body + _MAX_HEADER and len(lines) > rules[0] + 1
    return rules[0] - body if is_above else 0


def _names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: it is bold, or alone in capitals."""
    if len(rows) < 2:
        return False
    first, *body_rows = ([cell for cell in row if cell] for row in rows)
    is_loud = all(_CAPITALS.fullmatch(cell) for cell in first) and not any(
        all(map(_CAPITALS.fullmatch, row)) for row in body_rows if row
    )
    return all(cell.startswith("**") for cell in first) or (len(first) > 1 and is_loud)


def _rows(lines: Sequence[str], tab: str, cell_line: Callable[[str], str]) -> Iterator[list[str]]:
    """The rows of a table; a cell between `T{` and `T}` may have several lines."""
    open_row: list[str] | None = None
    for line in lines:
        if open_row is not None:
            if line.startswith("T}"):
                open_row += line[2:].split(tab)[1:]
                if not (open_row and open_row[-1].strip() == "T{"):
                    yield open_row
                    open_row = None
                else:
                    open_row[-1] = ""
            else:
                open_row[-1] = " ".join(f"{open_row[-1]} {cell_line(line)}".split())
            continue
        if line.startswith((".", "'")) or _RULE.fullmatch(line):
            continue
        cells = line.split(tab)
        if cells[-1].strip() == "T{":
            open_row = [*cells[:-1], ""]
        else:
            yield cells
    if open_row:
        yield open_row
