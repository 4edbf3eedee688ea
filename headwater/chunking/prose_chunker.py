"""Splitting plain text by paragraph, then by sentence (CHK-1 prose), with code kept apart (CHK-4).

Belongs here: paragraphs, and the overlap between neighbours. Not here: sizes of other chunkers. Guarantee: see the
package; the overlap begins at a sentence if it is then at least `_MIN_OVERLAP` of the wanted length, else at a word,
and repeats no snippet.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from headwater.chunking.packer import SNIPPET_LIMIT, Sizes, TextUnit, cut_sentences, cut_snippet, join_tail, pack_all
from headwater.chunking.sentences import sentence_spans
from headwater.chunking.snippets import Snippets, plain_snippets
from headwater.chunking.text_links import TextLinks
from headwater.domain.documents import Chunk, ChunkKind
from headwater.lexical.tokens import UNSPACED

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LINE_END = re.compile("\n")
_MIN_OVERLAP = 0.6


class ProseChunker:
    """A plain text split at its paragraphs and sentences."""

    def __init__(self, text: str, title: str, sizes: Sizes) -> None:
        """Split a text.

        Args:
            text: the whole document; it has a visible character.
            title: its title, or empty; it becomes the breadcrumb.
            sizes: characters per chunk, including the overlap.
        """
        self._text = text
        self._title = title
        self._snippets = Snippets(text, plain_snippets(text))
        room = sizes.maximum if len(text) <= sizes.maximum else sizes.maximum - sizes.overlap
        self._sizes = Sizes(maximum=room, minimum=sizes.minimum, overlap=sizes.overlap)
        self._lines = array("i", [0])
        self._lines.extend(match.end() for match in _LINE_END.finditer(text))

    def found(self) -> TextLinks:
        """Nothing: plain text has no links."""
        return TextLinks()

    def ends(self) -> list[int]:
        """The ends of the pieces of a fresh split."""
        sizes = self._sizes if len(self._text) <= self._sizes.maximum else self._sizes.fresh()
        ends = pack_all(self._text, self._units(sizes.maximum), sizes)
        return join_tail(ends, sizes.minimum, self.weigh, self.fits)

    def weigh(self, start: int, end: int) -> int:
        """How much a span counts towards the size: the length of its prose."""
        return self._snippets.weigh(start, end)

    def fits(self, start: int, end: int) -> bool:
        """Whether a span may be one piece."""
        return self._snippets.fit(start, end, self._sizes.maximum)

    def may_end(self, offset: int) -> bool:
        """Whether a piece may end at an offset: not inside code that fits into one piece."""
        return not self._snippets.splits(offset, self._sizes.maximum)

    def headings(self, start: int, end: int) -> int:  # noqa: ARG002 - plain text has none
        """How many headings begin in a span."""
        return 0

    def headings_of(self, piece: str) -> int:  # noqa: ARG002 - as above
        """How many headings a piece of an earlier version had."""
        return 0

    def chunk(self, start: int, end: int) -> Chunk:
        """Make the chunk of a span, with its overlap with the previous one."""
        overlap = self._overlap(start)
        body, prose = self._text[start - overlap : end], self._snippets.prose(start - overlap, end)
        return Chunk(
            kind=ChunkKind.PROSE,
            start=start - overlap,
            end=end,
            text=body,
            prose=prose if prose.strip() or self._title else body,  # the embedded text must not be empty
            breadcrumb=(self._title,) if self._title else (),
            line=bisect_right(self._lines, start - overlap),
            overlap=overlap,
        )

    def parents(self, chunks: Sequence[Chunk]) -> list[int | None]:
        """No parents: plain text has no headings."""
        return [None] * len(chunks)

    def _units(self, maximum: int) -> Iterator[TextUnit]:
        position = 0
        for start, end in [*self._snippets.spans, (len(self._text), len(self._text))]:
            yield from self._paragraphs(position, start, maximum)
            weight = self.weigh(start, end)
            if end - start > SNIPPET_LIMIT * self._sizes.maximum:
                yield from cut_snippet(self._text, start, end, maximum)
            elif end > start:
                yield TextUnit(start=start, end=end, weight=weight, strength=1)
            position = end

    def _paragraphs(self, begin: int, stop: int, maximum: int) -> Iterator[TextUnit]:
        paragraph_ends = (match.end() for match in _PARAGRAPH.finditer(self._text, begin, stop) if match.end() < stop)
        for start, end in pairwise(chain([begin], paragraph_ends, [stop]) if stop > begin else ()):
            if end - start <= maximum:
                yield TextUnit(start=start, end=end, weight=end - start, strength=1)
                continue
            for unit in cut_sentences(self._text, start, end, maximum, lambda a, b: b - a):
                yield replace(unit, strength=1) if unit.start == start else unit

    def _overlap(self, start: int) -> int:
        """How many characters before `start` to repeat: from the beginning of a sentence, else of a word."""
        text, overlap = self._text, self._sizes.overlap
        if start == 0 or overlap == 0:
            return 0
        window = self._snippets.last_end(max(0, start - overlap), start)
        spans = sentence_spans(text, max(0, start - 2 * overlap), start)
        latest = start - _MIN_OVERLAP * overlap
        sentence = next((begin for begin, _ in spans[1:] if window <= begin <= latest), None)
        if sentence is not None:
            return start - sentence
        is_border = window == 0 or text[window - 1].isspace() or bool(_UNSPACED.match(text, window))
        words = (match.start() for match in _WORD.finditer(text, window, start) if is_border or match.start() > window)
        return start - next(words, start)
