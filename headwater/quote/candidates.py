"""The runs of fragments that may be quoted.

Belongs here: how long a quote is, which fragments it may join, what it takes along. Not here: which run answers
(`scoring`). Guarantee: pure; a run stands under one path of headings; a list item or code comes with the sentence that
introduces it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from headwater.quote.blocks import Kind
from headwater.quote.fragments import Fragment

MAX_WORDS = 75
"""Of a run: with 60, a quote holds the fact in 7 of 72 looked-at questions less, with 90 in no more."""
_PATH_HEADINGS = 3  # of the headings above a run that are read with it: the nearest, and the title
_MAX_CODE_WORDS = 120


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Neighbouring fragments of one section: `positions` in `fragments`, ascending."""

    fragments: Sequence[Fragment]
    positions: tuple[int, ...]

    @property
    def first(self) -> Fragment:
        """The fragment that it begins with."""
        return self.fragments[self.positions[0]]

    @property
    def last(self) -> Fragment:
        """The fragment that it ends with."""
        return self.fragments[self.positions[-1]]

    @property
    def headings(self) -> tuple[str, ...]:
        """The path of headings, the document's title first."""
        return self.last.headings

    @cached_property
    def plain(self) -> str:
        """Its text as a reader sees it."""
        return " ".join(self.fragments[position].plain for position in self.positions)

    @cached_property
    def word_count(self) -> int:
        """How many words a reader sees, without headings."""
        return sum(self.fragments[position].word_count for position in self.positions)

    @cached_property
    def read_text(self) -> str:
        """What a model reads: the title and the nearest headings, then the text."""
        title, *above = self.headings or ("",)
        return f"{' > '.join((title, *above[-_PATH_HEADINGS + 1 :]))}: {self.plain}"


def find_candidates(fragments: Sequence[Fragment]) -> Iterator[Candidate]:
    """Find runs of at most `MAX_WORDS` words; each begins in the middle of the one before it, or at a new section."""
    start, count = 0, len(fragments)
    while start < count:
        end = _run_end(fragments, start)
        yield Candidate(fragments=fragments, positions=_with_lead(fragments, start, end))
        if end == count or fragments[end].headings != fragments[start].headings:
            start = end
        else:
            start = _middle(fragments, start, end)


def _run_end(fragments: Sequence[Fragment], start: int) -> int:
    """Where the run ends that begins at a position; code may be longer, since half of it is useless."""
    words, end = 0, start
    while end < len(fragments) and fragments[end].headings == fragments[start].headings:
        limit = _MAX_CODE_WORDS if fragments[end].kind == Kind.CODE else MAX_WORDS
        words += fragments[end].word_count
        if words > limit and end > start:
            break
        end += 1
    return end


def _middle(fragments: Sequence[Fragment], start: int, end: int) -> int:
    """The position where half of a run's words are over; behind `start`, at most `end`."""
    half = sum(fragment.word_count for fragment in fragments[start:end]) / 2
    words, position = fragments[start].word_count, start + 1
    while position < end and words < half:
        words += fragments[position].word_count
        position += 1
    return position


def _with_lead(fragments: Sequence[Fragment], start: int, end: int) -> tuple[int, ...]:
    """The positions of a run, and before them the sentence that introduces its first fragment."""
    lead = fragments[start].lead
    return (*(() if lead is None or lead >= start else (lead,)), *range(start, end))
