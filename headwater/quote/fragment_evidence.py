"""What speaks for a fragment: its words, its similarity, a quantity.

Belongs here: the evidence of each fragment of some stretches, and how much each kind weighs. Not here: putting
fragments together (`selection`), words (`headwater.understanding`). Guarantee: pure but for the model; without a model,
words and the order of the search remain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.models_gateway.embedder import Embedder
from headwater.quote.fragments import Fragment
from headwater.understanding.answer_kinds import asks_for_quantity, has_quantity
from headwater.understanding.words import content_words

COVERED, QUANTITY, RANK = 0.55, 0.1, 0.07
"""Weights beside the similarity, which weighs 1: the share of the question's words in a fragment, a wanted quantity,
and one rank of the search. docs/benchmarks.md says what each gains."""
MAX_READ = 24
"""How many fragments get a vector: those with most words of the question. With 40, three in 100 more quotes hold the
fact, but an answer over HTTP takes 150 ms instead of 110."""
_UNREAD = 0.3  # the similarity of the others
_MAX_CHARS = 600
_HEADINGS = 2  # the nearest, which are read with a fragment


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What speaks for one fragment; `words` are the question's words in it, by their stems."""

    words: frozenset[str]
    covered: float
    has_quantity: bool
    similarity: float = _UNREAD

    @property
    def score(self) -> float:
        """All of it together."""
        return self.similarity + COVERED * self.covered + QUANTITY * self.has_quantity


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question as fragments are compared with it; `weights` are those of its words, by their stems."""

    text: str
    weights: Mapping[str, float]
    language: str = ""

    def share(self, words: frozenset[str]) -> float:
        """The share of the question's words that these are."""
        total = sum(self.weights.values()) or 1.0
        return sum(self.weights[word] for word in words) / total

    def words_in(self, text: str) -> frozenset[str]:
        """The question's words in a text."""
        return frozenset(self.weights.keys() & content_words(text, self.language))


def find_evidence(
    question: Question, stretches: Sequence[tuple[Sequence[Fragment], int]], embedder: Embedder | None
) -> list[list[Evidence]]:
    """Collect the evidence for every fragment.

    Args:
        question: the question.
        stretches: the fragments of each stretch, and the rank of its best passage, from 0.
        embedder: a local model that knows the language; None if there is none.

    Returns:
        For each stretch, the evidence for its fragments.

    Raises:
        ModelUnavailableError: the model cannot be loaded.
    """
    is_wanted = asks_for_quantity(question.text)
    by_words = [[_by_words(question, fragment, is_wanted) for fragment in fragments] for fragments, _ in stretches]
    if embedder is None:
        return by_words
    ranks = [rank for _, rank in stretches]
    places = [(index, position) for index, found in enumerate(by_words) for position in range(len(found))]
    places.sort(key=lambda place: RANK * ranks[place[0]] - by_words[place[0]][place[1]].score)
    read = places[:MAX_READ]
    texts = [_read_text(stretches[number][0][position]) for number, position in read]
    asked, *vectors = embedder.embed([question.text, *texts])
    for (number, position), vector in zip(read, vectors, strict=True):
        known = by_words[number][position]
        by_words[number][position] = Evidence(
            words=known.words,
            covered=known.covered,
            has_quantity=known.has_quantity,
            similarity=float(asked @ vector),
        )
    return by_words


def _by_words(question: Question, fragment: Fragment, is_wanted: bool) -> Evidence:
    words = question.words_in(fragment.plain)
    return Evidence(
        words=words,
        covered=question.share(words),
        has_quantity=is_wanted and has_quantity(fragment.plain),
    )


def _read_text(fragment: Fragment) -> str:
    """What the model reads: the nearest headings, then the fragment."""
    return f"{' > '.join(fragment.headings[-_HEADINGS:])}: {fragment.plain}"[:_MAX_CHARS]
