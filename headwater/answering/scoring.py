"""How well each unit answers a question.

Belongs here: the evidence for a unit, and its weight. Not here: which units there are (`units`), how many are shown
(`choosing`). Guarantee: pure except for the given embedder; scores are between 0 and 1.

A score is the sum of five values: the share of the question's words in the unit's own text, the share of them in its
text, lead-in and headings together, the cosine similarity to the question, the trust of its passage, and what its kind
and wording say about the kind of answer that was asked for (`asked`). Words count by how rare they are in the index.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from headwater.answering.asked import Asked, has_sign, signs
from headwater.answering.evidence import Evidence
from headwater.answering.signs import Want
from headwater.answering.units import Shape, Unit
from headwater.chunking.sentences import sentence_spans
from headwater.domain.languages import language_code
from headwater.lexical.bm25 import mild_idf
from headwater.models_gateway.embedder import Embedder
from headwater.retrieval.understanding.asking_words import asking_words
from headwater.retrieval.words import asked_words, content_words, names, stem

OWN, TOPIC, SIMILARITY, TRUST = 0.35, 0.25, 0.3, 0.1
"""The weights of the values that a score is made of."""
_LATER = 0.02  # how much a unit loses for each rank of its passage
_OTHER = 0.1  # how much a unit loses that holds none of the question's names
_CANDIDATES = 14  # units that are embedded, preselected by the other values
_EMBEDDED = 500  # characters of a unit that are embedded
_LEAST_NEW = 2  # words that a unit adds to the question's: with fewer, it only repeats the question
_IS = re.compile(r"\s(?:is|are|was|were|means?|refers? to|gives?|allows?|provides?|lets?)\s")
_STRUCTURED = (Shape.LIST, Shape.TABLE, Shape.SECTION)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A unit with its evidence: `own` and `topic` are shares of the question's words, `words` those that it holds.

    `fit` is what its kind adds; `similarity` is None if no embedder knows the language.
    """

    unit: Unit
    score: float
    own: float
    topic: float
    fit: float
    trust: float
    similarity: float | None
    words: frozenset[str]


def score_units(evidence: Evidence, asked: Asked, units: Sequence[Unit], embedder: Embedder | None) -> list[Scored]:
    """Score units, best first.

    Args:
        evidence: the question and the passages.
        asked: what the question asks for.
        units: from the passages.
        embedder: the model that found the passages; None if it does not know their language.

    Returns:
        The units that may answer: those with the best values before similarity is known.
    """
    weights = {one.language: question_weights(evidence, one.language) for one in evidence.passages}
    named = names(evidence.question)
    rated = sorted((_rated(unit, asked, weights[unit.language], named) for unit in units), key=lambda one: -one.score)
    rated = rated[:_CANDIDATES]
    if embedder is None or not rated:
        return [_finished(one, None) for one in rated]
    vectors = embedder.embed([evidence.question, *(_text_to_embed(one.unit) for one in rated)])
    cosines = vectors[1:] @ vectors[0]
    found = [_finished(one, max(float(cosine), 0.0)) for one, cosine in zip(rated, cosines, strict=True)]
    return sorted(found, key=lambda one: -one.score)


def question_weights(evidence: Evidence, language: str) -> dict[str, float]:
    """The weight of each word of the question by its rarity among the passages, stemmed as a language's words are."""
    asks = asking_words({language_code(language)})
    asked = {stem(word, language) for word in asked_words(evidence.question) if word not in asks}
    contexts = [
        content_words(f"{one.title} {' '.join(one.breadcrumb)} {one.text}", one.language) for one in evidence.passages
    ]
    return mild_idf(asked, contexts)


def share(weights: Mapping[str, float], words: set[str] | frozenset[str]) -> float:
    """The share of the weights whose words are among the given ones."""
    return sum(weight for word, weight in weights.items() if word in words) / (sum(weights.values()) or 1.0)


def _rated(unit: Unit, asked: Asked, weights: Mapping[str, float], named: AbstractSet[str]) -> Scored:
    language = unit.language
    passage = unit.stretch.passage_of(unit.start, unit.end)
    trust = (passage.scores.trust or 0.0) if passage else 0.0
    words = content_words(unit.text, language)
    above = content_words(" ".join((unit.stretch.chunks[0].title, *unit.headings, unit.lead)), language)
    near = content_words(" ".join((*unit.headings[-1:], unit.lead)), language)
    own = _own_share(unit, weights, words, near, language)
    topic = share(weights, words | above)
    fit = _fit(unit, asked, weights, near, words) - _OTHER * _lacking(named & weights.keys(), words | above)
    score = OWN * own + TOPIC * topic + TRUST * trust + fit - (_LATER * (passage.rank - 1) if passage else 0.0)
    held = frozenset(weights.keys() & (words | above))
    return Scored(unit=unit, score=score, own=own, topic=topic, fit=fit, trust=trust, similarity=None, words=held)


def _lacking(named: Collection[str], held: set[str]) -> float:
    """The share of the question's names that neither a unit nor its headings hold: it is about something else."""
    return sum(name not in held for name in named) / (len(named) or 1)


def _own_share(unit: Unit, weights: Mapping[str, float], words: set[str], near: set[str], language: str) -> float:
    """The share of the question's words in a unit: half by its best part, so that length alone wins nothing."""
    if unit.shape in _STRUCTURED:
        return (share(weights, near) + share(weights, words)) / 2
    if unit.shape == Shape.ROW:
        return share(weights, words | content_words(unit.lead, language))
    if unit.shape == Shape.TEXT:
        text = unit.text
        best = max((share(weights, content_words(text[a:b], language)) for a, b in sentence_spans(text)), default=0.0)
        return (best + share(weights, words)) / 2
    return share(weights, words)


