"""The sentences that answer a question best (ANS-4).

Belongs here: choosing which sentences of trusted passages are quoted. Not here: trust, and so refusals
(`headwater.retrieval.trust`); the answer's text (`extractive`). Guarantee: pure except for the given embedder; the
result is verbatim text of the passages.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headwater.answering.quotable import quotable_spans
from headwater.domain.search import Passage
from headwater.lexical.bm25 import mild_idf
from headwater.models_gateway.embedder import Embedder
from headwater.retrieval.words import content_words, without_measures

_CANDIDATES = 12  # sentences that are embedded, preselected by their words; 24 gave no better choice
_QUOTES = 3
_ANNOUNCEMENT = 0.8  # weight of a sentence that ends in a colon: the text that it announces is not quoted
_NEAR_BEST = 0.8  # the share of the best score that a further quote needs


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """A sentence that answers: `start` and `end` are offsets in its passage's text; `score` is between 0 and 1."""

    passage: Passage
    start: int
    end: int
    score: float

    @property
    def text(self) -> str:
        """The sentence."""
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    """A sentence that may become a quote; `coverage` is the share of the question's words that it contains."""

    passage: Passage
    start: int
    end: int
    heading: str
    coverage: float

    @property
    def trust(self) -> float:
        """Its passage's."""
        return self.passage.scores.trust or 0.0

    @property
    def text_to_embed(self) -> str:
        """The sentence after its heading, which often names its subject."""
        sentence = self.passage.text[self.start : self.end]
        return f"{self.heading}: {sentence}" if self.heading else sentence


def find_quotes(question: str, passages: Sequence[Passage], embedder: Embedder | None) -> list[Quote]:
    """Find the sentences that answer a question best, best first.

    A sentence's score is the mean of three values: the share of the question's words in it (half weight for words only
    in its heading), the similarity of both to the question, and the trust of its passage.

    Args:
        question: the question as it was asked.
        passages: trusted passages, best first.
        embedder: the model that found the passages; None if it does not know their language. Then the score is the
            mean of the other two values.
    """
    contexts = [
        content_words(f"{passage.title} {' '.join(passage.breadcrumb)} {passage.text}", passage.language)
        for passage in passages
    ]
    plain = without_measures(question)
    asked = {language: content_words(plain, language) for language in {passage.language for passage in passages}}
    every = mild_idf(set().union(*asked.values()), contexts)
    candidates = [
        candidate
        for passage in passages
        for candidate in _candidates(passage, {word: every[word] for word in asked[passage.language]})
    ]
    candidates.sort(key=lambda candidate: -candidate.coverage - candidate.trust)
    return _scored(question, candidates[:_CANDIDATES], embedder)


def choose(quotes: Sequence[Quote]) -> list[Quote]:
    """Choose quotes among the sentences found, best first: those near the best that say something new."""
    chosen: list[Quote] = []
    for quote in quotes:
        if quote.score >= _NEAR_BEST * quotes[0].score and not any(_is_repeat(quote, other) for other in chosen):
            chosen.append(quote)
        if len(chosen) == _QUOTES:
            break
    return chosen


def _share(weights: dict[str, float], words: set[str]) -> float:
    return sum(weight for word, weight in weights.items() if word in words) / (sum(weights.values()) or 1.0)


def _candidates(passage: Passage, weights: dict[str, float]) -> Iterator[_Candidate]:
    above = passage.breadcrumb[-1] if passage.breadcrumb else passage.title
    for span in quotable_spans(passage.text, passage.kind, is_continued=passage.start > 0):
        heading = span.heading or above
        own = content_words(passage.text[span.start : span.end], passage.language)
        yield _Candidate(
            passage=passage,
            start=span.start,
            end=span.end,
            heading=heading,
            coverage=(_share(weights, own) + _share(weights, own | content_words(heading, passage.language))) / 2,
        )


def _scored(question: str, candidates: Sequence[_Candidate], embedder: Embedder | None) -> list[Quote]:
    if not candidates:
        return []
    quotes = []
    for candidate, cosine in zip(candidates, _similarities(question, candidates, embedder), strict=True):
        evidence = [candidate.coverage, candidate.trust, *([] if cosine is None else [max(cosine, 0.0)])]
        score = min(sum(evidence) / len(evidence), 1.0)
        if candidate.passage.text[candidate.end - 1] in ":：":
            score *= _ANNOUNCEMENT
        quotes.append(Quote(passage=candidate.passage, start=candidate.start, end=candidate.end, score=round(score, 4)))
    return sorted(quotes, key=lambda quote: -quote.score)


def _similarities(
    question: str, candidates: Sequence[_Candidate], embedder: Embedder | None
) -> list[float] | list[None]:
    if embedder is None:
        return [None] * len(candidates)
    vectors = embedder.embed([question, *(candidate.text_to_embed for candidate in candidates)])
    return [float(cosine) for cosine in vectors[1:] @ vectors[0]]


def _is_repeat(quote: Quote, other: Quote) -> bool:
    mine, theirs = content_words(quote.text), content_words(other.text)
    return len(mine & theirs) >= 0.7 * min(len(mine), len(theirs) or 1)
