"""The requests of troff that every macro package uses, and its tables.

Belongs here: lines, arguments, definitions, conditions, unfilled text, tbl. Not here: macros (`man`, `mdoc`), escapes
(`escapes`). Guarantee: no file is included, and nothing that a file defines is run but its strings.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from headwater.parsing.troff.escapes import ROMAN, Run, plain_text, read_runs, write_runs
from headwater.parsing.troff.page import Page

_CONTROL = re.compile(r"[.'][ \t]*(?P<name>\\?[^\s\\]*)[ \t]*(?P<rest>.*)")
_COMMENT = re.compile(r"(?:[.'][ \t]*)?\\[\"#].*|'''.*|[.'][ \t]*")
_TRAILING = re.compile(r"(?<!\\)\\[\"#].*")
_ARGUMENT = re.compile(r'"(?P<quoted>(?:[^"]|"")*)"?|(?P<plain>(?:\\.|[^\s\\])+|\\$)')
_SKIPPED = re.compile(r"\.\.[ \t]*")
_OPTION_TAB = re.compile(r"\btab[ \t]*\((.)\)")
_MAX_STRING = 500  # characters
_MAX_GROWTH = 2_000_000  # characters that strings may add to a text
_RULE = re.compile(r"[_=\\\s^]*")


class Requests:
    """Reads a file line by line; a macro package adds its macros to `handlers`."""

    def __init__(self, source: str) -> None:
        self.page = Page()
        self.strings: dict[str, str] = {}
        self.font = ROMAN
        self.handlers: dict[str, Callable[[str], None]] = {
            "ds": self._define, "br": self._break, "sp": self._space, "nf": self._unfilled, "fi": self._filled,
            "EX": self._unfilled, "EE": self._filled, "TS": self._table, "de": self._skip, "de1": self._skip,
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
        self._filled("")
        return self.page

    def next_line(self) -> str | None:
        """The next line, with those that it continues; None at the end."""
        if self._at >= len(self._lines):
            return None
        line = self._lines[self._at]
        self._at += 1
        parts = [line]
        while parts[-1].endswith("\\") and not parts[-1].endswith("\\\\") and self._at < len(self._lines):
            parts[-1] = parts[-1][:-1]
            parts.append(self._lines[self._at])
            self._at += 1
        return "".join(parts)

    @property
    def is_unfilled(self) -> bool:
        """Whether lines are kept as they are."""
        return self._code is not None

    def take_text(self, line: str) -> None:
        """A line of text."""
        self.page.line(self.marked(line))

    def take_unknown(self, name: str, rest: str) -> None:
        """A macro or request without a handler; it leaves no trace."""

    def marked(self, line: str) -> str:
        """A line as markdown; a font that crosses its borders is left out, since it is mostly a mistake."""
        before = self.font
        runs, self.font = read_runs(line, self.strings, before)
        if runs and before != ROMAN:
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
            part["plain"] if part["quoted"] is None else part["quoted"].replace('""', '"')
            for part in _ARGUMENT.finditer(rest)
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
        self.strings[name] = value.strip().removeprefix('"')[: self._max_string]

    def _break(self, _: str) -> None:
        self.page.break_line()

    def _space(self, _: str) -> None:
        if self._code is not None:
            self._code.append("")
        else:
            self.page.paragraph()

    def _unfilled(self, _: str) -> None:
        self.page.paragraph() if not self.page.awaits_body else None
        self._code = self._code if self._code is not None else []

    def _filled(self, _: str) -> None:
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
        """A table of tbl; its first row is a header if the format has a line for that row alone, in bold."""
        lines: list[str] = []
        while (line := self.next_line()) is not None and not line.startswith(".TE"):
            lines.append(line)
        options = lines.pop(0) if lines and lines[0].rstrip().endswith(";") else ""
        tab = found[1] if (found := _OPTION_TAB.search(options)) else "\t"
        end = next((at for at, one in enumerate(lines) if one.rstrip().endswith(".")), len(lines))
        formats = [part for line in lines[: end + 1] for part in line.split(",")]
        rows = [[self.marked(cell) for cell in row] for row in _rows(lines[end + 1 :], tab)]
        is_bold = len(formats) > 1 and "b" in formats[0].lower() and "b" not in formats[-1].lower()
        is_marked = bool(rows) and len(rows) > 1 and all(cell.startswith("**") for cell in rows[0] if cell)
        self.page.table(rows, has_header=is_bold or is_marked)


def _rows(lines: Sequence[str], tab: str) -> Iterator[list[str]]:
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
            elif not line.startswith((".", "'")):
                open_row[-1] = f"{open_row[-1]} {line}".strip()
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
