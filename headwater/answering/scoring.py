"""How well each unit answers a question.

Belongs here: the evidence for a unit, and its weight. Not here: which units there are (`units`), how many are shown
(`choosing`). Guarantee: pure except for the given embedder; a score is above 0 for any
unit that can answer, and about 1.2 for one that has everything.

A score is the sum of five values: the share of the question's words in the unit's own text, the share of them in its
text, lead-in and headings together, the cosine similarity to the question, the trust and rank of its passage, and what
its kind and wording say about the kind of answer that was asked for (`fitting`). Words count by their rarity among the
passages.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from headwater.answering.asked import Asked
from headwater.quote.blocks import cell_spans
from headwater.answering.evidence import Evidence
from headwater.answering.fitting import Words, fits_of
from headwater.answering.signs import Want
from headwater.answering.units import Shape, Unit
from headwater.answering.weights import WEIGHTS, weighed
from headwater.chunking.sentences import sentence_spans
from headwater.domain.languages import language_code
from headwater.lexical.bm25 import mild_idf
from headwater.models_gateway.embedder import Embedder
from headwater.retrieval.abbreviations import spelt_out
from headwater.retrieval.question_words import (
    evidence_words,
    file_name,
    heading_of,
    light_words,
    own_forms,
    with_other_words,
)
from headwater.understanding.asking_words import asking_words
from headwater.understanding.words import content_words, names, stem

_NEAR = 2  # headings that count as near
_LEAD = 0.7  # the share of that which a lead-in brings
_CANDIDATES = 5  # units that are embedded, preselected by the other values
_SIGNED = 8  # the same if a number is asked for: as many that have one
_DENYING = 3  # further ones if a question asks for what is not, that say so
_RANKS = 4  # after the fifth passage, all count alike: the order of later ones says little
_EMBEDDED = 260  # characters of a unit that are embedded
_STRUCTURED = (Shape.LIST, Shape.TABLE, Shape.SECTION, Shape.OUTLINE)
_ALL = 0.9  # a heading with nearly all words of the question nearly decides
_LEAST_HEADING = 0.6  # the share of the question's words that the heading above bare names must hold
_LIGHT = 0.3  # the weight of a word that a document may well say in another way, relative to others
_HEADABLE = (Shape.SECTION, Shape.LIST, Shape.CODE, Shape.OUTLINE)
_NAMED_CELL = 0.7  # the share of the words of a row's first cell with which a question names the row
_WHOLE = (Want.STEPS, Want.CODE, Want.LIST, Want.ANYTHING, Want.REASON, Want.DEFINITION)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A unit with its evidence: `own` and `topic` are shares of the question's words, `words` those that it holds.

    `similarity` is None if no embedder knows the language.
    """

    unit: Unit
    score: float
    own: float
    topic: float
    words: frozenset[str]
    similarity: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)


def score_units(
    question: str, evidence: Evidence, asked: Asked, units: Sequence[Unit], embedder: Embedder | None
) -> list[Scored]:
    """Score units, best first.

    Args:
        question: the question, or a part of it.
        evidence: the passages.
        asked: what the question asks for.
        units: from the passages.
        embedder: the model that found the passages; None if it does not know their language.

    Returns:
        The units that may answer: those with the best values before similarity is known.
    """
    read = {one.language: _read(question, evidence, one.language) for one in evidence.passages}
    rated = sorted((_rated(unit, asked, read[unit.language]) for unit in units), key=lambda one: -one.score)
    rated = _preselected(rated, asked)
    if embedder is None or not rated:
        return [_finished(one, None) for one in rated]
    above = list(dict.fromkeys(_heading_to_embed(one.unit) for one in rated))
    vectors = embedder.embed([question, *(_text_to_embed(one.unit) for one in rated), *above])
    cosines = [max(float(cosine), 0.0) for cosine in vectors[1:] @ vectors[0]]
    headed = dict(zip(above, cosines[len(rated) :], strict=True))
    found = [
        _finished(one, cosine, headed[_heading_to_embed(one.unit)])
        for one, cosine in zip(rated, cosines[: len(rated)], strict=True)
    ]
    return sorted(found, key=lambda one: -one.score)


