"""Blocks that advise, that say where to read on, or that list what is covered.

Belongs here: what such a block is told by. Not here: how much it counts (`weights`), other kinds of blocks (`fitting`).
Guarantee: pure; every pattern takes linear time.
"""

import re

from headwater.answering.asked import Asked
from headwater.answering.block_roles import words_alone
from headwater.quote.blocks import Kind
from headwater.answering.signs import Want
from headwater.answering.units import Shape, Unit
from headwater.chunking.sentences import sentence_spans

_LEAST_ALONE = 3  # words outside links: with fewer, it only leads elsewhere
_POINTER = 30  # words of a text that only says where to read on
_POINTS = re.compile(
    r"\b(?:for (?:more|other|further|additional)|to (?:learn|read|find out|get) more|see also|check out|read on)\b",
    re.IGNORECASE,
)
_PAGE = re.compile(r"[-*+•]\s+\**\[[^\]\n]+\]\((?!https?:)[^)\s]+\)")  # an item that begins with a link to another page
_TIPS = re.compile(
    r"\b(?:tips?|advice|keep in mind|be sure to|make sure to|remember (?:to|that)|make the most)\b",
    re.IGNORECASE,
)
_ASKS_TIPS = re.compile(r"tip|advi[cs]e|suggest|should|best|mind|rememb")
_SCOPE = re.compile(
    r"\b(?:cover(?:s|ed|age)?|eligible|reimbursed|included?|excluded?|exclusions?|exceptions?|limitations?|restrictions?|"
    r"(?:not )?(?:allowed|permitted|supported))\b",
    re.IGNORECASE,
)
_ASKS_SCOPE = re.compile(r"cover|pa(?:y|id)$|reimburs|refund|includ|exclud|eligib|allow|permit|support|expens|claim")


def advises(unit: Unit, asked: Asked) -> bool:
    """Whether a unit is general advice, such as a list of tips, where the question asks for a fact."""
    if asked.want in (Want.STEPS, Want.CODE) or any(_ASKS_TIPS.match(word) for word in asked.actions):
        return False
    lead = unit.lead or opening_sentence(unit.text)
    return _TIPS.search(f"{' '.join(unit.headings[-1:])} {lead}") is not None


def lists_scope(unit: Unit, asked: Asked) -> bool:
    """Whether a unit lists what is covered, or is not, where the question asks whether one thing is.

    The list rarely names that thing as people do: `food and supplements` excludes a protein powder.
    """
    if asked.want != Want.YES_NO or unit.shape not in (Shape.LIST, Shape.TABLE, Shape.SECTION, Shape.DEFINITION):
        return False
    asks = any(_ASKS_SCOPE.match(word) for word in asked.actions)
    has_list = any(block.kind in (Kind.LIST, Kind.TABLE) for block in unit.blocks)
    lead = unit.lead or opening_sentence(unit.text)
    return asks and has_list and _SCOPE.search(f"{' '.join(unit.headings[-1:])} {lead}") is not None


def leads_elsewhere(unit: Unit) -> bool:
    """Whether a unit only says where to read on: a text or an item that does, a list all of whose items do."""
    if unit.shape in (Shape.ITEM, Shape.TEXT):
        return _points(unit.text)
    text = unit.stretch.text
    items = [item for block in unit.blocks if block.kind == Kind.LIST for item in block.parts]
    texts = [text[one.start : one.end] for one in items]
    are_links = all(map(_points, texts)) or all(map(_PAGE.match, texts))
    return unit.shape == Shape.LIST and bool(items) and are_links


def _points(text: str) -> bool:
    """Whether a text is hardly more than a link, or one short sentence with a link that tells to follow it."""
    if words_alone(text) < _LEAST_ALONE:
        return True
    return "](" in text and len(text.split()) <= _POINTER and _POINTS.search(text) is not None


def opening_sentence(text: str) -> str:
    """The first sentence of a text; empty if it has none."""
    return text[: sentence_spans(text)[0][1]] if text else ""
