"""Which of the sentences that decide stay in bold, once all blocks of an answer are known (ANS-4).

Belongs here: comparing the sentences of all blocks. Not here: what decides within one block (`deciding`), writing it
(`rendering`). Guarantee: pure; no block is added, left out or cut; marks on items and cells stay.

Each block marks its own best sentence. Beside other blocks that may be the wrong one: the sentence that decides stands
in another block, and a reader who only sees the bold words is misled.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from headwater.answering.asked import Asked, has_sign
from headwater.quote.blocks import Kind
from headwater.answering.signs import Want
from headwater.answering.units import Shape, Unit
from headwater.chunking.sentences import sentence_spans

if TYPE_CHECKING:
    from headwater.answering.choosing import Choice

Shares = Callable[[Unit, str], float]
"""The share of the question's words, except those above a unit, that a sentence of the unit holds."""

_TYPED = (Want.NUMBER, Want.TIME, Want.YES_NO)
_SHAPES = (Shape.TEXT, Shape.SECTION, Shape.ITEM)
_SIGN = 0.3  # what a sentence gains by a sign of the kind of answer
_LEAD = 0.05  # by how much a sentence must be better than any other
_RIVAL = 0.7  # the share of the best value from which a sentence of another block may decide as well
_ALIKE = 0.9  # the share of the best value from which a number stays marked
_LIMITS = re.compile(
    r"\b(?:not|no|never|none|cannot|only|without|rather than|instead of|unless|un\w+able)\b|n[’']t\b", re.IGNORECASE
)
"""What a sentence says that decides whether something is so: a `yes` seldom says more than the question."""

_MAY = re.compile(r"\bmay\b")  # it is a month only with a capital


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sentence:
    """A sentence of a block of one of the choices; `value` is its share of the question's words, more with a sign."""

    choice: int
    block: int
    span: tuple[int, int]
    value: float
    is_signed: bool


def marked(choices: Sequence["Choice"], asked: Asked, shares: Shares) -> list["Choice"]:
    """The choices, with only those sentences marked that decide among all of them.

    A question for a number, a time or a yes is decided by the one sentence that has it and most of the question's
    words; if sentences of two blocks may decide, none is marked. For others, a sentence stays marked if every sentence
    that is not marked is worse; in the best block, if none is much better. A number in a sentence says more than all
    of it, and stays marked in sentences about as good as the best.

    Args:
        choices: the blocks of an answer.
        asked: what the question asks for.
        shares: of the question's words in a sentence.
    """
    sentences = [one for number, choice in enumerate(choices) for one in _sentences(number, choice, asked, shares)]
    if len(sentences) < 2:
        return list(choices)
    best = max(one.value for one in sentences)
    kept = _deciding(sentences) if asked.want in _TYPED else _among_marked(sentences, choices)
    found = []
    for number, choice in enumerate(choices):
        own = {one.span for one in sentences if one.choice == number}
        weak = [one.span for one in sentences if one.choice == number and one.value < _ALIKE * best]
        finer = {span for span in choice.deciding if span not in own and not any(_holds(one, span) for one in weak)}
        stay = {one.span for one in kept if one.choice == number and not any(_holds(one.span, span) for span in finer)}
        found.append(replace(choice, deciding=tuple(sorted(finer | stay))))
    return found


def _deciding(sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """The one sentence that has what was asked for and is clearly the best; often none."""
    best = max(sentences, key=lambda one: one.value)
    others = [one for one in sentences if one is not best]
    is_clear = all(one.value <= best.value - _LEAD and not _is_rival(one, best) for one in others)
    return [best] if best.is_signed and is_clear else []


def _is_rival(one: _Sentence, best: _Sentence) -> bool:
    """Whether a sentence of another block may decide as well."""
    is_apart = (one.choice, one.block) != (best.choice, best.block)
    return one.is_signed and is_apart and one.value >= _RIVAL * best.value


def _among_marked(sentences: Sequence[_Sentence], choices: Sequence["Choice"]) -> list[_Sentence]:
    marks = [one for one in sentences if one.span in choices[one.choice].deciding]
    most = max((one.value for one in sentences if one not in marks), default=0.0)
    first = max(range(len(choices)), key=lambda number: choices[number].score)
    return [one for one in marks if one.value > most or (one.choice == first and one.value >= _RIVAL * most)]


def _sentences(number: int, choice: "Choice", asked: Asked, shares: Shares) -> list[_Sentence]:
    unit = choice.unit
    found = []
    for block, start, end in _spans(unit) if unit.shape in _SHAPES else ():
        text = unit.stretch.text[start:end]
        is_signed, value = _is_signed(text, asked), shares(unit, text)
        value += _SIGN * (is_signed and value > 0 and asked.want in _TYPED)
        found.append(_Sentence(choice=number, block=block, span=(start, end), value=value, is_signed=is_signed))
    return found


def _spans(unit: Unit) -> list[tuple[int, int, int]]:
    """The sentences of a unit's paragraphs, without the spaces after them: where the block is, start and end."""
    text = unit.stretch.text
    paragraphs = [block for block in unit.blocks if block.kind == Kind.PARAGRAPH]
    spans = [(block.start, *span) for block in paragraphs for span in sentence_spans(text, block.start, block.end)]
    return [(block, start, start + len(text[start:end].rstrip())) for block, start, end in spans]


def _is_signed(text: str, asked: Asked) -> bool:
    if asked.want == Want.YES_NO:
        return _LIMITS.search(text) is not None
    return bool(has_sign(asked, _MAY.sub("", text)))


def _holds(one: tuple[int, int], span: tuple[int, int]) -> bool:
    return one[0] <= span[0] and span[1] <= one[1]
