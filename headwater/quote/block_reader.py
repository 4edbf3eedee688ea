"""The blocks of a piece of markdown: paragraphs, lists and their items, tables and their rows, code, quotations.

Belongs here: where each block is. Not here: what is quoted of them (`fragments`), how it is shown (`quote_markdown`).
Guarantee: a block's text is `text[start:end]`, begins and ends with something visible, and overlaps no other block
except its own parts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import chain

from markdown_it import MarkdownIt
from markdown_it.token import Token

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^\n]*$", re.MULTILINE)
_QUOTED = re.compile(r"(?:[ \t]*>)*")
_BORDER = re.compile(r"(?<!\\)\|")
_ADMONITION = re.compile(
    r"^((?:!!!|\?\?\?\+?|\.\.)[ \t]+[\w-]+[^\n]*\n(?:[ \t]*\n)*)"
    r"((?:(?: {4}|\t)[^\n]*\n?|[ \t]*\n(?=(?: {4}|\t)))+)",
    re.MULTILINE,
)


_INDENTED = re.compile(
    r"(?:[ \t]*\n)*(?P<indent>[ ]{0,3}(?: {4}|\t)[ \t]*)"
    r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+\S|`{3}|~{3}|[A-Z][^\n{}=;]*(?:\n[ \t]*\S[^\n{}=;]*)*[.:](?:\n|\Z))"
)
"""The line of an item, code or a sentence, indented as only within another item."""
_LANGUAGE = re.compile(r"[^\s{]+")
_VALUE = re.compile(r"`[^`]+`|\*[^*]+\*|_[^_]+_")
"""A cell that is code or emphasised as a whole; names of columns are plain or bold."""


class Kind(StrEnum):
    """A kind of block."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    ITEM = "item"
    TABLE = "table"
    ROW = "row"
    CODE = "code"
    QUOTE = "quote"
    LABEL = "label"


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A block at `text[start:end]`.

    `parts` are a list's items, an item's blocks, a table's rows (the first is its header), a quotation's blocks.
    `level` is that of a heading; `number` is the first number of a numbered list, 0 for any other. `content` are the
    words of a heading or a label, or the text of code without its fences; `language` is that of code. A label is a
    heading in all but markup; `units` tells labels from paragraphs.
    """

    kind: Kind
    start: int
    end: int
    parts: tuple["Block", ...] = ()
    level: int = 0
    number: int = 0
    content: str = ""
    language: str = ""


def read_blocks(text: str, header: str = "") -> tuple[Block, ...]:
    """Read the blocks of a text, in order.

    Args:
        text: markdown; it may begin within code, whose rest is then left out.
        header: the header row of the table that the text begins within; such a table's header has no length.
    """
    text = _ADMONITION.sub(_to_quotation, text)
    prefix = f"{header}\n{_rule(header)}\n" if header and text.lstrip(" ").startswith("|") else ""
    skipped = 0 if prefix else _rest_of_code(text)
    depth, outer = (0, "") if prefix or skipped else _outer_items(text)
    prefix = prefix or outer
    blocks = _Reader(prefix + text[skipped:], skipped - len(prefix)).read()
    if depth:
        blocks = chain(_within(next(blocks), depth), blocks)
    return tuple(_with_header(block, text) for block in blocks)


def each_block(blocks: Sequence[Block]) -> Iterator[Block]:
    """Blocks and their parts, from the outside in."""
    for block in blocks:
        yield block
        yield from each_block(block.parts)


def cell_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the cells of a table's row are, without the spaces around them; an empty cell is a span without length."""
    row = text[start:end]
    first = len(row) - len(row.lstrip()) + row.lstrip().startswith("|")
    last = len(row.rstrip())
    last -= last > first and row[last - 1] == "|" and row[last - 2 : last - 1] != "\\"
    borders = [match.start() for match in _BORDER.finditer(row, first, last)]
    spans = []
    for begin, stop in zip([first, *(border + 1 for border in borders)], [*borders, last], strict=True):
        cell = row[begin:stop]
        offset = start + begin + len(cell) - len(cell.lstrip())
        spans.append((offset, offset + len(cell.strip())))
    return spans


def _with_header(block: Block, text: str) -> Block:
    """A table whose first row is marked up like the rows below it has no header: one without length goes above it."""
    if block.kind != Kind.TABLE or len(block.parts) < 2 or block.parts[0].start == block.parts[0].end:
        return block
    firsts = [text[slice(*cell_spans(text, row.start, row.end)[0])] for row in block.parts]
    if not all(map(_VALUE.fullmatch, firsts)):
        return block
    return replace(block, parts=(Block(kind=Kind.ROW, start=block.start, end=block.start), *block.parts))


