"""Splitting markdown by its headings (CHK-1 markdown), with breadcrumbs and with code kept apart (CHK-4).

Belongs here: how markdown's blocks and headings determine borders. Not here: the packing itself, parsing of front
matter. Guarantee: see the package; a code block of several lines stays whole up to `SNIPPET_LIMIT` times the maximum.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater.chunking.markdown_blocks import HEADING, PARAGRAPH, Blocks, count_headings
from headwater.chunking.markdown_links import markdown_links
from headwater.chunking.packer import (
    SNIPPET_LIMIT,
    Sizes,
    TextUnit,
    cut_lines,
    cut_sentences,
    cut_snippet,
    join_short,
    join_tail,
    pack_all,
)
from headwater.chunking.text_links import TextLinks
from headwater.domain.documents import Chunk, ChunkKind
from headwater.parsing.markdown.headings import BOLD_LINE
from headwater.parsing.navigation import is_navigation

_HEADING_STRENGTH = 10  # above every border within a section, and stronger the higher the heading


class _Sections:
    """The section under each heading, and the one before the first heading: in order, a few bytes for each."""

    def __init__(self, document: Blocks) -> None:
        self._document = document
        self._words = document.heading_words
        self.levels = bytearray()  # level of the section's heading; 0 before the first one
        self.firsts = array("i")  # number of the section's first block
        self._names = array("i")  # number of its heading
        self._above = array("i")  # its parent section, -1 for none
        path: list[int] = []
        heading = 0
        for index, kind in enumerate(document.kinds):
            if kind == HEADING:
                level = document.heading_levels[heading]
                while path and self.levels[path[-1]] >= level:
                    path.pop()
                self._add(index, level, heading, path[-1] if path else -1)
                path.append(len(self.levels) - 1)
                heading += 1
            elif index == 0:
                self._add(0, 0, -1, -1)

    def _add(self, first: int, level: int, heading: int, above: int) -> None:
        self.levels.append(level)
        self.firsts.append(first)
        self._names.append(heading)
        self._above.append(above)

    def __len__(self) -> int:
        return len(self.levels)

    def start(self, number: int) -> int:
        """Where a section begins."""
        return self._document.starts[self.firsts[number]]

    def end(self, number: int) -> int:
        """Where a section ends."""
        return self.start(number + 1) if number + 1 < len(self) else len(self._document.text)

    def blocks(self, number: int) -> range:
        """The numbers of a section's blocks."""
        return range(
            self.firsts[number], self.firsts[number + 1] if number + 1 < len(self) else len(self._document.starts)
        )

    def headings(self, number: int) -> tuple[str, ...]:
        """The headings of a section, from the top one down to its own."""
        path: list[str] = []
        while number >= 0 and self._names[number] >= 0:
            words = self._words[self._names[number]]
            if words and not is_navigation(words):  # what stands below a table of contents is not part of it
                path.append(words)
            number = self._above[number]
        return tuple(reversed(path))

    def at(self, offset: int) -> int:
        """The number of the section that contains an offset."""
        return bisect_right(self.firsts, self._document.number_at(offset)) - 1


