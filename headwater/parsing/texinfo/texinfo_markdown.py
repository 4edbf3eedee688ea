"""The blocks of a Texinfo source as markdown.

Belongs here: headings, lists, tables, definitions, examples, quotations. Not here: macros and conditions
(`texinfo_source`), what stands in a line (`texinfo_inline`). Guarantee: what is in an item or a definition stands below
it; code stays as it is; the work is linear in the text and in how deep blocks may stand in blocks.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from headwater.parsing.markdown.writer import fence_code, indent_block, item, pipe_table, plain_markdown
from headwater.parsing.texinfo.texinfo_inline import read_inline, read_plain
from headwater.parsing.texinfo.texinfo_source import read_lines

_COMMAND = re.compile(r"[ \t]*@(?P<name>[A-Za-z]+)(?![A-Za-z{])[ \t]*(?P<text>.*)")
_LEVELS = {
    **dict.fromkeys(("part", "chapter", "unnumbered", "appendix", "majorheading", "chapheading", "centerchap"), 1),
    **dict.fromkeys(("section", "unnumberedsec", "appendixsec", "appendixsection", "heading"), 2),
    **dict.fromkeys(("subsection", "unnumberedsubsec", "appendixsubsec", "subheading"), 3),
    **dict.fromkeys(("subsubsection", "unnumberedsubsubsec", "appendixsubsubsec", "subsubheading"), 4),
}
_CODE = frozenset({"example", "smallexample", "lisp", "smalllisp", "verbatim"})
_LINES = frozenset({"display", "smalldisplay", "format", "smallformat"})
_LISTS = frozenset({"itemize", "enumerate"})
_TABLES = frozenset({"table", "ftable", "vtable"})
_QUOTES = frozenset({"quotation", "smallquotation"})
_DEFINITIONS: Mapping[str, str] = {
    "defun": "Function", "defmac": "Macro", "defspec": "Special Form", "defvar": "Variable", "defopt": "User Option",
    "deftypefun": "Function", "deftypevar": "Variable", "defmethod": "Method", "deftypemethod": "Method",
    "defivar": "Instance Variable", "deftypeivar": "Instance Variable",
}  # fmt: skip
"""Definitions whose category is in their name; in others, such as `deffn`, it is their first word."""
_DEFINITION = re.compile(r"def[a-z]{1,12}?(?P<further>x?)")
_BLOCKS = _CODE | _LINES | _LISTS | _TABLES | _QUOTES | {"multitable", "displaymath", "defblock"}
_OF_CLASSES = frozenset({"defop", "deftypeop", "defcv", "deftypecv", "defmethod", "deftypemethod", "defivar",
                         "deftypeivar"})  # fmt: skip
_FRAMES = frozenset({"copying", "cartouche", "flushleft", "flushright", "raggedright", "indentedblock",
                     "smallindentedblock", "float"})  # fmt: skip
"""Environments around paragraphs, of which only the text counts."""
_MARKS = _BLOCKS | _FRAMES | {"end"}
_BREAKS = _FRAMES | {"node", "end", "settitle", "top", "item", "itemx", "headitem", "center", "exdent"}
"""Lines that end a paragraph."""
_SPOKEN = frozenset({"item", "itemx", "headitem", "center", "exdent"})
"""Of these, those with words; items stand here only if their list is never ended."""
_PIECE = re.compile(r"@[@{}]|[{}]|\s+|[^\s{}@]+|@")
_COLUMN = re.compile(r"(?<!@)@tab(?![A-Za-z])")
_MAX_LEVEL = 6
_MAX_COLUMNS = 100
_MAX_DEPTH = 12


class TexinfoDocument:
    """A Texinfo source as markdown, with its title."""

    def __init__(self, source: str) -> None:
        self._lines = read_lines(source)
        self._commands = [_COMMAND.match(line) if "@" in line else None for line in self._lines]
        self._ends = self._find_ends()
        titles = {command["name"]: command["text"] for command in reversed(self._commands)
                  if command and command["name"] in ("settitle", "top")}  # fmt: skip
        self.title = read_plain(titles.get("settitle") or titles.get("top") or "")

    def text(self) -> str:
        """The whole text."""
        heading = [f"# {self.title}"] if self.title else []
        return "\n\n".join([*heading, *filter(str.strip, self._blocks(0, len(self._lines), 0))])

    def _find_ends(self) -> dict[int, int]:
        """For each line that begins a block, the line that ends it; what is never ended has none."""
        ends: dict[int, int] = {}
        open_starts: dict[str, list[int]] = {}
        is_verbatim = False
        for index in range(len(self._lines)):
            name, text = self._read_command(index)
            if is_verbatim:
                is_verbatim = (name, text) != ("end", "verbatim")
            elif name in _BLOCKS or _DEFINITION.fullmatch(name):
                is_verbatim = name == "verbatim"
                open_starts.setdefault(name, []).append(index)
            if name == "end" and not is_verbatim and (starts := open_starts.get(text)):
                ends[starts.pop()] = index
        return ends

    def _blocks(self, index: int, end: int, depth: int, opening: str = "") -> Iterator[str]:
        """The blocks of some lines; the first paragraph begins with what stands before them."""
        paragraph = [opening] if opening.strip() else []
        while index < end:
            line, command = self._lines[index], self._commands[index]
            name = command["name"] if command else ""
            if index in self._ends:
                yield from _take_paragraph(paragraph)
                close = self._ends[index]
                yield self._block(index, min(close, end), name, depth)
                index = close
            elif command and (level := _LEVELS.get(name)):
                yield from _take_paragraph(paragraph)
                words = " ".join(read_inline(command["text"]).split())
                yield f"{'#' * min(level + bool(self.title), _MAX_LEVEL)} {words}" if words else ""
            elif not line.strip() or name in _BREAKS:
                yield from _take_paragraph(paragraph)
                if name in _SPOKEN and command:
                    paragraph.append(command["text"])
            else:
                paragraph.append(line)
            index += 1
        yield from _take_paragraph(paragraph)

    def _block(self, index: int, end: int, name: str, depth: int) -> str:
        """The block between two lines."""
        command = self._commands[index]
        options = command["text"].strip() if command else ""
        if depth >= _MAX_DEPTH:
            return "\n\n".join(_take_paragraph(self._lines[index + 1 : end]))
        if name in _CODE or name in _LINES:
            return self._code(index + 1, end, name, options)
        if name == "displaymath":
            return f"$$\n{chr(10).join(self._lines[index + 1 : end])}\n$$"
        if name in _LISTS or name in _TABLES:
            return self._table(index, end, depth) if name in _TABLES else self._list(index, end, depth)
        if name == "multitable":
            return self._multitable(index + 1, end)
        if name in _QUOTES:
            text = self._text(index + 1, end, depth + 1)
            return (
                f"**{read_plain(options)}:** {text}" if options else indent_block(text, "> ").replace("\n\n", "\n>\n")
            )
        if name == "defblock":
            return self._text(index + 1, end, depth + 1)
        return self._definition(index, end, depth)

    def _text(self, index: int, end: int, depth: int, opening: str = "") -> str:
        return "\n\n".join(filter(str.strip, self._blocks(index, end, depth, opening)))

    def _code(self, index: int, end: int, name: str, options: str) -> str:
        if name == "verbatim":
            lines = self._lines[index:end]
        else:
            lines = read_inline("\n".join(self._inner_lines(index, end)), is_code=True).split("\n")
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        code = "\n".join(line[indent:].rstrip() for line in lines)
        language = "lisp" if "lisp" in name else options.split(",")[0] if name == "example" else ""
        return fence_code(code, language) if code.strip() else ""

    def _list(self, index: int, end: int, depth: int) -> str:
        """A list: each item with what stands below it."""
        name, options = self._read_command(index)
        starts = self._find_items(index + 1, end)
        texts = [self._text(index + 1, starts[0] if starts else end, depth + 1)]
        items = []
        for count, (start, following) in enumerate(pairwise([*starts, end])):
            text = self._text(start + 1, following, depth + 1, self._read_command(start)[1])
            mark, label = _number_item(options, count) if name == "enumerate" else ("-", "")
            items.append(item(label + text, mark))
        return "\n\n".join(filter(None, [*texts, "\n".join(items)]))

    def _table(self, index: int, end: int, depth: int) -> str:
        """A list of terms; several of them may stand above one text."""
        style = self._read_command(index)[1]
        starts = self._find_items(index + 1, end)
        texts = [self._text(index + 1, starts[0] if starts else end, depth + 1)]
        items, terms = [], []
        for start, following in pairwise([*starts, end]):
            terms.append(_style_term(self._read_command(start)[1], style))
            text = self._text(start + 1, following, depth + 1)
            if text or following == end:
                items.append(_label_text(", ".join(filter(None, terms)), text))
                terms = []
        return "\n\n".join(filter(None, [*texts, "\n".join(items)]))

    def _multitable(self, index: int, end: int) -> str:
        starts = self._find_items(index, end)
        rows = []
        for start, following in pairwise([*starts, end]):
            source = "\n".join([self._read_command(start)[1], *self._inner_lines(start + 1, following)])
            rows.append(
                [" ".join(read_inline(cell.strip()).split()) for cell in _COLUMN.split(source, _MAX_COLUMNS - 1)]
            )
        has_header = bool(starts) and self._read_command(starts[0])[0] == "headitem"
        return pipe_table(rows, has_header=has_header)

    def _definition(self, index: int, end: int, depth: int) -> str:
        heads = [_write_definition(*self._read_command(index))]
        index += 1
        while index < end and (further := _DEFINITION.fullmatch(self._read_command(index)[0])) and further["further"]:
            heads.append(_write_definition(*self._read_command(index)))
            index += 1
        return _label_text(", ".join(heads), self._text(index, end, depth + 1))

    def _find_items(self, index: int, end: int) -> list[int]:
        """The items of a list, without those of lists within it."""
        items = []
        while index < end:
            if self._read_command(index)[0] in ("item", "itemx", "headitem"):
                items.append(index)
            index = self._ends.get(index, index) + 1
        return items

    def _inner_lines(self, index: int, end: int) -> list[str]:
        """Lines without those that begin or end what stands in them."""
        return [self._lines[row] for row in range(index, end) if self._read_command(row)[0] not in _MARKS]

    def _read_command(self, index: int) -> tuple[str, str]:
        """The name and the text of the command that a line begins with."""
        command = self._commands[index]
        return (command["name"], command["text"].strip()) if command else ("", "")


def _take_paragraph(lines: list[str]) -> Iterator[str]:
    """The paragraph of some lines, if there are any; they are taken away."""
    if lines:
        yield plain_markdown(read_inline("\n".join(line.strip() for line in lines)))
        lines.clear()


def _number_item(first: str, count: int) -> tuple[str, str]:
    """The mark of an item, and its letter, because the text refers to it."""
    if len(first) == 1 and first.isalpha() and first.isascii() and ord(first.lower()) + count <= ord("z"):
        return "-", f"{chr(ord(first) + count)}. "
    return f"{(int(first) if first.isdecimal() and len(first) < 7 else 1) + count}.", ""


def _style_term(words: str, style: str) -> str:
    """A term as its list shows all of them, such as `@code`."""
    name = style.split()[0] if style else "@asis"
    text = read_inline(f"{name}{{{words}}}" if re.fullmatch(r"@[A-Za-z]+", name) else words)
    return " ".join(text.split())


def _label_text(label: str, text: str) -> str:
    """An item with its text, beside it if the text is a paragraph."""
    if not text:
        return item(label)
    is_paragraph = not re.match(r"```|[-|>$]|\d+\. |#", text)
    return item(f"{label}: {text}" if is_paragraph else f"{label}:\n\n{text}")


def _write_definition(name: str, text: str) -> str:
    """The first line of a definition: what is defined, as code, and what it is."""
    words = _split_words(text)
    base = name.removesuffix("x")
    category = _DEFINITIONS.get(base) or read_plain(words.pop(0) if words else "")
    if base in _OF_CLASSES and words:
        category += f" on {read_plain(words.pop(0))}"
    code = read_plain(" ".join(words))
    return f"`{code}` ({category})" if code and "`" not in code else f"{code} ({category})"


def _split_words(text: str) -> list[str]:
    """The words of a line; what stands in braces is one."""
    words: list[list[str]] = [[]]
    depth = 0
    for token in _PIECE.findall(text):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if token.isspace() and depth <= 0:
            words.append([])
        else:
            words[-1].append(token)
    return ["".join(word) for word in words if word]