def _preselected(rated: Sequence[Scored], asked: Asked) -> list[Scored]:
    """The first ones and, if a number or what is not is asked for, the first ones that have it."""
    first = list(rated[:_CANDIDATES])
    if asked.want == Want.NUMBER:
        first = [one for one in rated if "unsigned" not in one.values][:_SIGNED] + first
    if asked.is_negated:
        first += [one for one in rated if not one.values["positive"] and not one.values["link"]][:_DENYING]
    return list({id(one): one for one in first}.values())


def question_weights(question: str, evidence: Evidence, language: str) -> dict[str, float]:
    """The weight of each word of a question by its rarity among the passages, stemmed as a language's words are."""
    asks = asking_words({language_code(language)})
    asked = {stem(word, language) for word in evidence_words(question) if word not in asks}
    contexts = [content_words(f"{heading_of(one)} {one.text}", one.language) for one in evidence.passages]
    weights = mild_idf(asked, contexts)
    if language_code(language) not in ("", "en"):
        return weights
    light = light_words(question, evidence_words(question), asked - set().union(*contexts))
    return {word: weight * (_LIGHT if word in light else 1.0) for word, weight in weights.items()}


def share(weights: Mapping[str, float], words: set[str] | frozenset[str]) -> float:
    """The share of the weights whose words are among the given ones."""
    return sum(weight for word, weight in weights.items() if word in words) / (sum(weights.values()) or 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Question:
    """The words of a question: the weight of each, its names, and the words that mean the same as one of them.

    `chosen` are those that are in the title of one of the found documents but not of all: they name the document.
    """

    question: str
    weights: Mapping[str, float]
    named: frozenset[str]
    chosen: frozenset[str]
    alike: Mapping[str, str]

    def words(self, text: str, language: str) -> set[str]:
        """The words of a text, with those of the question that mean the same."""
        own = content_words(text, language) | set(map(stem, spelt_out(self.question, text)))
        return own | {self.alike[word] for word in own & self.alike.keys()}


def _read(question: str, evidence: Evidence, language: str) -> _Question:
    weights = question_weights(question, evidence, language)
    alike: dict[str, str] = {}
    if language_code(language) in ("", "en"):
        asked = evidence_words(question)
        forms = with_other_words(own_forms(asked, {language}), question, asked)
        alike = {form: word for word, all_alike in forms.items() for form in all_alike if form not in weights}
    titles = [content_words(f"{one.title} {file_name(one.uri)}", language) for one in evidence.passages]
    chosen = {word for word in weights if 0 < sum(word in title for title in titles) < len(titles)}
    named = names(question) & weights.keys()
    return _Question(question=question, weights=weights, named=frozenset(named), chosen=frozenset(chosen), alike=alike)


def _rated(unit: Unit, asked: Asked, question: _Question) -> Scored:
    language, weights = unit.language, question.weights
    words = question.words(unit.text, language)
    document = unit.stretch.chunks[0]
    title = f"{document.title} {file_name(document.uri)}"
    above = question.words(" ".join((title, *unit.headings, unit.lead)), language)
    near = question.words(" ".join((*unit.headings[-_NEAR:], unit.lead)), language)
    own, topic = _own_share(unit, question, words, near), share(weights, words | above)
    values = {
        "own": own,
        "topic": topic,
        "length": math.log1p(len(words)) / 5,
        "introduction": float(unit.is_introduction),
        "both": _both(asked, words | near),
        "entity": _entity(unit, question),
        "lacking": _lacking(question.named, words | above),
        "other_document": _lacking(question.chosen, content_words(title, language)),
        **_headed(unit, asked, question, near),
        **_found(unit),
        **fits_of(unit, asked, Words(asked=frozenset(weights), own=frozenset(words), near=frozenset(near))),
    }
    held = frozenset(weights.keys() & (words | above))
    return Scored(unit=unit, score=weighed(values), own=own, topic=topic, words=held, values=values)


def sentence_shares(question: str, evidence: Evidence) -> Callable[[Unit, str], float]:
    """How much of a question a sentence of a unit holds, of the words that title and headings of the unit lack."""
    read = {one.language: _read(question, evidence, one.language) for one in evidence.passages}

    def shares(unit: Unit, text: str) -> float:
        own = read[unit.language]
        above = own.words(" ".join((unit.stretch.chunks[0].title, *unit.headings)), unit.language)
        rest = {word: weight for word, weight in own.weights.items() if word not in above}
        return share(rest or own.weights, own.words(text, unit.language))

    return shares


def _both(asked: Asked, words: set[str]) -> float:
    """How much of both things that a question compares a unit holds: the share of the one that it holds less of."""
    if not asked.sides:
        return 0.0
    sides = [content_words(side) for side in asked.sides]
    own = [side - set().union(*sides[:at], *sides[at + 1 :]) or side for at, side in enumerate(sides)]
    return min(len(side & words) / len(side) for side in own)


def _headed(unit: Unit, asked: Asked, question: _Question, near: set[str]) -> dict[str, float]:
    """What the heading above a unit says about it."""
    weights = question.weights
    titled = question.words(unit.headings[-1], unit.language) if unit.headings else set()
    heading = share(weights, titled)
    if unit.shape == Shape.OUTLINE:
        return {"unheaded_names": float(heading < _LEAST_HEADING)}
    is_whole = asked.want in _WHOLE
    title = question.words(unit.stretch.chunks[0].title, unit.language)
    return {
        "heading": heading,
        "says_all": float(is_whole and heading >= _ALL),
        "procedure": float(asked.want == Want.STEPS and unit.is_steps and share(weights, near | title) >= _ALL),
        "special": is_whole * len(titled - weights.keys()) / (len(titled) or 1),
        "headed": (max(heading, _LEAD * share(weights, near)) - 0.5) * (is_whole and unit.shape in _HEADABLE),
    }


def _found(unit: Unit) -> dict[str, float]:
    """How its passage was found."""
    passage = unit.stretch.passage_of(unit.start, unit.end) or unit.stretch.passage_above(unit.headings)
    if passage is None:
        return {}
    scores = passage.scores
    return {
        "trust": scores.trust or 0.0,
        "rank": float(min(passage.rank - 1, _RANKS)),
        "passage": scores.vector or 0.0,
        "breadcrumb": scores.heading or 0.0,
    }


def _entity(unit: Unit, question: _Question) -> float:
    """How much of a row's first cell a question has, if nearly all: `who joins the core team` names the row `Core`."""
    if unit.shape != Shape.ROW:
        return 0.0
    text = unit.stretch.text
    first = question.words(text[slice(*cell_spans(text, unit.start, unit.end)[0])], unit.language)
    part = len(first & question.weights.keys()) / (len(first) or 1)
    return part if part >= _NAMED_CELL else 0.0


def _lacking(named: frozenset[str], held: set[str]) -> float:
    """The share of the question's names that neither a unit nor its headings hold: it is about something else."""
    return len(named - held) / (len(named) or 1)


def _own_share(unit: Unit, question: _Question, words: set[str], near: set[str]) -> float:
    """The share of the question's words in a unit: half by its best part, so that length alone wins nothing."""
    language, weights = unit.language, question.weights
    if unit.shape in _STRUCTURED:
        return (share(weights, near) + share(weights, words)) / 2
    if unit.shape == Shape.ROW:
        return share(weights, words | question.words(unit.lead, language))
    if unit.shape == Shape.TEXT:
        text = unit.text
        parts = [question.words(text[start:end], language) for start, end in sentence_spans(text)]
        return (max((share(weights, part) for part in parts), default=0.0) + share(weights, words)) / 2
    return share(weights, words)


def _finished(rated: Scored, cosine: float | None, above: float = 0.0) -> Scored:
    if cosine is None:
        return replace(rated, score=rated.score / (1 - WEIGHTS["similarity"]))
    values = {**rated.values, "similarity": cosine, "similarity_above": above}
    return replace(rated, score=weighed(values), similarity=cosine, values=values)


def _text_to_embed(unit: Unit) -> str:
    heading = ": ".join(unit.headings[-2:]) or unit.stretch.chunks[0].title
    lead = f"{unit.lead} " if unit.shape in (Shape.ITEM, Shape.ROW) else ""
    return f"{heading}: {lead}{unit.text}"[:_EMBEDDED]


def _heading_to_embed(unit: Unit) -> str:
    return ": ".join(unit.headings[-2:]) or unit.stretch.chunks[0].title
