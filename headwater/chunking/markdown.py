"""Markdown into chunks: by its tree of headings (CHK-1 markdown), with breadcrumbs and with code kept apart (CHK-4).

Belongs here: what markdown's blocks and headings mean for borders. Not here: the packing itself, parsing of front
matter. Guarantee: see the package; a code block of several lines stays whole up to `SNIPPET_LIMIT` times the maximum.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from headwater.chunking.links import Links
from headwater.chunking.packing import (
    SNIPPET_LIMIT,
    Sizes,
    Unit,
    cut_lines,
    cut_sentences,
    cut_snippet,
    join_short,
    join_tail,
    pack,
)
from headwater.chunking.snippets import Snippets
from headwater.models import Chunk, ChunkKind
from headwater.parsing.headings import plain_heading

_HEADING_STRENGTH = 10  # above every border within a section, and stronger the higher the heading
_LINE_END = re.compile(r"\r\n?|\n")
_CODE = ("fence", "code_block")


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    type: str
    strength: int = 1


@dataclass(frozen=True, slots=True)
class _Section:
    level: int  # of its heading; 0 before the first one
    headings: tuple[str, ...]  # from the top heading down to its own
    blocks: tuple[_Block, ...]

    @property
    def start(self) -> int:
        return self.blocks[0].start

    @property
    def end(self) -> int:
        return self.blocks[-1].end


class _Text:
    """A document with its lines and code blocks located."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self.tokens = _parser().parse(text)
        self.code = [
            (self.at(token.map[0]), self.at(token.map[1]), token.content.count("\n") > 1)
            for token in self.tokens
            if token.type in _CODE and token.map
        ]
        self.snippets = Snippets(text, [(start, end) for start, end, is_snippet in self.code if is_snippet])

    def at(self, line: int) -> int:
        """The offset where a line begins (0-based)."""
        return self.lines[line] if line < len(self.lines) else len(self.text)

    def line(self, offset: int) -> int:
        """The line (1-based) that holds an offset."""
        return bisect_right(self.lines, offset)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # blocks are all we need; inline is most of the time
    return parser


class MarkdownCut:
    """A markdown document cut by its headings.

    A section is a chunk; a short one joins the one before it under the same heading, a heading alone the one below
    it; a long one is cut at its paragraphs, items and sentences.
    """

    def __init__(self, text: str, title: str, sizes: Sizes) -> None:
        """Cut a document.

        Args:
            text: the whole document, lines ended by newlines, front matter taken off; it has a visible character.
            title: its title, or nothing; it leads the breadcrumbs.
            sizes: characters of prose per chunk; the overlap is not used, since a section stands for itself.
        """
        self._document = _Text(text)
        self._sections = _sections(self._document)
        self._links = Links(text, [(start, end) for start, end, _ in self._document.code])
        self._title = title
        self._sizes = sizes

    def ends(self) -> list[int]:
        """Where the pieces of a fresh cut end."""
        document, sizes, ends = self._document, self._sizes.fresh(), []
        weigh = document.snippets.weigh
        for group in join_short(self._sections, lambda one: weigh(one.start, one.end) < sizes.minimum):
            units = [unit for section in group for unit in _units(document, section, sizes)]
            ends += [piece[-1].end for piece in pack(document.text, units, sizes)]
        return join_tail(ends, sizes.minimum, self.weigh, self.fits)

    def weigh(self, start: int, end: int) -> int:
        """What a span counts towards the size: its prose."""
        return self._document.snippets.weigh(start, end)

    def fits(self, start: int, end: int) -> bool:
        """Whether a span may be one piece."""
        return self._document.snippets.fit(start, end, self._sizes.maximum)

    def headings(self, start: int, end: int) -> int:
        """How many headings begin in a span."""
        return sum(1 for section in self._sections if section.level and start <= section.start < end)

    def headings_of(self, piece: str) -> int:
        """How many headings a piece of an earlier version had."""
        return sum(1 for token in _parser().parse(piece) if token.type == "heading_open" and token.level == 0)

    def chunk(self, start: int, end: int) -> Chunk:
        """Make the chunk of a span."""
        document = self._document
        text, prose = document.text[start:end], document.snippets.prose(start, end)
        breadcrumb = _breadcrumb(self._sections, start, end, self._title)
        return Chunk(
            kind=ChunkKind.MARKDOWN,
            start=start,
            end=end,
            text=text,
            prose=prose if prose.strip() or breadcrumb else text,  # something has to be embedded
            breadcrumb=breadcrumb,
            line=document.line(start),
            outgoing=self._links.targets(start, end),
        )

    def parents(self, chunks: Sequence[Chunk]) -> list[int | None]:
        """For each chunk, the nearest one before it whose breadcrumb is the longest beginning of its own."""
        begun: dict[tuple[str, ...], int] = {}
        parents: list[int | None] = []
        before: tuple[str, ...] | None = None
        for position, chunk in enumerate(chunks):
            path = chunk.breadcrumb
            prefixes = (path[:length] for length in range(len(path) - 1, 0, -1))
            parents.append(next((begun[prefix] for prefix in prefixes if prefix in begun), None))
            if path != before:  # a section that goes on stands under its first chunk's parent
                begun[path] = position
            before = path
        return parents