class MarkdownChunker:
    """A markdown document split at its headings.

    A section is a chunk. A short section joins the previous one under the same heading, a bare heading joins the
    section below it, and a long section is split at its paragraphs, items and sentences.
    """

    def __init__(self, text: str, title: str, sizes: Sizes) -> None:
        """Split a document.

        Args:
            text: the whole document, lines ended by newlines, without front matter; it has a visible character.
            title: its title, or empty; it begins the breadcrumbs.
            sizes: characters of prose per chunk; the overlap is not used, because a section stands for itself.
        """
        self._document = Blocks(text)
        self._sections = _Sections(self._document)
        self._title = title
        self._sizes = sizes

    def found(self) -> TextLinks:
        """The links of the document."""
        return TextLinks(references=markdown_links(self._document.text, self._document.code))

    def ends(self) -> list[int]:
        """The ends of the pieces of a fresh split."""
        sections, sizes = self._sections, self._sizes.fresh()
        ends: list[int] = []

        def is_short(number: int) -> bool:
            return self.weigh(sections.start(number), sections.end(number)) < sizes.minimum

        for first, beyond in join_short(sections.levels, is_short):
            units = (unit for section in range(first, beyond) for unit in self._units(section, sizes))
            ends += pack_all(self._document.text, units, sizes)
        return join_tail(ends, sizes.minimum, self.weigh, self.fits)

    def weigh(self, start: int, end: int) -> int:
        """How much a span counts towards the size: the length of its prose."""
        return self._document.snippets.weigh(start, end)

    def fits(self, start: int, end: int) -> bool:
        """Whether a span may be one piece."""
        return self._document.snippets.fit(start, end, self._sizes.maximum)

    def may_end(self, offset: int) -> bool:
        """Whether a piece may end at an offset: not inside code that fits into one piece."""
        return not self._document.snippets.splits(offset, self._sizes.maximum)

    def headings(self, start: int, end: int) -> int:
        """How many headings begin in a span."""
        sections = self._sections
        numbers = range(sections.at(start), sections.at(max(start, end - 1)) + 1)
        return sum(1 for section in numbers if sections.levels[section] and start <= sections.start(section) < end)

    def headings_of(self, piece: str) -> int:
        """How many headings a piece of an earlier version had."""
        return count_headings(piece)

    def chunk(self, start: int, end: int) -> Chunk:
        """Make the chunk of a span."""
        document = self._document
        text, prose = document.text[start:end], document.snippets.prose(start, end)
        header = document.header_above(start)  # the rows of a long table say little without it
        breadcrumb = (*self._breadcrumb(start, end), *([header] if header else []))
        return Chunk(
            kind=ChunkKind.MARKDOWN,
            start=start,
            end=end,
            text=text,
            prose=prose if prose.strip() or breadcrumb else text,  # the embedded text must not be empty
            breadcrumb=breadcrumb,
            line=document.line(start),
        )

    def parents(self, chunks: Sequence[Chunk]) -> list[int | None]:
        """For each chunk, the nearest earlier chunk whose breadcrumb is the longest beginning of its own."""
        chunk_by_path: dict[tuple[str, ...], int] = {}
        parents: list[int | None] = []
        previous_path: tuple[str, ...] | None = None
        for position, chunk in enumerate(chunks):
            path = chunk.breadcrumb
            prefixes = (path[:length] for length in range(len(path) - 1, 0, -1))
            parents.append(next((chunk_by_path[prefix] for prefix in prefixes if prefix in chunk_by_path), None))
            if path != previous_path:  # a continued section has the same parent as its first chunk
                chunk_by_path[path] = position
            previous_path = path
        return parents

    def _units(self, number: int, sizes: Sizes) -> Iterator[TextUnit]:
        """The parts of a section that should stay whole; what introduces a part stays with it."""
        waiting: TextUnit | None = None
        for unit in self._units_of_blocks(number, sizes):
            joined = unit
            if waiting and waiting.weight + unit.weight <= sizes.maximum:  # otherwise it hardly introduces this
                joined = replace(waiting, end=unit.end, weight=waiting.weight + unit.weight)
            elif waiting:
                yield waiting
            waiting = joined if self._introduces(unit) else None
            if not waiting:
                yield joined
        if waiting:
            yield waiting

    def _introduces(self, unit: TextUnit) -> bool:
        """Whether a part is a heading, a line in bold such as the name of an option, or ends with a colon."""
        document = self._document
        block = document.number_at(unit.start)
        if unit.end != document.end(block):
            return False
        if document.kinds[block] != PARAGRAPH or document.is_item[block]:
            return document.kinds[block] == HEADING
        text = document.text[unit.start : unit.end].rstrip()
        return text.endswith(":") or BOLD_LINE.fullmatch(text) is not None

    def _units_of_blocks(self, number: int, sizes: Sizes) -> Iterator[TextUnit]:
        document, level = self._document, self._sections.levels[number]
        weigh = document.snippets.weigh
        for position, block in enumerate(self._sections.blocks(number)):
            start, end = document.starts[block], document.end(block)
            strength = 1 - document.is_item[block] if position else _HEADING_STRENGTH - level
            weight, room = weigh(start, end), sizes.maximum
            if position == 1 and level and (heading := weigh(document.starts[block - 1], start)) <= room // 2:
                room -= heading  # it shares its piece with the heading
            if weight <= room and end - start - weight <= SNIPPET_LIMIT * sizes.maximum:
                yield TextUnit(start=start, end=end, weight=weight, strength=strength)
                continue
            for unit in self._cut(block, room):
                yield replace(unit, strength=strength) if unit.start == start else unit

    def _cut(self, block: int, room: int) -> Iterator[TextUnit]:
        """Split a large block: tables and lists by line, the rest by sentence; code stays whole if it fits."""
        document = self._document
        text, weigh = document.text, document.snippets.weigh
        cut = cut_sentences if document.kinds[block] == PARAGRAPH else cut_lines
        for start, end, is_code in document.snippets.parts(document.starts[block], document.end(block)):
            if not is_code:
                yield from cut(text, start, end, room, weigh)
            elif end - start <= SNIPPET_LIMIT * self._sizes.maximum:
                yield TextUnit(start=start, end=end, weight=weigh(start, end), strength=0)
            else:
                yield from cut_snippet(text, start, end, room)

    def _breadcrumb(self, start: int, end: int) -> tuple[str, ...]:
        """The headings above a chunk: of the section it begins in, or of the first section below bare headings."""
        sections = self._sections
        section = sections.at(start)
        headings = sections.headings(section)
        while section + 1 < len(sections) and sections.start(section + 1) < end and len(sections.blocks(section)) == 1:
            next_headings = sections.headings(section + 1)
            if next_headings[: len(headings)] != headings:
                break
            section, headings = section + 1, next_headings
        if self._title and (not headings or headings[0].casefold() != self._title.casefold()):
            headings = (self._title, *headings)
        return headings
