"""Answers without a language model: the best sentences, quoted (ANS-4).

Belongs here: which sentences answer a question, and when none does. Not here: searching, storing. Guarantee: pure but
for the embedder it is given; what it returns is verbatim text of the passages.

A passage is relevant by its cosine similarity to the question times the share of the question's words that it holds:
close in meaning but with other words is another subject, the same words far in meaning are another sense. A question is
refused when its best passage is under `ENOUGH` times the model's relevance floor. On the tuning half of
`bench/refusals.py` the area under the curve, against questions about other things, is 0.998 (similarity alone 0.997,
words alone 0.984); against questions about the same things without an answer, 0.94 (0.85, 0.92).
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headwater.answering.quotable import quotable_spans
from headwater.chunking.sentences import UNSPACED
from headwater.models import Passage
from headwater.models_gateway.embedder import Embedder

ENOUGH = 0.55
"""In relevance floors: where 4 % of the tuning half's questions are refused though a passage found holds the answer."""
_UNKNOWN_NAME = 0.6  # what is left of the relevance when a name or number of the question is in no passage
_CANDIDATES = 12  # sentences that are embedded, after a look at their words; 24 chose no better
_QUOTES = 3
_ANNOUNCEMENT = 0.8  # what a sentence that ends in a colon is worth: what it announces is not quoted
_NEAR_BEST = 0.8  # a further quote's share of the best one's score
_STEM = 6  # characters: more tells forms of one word apart, in most languages
_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        """
    a about after all also am an and any are as at be been before being but by called can considered could did do does
    doing for from get had has have having he her here hers him his how i if in into is it its just kind known many
    may me might mine more most much must my need no nor not of off on one or our out over own per please she should
    so some sort such tell than that the their them then there these they this those to too typically under until up
    us use used using usually very was we were what when where which while who whom whose why will with would you your
    """,
    )
)
_WORD = re.compile(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+(?:['’.][^\W{UNSPACED}]+)*")
_CONTRACTED = re.compile(r"['’](?:s|re|ve|ll|d|m)$|n['’]t$")
_SUFFIXES = ("ations", "ation", "ments", "ment", "ings", "ing", "ers", "ed", "er", "es", "ly", "s", "e")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s)[\s\"'“‘(*_`]*$")


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
    """The best sentences, best first, and the relevance of the best passage: between 0 and 1."""

    quotes: tuple[Quote, ...]
    relevance: float


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    """A sentence on its way to a quote; `coverage` is its share of the question's words, `relevance` its passage's."""

    passage: Passage
    start: int
    end: int
    heading: str
    coverage: float
    relevance: float

    @property
    def text_to_embed(self) -> str:
        """The sentence after its heading, which often holds what it is about."""
        sentence = self.passage.text[self.start : self.end]
        return f"{self.heading}: {sentence}" if self.heading else sentence


def stem(word: str) -> str:
    """Cut a word to what its forms share; crude, but the same for the question and the text."""
    if any(character.isdigit() for character in word):
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)][:_STEM]
    return word[:_STEM]


def content_words(text: str) -> set[str]:
    """The words of a text that carry meaning, stemmed; pairs of characters where words have no space between them."""
    return {stem(word) for match in _WORD.finditer(text) for word in _meaningful(match.group())}


def find_evidence(question: str, passages: Sequence[Passage], embedder: Embedder) -> Evidence:
    """Choose the sentences that answer a question best.

    A sentence's score is the mean of three: the share of the question's words that it holds (half for those that only
    its heading does), the similarity of both to the question, and its passage's relevance. A passage that only its
    words brought up counts as not similar.

    Args:
        question: as it was asked.
        passages: what search found, best first.
        embedder: the model the passages were found with.
    """
    wanted = content_words(question)
    contexts = [content_words(f"{passage.title} {' '.join(passage.breadcrumb)} {passage.text}") for passage in passages]
    weights = _weights(wanted, contexts)
    relevances = [
        max(passage.scores.vector or 0.0, 0.0) * _share(weights, words)
        for passage, words in zip(passages, contexts, strict=True)
    ]
    candidates = [
        candidate
        for passage, relevance in zip(passages, relevances, strict=True)
        for candidate in _candidates(passage, relevance, weights)
    ]
    candidates.sort(key=lambda candidate: -candidate.coverage - candidate.relevance)
    is_known = _names(question) <= set().union(*contexts)
    return Evidence(
        quotes=tuple(_scored(question, candidates[:_CANDIDATES], embedder)),
        relevance=max(relevances, default=0.0) * (1 if is_known else _UNKNOWN_NAME),
    )