def _to_quotation(match: re.Match[str]) -> str:
    """An admonition's indented text as a quotation of the same length; otherwise it would be read as code."""
    return match[1] + re.sub(r"^(?: {4}|\t)", lambda indent: ">".ljust(len(indent[0])), match[2], flags=re.MULTILINE)


def _outer_items(text: str) -> tuple[int, str]:
    """The items around a text that begins within them, and how many: without them, its lines would be code."""
    match = _INDENTED.match(text)
    width = len(match["indent"].expandtabs(4)) if match else 0
    return (width // 2, f"{'- ' * (width // 2)}{' ' * (width % 2)}x\n\n") if width else (0, "")


def _within(block: Block, depth: int) -> Iterator[Block]:
    """What stands in the items around a text, then the items behind them."""
    item, *other_items = block.parts
    first, *following = item.parts
    yield from (() if depth == 1 else _within(first, depth - 1))
    yield from following
    if other_items:
        yield replace(block, start=other_items[0].start, parts=tuple(other_items))


def _rule(header: str) -> str:
    return "|" + "---|" * (header.replace("\\|", "").strip().strip("|").count("|") + 1)


def _rest_of_code(text: str) -> int:
    """Where the code ends that a text begins within: its first fence has no pair and no language."""
    fences = list(_FENCE.finditer(text))
    return fences[0].end() if len(fences) % 2 and not fences[0][2] else 0


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


class _Reader:
    """Turns tokens, which know lines, into blocks, which know offsets."""

    def __init__(self, text: str, offset: int) -> None:
        self._text = text.replace("\r", " ").replace("\x00", "\ufffd")
        self._offset = offset
        self._lines = [0]
        for line in self._text.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def read(self) -> Iterator[Block]:
        """Every block."""
        tokens: list[Token] = []
        _parser().block.parse(self._text, _parser(), {}, tokens)
        return self._blocks(tokens, 0, len(tokens))

    def _blocks(self, tokens: Sequence[Token], start: int, end: int) -> Iterator[Block]:
        index = start
        while index < end:
            close = _close(tokens, index)
            block = self._block(tokens, index, close)
            if block is not None:
                yield block
            index = close + 1

    def _block(self, tokens: Sequence[Token], at: int, close: int) -> Block | None:
        token = tokens[at]
        span = self._span(token)
        if span is None:
            return None
        start, end = span
        name = token.type.removesuffix("_open")
        if name == "heading":
            return Block(
                kind=Kind.HEADING, start=start, end=end, level=int(token.tag[1:]), content=tokens[at + 1].content
            )
        if name == "paragraph":
            return Block(kind=Kind.PARAGRAPH, start=start, end=end)
        if name in ("fence", "code_block"):
            content = token.content.strip("\n")
            language_match = _LANGUAGE.match(token.info.strip())  # what stands behind it, such as `{3}`, marks lines
            language = language_match[0] if language_match else ""
            return Block(kind=Kind.CODE, start=start, end=end, content=content, language=language) if content else None
        if name in ("bullet_list", "ordered_list"):
            first_number = int(token.attrs.get("start", 1)) if name == "ordered_list" else 0
            child_blocks = tuple(self._blocks(tokens, at + 1, close))
            return Block(kind=Kind.LIST, start=start, end=end, parts=child_blocks, number=first_number)
        if name in ("list_item", "blockquote"):
            kind = Kind.ITEM if name == "list_item" else Kind.QUOTE
            return Block(kind=kind, start=start, end=end, parts=tuple(self._blocks(tokens, at + 1, close)))
        if name == "table":
            rows = [self._span(row) for row in tokens[at:close] if row.type == "tr_open"]
            child_blocks = tuple(Block(kind=Kind.ROW, start=row[0], end=row[1]) for row in rows if row)
            return Block(kind=Kind.TABLE, start=start, end=end, parts=child_blocks)
        return None

    def _span(self, token: Token) -> tuple[int, int] | None:
        """Where a token's lines begin and end, without the blanks around them and the marks of a quotation before them.

        None if nothing is visible.
        """
        if token.map is None:
            return None
        start = self._lines[token.map[0]]
        end = min(self._lines[token.map[1]], len(self._text))
        text = self._text[start:end]
        visible = _QUOTED.sub("", text, count=1).strip()
        if not visible:
            return None
        start += text.index(visible)
        span = start + self._offset, start + len(visible) + self._offset
        return max(span[0], 0), max(span[1], 0)


def _close(tokens: Sequence[Token], at: int) -> int:
    """The token that closes the one at a place; itself if it needs none."""
    if tokens[at].nesting != 1:
        return at
    depth = 0
    for place in range(at, len(tokens)):
        depth += tokens[place].nesting
        if not depth:
            return place
    return len(tokens) - 1