def _finished(rated: Scored, cosine: float | None) -> Scored:
    score = rated.score / (1 - SIMILARITY) if cosine is None else rated.score + SIMILARITY * cosine
    return Scored(
        unit=rated.unit, score=round(min(max(score, 0.0), 1.0), 4), own=rated.own, topic=rated.topic, fit=rated.fit,
        trust=rated.trust, similarity=cosine, words=rated.words,
    )  # fmt: skip


def _text_to_embed(unit: Unit) -> str:
    heading = unit.headings[-1] if unit.headings else unit.stretch.chunks[0].title
    lead = f"{unit.lead} " if unit.shape in (Shape.ITEM, Shape.ROW) else ""
    return f"{heading}: {lead}{unit.text}"[:_EMBEDDED]


_SHAPES: Mapping[Want, Mapping[Shape, float]] = {
    Want.STEPS: {Shape.SECTION: 0.08, Shape.CODE: 0.08, Shape.LIST: 0.06, Shape.ITEM: -0.02},
    Want.LIST: {Shape.LIST: 0.12, Shape.TABLE: 0.1, Shape.SECTION: 0.03, Shape.ITEM: -0.03, Shape.ROW: -0.03},
    Want.CODE: {Shape.CODE: 0.15, Shape.SECTION: 0.03},
    Want.NUMBER: {Shape.SECTION: -0.1, Shape.LIST: -0.05, Shape.TABLE: -0.03, Shape.CODE: -0.1},
    Want.YES_NO: {Shape.SECTION: -0.1, Shape.CODE: -0.08},
    Want.DEFINITION: {Shape.SECTION: -0.05, Shape.CODE: -0.1, Shape.LIST: -0.03},
    Want.REASON: {Shape.CODE: -0.08, Shape.TABLE: -0.05, Shape.SECTION: -0.03},
    Want.PERSON: {Shape.CODE: -0.1, Shape.SECTION: -0.1},
    Want.TIME: {Shape.CODE: -0.08, Shape.SECTION: -0.1},
    Want.PLACE: {Shape.SECTION: -0.1},
    Want.COMPARISON: {Shape.CODE: -0.08, Shape.TABLE: 0.05, Shape.SECTION: -0.03},
    Want.ANYTHING: {Shape.SECTION: -0.06, Shape.CODE: -0.04},
}
"""How much better or worse each shape suits each kind of answer."""
_WHOLE = (Want.STEPS, Want.LIST, Want.ANYTHING, Want.REASON, Want.DEFINITION)
_STRENGTH = {Want.NUMBER: 0.2, Want.STEPS: 0.08}
_LONG = 1_500  # characters


def _fit(unit: Unit, asked: Asked, weights: Mapping[str, float], near: set[str], words: set[str]) -> float:
    """What a unit's kind and wording say about the kind of answer that was asked for."""
    fit = _SHAPES.get(asked.want, {}).get(unit.shape, 0.0)
    if unit.is_steps and asked.want in (Want.STEPS, Want.LIST):
        fit += -0.05 if unit.shape == Shape.ITEM else 0.08
    if unit.shape in (Shape.SECTION, Shape.LIST) and asked.want in _WHOLE:
        fit += 0.15 * (share(weights, near) - 0.5)
    if unit.shape == Shape.SECTION and len(unit.text) > _LONG:
        fit -= 0.06
    sign = has_sign(asked, unit.text)
    if sign is not None:
        fit += 0.04 if sign else -_STRENGTH.get(asked.want, 0.06)
    if asked.want == Want.NUMBER and sign:
        fit += 0.06 * _is_measured(unit, asked)
    if asked.want == Want.DEFINITION:
        fit += _defines(unit, asked)
    if asked.literals:
        fit += _names(unit, asked)
    if len(words - weights.keys()) < _LEAST_NEW:
        fit -= 0.2
    return fit


def _names(unit: Unit, asked: Asked) -> float:
    """Whether a unit is about a name of code or a message that the question quotes, or only has it."""
    names = {literal.lower() for literal in asked.literals}
    if unit.term.lower() in names or (unit.headings and unit.headings[-1].lower() in names):
        return 0.25
    text = unit.text.lower()
    return 0.06 if any(name in text for name in names) else 0.0


def _is_measured(unit: Unit, asked: Asked) -> bool:
    """Whether a number stands beside the words that it should measure."""
    text = unit.text
    return any(asked.measured & content_words(text[max(0, start - 40) : end + 40]) for start, end in signs(asked, text))


def _defines(unit: Unit, asked: Asked) -> float:
    """Whether a unit says what the subject is: as a term, as the subject of its first sentence, below its heading."""
    if not asked.subject:
        return 0.0
    if unit.term and asked.subject == content_words(unit.term):
        return 0.15
    first = unit.text[: sentence_spans(unit.text)[0][1]] if unit.text else ""
    verb = _IS.search(first)
    before = content_words(first[: verb.start()]) if verb else set()
    is_subject = bool(before) and asked.subject <= before and len(before) <= len(asked.subject) + 2
    heading = content_words(unit.headings[-1]) if unit.headings else set()
    return 0.12 * is_subject + 0.08 * (unit.is_introduction and asked.subject == heading)
