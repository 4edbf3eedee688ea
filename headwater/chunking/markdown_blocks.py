"""The blocks of a markdown document: their kinds and offsets.

Belongs here: reading only as much of markdown as chunks need. Not here: which borders become chunks
(`markdown_chunker`). Guarantee: a line takes only a few bytes of memory, because a document may have a million lines;
the tokens of markdown-it took 3.4 GB for a table of a million rows.
"""

import re
import sys
from array import array
from bisect import bisect_right
from functools import cache
from typing import Literal, cast

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from headwater.chunking.snippets import Snippets
from headwater.parsing.markdown.headings import plain_heading

_VISIBLE = re.compile(r"\S")
_WORD = re.compile(r"\w")
_LINE_END = re.compile(r"\r\n?|\n")
_LINE = re.compile(r"([ \t]*)[^\n]*(?:\n|\Z)")
_CODE = ("fence", "code_block")
HEADING, PARAGRAPH, OTHER, TABLE = range(4)
_KINDS = {"heading_open": HEADING, "paragraph_open": PARAGRAPH, "blockquote_open": PARAGRAPH, "table_open": TABLE}
_HEADER_LIMIT = 300  # characters of a table's header that its later chunks repeat


class Blocks:
    """Top-level blocks and list items of a document, each up to the start of the next, so that they tile the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = line_starts(text)
        state = _read(text)
        self.starts = array("i", (self.at(line) for line in state.lines))
        self.kinds, self.is_item = state.kinds, state.is_item
        if self.starts:
            self.starts[0] = 0
        else:
            self.starts.append(0)
            self.kinds.append(PARAGRAPH)
            self.is_item.append(0)
        self.heading_levels, self.heading_words = state.heading_levels, state.heading_words
        code = map(self.at, state.code_lines)
        self.code = list(zip(code, code, strict=True))
        snippets = [span for span, is_snippet in zip(self.code, state.is_snippet, strict=True) if is_snippet]
        self.snippets = Snippets(text, snippets, atoms=self.code)

    def __len__(self) -> int:
        return len(self.starts)

    def end(self, number: int) -> int:
        """Where a block ends."""
        return self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)

    def number_at(self, offset: int) -> int:
        """The number of the block that holds an offset."""
        return bisect_right(self.starts, offset) - 1

    def header_above(self, offset: int) -> str:
        """The header row of the table that is split at an offset, as one line; empty if none is, or not below it."""
        block = self.number_at(offset)
        if self.kinds[block] != TABLE:
            return ""
        visible = _VISIBLE.search(self.text, self.starts[block], offset)
        end = self.text.find("\n", visible.start(), offset) if visible else -1
        if not visible or end < 0 or self.text.find("\n", end + 1, offset) < 0:  # within the header or its rule
            return ""
        header = self.text[visible.start() : end].strip().removeprefix("|").removesuffix("|").strip()
        if not _WORD.search(header):
            return ""
        return header if len(header) <= _HEADER_LIMIT else header[: header.rfind(" | ", 0, _HEADER_LIMIT)]

    def at(self, line: int) -> int:
        """The offset where a line begins (0-based)."""
        return self.lines[line] if line < len(self.lines) else len(self.text)

    def line(self, offset: int) -> int:
        """The line (1-based) that holds an offset."""
        return bisect_right(self.lines, offset)


def count_headings(text: str) -> int:
    """How many headings a text has, except those in lists and quotations."""
    return len(_read(text).heading_levels)


def line_starts(text: str) -> "array[int]":
    """The offsets where lines begin."""
    starts = array("i", [0])
    starts.extend(match.end() for match in _LINE_END.finditer(text))
    return starts


def _read(text: str) -> "_Reader":
    source = _LINE_END.sub("\n", text) if "\r" in text else text
    state = _Reader(source.replace("\x00", "\ufffd"), _parser())
    if source:
        _parser().block.tokenize(state, state.line, state.lineMax)
    state.settle()
    return state


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


class _Reader(StateBlock):
    """Replaces the state that markdown-it's block rules write to: keeps what is needed of a token and discards it."""

    def __init__(self, source: str, parser: MarkdownIt) -> None:
        super().__init__("", parser, {}, [])
        self.src = source
        self._locate_lines(source)
        self.lines = array("i")  # where blocks begin
        self.kinds = bytearray()
        self.is_item = bytearray()
        self.heading_levels = bytearray()
        self.heading_words: list[str] = []
        self.code_lines = array("i")  # where code begins and ends, in turn
        self.is_snippet = bytearray()
        self._last: Token | None = None
        self._heading = 0

    def _locate_lines(self, source: str) -> None:
        """Does what `StateBlock` does, with much less memory: lists of a million numbers take 36 MB each."""
        begins, ends, shifts, columns = array("i"), array("i"), array("i"), array("i")
        position = 0
        while position < len(source) and (line := _LINE.match(source, position)):
            end = line.end() - (source[line.end() - 1] == "\n")
            if line.end(1) == end == len(source):
                break  # the last line has only spaces
            begins.append(position)
            ends.append(end)
            shifts.append(line.end(1) - position)
            columns.append(len(line[1].expandtabs(4)))
            position = line.end()
        for line_offsets, last in ((begins, len(source)), (ends, len(source)), (shifts, 0), (columns, 0)):
            line_offsets.append(last)
        self.bMarks, self.eMarks, self.tShift, self.sCount, self.bsCount = (
            cast("list[int]", offsets)
            for offsets in (begins, ends, shifts, columns, array("i", bytes(4 * len(begins))))
        )
        self.lineMax = len(begins) - 1

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Give a rule a token to fill."""
        self.settle()
        token = Token(ttype, tag, nesting)
        self.level -= nesting < 0
        token.level = self.level
        self.level += nesting > 0
        self._last = token
        return token

    def settle(self) -> None:
        """Record what is needed of the last token, which is complete now."""
        token, self._last = self._last, None
        if token is None or token.map is None:
            return
        start, end = token.map
        is_item = token.type == "list_item_open" and token.level == 1
        # A list begins where its first item does: of equal starts, the first has the stronger border.
        if (token.level == 0 or is_item) and (not self.lines or start > self.lines[-1]):
            self.lines.append(start)
            self.kinds.append(_KINDS.get(token.type, OTHER))
            self.is_item.append(is_item)
        if token.type == "heading_open" and token.level == 0:
            self._heading = int(token.tag[1:])
        elif token.type == "inline" and self._heading:
            self.heading_levels.append(self._heading)
            self.heading_words.append(sys.intern(plain_heading(token.content)))
            self._heading = 0
        elif token.type in _CODE:
            self.code_lines.extend((start, end))
            self.is_snippet.append(token.content.count("\n") > 1)
