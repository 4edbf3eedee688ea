"""Borders that an edit leaves where they were (CHK-5).

Belongs here: carrying an earlier version's borders over to a newer text. Not here: fresh borders (`markdown`,
`prose`, `code`). Guarantee: pieces tile the text; whatever stands before the first and after the last change is cut as
before; a piece that was edited, and still fits, stays one piece.

However borders are chosen from a text alone, an edit now and then crosses a threshold (a minimum, a maximum) and
moves one that it has nothing to do with. So the version before is asked too: then what is embedded again is what was
edited (on the same 116 documents, one text for each of 1,433 paragraphs, whether a word, a sentence or all of it was
changed).
"""

from collections.abc import Sequence
from typing import Protocol

from headwater.domain.documents import Chunk


class Cut(Protocol):
    """A document on its way to chunks; spans are offsets in its text."""

    def ends(self) -> list[int]:
        """Where the pieces of a fresh cut end; the last is the text's end."""
        ...

    def weigh(self, start: int, end: int) -> int:
        """What a span counts towards the size."""
        ...

    def fits(self, start: int, end: int) -> bool:
        """Whether a span may be one piece."""
        ...

    def may_end(self, offset: int) -> bool:
        """Whether a piece may end at an offset: not within code that is to stay whole."""
        ...

    def headings(self, start: int, end: int) -> int:
        """How many headings, or definitions of code, begin in a span."""
        ...

    def headings_of(self, piece: str) -> int:
        """How many headings or definitions a piece of an earlier version had."""
        ...

    def chunk(self, start: int, end: int) -> Chunk:
        """Make the chunk of a span."""
        ...

    def parents(self, chunks: Sequence[Chunk]) -> list[int | None]:
        """For each of all chunks, the position of the one that it stands under."""
        ...


def kept_ends(text: str, cut: Cut, fresh: Sequence[int], before: Sequence[str], minimum: int) -> list[int]:
    """Where the pieces of an edited text end.

    Args:
        text: the newer text.
        cut: its fresh cut.
        fresh: where the pieces of that end; the last is the text's end.
        before: the pieces of the version before, in order.
        minimum: characters under which a new piece rather joins its neighbour.
    """
    front = _same_front(text, before, cut)
    head = front[-1] if front else 0
    back = _same_back(text, before[len(front) :], head, cut)
    tail = len(text) - sum(map(len, back))
    changed = before[len(front) : len(before) - len(back)]
    middle = [*_inner(cut, fresh, head, tail, changed, minimum), tail] if tail > head else []
    if len(middle) == 1 and not changed and _joins_front(cut, front, tail, minimum):
        front.pop()
    ends = [*front, *middle]
    position = tail
    for piece in back:
        position += len(piece)
        ends.append(position)
    return ends


def _same_front(text: str, before: Sequence[str], cut: Cut) -> list[int]:
    ends: list[int] = []
    position = 0
    for piece in before:
        if not text.startswith(piece, position) or not cut.may_end(position + len(piece)):
            break
        position += len(piece)
        ends.append(position)
    return ends


def _same_back(text: str, before: Sequence[str], head: int, cut: Cut) -> list[str]:
    kept: list[str] = []
    position = len(text)
    for piece in reversed(before):
        start = position - len(piece)
        if start < head or not text.startswith(piece, start) or not cut.may_end(start):
            break
        position = start
        kept.append(piece)
    return kept[::-1]


def _inner(cut: Cut, fresh: Sequence[int], head: int, tail: int, changed: Sequence[str], minimum: int) -> list[int]:
    """Borders within what changed: none where one piece was edited and fits, else those of a fresh cut."""
    if len(changed) == 1 and cut.fits(head, tail) and cut.headings(head, tail) == cut.headings_of(changed[0]):
        return []
    inner = [end for end in fresh if head < end < tail]
    # A fresh border close to a kept one would leave a splinter between them.
    if inner and cut.weigh(head, inner[0]) < minimum and cut.fits(head, [*inner, tail][1]):
        inner = inner[1:]
    if inner and cut.weigh(inner[-1], tail) < minimum and cut.fits([head, *inner][-2], tail):
        inner = inner[:-1]
    return inner


def _joins_front(cut: Cut, front: Sequence[int], tail: int, minimum: int) -> bool:
    """Whether a short text put in between two pieces belongs to the first of them."""
    if not front:
        return False
    start = front[-2] if len(front) > 1 else 0
    return cut.weigh(front[-1], tail) < minimum and not cut.headings(front[-1], tail) and cut.fits(start, tail)