def choose(evidence: Evidence, relevance_floor: float) -> list[Quote]:
    """Return the sentences to quote, best first; none when the passages do not hold the answer."""
    if not is_answerable(evidence, relevance_floor):
        return []
    best = evidence.quotes[0].score
    chosen: list[Quote] = []
    for quote in evidence.quotes:
        if quote.score >= _NEAR_BEST * best and not any(_is_repeat(quote, other) for other in chosen):
            chosen.append(quote)
        if len(chosen) == _QUOTES:
            break
    return chosen


def is_answerable(evidence: Evidence, relevance_floor: float) -> bool:
    """Whether there is something to quote, from a passage that is relevant enough for the model it was found with."""
    return bool(evidence.quotes) and evidence.relevance >= ENOUGH * relevance_floor


def _meaningful(word: str) -> Iterator[str]:
    plain = _CONTRACTED.sub("", word.casefold())
    if plain and plain[0] >= "\u0e00" and re.match(f"[{UNSPACED}]", plain):
        yield from (plain[place : place + 2] for place in range(max(1, len(plain) - 1)))
    elif plain and plain not in _STOPWORDS:
        yield plain


def _names(question: str) -> set[str]:
    """Names and numbers: words with a digit, or with a capital that no sentence begins with."""
    return {
        stem(word)
        for match in _WORD.finditer(question)
        if any(character.isdigit() for character in match.group())
        or (match.group()[0].isupper() and not _SENTENCE_START.search(question[: match.start()]))
        for word in _meaningful(match.group())
    }


def _weights(wanted: set[str], contexts: Sequence[set[str]]) -> dict[str, float]:
    """What a word counts: up to half more than another by its rarity, since a word that all passages hold tells little.

    The rarity is BM25's (Robertson and Spärck Jones), over the passages.
    """
    count = len(contexts)
    df = Counter(word for words in contexts for word in words & wanted)
    return {word: 1 + math.log(1 + (count - df[word] + 0.5) / (df[word] + 0.5)) / 2 for word in wanted}


def _share(weights: dict[str, float], words: set[str]) -> float:
    return sum(weight for word, weight in weights.items() if word in words) / (sum(weights.values()) or 1.0)


def _candidates(passage: Passage, relevance: float, weights: dict[str, float]) -> Iterator[_Candidate]:
    above = passage.breadcrumb[-1] if passage.breadcrumb else passage.title
    for span in quotable_spans(passage.text, passage.kind, is_continued=passage.start > 0):
        heading = span.heading or above
        own = content_words(passage.text[span.start : span.end])
        yield _Candidate(
            passage=passage,
            start=span.start,
            end=span.end,
            heading=heading,
            coverage=(_share(weights, own) + _share(weights, own | content_words(heading))) / 2,
            relevance=relevance,
        )


def _scored(question: str, candidates: Sequence[_Candidate], embedder: Embedder) -> list[Quote]:
    if not candidates:
        return []
    vectors = embedder.embed([question, *(candidate.text_to_embed for candidate in candidates)])
    quotes = []
    for candidate, cosine in zip(candidates, vectors[1:] @ vectors[0], strict=True):
        score = min((candidate.coverage + max(float(cosine), 0.0) + candidate.relevance) / 3, 1.0)
        if candidate.passage.text[candidate.end - 1] in ":：":
            score *= _ANNOUNCEMENT
        quotes.append(Quote(passage=candidate.passage, start=candidate.start, end=candidate.end, score=round(score, 4)))
    return sorted(quotes, key=lambda quote: -quote.score)


def _is_repeat(quote: Quote, other: Quote) -> bool:
    mine, theirs = content_words(quote.text), content_words(other.text)
    return len(mine & theirs) >= 0.7 * min(len(mine), len(theirs) or 1)
