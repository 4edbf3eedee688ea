"""Splitting code by its syntax tree (CHK-1 code); functions and classes stay whole if they fit.

Belongs here: which borders of an outline become chunks, and their paths. Not here: reading code (`syntax`), the
packing itself. Guarantee: see the package; a piece is larger than the maximum only if it is one function, up to
`FUNCTION_LIMIT` times the maximum, or has white space joined to it.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from headwater.chunking.packer import Sizes, TextUnit, cut_lines, join_short, join_tail, pack_all
from headwater.chunking.syntax import Outline, outline
from headwater.chunking.text_links import TextLinks
from headwater.domain.documents import Chunk, ChunkKind
from headwater.domain.media_types import CodeMediaType

FUNCTION_LIMIT = 2
"""How many times the maximum a function may have and still stay whole: half a function says too little."""

_STRONGEST = 30  # the strength of the outermost borders; deeper ones are weaker
_LINE_END = re.compile("\n")
_CLOSING = " \t\r\n})];,"


class _Sections:
    """Units of the same innermost definition, in order: a few bytes for each, because there may be a million.

    `levels` are the levels of the definitions, 0 outside any.
    """

    def __init__(self, code: Outline, units: Iterator[TextUnit], length: int) -> None:
        self.levels = bytearray()
        self._firsts = array("i")  # the number of a section's first unit
        self._starts = array("i")
        self._strengths = bytearray()
        self._length = length
        last: int | None = None
        for index, unit in enumerate(units):
            definition = code.innermost(unit.start)
            if definition != last:
                self.levels.append(code.definitions[definition].level if definition >= 0 else 0)
                self._firsts.append(index)
            self._starts.append(unit.start)
            self._strengths.append(unit.strength)
            last = definition

    def weight(self, number: int) -> int:
        """How much a section counts towards the size."""
        return self._start(self._first(number + 1)) - self._start(self._first(number))

    def units(self, first: int, beyond: int) -> Iterator[TextUnit]:
        """The units of adjacent sections."""
        for unit in range(self._first(first), self._first(beyond)):
            start, end = self._start(unit), self._start(unit + 1)
            yield TextUnit(start=start, end=end, weight=end - start, strength=self._strengths[unit])

    def _first(self, number: int) -> int:
        return self._firsts[number] if number < len(self._firsts) else len(self._starts)

    def _start(self, unit: int) -> int:
        return self._starts[unit] if unit < len(self._starts) else self._length


class CodeChunker:
    """A code file split at its definitions.

    A function is a chunk, and so is a class that fits. A short function joins the previous one; the head of a large
    class joins its first member. A function that is too large is split at its statements, then at its lines.
    """

    def __init__(self, text: str, title: str, media_type: CodeMediaType, sizes: Sizes) -> None:
        """Split a file.

        Args:
            text: the whole file; it has a visible character.
            title: its title or path, or empty; it begins the breadcrumbs.
            media_type: the language of the code.
            sizes: characters per chunk; the overlap is not used, because a definition stands for itself.
        """
        self._text = text
        self._title = title
        self._media_type = media_type
        self._sizes = sizes
        self._outline = outline(text, media_type, with_mentions=True)
        self._lines = array("i", [0])
        self._lines.extend(match.end() for match in _LINE_END.finditer(text))

    def found(self) -> TextLinks:
        """The names that the file mentions."""
        return TextLinks(mentions=self._outline.mentions)

    def ends(self) -> list[int]:
        """The ends of the pieces of a fresh split."""
        return list(self._ends)

    @cached_property
    def _ends(self) -> list[int]:
        sizes = self._sizes.fresh()
        sections = _Sections(self._outline, self._units(sizes), len(self._text))
        ends: list[int] = []
        # Short heads join the first definition below: imports, and heads of classes.
        for first, beyond in join_short(sections.levels, lambda section: sections.weight(section) < sizes.minimum):
            ends += pack_all(self._text, sections.units(first, beyond), sizes)
        return join_tail(ends, sizes.minimum, self.weigh, lambda start, end: end - start <= self._sizes.maximum)

    def weigh(self, start: int, end: int) -> int:
        """How much a span counts towards the size."""
        return end - start

    def fits(self, start: int, end: int) -> bool:
        """Whether a span may be one piece."""
        if end - start <= self._sizes.maximum:
            return True
        is_whole = not any(start < border < end for border in self._ends)
        return is_whole and end - start <= FUNCTION_LIMIT * self._sizes.maximum

    def may_end(self, offset: int) -> bool:  # noqa: ARG002 - a definition is better cut where it was than moved
        """Whether a piece may end at an offset."""
        return True

    def headings(self, start: int, end: int) -> int:
        """How many definitions a span has when it is parsed alone."""
        return self.headings_of(self._text[start:end])

    def headings_of(self, piece: str) -> int:
        """How many definitions a piece of an earlier version had."""
        return len(outline(piece, self._media_type).definitions)

    def chunk(self, start: int, end: int) -> Chunk:
        """Make the chunk of a span."""
        body = self._text[start:end]
        path = self._outline.path(self._definition(start, end))
        return Chunk(
            kind=ChunkKind.CODE,
            start=start,
            end=end,
            text=body,
            prose=body,
            breadcrumb=(self._title, *path) if self._title else tuple(path),
            line=bisect_right(self._lines, start),
        )

    def parents(self, chunks: Sequence[Chunk]) -> list[int | None]:
        """For each chunk, the chunk in which its enclosing definition begins."""
        starts = [chunk.start for chunk in chunks]
        parents: list[int | None] = []
        for chunk in chunks:
            index = self._outline.innermost(chunk.start)
            while index >= 0 and self._outline.definitions[index].start >= chunk.start:
                index = self._outline.definitions[index].parent
            begin = self._outline.definitions[index].start if index >= 0 else -1
            parents.append(bisect_right(starts, begin) - 1 if index >= 0 else None)
        return parents

    def _definition(self, start: int, end: int) -> int:
        """The definition of a span: the one that encloses it, or the only one that begins in it."""
        definitions = self._outline.definitions
        last = start + len(self._text[start:end].rstrip(_CLOSING))
        around = self._outline.innermost(start)
        while around >= 0 and definitions[around].end < last:
            around = definitions[around].parent
        if around >= 0 and definitions[around].start == start:
            return around
        first = bisect_right(definitions, start - 1, key=lambda definition: definition.start)
        beyond = bisect_right(definitions, end - 1, key=lambda definition: definition.start)
        children = [index for index in range(first, beyond) if definitions[index].parent == around]
        return children[0] if len(children) == 1 else around

    def _units(self, sizes: Sizes) -> Iterator[TextUnit]:
        """Spans that should stay whole, in order; each is the largest part of the tree that fits."""
        offsets, depths = self._outline.offsets, self._outline.depths
        # A small file is split as well, because it may hold several functions.
        outermost = [offset for offset, depth in zip(offsets, depths, strict=True) if depth == 0 and offset > 0]
        todo = [(start, end, _STRONGEST) for start, end in pairwise([0, *outermost, len(self._text)])][::-1]
        while todo:
            start, end, strength = todo.pop()
            low, high = bisect_right(offsets, start), bisect_right(offsets, end - 1)
            if end - start <= sizes.maximum or self._is_whole(start, end, sizes):
                yield TextUnit(start=start, end=end, weight=end - start, strength=strength)
            elif low == high:
                yield from self._lines_of(start, end, strength, sizes)
            else:
                depth = min(depths[low:high])
                borders = [offsets[index] for index in range(low, high) if depths[index] == depth]
                spans = [(a, b, max(1, _STRONGEST - depth)) for a, b in pairwise([start, *borders, end])]
                todo += [*reversed(spans[1:]), (start, borders[0], strength)]

    def _lines_of(self, start: int, end: int, strength: int, sizes: Sizes) -> Iterator[TextUnit]:
        """The lines of a span, preferably split at blank lines."""
        for unit in cut_lines(self._text, start, end, sizes.maximum, self.weigh):
            is_after_blank = self._text.endswith("\n\n", start, unit.start)
            yield replace(unit, strength=strength if unit.start == start else int(is_after_blank))

    def _is_whole(self, start: int, end: int, sizes: Sizes) -> bool:
        """Whether a span is a function, which may be longer than other spans."""
        if end - start > FUNCTION_LIMIT * sizes.maximum:
            return False
        index = self._outline.innermost(start)
        definition = self._outline.definitions[index] if index >= 0 else None
        return definition is not None and definition.is_function and definition.start == start
