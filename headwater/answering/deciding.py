"""The part of a unit that decides: the sentence, the item or the cell that answers.

Belongs here: cutting a long paragraph to what decides, and what is shown in bold. Not here: which units are chosen
(`choosing`). Guarantee: pure; a span is verbatim text of the unit, and steps are neither cut nor marked.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from headwater.answering.asked import Asked, has_sign, signs
from headwater.quote.blocks import Block, Kind, cell_spans
from headwater.answering.fitting import beside, without_addresses
from headwater.answering.scoring import share
from headwater.answering.signs import Want
from headwater.answering.units import Shape, Unit
from headwater.chunking.sentences import sentence_spans
from headwater.understanding.words import content_words

Span = tuple[int, int]

_PARAGRAPH_LIMIT = 600  # characters of a paragraph that is shown whole
_LEAST = 0.4  # the least share of the remaining words of an item that is marked
_LEAD = 0.05  # by how much a sentence must be better than any other to be marked
_AFTER = 25  # characters after a number within which stands what it counts
_AHEAD = 0.1  # by how much the share of an item must be larger than that of every other
_QUANTITY = re.compile(
    r"(?:(?:every|each|per|once an?|twice an?)\s+)?[$€£¥]?\w[\w.,:-]*"
    r"(?:%|[ -](?!(?:for|of|in|per|and|or|to|on|the|an?)\b)\w+)?",
    re.IGNORECASE,
)
_MARK = re.compile(r"(?:[-*+•◦▪‣●·]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


def narrowed(unit: Unit, asked: Asked, weights: Mapping[str, float]) -> Unit:
    """A long paragraph, cut to its best sentence and those around it that fit; any other unit as it is."""
    if unit.shape != Shape.TEXT or unit.end - unit.start <= _PARAGRAPH_LIMIT:
        return unit
    spans = sentence_spans(unit.stretch.text, unit.start, unit.end)
    first = last = spans.index(_best(unit, spans, asked, weights))
    while True:
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= _PARAGRAPH_LIMIT:
            last += 1
        elif first and spans[last][1] - spans[first - 1][0] <= _PARAGRAPH_LIMIT:
            first -= 1
        else:
            break
    start, end = _trimmed(unit, (spans[first][0], spans[last][1]))
    # A part of a quotation is written as a paragraph: it is no longer made of whole blocks.
    return replace(unit, start=start, end=end, blocks=(Block(kind=Kind.PARAGRAPH, start=start, end=end),))


def deciding_spans(unit: Unit, asked: Asked, weights: Mapping[str, float]) -> tuple[Span, ...]:
    """The spans of a unit that decide: its best sentence, the item that stands out, the cells of the asked column."""
    if unit.shape == Shape.ROW:
        return _asked_cells(unit, asked, weights)
    if unit.shape in (Shape.TEXT, Shape.ITEM):
        spans = sentence_spans(unit.stretch.text, unit.start, unit.end)
        if len(spans) == 1:
            return _numbers(unit, spans[0], asked)
        return (_trimmed(unit, best),) if (best := _leading(unit, spans, asked, weights)) else ()
    if unit.shape == Shape.LIST and not (unit.is_steps and asked.want == Want.STEPS):
        return _item(unit, weights)
    return ()


def _best(unit: Unit, spans: list[Span], asked: Asked, weights: Mapping[str, float]) -> Span:
    """The sentence with most of the question's words; if a number was asked for, one that has it."""
    return max(spans, key=lambda span: _value(unit, span, asked, weights))


def _leading(unit: Unit, spans: list[Span], asked: Asked, weights: Mapping[str, float]) -> Span | None:
    """The best sentence, if it is clearly better than any other, and has the number if one was asked for."""
    values = [_value(unit, span, asked, weights) for span in spans]
    *_, second, first = sorted(values)
    best = spans[values.index(first)]
    is_number = asked.want == Want.NUMBER and asked.sign is not None
    if is_number and not has_sign(asked, unit.stretch.text[slice(*best)]):
        return None
    return best if first >= second + _LEAD else None


