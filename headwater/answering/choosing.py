"""Which units answer a question, and whether any does (ANS-4).

Belongs here: how many units an answer has, and when none decides. Not here: their scores (`scoring`). Guarantee: no
text is chosen twice, and the best unit comes first.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.answering.asked import Asked, read_asked
from headwater.answering.blocks import Block
from headwater.answering.evidence import Evidence
from headwater.answering.scoring import Scored, question_weights, score_units, share
from headwater.answering.signs import Want
from headwater.answering.stretches import make_stretches
from headwater.answering.units import Shape, Unit, find_units
from headwater.chunking.sentences import sentence_spans
from headwater.domain.languages import language_code
from headwater.retrieval.words import content_words

_UNITS = 3
_PARAGRAPH_LIMIT = 700  # characters of a paragraph that is shown whole
_MARK = re.compile(r"(?:[-*+•◦▪‣●·]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_NEAR_BEST = 0.85  # the share of the best score that a further unit needs
_LENGTH = 2_500  # characters of the units together, beyond the first
_LEAST = 0.8
"""The share of the question's words that a unit and its headings must hold, if it is not close in meaning."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A unit of an answer: its score between 0 and 1, and the spans of its stretch's text that decide.

    `title` is shown above it; empty for none.
    """

    unit: Unit
    score: float
    deciding: tuple[tuple[int, int], ...] = ()
    title: str = ""


def choose_units(evidence: Evidence) -> list[Choice]:
    """Choose the units that answer the evidence's question, best first; none if no unit decides."""
    asked = read_asked(evidence.question)
    units = [unit for stretch in make_stretches(evidence.passages, evidence.nearby) for unit in find_units(stretch)]
    scored = score_units(evidence, asked, units, evidence.embedder)
    if not scored or not _decides(scored[0]):
        return []
    return [_choice(one, evidence) for one in _chosen(evidence, asked, scored)]


def _choice(one: Scored, evidence: Evidence) -> Choice:
    weights = question_weights(evidence, one.unit.language)
    unit = _narrowed(one.unit, weights)
    return Choice(unit=unit, score=one.score, deciding=tuple(_deciding(unit, weights)))


def _narrowed(unit: Unit, weights: Mapping[str, float]) -> Unit:
    """A long paragraph, cut to its best sentence and those after it that fit."""
    if unit.shape != Shape.TEXT or unit.end - unit.start <= _PARAGRAPH_LIMIT:
        return unit
    text, language = unit.stretch.text, unit.language
    spans = sentence_spans(text, unit.start, unit.end)
    best = max(range(len(spans)), key=lambda n: share(weights, content_words(text[slice(*spans[n])], language)))
    first = last = best
    while True:
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= _PARAGRAPH_LIMIT:
            last += 1
        elif first and spans[last][1] - spans[first - 1][0] <= _PARAGRAPH_LIMIT:
            first -= 1
        else:
            break
    start, end = spans[first][0], spans[last][1]
    end = start + len(text[start:end].rstrip())
    block = Block(kind=unit.blocks[0].kind, start=start, end=end)
    return replace(unit, start=start, end=end, blocks=(block,))


def _deciding(unit: Unit, weights: Mapping[str, float]) -> Iterator[tuple[int, int]]:
    """The spans of a unit that decide: its best sentence, or its cells."""
    text, language = unit.stretch.text, unit.language
    if unit.shape == Shape.ROW:
        yield unit.start, unit.end
        return
    if unit.shape not in (Shape.TEXT, Shape.ITEM):
        return
    spans = sentence_spans(text, unit.start, unit.end)
    start, end = max(spans, key=lambda span: share(weights, content_words(text[slice(*span)], language)))
    mark = _MARK.match(text, start, end) if start == unit.start else None
    start = mark.end() if mark else start
    yield start, start + len(text[start:end].rstrip())


def _decides(best: Scored) -> bool:
    """Whether the best unit is near enough; without a similarity, the trust of its passage has decided."""
    is_english = language_code(best.unit.language) in ("", "en")
    return not is_english or best.similarity is None or best.topic + best.similarity >= _LEAST


def _chosen(evidence: Evidence, asked: Asked, scored: Sequence[Scored]) -> list[Scored]:
    """The best unit, and those near it that say something new."""
    weights = question_weights(evidence, scored[0].unit.language)
    chosen: list[Scored] = []
    covered: set[str] = set()
    length = 0
    for one in scored:
        gain = share(weights, one.words - covered)
        near = one.score + 0.3 * gain >= _NEAR_BEST * scored[0].score
        fits = not chosen or length + len(one.unit.text) <= _LENGTH
        if (not chosen) or (near and fits and not any(_repeats(one, other) for other in chosen)):
            chosen.append(one)
            covered |= one.words
            length += len(one.unit.text)
        if len(chosen) == (1 if _is_complete(asked, chosen[0]) else _UNITS):
            break
    return chosen


def _is_complete(asked: Asked, best: Scored) -> bool:
    """Whether more would only distract: a procedure or a section is an answer of its own."""
    return best.unit.shape == Shape.SECTION and asked.want in (Want.STEPS, Want.ANYTHING)


def _repeats(one: Scored, other: Scored) -> bool:
    """Whether two units overlap or say the same."""
    mine, theirs = one.unit, other.unit
    if mine.stretch is theirs.stretch and mine.start < theirs.end and theirs.start < mine.end:
        return True
    own, their = content_words(mine.text), content_words(theirs.text)
    return len(own & their) >= 0.7 * min(len(own), len(their) or 1)
