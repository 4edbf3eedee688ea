"""Passages with the text around them, so that a list or a code block that crosses chunks is whole (ANS-4).

Belongs here: joining passages with the chunks next to them. Not here: loading these (`headwater.answering`), the blocks
in the text (`block_reader`). Guarantee: a stretch's text is `text[start:end]` of its document version, without a gap.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby

from headwater.domain.places import PlaceRange
from headwater.domain.search import Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """A continuous part of a document version, from the offset `start`, and its chunks in order.

    `passages` are those chunks that the search found and that are trusted; the others only complete their blocks.
    """

    start: int
    text: str
    chunks: tuple[Passage, ...]
    passages: tuple[Passage, ...]

    def chunk_at(self, offset: int) -> Passage:
        """The chunk that holds an offset of the stretch's text; of two that overlap, a trusted one."""
        at = self.start + offset
        holding = [chunk for chunk in (*self.passages, *self.chunks) if chunk.start <= at < chunk.end]
        return holding[0] if holding else self.chunks[0]

    def passage_of(self, start: int, end: int) -> Passage | None:
        """The most trusted passage that overlaps `text[start:end]`."""
        begin, stop = self.start + start, self.start + end
        over = [passage for passage in self.passages if passage.start < stop and begin < passage.end]
        return max(over, key=lambda one: one.scores.trust or 0.0, default=None)

    def place_of(self, start: int, end: int) -> PlaceRange | None:
        """The place of `text[start:end]` in the original; None if unknown."""
        begin, stop = self.start + start, self.start + end
        over = [chunk for chunk in self.chunks if chunk.start < stop and begin < chunk.end]
        places = [one.place_of(max(begin - one.start, 0), min(stop, one.end) - one.start) for one in over]
        known = [place for place in places if place is not None]
        return reduce(PlaceRange.extend, known) if known else None


def make_stretches(passages: Sequence[Passage], nearby: Iterable[Passage]) -> list[Stretch]:
    """Join passages with the chunks next to them.

    Args:
        passages: trusted passages, best first.
        nearby: chunks of the same document versions, passages included or not.

    Returns:
        One stretch for each text without a gap that holds a passage, by its best passage.
    """
    known = {(one.document_version_id, one.chunk_id, one.start): one for one in nearby}
    known.update({(passage.document_version_id, passage.chunk_id, passage.start): passage for passage in passages})
    ordered = sorted(known.values(), key=lambda one: (one.document_version_id, one.start, -one.end))
    ranks = {id(passage): rank for rank, passage in enumerate(passages)}
    stretches = []
    for _, chunks in groupby(ordered, key=lambda one: one.document_version_id):
        for run in _runs(chunks):
            mine = sorted((chunk for chunk in run if id(chunk) in ranks), key=lambda chunk: ranks[id(chunk)])
            if mine:
                stretches.append(_join_chunks(run, mine))
    return sorted(stretches, key=lambda stretch: ranks[id(stretch.passages[0])])


def _runs(chunks: Iterable[Passage]) -> Iterator[list[Passage]]:
    run: list[Passage] = []
    end = 0
    for chunk in chunks:
        if run and chunk.start > end:
            yield run
            run = []
        run.append(chunk)
        end = max(end, chunk.end) if len(run) > 1 else chunk.end
    if run:
        yield run


def _join_chunks(chunks: Sequence[Passage], passages: Sequence[Passage]) -> Stretch:
    text, end = "", chunks[0].start
    for chunk in chunks:
        text += chunk.text[max(0, end - chunk.start) :]
        end = max(end, chunk.end)
    return Stretch(start=chunks[0].start, text=text, chunks=tuple(chunks), passages=tuple(passages))
