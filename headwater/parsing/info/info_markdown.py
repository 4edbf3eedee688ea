"""The nodes of an Info file as markdown.

Belongs here: headings, terms, lists, examples and references as makeinfo writes them. Not here: bytes (`parser`).
Guarantee: pure; the work is linear in the file; menus, indexes, tables of nodes and the list of this file's manuals are
left out, as a contents page and an index are.

makeinfo indents what is inside a list, a table or an example by five columns for each level, and the first line of a
paragraph by three. A term stands directly above its text. A heading has a line of one of four signs below it.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from headwater.parsing.markdown.writer import fence_code, plain_markdown

SEPARATOR = "\f"
"""What stands between nodes in the decoded text, instead of a control character."""

_NODE = re.compile(r"File: (?P<file>[^\n,]{1,200}),[ \t]+Node: (?P<name>[^\n,\t]{1,200})[^\n]*\n")
_ENTRY = re.compile(r"^START-INFO-DIR-ENTRY\n\* (?P<name>[^:\n]{1,80}):", re.MULTILINE)
_UNDERLINES = {"*": "##", "=": "###", "-": "####", ".": "#####"}
_MENU = re.compile(r"\* Menu:[ \t]*$")
_MENU_ENTRY = re.compile(r"\* [^\n:]{1,200}::(?:\s|$)")
_FOOTNOTES = re.compile(r"\s*-{5,} Footnotes -{5,}\s*$")
_LISTED = re.compile(r"\* [^\n]*:|[ \t]{8,}\S")
_NOTE = re.compile(
    r"\*(?P<mark>[Nn])ote\s++"
    r"(?:(?P<name>[^:]{1,200}?)::|(?P<label>[^:]{1,200}?):\s++(?:\([^()]{0,200}\))?[^.,:]{0,200}[.,])"
)
_ITEM = re.compile(r"(?P<mark>\*|[-•]|\d{1,3}\.|[a-z]\.)[ \t]+(?=\S)")
_DEFINITION = re.compile(r"--[ \t]+(?=[A-Z])")
_MARKUP = re.compile(r"(?<!\w)([*_#])(?=\S)(?![\w-]{1,80}\1)|<(?=[A-Za-z/!][^<>\n]*>)")
_MAX_TERMS = 8  # above one text; more lines are a paragraph
_STEP = 5  # columns of a level


def find_title(source: str) -> str:
    """The title of a manual: the heading of its first node, else its name in the list of manuals, else its file's."""
    node = _NODE.search(source)
    if node and node["name"] == "Top":
        lines = source[node.end() : source.find(SEPARATOR, node.end())].split("\n")
        for line, underline in pairwise(lines):
            if _is_underline(line, underline):
                return line.strip()
    entry = _ENTRY.search(source)
    return entry["name"] if entry else node["file"].removesuffix(".info") if node else ""


def to_markdown(source: str, title: str) -> tuple[str, list[tuple[int, int]]]:
    """The text of an Info file as markdown, and the lines of the file that offsets of it come from.

    Args:
        source: the file, decoded, with a form feed between its nodes.
        title: its title.
    """
    blocks = [(1, f"# {title}")] if title else []
    head, *sections = source.split(SEPARATOR)
    line = 1 + head.count("\n")
    for section in sections:
        node = _NODE.match(section, len(section) - len(section.lstrip("\n")))
        if node:
            first = line + section.count("\n", 0, node.end())
            blocks += [(first + index, block) for index, block in _Node(section[node.end() :], title).blocks()]
        line += section.count("\n")
    starts, offset = [], 0
    for line_number, block in blocks:
        starts.append((offset, line_number))
        offset += len(block) + 2
    return "\n\n".join(block for _, block in blocks) + "\n", starts


