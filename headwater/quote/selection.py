"""Which fragments of a section are quoted together.

Belongs here: growing a quote around its best fragment. Not here: what speaks for a fragment (`fragment_evidence`),
writing the quote (`quote_markdown`). Guarantee: pure; all fragments of a selection are of one section; a list item or
code comes with the sentence that introduces it; a selection is never longer than `MAX_WORDS`, unless one fragment alone
is.

The fragments need not be neighbours: the sentence that answers often stands three lines below the one that names the
subject (docs/benchmarks.md has the figures). A chunk beside a passage only completes the lists and tables of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from headwater.quote.block_reader import Kind
from headwater.quote.fragment_evidence import COVERED, QUANTITY, RANK, Evidence, Question
from headwater.quote.fragments import Fragment
from headwater.quote.stretches import Stretch

MAX_WORDS = 74
"""Of a quote: with 60, it holds the fact in 7 of 72 looked-at questions less; with 90, in no more."""
_SEEDS = 3  # fragments of each stretch around which a quote is tried
_SIMILAR = 0.5  # what the similarity of a further fragment weighs
_MIN_SHARE = 0.5  # of the score of the first fragment that a further one needs
_MIN_WORDS = 4  # of a sentence
CORE_WORDS = 45
"""Of the part of a quote that stands beneath an answer of a chat model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Fragments of one section, at `positions` of their stretch, ascending; `core` are those that were chosen first."""

    fragments: Sequence[Fragment]
    positions: tuple[int, ...]
    core: tuple[int, ...]
    best: int
    score: float

    @property
    def stretch(self) -> Stretch:
        """The stretch that they are of."""
        return self.fragments[self.best].stretch

    @property
    def chosen(self) -> list[Fragment]:
        """The fragments."""
        return [self.fragments[position] for position in self.positions]

    @property
    def headings(self) -> tuple[str, ...]:
        """The path of headings above them, the document's title first."""
        return self.fragments[self.best].headings

    @property
    def word_count(self) -> int:
        """How many words a reader sees, without headings."""
        return sum(fragment.word_count for fragment in self.chosen)


def select(
    question: Question, fragments: Sequence[Fragment], evidence: Sequence[Evidence], rank: int
) -> list[Selection]:
    """Try a quote around each of the best fragments of a stretch.

    Args:
        question: the question.
        fragments: of one stretch.
        evidence: for each of them.
        rank: of the stretch's best passage in the search, from 0.
    """
    found = [position for position, fragment in enumerate(fragments) if fragment.is_found]
    leads = {fragment.lead for fragment in fragments}
    whole = [place for place in found if not introduces(fragments[place]) or place in leads] or found
    seeds = sorted(whole, key=lambda position: -evidence[position].score)[:_SEEDS]
    return [_Growth(question, fragments, evidence, rank).around(seed) for seed in seeds]


def _says_something(fragment: Fragment) -> bool:
    """Whether a fragment is worth adding: more than `E.g.`, or the introduction of what is not quoted."""
    is_short = fragment.kind == Kind.PARAGRAPH and fragment.word_count < _MIN_WORDS
    return not is_short and not introduces(fragment)


def introduces(fragment: Fragment) -> bool:
    """Whether a fragment only says what follows it."""
    return fragment.kind == Kind.PARAGRAPH and fragment.plain.endswith((":", "：", "?", "？"))


class _Growth:
    """One selection while it grows."""

    def __init__(
        self, question: Question, fragments: Sequence[Fragment], evidence: Sequence[Evidence], rank: int
    ) -> None:
        self._question = question
        self._fragments = fragments
        self._evidence = evidence
        self._rank = rank
        self._chosen: list[int] = []
        self._words = 0

    def around(self, seed: int) -> Selection:
        """Add what adds most, until nothing fits or adds enough."""
        self._add(seed)
        headings = self._fragments[seed].headings
        groups = {fragment.group for fragment in self._fragments if fragment.is_found}
        section = [
            position
            for position, fragment in enumerate(self._fragments)
            if fragment.headings == headings and fragment.group in groups and _says_something(fragment)
        ]
        while any(self._add(position) for position in self._by_gain(section)):
            pass
        self._add_introduced(seed)
        positions = tuple(sorted(self._chosen))
        return Selection(
            fragments=self._fragments, positions=positions, core=self._core(), best=seed, score=self._score()
        )

    def _add_introduced(self, seed: int) -> None:
        """Add the first of what the seed introduces, if nothing of it was chosen and it fits."""
        introduced = [position for position, fragment in enumerate(self._fragments) if fragment.lead == seed]
        if introduced and not set(introduced) & set(self._chosen):
            self._add(introduced[0])

    def _by_gain(self, section: Sequence[int]) -> list[int]:
        """The other fragments of the section that say enough, that which adds most first."""
        covered = self._find_covered()
        least = _MIN_SHARE * self._evidence[self._chosen[0]].score

        def gain(position: int) -> float:
            one = self._evidence[position]
            return (
                _SIMILAR * one.similarity
                + COVERED * self._question.share(one.words - covered)
                + QUANTITY * one.has_quantity
            )

        others = [one for one in section if one not in self._chosen and self._evidence[one].score >= least]
        return sorted(others, key=lambda position: (-gain(position), position))

    def _add(self, position: int) -> bool:
        """Add a fragment with the sentence that introduces it; False if they do not fit."""
        lead = self._fragments[position].lead
        new = [one for one in (position, lead) if one is not None and one not in self._chosen]
        words = sum(self._fragments[one].word_count for one in new)
        if self._chosen and self._words + words > MAX_WORDS:
            return False
        self._chosen += new
        self._words += words
        return True

    def _core(self) -> tuple[int, ...]:
        """The fragments that were chosen first, as many as are short enough, at least what the first one needs."""
        lead = self._fragments[self._chosen[0]].lead
        fewest = 1 if lead is None else 2
        words = accumulate(self._fragments[position].word_count for position in self._chosen)
        count = max(fewest, sum(word <= CORE_WORDS for word in words))
        return tuple(sorted(self._chosen[:count]))

    def _find_covered(self) -> frozenset[str]:
        return frozenset().union(*(self._evidence[one].words for one in self._chosen))

    def _score(self) -> float:
        chosen = [self._evidence[one] for one in self._chosen]
        similarity = max(one.similarity for one in chosen)
        quantity = any(one.has_quantity for one in chosen)
        covered = self._question.share(self._find_covered())
        return similarity + COVERED * covered + QUANTITY * quantity - RANK * self._rank