def _blocks(document: _Text) -> list[_Block]:
    """Top-level blocks and list items; each reaches to the start of the next, so they tile the text."""
    starts: list[tuple[int, str, int]] = []
    for token in document.tokens:
        if token.map and (token.level == 0 or _is_top_item(token)) and token.nesting >= 0:
            strength = 1 if token.level == 0 else 0
            starts.append((document.at(token.map[0]), token.type, strength))
    # A list begins where its first item does: the first of equal starts has the stronger border.
    unique = [item for index, item in enumerate(starts) if index == 0 or item[0] > starts[index - 1][0]]
    if not unique:
        return [_Block(0, len(document.text), "paragraph_open")]
    ends = [start for start, _, _ in unique[1:]] + [len(document.text)]
    blocks = [_Block(start, end, kind, strength) for (start, kind, strength), end in zip(unique, ends, strict=True)]
    return [replace(blocks[0], start=0), *blocks[1:]]


def _is_top_item(token: Token) -> bool:
    return token.type == "list_item_open" and token.level == 1


def _sections(document: _Text) -> list[_Section]:
    sections: list[_Section] = []
    path: list[tuple[int, str]] = []
    blocks: list[_Block] = []
    headings = {
        document.at(token.map[0]): (int(token.tag[1:]), plain_heading(content.content))
        for token, content in pairwise(document.tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    }
    for block in _blocks(document):
        if block.type == "heading_open" and blocks:
            sections.append(_section(path, blocks))
            blocks = []
        if block.type == "heading_open":
            heading = headings.get(block.start) or next(iter(headings.values()))  # the first block begins at 0
            path = [*(entry for entry in path if entry[0] < heading[0]), heading]
        blocks.append(block)
    return [*sections, _section(path, blocks)]


def _section(path: Sequence[tuple[int, str]], blocks: Sequence[_Block]) -> _Section:
    return _Section(path[-1][0] if path else 0, tuple(text for _, text in path), tuple(blocks))


def _units(document: _Text, section: _Section, sizes: Sizes) -> list[Unit]:
    units: list[Unit] = []
    for number, block in enumerate(section.blocks):
        strength = block.strength if number else _HEADING_STRENGTH - section.level
        weight = document.snippets.weigh(block.start, block.end)
        room = sizes.maximum
        if number == 1 and len(units) == 1 and section.level and units[0].weight <= room // 2:
            room -= units[0].weight  # it shares its piece with the heading
        if weight <= room and block.end - block.start - weight <= SNIPPET_LIMIT * sizes.maximum:
            units.append(Unit(start=block.start, end=block.end, weight=weight, strength=strength))
            continue
        first, *rest = _cut(document, block, room)
        units += [replace(first, strength=strength), *rest]
    return _headings_with_text(units, section, sizes)


def _cut(document: _Text, block: _Block, maximum: int) -> list[Unit]:
    """Cut a block that is too large: code, tables and lists by line, the rest by sentence."""
    if document.snippets.weigh(block.start, block.end) <= maximum:  # only its code is too large
        return cut_snippet(document.text, block.start, block.end, maximum)
    cut = cut_sentences if block.type in ("paragraph_open", "blockquote_open") else cut_lines
    return cut(document.text, block.start, block.end, maximum, document.snippets.weigh)


def _headings_with_text(units: list[Unit], section: _Section, sizes: Sizes) -> list[Unit]:
    """Keep a heading on the first thing below it, so that no border falls between them."""
    if section.level == 0 or len(units) < 2:
        return units
    heading, first, *rest = units
    if section.blocks[0].type != "heading_open" or heading.end != section.blocks[0].end:
        return units
    if heading.weight + first.weight > sizes.maximum:  # hardly a heading
        return units
    joined = replace(heading, end=first.end, weight=heading.weight + first.weight)
    return [joined, *rest]


def _breadcrumb(sections: Sequence[_Section], start: int, end: int, title: str) -> tuple[str, ...]:
    """The headings above a chunk: of the section it begins in, or of the first one below bare headings."""
    first = bisect_right(sections, start, key=lambda section: section.start) - 1
    section = sections[first]
    for below in islice(sections, first + 1, None):
        if below.start >= end or len(section.blocks) > 1:
            break
        if below.headings[: len(section.headings)] != section.headings:
            break
        section = below
    headings = section.headings
    if title and (not headings or headings[0].casefold() != title.casefold()):
        headings = (title, *headings)
    return headings