def _is_underline(line: str, underline: str) -> bool:
    """Whether a line is a heading: the one below it has one sign, as often as it has columns."""
    sign = underline[:1]
    is_row = (
        sign in _UNDERLINES and len(underline) > 2 and underline == sign * len(underline) and line[:1].strip() != ""
    )
    return is_row and abs(len(underline) - len(line)) <= max(2, len(line) // 2)


class _Node:
    """One node, block by block."""

    def __init__(self, text: str, title: str) -> None:
        self._lines = _without_menus(text.split("\n"))
        self._title = title
        self._position = 0
        self._item_columns: list[int] = []  # where the text of each open item begins

    def blocks(self) -> list[tuple[int, str]]:
        """Its blocks as markdown, each with the index of its first line; of an example, that of the line above."""
        blocks = []
        while self._skip_blank_lines():
            index = self._position
            block = self._next_block()
            if block:
                blocks.append((index - (block.lstrip(" ").startswith("```")), block))
        return blocks

    def _skip_blank_lines(self) -> bool:
        """Go to the next line with words; False at the end."""
        while self._position < len(self._lines) and not self._lines[self._position].strip():
            self._position += 1
        return self._position < len(self._lines)

    def _next_block(self) -> str:
        """The next block; empty if it is left out."""
        line = self._lines[self._position]
        underline = self._lines[self._position + 1] if self._position + 1 < len(self._lines) else ""
        if _is_underline(line, underline):
            self._position += 2
            self._item_columns.clear()
            is_title = line.strip() == self._title and underline[0] == "*"
            return "" if is_title else f"{_UNDERLINES[underline[0]]} {line.strip()}"
        column = _column(line)
        while self._item_columns and column < self._item_columns[-1]:
            self._item_columns.pop()
        return self._read_block(column)

    def _read_block(self, column: int) -> str:
        base = self._item_columns[-1] if self._item_columns else 0
        text = self._lines[self._position].strip()
        if self._starts_item(0) and (mark := _ITEM.match(text)):
            return self._read_item(column, mark)
        terms = self._take_terms(column, base)
        if terms:
            self._item_columns.append(_column(self._lines[self._position]))
            return self._indent(f"- {plain_markdown(', '.join(terms)).rstrip(':')}:", -1) + self._rest_of_item()
        is_example = column >= base + _STEP
        lines = self._take_example(column) if is_example else self._take_lines(beyond=base + _STEP)
        if is_example or _is_drawn(lines):
            return self._indent(fence_code(_dedent(lines)), 0)
        return self._indent(plain_markdown(_join_lines(lines)), 0)

    def _read_item(self, column: int, mark: "re.Match[str]") -> str:
        text = self._lines[self._position].strip()
        self._item_columns.append(column + mark.end())
        sign = mark["mark"] if mark["mark"][0].isdigit() else "-"
        further_lines = self._take_lines(skip=1, column=column + 1, beyond=self._item_columns[-1] + _STEP)
        lines = [text[mark.end() :], *further_lines]
        return self._indent(f"{sign} {plain_markdown(_join_lines(lines))}", -1)

    def _rest_of_item(self) -> str:
        """The paragraph directly below a term."""
        lines = self._lines[self._position : self._position + 1]
        if not lines or not lines[0].strip() or _column(lines[0]) != self._item_columns[-1] or self._starts_item(0):
            return ""
        column = self._item_columns[-1]
        return " " + _join_lines(self._take_lines(column=column, beyond=column + _STEP))

    def _take_example(self, column: int) -> list[str]:
        """Lines of an example, with blank ones between those that are indented as much as its first."""
        start = end = self._position
        while end < len(self._lines):
            if self._lines[end].strip():
                is_inside = end == start or self._lines[end - 1].strip() or _column(self._lines[end]) >= column
                if not is_inside or _column(self._lines[end]) < column - _STEP:
                    break
                self._position = end + 1
            end += 1
        return list(self._lines[start : self._position])

    def _take_terms(self, column: int, base: int) -> list[str]:
        """The terms at the position, if text stands directly below them that is indented one level more."""
        is_definition = _DEFINITION.match(self._lines[self._position].strip()) is not None
        end = self._position
        last = min(len(self._lines), end + _MAX_TERMS + 1)
        while end < last and self._lines[end].strip() and _column(self._lines[end]) == column:
            end += 1
        next_line = self._lines[end] if end < len(self._lines) else ""
        steps = range(_STEP - 1, 2 * _STEP + 1) if is_definition else (_STEP,)
        if not next_line.strip() or _column(next_line) - column not in steps or column >= base + _STEP:
            return []
        if end - self._position > _MAX_TERMS:
            return []
        terms = [_to_inline(_DEFINITION.sub("", line.strip())) for line in self._lines[self._position : end]]
        self._position = end
        return terms

    def _take_lines(self, skip: int = 0, column: int = 0, beyond: int = 0) -> list[str]:
        """Lines up to a blank one, to an item, or to one that is indented less than `column` or as much as `beyond`."""
        start = self._position + skip
        end = start
        while end < len(self._lines) and self._lines[end].strip() and _column(self._lines[end]) >= column:
            is_below = end > self._position
            if is_below and (self._starts_item(end - self._position) or 0 < beyond <= _column(self._lines[end])):
                break
            end += 1
        self._position = max(end, self._position + 1)
        return list(self._lines[start:end])

    def _starts_item(self, offset: int) -> bool:
        line = self._lines[self._position + offset]
        return _column(line) % _STEP in (2, 3) and _ITEM.match(line.strip()) is not None

    def _indent(self, text: str, levels: int) -> str:
        indent = "  " * max(0, len(self._item_columns) + levels)
        return indent + text.replace("\n", f"\n{indent}" if levels == 0 else f"\n{indent}  ")


def _without_menus(lines: Sequence[str]) -> list[str]:
    """The lines of a node, blank where its menu is, which lists the nodes below it, and the rule above its notes."""
    node_lines, is_menu, has_menu = [], False, False
    for line in lines:
        if _MENU.match(line):
            is_menu = has_menu = True
        elif has_menu and _MENU_ENTRY.match(line):  # below a title within the menu
            is_menu = True
        elif is_menu and line.strip() and not _LISTED.match(line):
            is_menu = False
        node_lines.append("" if is_menu or _FOOTNOTES.match(line) else line)
    return node_lines


def _column(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_drawn(lines: Sequence[str]) -> bool:
    """Whether lines are a table or a drawing: most have wide gaps, or rules."""
    return sum(bool(re.search(r"\S {3,}\S|[-=+|]{4,}", line)) for line in lines) * 2 > len(lines) > 1


def _dedent(lines: Sequence[str]) -> str:
    margin = min((_column(line) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines)


def _join_lines(lines: Sequence[str]) -> str:
    return _to_inline(" ".join(line.strip() for line in lines))


def _to_inline(text: str) -> str:
    """References as their words, and signs of markdown as they are."""
    text = _NOTE.sub(lambda match: ("See " if match["mark"] == "N" else "") + (match["name"] or match["label"]), text)
    return _MARKUP.sub(r"\\\g<0>", re.sub(r"(?<=\S)  (?=\S)", " ", text))