def _value(unit: Unit, span: Span, asked: Asked, weights: Mapping[str, float]) -> float:
    sentence = unit.stretch.text[slice(*span)]
    value = share(weights, content_words(sentence, unit.language))
    if asked.want == Want.NUMBER and asked.sign is not None:
        value += bool(has_sign(asked, sentence))
        value += beside(sentence, asked) if asked.measured else 0.0
    return value


def _numbers(unit: Unit, span: Span, asked: Asked) -> tuple[Span, ...]:
    """The number that was asked for, of a unit that is one sentence: a unit in bold as a whole says nothing.

    Of several numbers, it is the one that what was asked follows; numbers of the question itself are none.
    """
    if asked.want != Want.NUMBER or asked.sign is None:
        return ()
    text = unit.stretch.text
    found = []
    for first, _ in signs(asked, text[span[0] : span[1]]):
        at = max(text.rfind(mark, span[0], span[0] + first) for mark in " \n(") + 1
        if quantity := _QUANTITY.match(text, max(at, span[0]), span[1]):
            found.append(quantity.span())
    found = list(dict.fromkeys(found))
    if asked.measured and len(found) > 1:
        found = [(start, end) for start, end in found if asked.measured & content_words(text[start : end + _AFTER])]
    return tuple(found[:1])


def _asked_cells(unit: Unit, asked: Asked, weights: Mapping[str, float]) -> tuple[Span, ...]:
    """The cells of each row below the one column that the question names, the second of two, or the one with a number.

    If a number or a time was asked for, only cells that have one are among them.
    """
    columns = [unit.lead[slice(*span)] for span in cell_spans(unit.lead, 0, len(unit.lead))]
    named = [share(weights, content_words(column, unit.language)) for column in columns]
    most = max(named[1:], default=0.0)
    is_clear = named[1:].count(most) == 1
    found: list[Span] = []
    for block in unit.blocks:
        row = cell_spans(unit.stretch.text, block.start, block.end)
        cells = [cell for cell, value in zip(row[1:], named[1:], strict=False) if value == most > 0 and is_clear]
        cells = cells or (row[1:] if len(row) == 2 else [])
        if asked.want in (Want.NUMBER, Want.TIME) and asked.sign is not None:
            signed = [cell for cell in row if has_sign(asked, without_addresses(unit.stretch.text[slice(*cell)]))]
            cells = [cell for cell in cells if cell in signed] or (signed if len(signed) == 1 else [])
        found += cells
    return tuple(span for span in found if span[0] < span[1])


def _item(unit: Unit, weights: Mapping[str, float]) -> tuple[Span, ...]:
    """The sentence of the one item that holds words of the question which heading and lead-in lack, if there is one."""
    text = unit.stretch.text
    above = content_words(" ".join((*unit.headings[-1:], unit.lead)), unit.language)
    rest = {word: weight for word, weight in weights.items() if word not in above}
    items = [item for block in unit.blocks if block.kind == Kind.LIST for item in block.parts]
    shares = [share(rest, content_words(text[item.start : item.end], unit.language)) for item in items]
    ordered = sorted(range(len(items)), key=lambda number: -shares[number])
    if len(ordered) < 2 or shares[ordered[0]] < max(shares[ordered[1]] + _AHEAD, _LEAST):
        return ()
    first = items[ordered[0]].parts[0] if items[ordered[0]].parts else items[ordered[0]]
    spans = sentence_spans(text, first.start, first.end)
    best = max(spans, key=lambda span: share(weights, content_words(text[slice(*span)], unit.language)))
    return (_trimmed(unit, best),)


def _trimmed(unit: Unit, span: Span) -> Span:
    """A span without the mark of an item before it and the spaces after it."""
    text = unit.stretch.text
    mark = _MARK.match(text, *span)
    start = mark.end() if mark else span[0]
    return start, start + len(text[start : span[1]].rstrip())
