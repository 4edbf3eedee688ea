"""Answers without a language model: the best sentences, quoted (ANS-4).

Belongs here: which sentences answer a question, and when none does. Not here: searching, storing. Guarantee: pure but
for the embedder it is given; what it returns is verbatim text of the passages.

A sentence is scored by the share of the question's words that it (and, weaker, its passage) holds, weighed by their
rarity among the passages, and by its cosine similarity to the question. The thresholds were set on questions with and
without an answer (`bench/refusals.py`), and are kept where wrong refusals and wrong answers balance.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from headwater.answering.quotable import quotable_spans
from headwater.models import Passage
from headwater.models_gateway.embedder import Embedder

_CANDIDATES = 24  # sentences that are embedded, after a first look at their words
_QUOTES = 3
_STOPWORDS = frozenset(
    "a about after all also am an and any are as at be been before being but by can could did do does doing for from get "
    "had has have having he her here hers him his how i if in into is it its just many may me might mine more most much "
    "must my need no nor not of off on one or our out over own per please she should so some such tell than that the their "
    "them then there these they this those to too under until up us use used using very was we were what when where which "
    "while who whom whose why will with would you your".split()
)
_WORD = re.compile(r"\w+(?:['.]\w+)*")
_SUFFIXES = ("ations", "ation", "ments", "ment", "ings", "ing", "ers", "ed", "er", "es", "ly", "s", "e")


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
class Evidence:
    """How well passages fit a question: `similarity` is the best cosine, `coverage` the best share of its words."""

    quotes: tuple[Quote, ...]
    similarity: float
    coverage: float


def stem(word: str) -> str:
    """Cut a word to what its forms share; crude, but the same for the question and the text."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def content_words(text: str) -> set[str]:
    """The words of a text that carry meaning, stemmed."""
    return {stem(word) for word in _WORD.findall(text.casefold()) if word not in _STOPWORDS}


def find_evidence(question: str, passages: Sequence[Passage], embedder: Embedder) -> Evidence:
    """Choose the sentences that answer a question best.

    Args:
        question: as it was asked.
        passages: what search found, best first.
        embedder: the model the passages were found with.
    """
    wanted = content_words(question)
    contexts = [content_words(f"{passage.title} {' '.join(passage.breadcrumb)} {passage.text}") for passage in passages]
    weights = _rarities(wanted, contexts)
    total = sum(weights.values()) or 1.0
    coverage = max((sum(weights[word] for word in wanted & words) / total for words in contexts), default=0.0)

    quotes = []
    for passage, context in zip(passages, contexts, strict=True):
        for start, end in quotable_spans(passage.text, passage.kind):
            words = content_words(passage.text[start:end])
            own = sum(weights[word] for word in wanted & words)
            around = sum(weights[word] for word in (wanted & context) - words)
            score = (own + 0.4 * around) / total - 0.01 * passage.rank
            quotes.append(Quote(passage=passage, start=start, end=end, score=score))
    quotes.sort(key=lambda quote: -quote.score)
    ranked = _with_similarity(question, quotes[:_CANDIDATES], embedder)
    similarity = max((passage.vector_score or 0.0 for passage in passages), default=0.0)
    return Evidence(quotes=tuple(ranked), similarity=similarity, coverage=coverage)


def choose(evidence: Evidence, relevance_floor: float) -> list[Quote]:
    """Return the sentences to quote, best first; none when the passages do not hold the answer."""
    if not is_answerable(evidence, relevance_floor):
        return []
    best = evidence.quotes[0].score
    chosen: list[Quote] = []
    for quote in evidence.quotes:
        if quote.score >= 0.8 * best and not any(_is_repeat(quote, other) for other in chosen):
            chosen.append(quote)
        if len(chosen) == _QUOTES:
            break
    return chosen


def is_answerable(evidence: Evidence, relevance_floor: float) -> bool:
    """Whether the passages are about the question: near in meaning, and holding its words; more of one excuses less."""
    if not evidence.quotes or evidence.similarity < relevance_floor or evidence.coverage < 0.3:
        return False
    return (evidence.similarity - relevance_floor) / (1 - relevance_floor) + evidence.coverage >= 0.9


def _with_similarity(question: str, quotes: Sequence[Quote], embedder: Embedder) -> list[Quote]:
    if not quotes:
        return []
    vectors = embedder.embed([question, *(quote.text for quote in quotes)])
    cosines = vectors[1:] @ vectors[0]
    scored = [
        Quote(passage=q.passage, start=q.start, end=q.end, score=round(0.5 * q.score + 0.5 * float(cosine), 4))
        for q, cosine in zip(quotes, cosines, strict=True)
    ]
    return sorted(scored, key=lambda quote: -quote.score)


def _rarities(wanted: set[str], contexts: Sequence[set[str]]) -> dict[str, float]:
    """BM25's idf over the passages (Robertson and Spärck Jones): a word that all of them hold tells little."""
    count = len(contexts)
    df = Counter(word for words in contexts for word in words & wanted)
    return {word: math.log(1 + (count - df[word] + 0.5) / (df[word] + 0.5)) for word in wanted}


def _is_repeat(quote: Quote, other: Quote) -> bool:
    mine, theirs = content_words(quote.text), content_words(other.text)
    return len(mine & theirs) >= 0.7 * min(len(mine), len(theirs) or 1)
