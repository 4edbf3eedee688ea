"""The question's words in fragments, and a quantity that was asked for.

Belongs here: what speaks for each fragment before a model has seen it. Not here: which fragments make a window and what
models say of it (`windows`), words (`headwater.understanding`). Guarantee: pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.quote.fragments import Fragment
from headwater.understanding.answer_kinds import asks_for_quantity, has_quantity
from headwater.understanding.words import content_words

_QUANTITY = 0.2  # what a wanted quantity weighs beside all words of the question


@dataclass(frozen=True, kw_only=True, slots=True)
class FragmentEvidence:
    """What speaks for one fragment: the question's words in it, by their stems, and their share of all by weight."""

    words: frozenset[str]
    covered: float
    has_quantity: bool

    @property
    def score(self) -> float:
        """All of it together."""
        return self.covered + _QUANTITY * self.has_quantity


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question as fragments are compared with it; `weights` are those of its words, by their stems.

    A turn with words of earlier turns behind it is no sentence: its tokens are not compared.
    """

    text: str
    weights: Mapping[str, float]
    language: str = ""
    is_sentence: bool = True

    def share(self, words: frozenset[str]) -> float:
        """The share of the question's words that these are."""
        total = sum(self.weights.values()) or 1.0
        return sum(self.weights[word] for word in words) / total

    def words_in(self, text: str) -> frozenset[str]:
        """The question's words in a text."""
        return frozenset(self.weights.keys() & content_words(text, self.language))


def find_evidence(question: Question, fragments: Sequence[Fragment]) -> list[FragmentEvidence]:
    """Collect the evidence for every fragment."""
    is_wanted = asks_for_quantity(question.text)
    return [_read_fragment(question, fragment, is_wanted) for fragment in fragments]


def _read_fragment(question: Question, fragment: Fragment, is_wanted: bool) -> FragmentEvidence:
    words = question.words_in(fragment.plain)
    return FragmentEvidence(
        words=words,
        covered=question.share(words),
        has_quantity=is_wanted and has_quantity(fragment.plain),
    )
