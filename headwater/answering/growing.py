"""A block of a short section, grown to the whole section: one of its sentences alone says half (ANS-4).

Belongs here: which blocks grow, and to what. Not here: which are chosen (`choosing`). Guarantee: pure; what decides
stays the same, and no text is in two choices.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from headwater.answering.asked import Asked, has_sign
from headwater.answering.signs import Want
from headwater.answering.units import Shape, Unit
from headwater.chunking.sentences import sentence_spans

if TYPE_CHECKING:
    from headwater.answering.choosing import Choice

_SHORT, _WHOLE = 100, 180  # words of a section that is shown whole: of any, of one that explains or tells what to do
_ALONE = 70  # words of a paragraph that seldom answers alone: it leads to those below it, or poses what they solve
_GOES_ON = re.compile(r"(?:in addition(?! to\b)|additionally|furthermore|moreover|besides|also)\b", re.IGNORECASE)
"""How a sentence begins that adds to what stands above it."""
_BRIEF = (Want.NUMBER, Want.PERSON, Want.TIME, Want.PLACE, Want.DEFINITION, Want.YES_NO)
_PARTS = (Shape.TEXT, Shape.CODE)


def grown(choices: Sequence["Choice"], units: Sequence[Unit], asked: Asked) -> list["Choice"]:
    """Replace the first choice by its section if that is short; other choices in the section are part of it then.

    Args:
        choices: in order, the best first.
        units: all units, sections among them.
        asked: what the question asks for.
    """
    choices = items_joined(choices, units)
    if not choices or choices[0].unit.shape not in _PARTS:
        return list(choices)
    choices = _with_block_above(choices, units)
    first, *others = choices
    if first.unit.shape not in _PARTS:
        return choices
    is_brief = asked.want in _BRIEF and has_sign(asked, first.unit.text) is not False
    sections = [unit for unit in units if _is_section_of(unit, first.unit)]
    fitting = [unit for unit in sections if len(unit.text.split()) <= (_SHORT if is_brief else _WHOLE)]
    if not fitting:
        is_brief_text = first.unit.shape == Shape.TEXT and len(first.unit.text.split()) < _ALONE
        return _continued(choices, units) if asked.want == Want.LIST or is_brief_text else list(choices)
    section = max(fitting, key=lambda unit: unit.end - unit.start)
    spans = [_decides(first), *(one.deciding for one in others if _is_inside(one.unit, section))]
    deciding = tuple(sorted(span for each in spans for span in each))
    kept = [one for one in others if not _overlap(one.unit, section)]
    return [replace(first, unit=section, deciding=deciding), *kept]


def _continued(choices: Sequence["Choice"], units: Sequence[Unit]) -> list["Choice"]:
    """The choices, the first with the paragraphs around it: in prose, several things are told in as many paragraphs."""
    first, *others = choices
    whole, words = first.unit, len(first.unit.text.split())
    texts = [one for one in units if one.shape == Shape.TEXT and one.headings == whole.headings]
    after = sorted((one for one in texts if one.start >= whole.end), key=lambda one: one.start)
    before = sorted((one for one in texts if one.end <= whole.start), key=lambda one: -one.start)
    for unit in (*after, *before):
        words += len(unit.text.split())
        if words > _WHOLE or not _touches(unit, whole):
            words -= len(unit.text.split())
            continue
        start, end = min(unit.start, whole.start), max(unit.end, whole.end)
        blocks = (*unit.blocks, *whole.blocks) if unit.start < whole.start else (*whole.blocks, *unit.blocks)
        whole = replace(whole, start=start, end=end, blocks=blocks)
    if whole is first.unit:
        return list(choices)
    inside = [one for one in others if _is_inside(one.unit, whole)]
    deciding = tuple(sorted(span for one in (first, *inside) for span in one.deciding))
    kept = [one for one in others if not _overlap(one.unit, whole)]
    return [replace(first, unit=replace(whole, shape=Shape.SECTION), deciding=deciding), *kept]


def _with_block_above(choices: Sequence["Choice"], units: Sequence[Unit]) -> list["Choice"]:
    """The choices, the first with the block above it if it only adds to that, as `In addition, ...` does."""
    first, *others = choices
    if first.unit.shape != Shape.TEXT or not _GOES_ON.match(first.unit.text):
        return list(choices)
    words = len(first.unit.text.split())
    above = [
        unit
        for unit in units
        if unit.shape in (Shape.LIST, Shape.TEXT)
        and unit.end <= first.unit.start
        and unit.headings == first.unit.headings
        and _touches(unit, first.unit)
        and len(unit.text.split()) + words <= _WHOLE
    ]
    if not above:
        return list(choices)
    added = max(above, key=lambda unit: unit.end - unit.start)
    whole = replace(
        first.unit, shape=Shape.SECTION, start=added.start, blocks=(*added.blocks, *first.unit.blocks), lead=added.lead
    )
    inside = [one for one in others if _is_inside(one.unit, whole)]
    deciding = tuple(sorted(span for one in (first, *inside) for span in one.deciding))
    return [replace(first, unit=whole, deciding=deciding), *(one for one in others if not _overlap(one.unit, whole))]


def _touches(unit: Unit, other: Unit) -> bool:
    """Whether only white space is between two units."""
    (_, end), (start, _) = sorted([(unit.start, unit.end), (other.start, other.end)])
    return unit.stretch is other.stretch and not unit.stretch.text[end:start].strip()


def _decides(first: "Choice") -> tuple[tuple[int, int], ...]:
    """What decides of a choice beside others: a text that is one sentence does so as a whole."""
    unit = first.unit
    is_sentence = unit.shape == Shape.TEXT and not first.deciding and len(sentence_spans(unit.text)) == 1
    return ((unit.start, unit.end),) if is_sentence else first.deciding


def items_joined(choices: Sequence["Choice"], units: Sequence[Unit]) -> list["Choice"]:
    """The choices, with several items of one list as the whole list, if that is not too long: others answer, too."""
    lists = [unit for unit in units if unit.shape == Shape.LIST and len(unit.text.split()) <= _WHOLE]
    found: list[Choice] = []
    for one in choices:
        if any(_is_inside(one.unit, other.unit) for other in found):
            continue
        items = [other for other in choices if other.unit.shape == Shape.ITEM]
        around = (unit for unit in lists if one in items and _is_inside(one.unit, unit))
        whole = next((unit for unit in around if sum(_is_inside(other.unit, unit) for other in items) > 1), None)
        if whole is None:
            found.append(one)
            continue
        deciding = tuple(sorted(span for o in items if _is_inside(o.unit, whole) for span in o.deciding))
        found.append(replace(one, unit=whole, deciding=deciding))
    return found


def _is_section_of(unit: Unit, part: Unit) -> bool:
    return unit.shape == Shape.SECTION and unit.headings == part.headings and _is_inside(part, unit)


def _is_inside(part: Unit, unit: Unit) -> bool:
    return part.stretch is unit.stretch and unit.start <= part.start and part.end <= unit.end


def _overlap(one: Unit, other: Unit) -> bool:
    return one.stretch is other.stretch and one.start < other.end and other.start < one.end
