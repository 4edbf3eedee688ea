"""How well the kind and the wording of a unit suit the kind of answer that a question asks for.

Belongs here: shapes, signs, terms, verbs, commands and their output. Not here: the words that question and unit share
(`scoring`). Guarantee: pure; a fit is between about -.5 and .5, and is added to a score between 0 and 1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.answering.advice import advises, leads_elsewhere, lists_scope, opening_sentence
from headwater.answering.asked import Asked, after_negations, compounds, has_sign, signs
from headwater.answering.block_roles import step_number
from headwater.quote.blocks import Block, Kind, each_block
from headwater.answering.signs import Want
from headwater.answering.units import Shape, Unit
from headwater.answering.verbs import opposites, synonyms
from headwater.chunking.sentences import sentence_spans
from headwater.understanding.words import content_words

_SHAPES: Mapping[Want, Mapping[Shape, float]] = {
    Want.STEPS: {Shape.TEXT: -0.05, Shape.CODE: 0.08, Shape.LIST: 0.06, Shape.ITEM: -0.02, Shape.ROW: -0.05},
    Want.LIST: {
        Shape.CODE: -0.02,
        Shape.LIST: 0.12,
        Shape.TABLE: 0.1,
        Shape.SECTION: 0.03,
        Shape.ITEM: -0.03,
        Shape.ROW: -0.03,
    },
    Want.CODE: {Shape.CODE: 0.15, Shape.SECTION: 0.03},
    Want.NUMBER: {Shape.SECTION: -0.1, Shape.LIST: -0.05, Shape.TABLE: -0.05, Shape.CODE: -0.2},
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
_STRENGTH = {Want.NUMBER: 0.3, Want.STEPS: 0.08, Want.LIST: 0.08, Want.CODE: 0.12}
_LEAST_NEW = 2  # words that a unit adds to the question's: with fewer, it only repeats the question
_LONG = 700  # characters: steps may be longer, but of anything else a part answers
_BESIDE = 60  # characters between a number and what it counts
_SHELLS = frozenset(["sh", "bash", "shell", "console", "zsh", "powershell", "cmd", "bat", "shell-session", "terminal"])
_OUTPUTS = frozenset(["text", "output", "txt", "log", "plaintext", "plain"])
_PROMPT = re.compile(r"^[^\S\n]*(?:\$|>>>|[\w.@:~-]*[#%>]) \S", re.MULTILINE)
_PRINTS = re.compile(
    r"\b(?:outputs?|prints?|printed|returns?|looks? like|looks? similar|you (?:should|will|'ll)(?: then)? (?:see|get)|"
    r"displays?|result(?:s in)?|response|should see|reports?)\b[^.]*:?$",
    re.IGNORECASE,
)
_MARK = re.compile(r"^[^\S\n]*\d{1,9}[.)]\s+", re.MULTILINE)
_TARGET = re.compile(r"\]\([^()\s]*\)|\bhttps?://\S+")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_USAGE = re.compile(r"^[^\S\n]*usage:|(?:^[^\n]*(?:<[\w-]+>|\[[\w<>|. -]+\])[^\n]*\n){2}", re.IGNORECASE | re.MULTILINE)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|cannot|without|except\w*|exclu\w+|un\w+able|instead)\b|n[’']t\b", re.IGNORECASE
)
_EXCEPTION = re.compile(r"\b(?:none|exempt\w*|except\w*|exclu\w+|un\w+able|only)\b", re.IGNORECASE)
_GRANTING = content_words(
    "pay paid cover covered coverage include provide reimburse responsible care offer support allow permit eligible "
    "available apply"
)
"""What is granted or not: a handbook says `not covered` or `not responsible for` where people ask for `not paid`."""
_HISTORY = re.compile(
    r"\b(?:release notes|changelog|change log|release history|what.s new|removals|deprecations|migration notes?|"
    r"upgrade notes?)\b",
    re.IGNORECASE,
)
_SUM_UP = re.compile(
    r"(?:overall|in (?:summary|conclusion|short|closing)|to (?:sum up|summari[sz]e|conclude)|all in all|"
    r"by (?:\w+ing)\b[^.]{1,200}\byou (?:can|will|may|are|could|should))\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:in )?this (?:page|section|guide|document|tutorial|chapter|article|manual|handbook|how-to|post|part|policy)"
    r"(?:,| (?:outlines?|describes?|explains?|covers?|shows?|walks?|provides?|contains?|details|discusses|will|"
    r"is (?:about|intended|meant|designed)))",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(r"[\d.,]*\s+[\w-]+(?:\s+[\w-]+)?")
_IS = re.compile(r"\s(?:is|are|was|were|means?|refers? to|gives?|allows?|provides?|lets?)\s")


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """The stems of a question, and of a unit: its own, and those of its nearest heading and lead-in."""

    asked: frozenset[str]
    own: frozenset[str]
    near: frozenset[str]


def fits_of(unit: Unit, asked: Asked, words: Words) -> dict[str, float]:
    """What a unit's kind and wording say, by name (`weights` has the weight of each).

    Args:
        unit: the unit.
        asked: what the question asks for.
        words: the words of both.
    """
    is_procedure, is_advice = asked.want in (Want.STEPS, Want.CODE), advises(unit, asked)
    return {
        "shape": _SHAPES.get(asked.want, {}).get(unit.shape, 0.0),
        "bare_names": float(unit.shape == Shape.OUTLINE and not unit.is_steps and asked.want != Want.LIST),
        **_signed(unit, asked),
        "link": float(leads_elsewhere(unit)),
        "announces": float(unit.shape == Shape.TEXT and _ANNOUNCES.match(unit.text) is not None),
        "sums_up": float(unit.shape == Shape.TEXT and _SUM_UP.match(unit.text) is not None),
        "echo": float(len(words.own - words.asked) < _LEAST_NEW),
        "quoted": float(_is_quoted(unit, words)),
        **_stepped(unit, asked),
        "long": 0.0 if unit.is_steps else min(max(len(unit.text) / _LONG - 1, 0.0), 2.0),
        "many": float(unit.shape == Shape.SECTION and _HEADING.search(unit.text) is not None),
        "defines": _defines(unit, asked) if asked.want == Want.DEFINITION else 0.0,
        "named": _names(unit, asked) if asked.literals else 0.0,
        **(_does(unit, asked, words) if is_procedure else {}),
        **(_commands(unit) if is_procedure else {}),
        **_contrariness(unit, asked, words, is_advice=is_advice),
        "tips": float(is_advice),
        "scope": float(lists_scope(unit, asked)),
    }


def _is_quoted(unit: Unit, words: Words) -> bool:
    """Whether the question quotes the code of a unit, such as a message: what to do about it stands elsewhere."""
    codes = [content_words(block.content) for block in each_block(unit.blocks) if block.kind == Kind.CODE]
    return unit.shape == Shape.CODE and bool(codes) and all(code <= words.asked for code in codes)


def _stepped(unit: Unit, asked: Asked) -> dict[str, float]:
    """Whether a unit is steps, or only one of them."""
    is_asked = unit.is_steps and asked.want in (Want.STEPS, Want.LIST)
    is_item = unit.shape == Shape.ITEM
    is_named = asked.want in (Want.STEPS, Want.LIST) and any(map(step_number, unit.headings[-1:]))
    return {"lone_step": float((is_asked and is_item) or is_named), "steps": float(is_asked and not is_item)}


def _contrariness(unit: Unit, asked: Asked, words: Words, *, is_advice: bool) -> dict[str, float]:
    """Whether a unit tells what has changed or what is, where the question asks for what is or what is not."""
    above = " ".join((unit.stretch.chunks[0].uri.rpartition("/")[2], unit.stretch.chunks[0].title, *unit.headings))
    is_history = not asked.is_past and _HISTORY.search(above) is not None
    said = f"{' '.join(unit.headings[-1:])}. {unit.lead}. {unit.text}"
    return {
        "history": float(is_history),
        "positive": float(asked.is_negated and not _denies(said, asked, is_advice=is_advice)),
        "denied": float(_is_denied(unit, asked, words)),
        "contrary": float(bool(asked.compounds) and _is_contrary(unit, asked)),
    }


def _denies(said: str, asked: Asked, *, is_advice: bool) -> bool:
    """Whether a text denies what the question denies: a `not` about something else does not.

    What is granted may be denied in another verb, but not by advice, which says `if it is not covered`.
    """
    if not asked.negated:
        return _NEGATION.search(said) is not None
    after = after_negations(said)
    return (
        _EXCEPTION.search(said) is not None
        or bool(asked.negated & after)
        or bool(not is_advice and asked.negated & _GRANTING and after & _GRANTING)
    )


def _is_denied(unit: Unit, asked: Asked, words: Words) -> bool:
    """Whether the lead-in denies what the question asks for: `is not installed` does not answer what is installed."""
    if asked.is_negated or asked.want not in (Want.LIST, Want.ANYTHING, Want.PERSON, Want.NUMBER):
        return False
    match unit.shape:
        case Shape.SECTION | Shape.DEFINITION:
            lead = unit.text
        case Shape.LIST | Shape.ITEM | Shape.TABLE:
            lead = unit.lead or unit.stretch.text[: unit.start].rstrip().rpartition("\n\n")[2]
        case _:
            lead = ""
    return bool(words.asked & after_negations(opening_sentence(lead)))


def _is_contrary(unit: Unit, asked: Asked) -> bool:
    """Whether a unit or its heading is about the counterpart of a compound: `out-of-network`, not `in-network`."""
    ends = {one.rpartition("-")[2] for one in asked.compounds}
    for text in (" ".join(unit.headings[-1:]), unit.text):
        alike = {one for one in compounds(text) if one.rpartition("-")[2] in ends}
        if alike:
            return not alike & asked.compounds
    return False


def _signed(unit: Unit, asked: Asked) -> dict[str, float]:
    """Whether a unit has what the answer must have; a number must stand beside what it counts."""
    text = without_addresses(
        _MARK.sub("", unit.text)
    )  # the number of a step or in an address is none that was asked for
    has = has_sign(asked, text)
    if has is None:
        return {}
    if not has:
        return {"unsigned": _STRENGTH.get(asked.want, 0.06)}
    return {"signed": 1.0, "beside": 2 * beside(text, asked) - 1 if asked.measured else 0.0}


def without_addresses(text: str) -> str:
    """A text without the targets of its links: their digits answer nothing."""
    return _TARGET.sub("]", text)


def beside(text: str, asked: Asked) -> float:
    """How well a number of a text counts what was asked, from 0 to 1.

    Half is the share of the measured words that stand near the number in its sentence; half, whether one of them
    follows the number at once, as in `20 days of vacation` but not in `4-day weeks`.
    """
    best = 0.0
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        for first, last in signs(asked, sentence):
            near = _counted(sentence[max(0, first - _BESIDE) : last + _BESIDE])
            following = _FOLLOWING.match(sentence, last)
            counted = _counted(following[0]) if following else set()
            share = len(asked.measured & near) / len(asked.measured)
            best = max(best, (share + bool(asked.measured & counted)) / 2)
    return best


def _counted(text: str) -> set[str]:
    """The words of a text; an age is written as `30 days old`, too."""
    found = content_words(text)
    return found | {"age"} if "old" in found else found


def _names(unit: Unit, asked: Asked) -> float:
    """Whether a unit is about a name of code or a message that the question quotes, or only has it."""
    names = {literal.lower() for literal in asked.literals}
    if unit.term.lower().strip("`") in names or (unit.headings and unit.headings[-1].lower().strip("`") in names):
        return 0.25
    text = unit.text.lower()
    return 0.06 if any(name in text for name in names) else -0.06


def _defines(unit: Unit, asked: Asked) -> float:
    """Whether a unit says what the subject is: as a term, as the subject of its first sentence, below its heading."""
    if not asked.subject:
        return 0.0
    if unit.term and asked.subject == content_words(unit.term):
        return 0.15
    first = opening_sentence(unit.text)
    verb = _IS.search(first)
    before = content_words(first[: verb.start()]) if verb else set()
    is_subject = bool(before) and asked.subject <= before and len(before) <= len(asked.subject) + 2
    heading = content_words(unit.headings[-1]) if unit.headings else set()
    return 0.12 * is_subject + 0.08 * (unit.is_introduction and asked.subject == heading)


def _does(unit: Unit, asked: Asked, words: Words) -> dict[str, float]:
    """Whether the heading, the lead-in or the first words name the action that was asked for, or its opposite."""
    about = words.near | content_words(unit.text[:120])
    alike = asked.actions | synonyms(asked.actions)
    if opposites(alike) - alike & about:
        return {"opposite": float(not asked.actions & about)}
    return {"does": float(bool(synonyms(asked.actions) & about))}


def _commands(unit: Unit) -> dict[str, float]:
    """Whether the code of a unit is a command, the output of one, or a listing of usages."""
    codes = [block for block in each_block(unit.blocks) if block.kind == Kind.CODE]
    if not codes:
        return {"no_code": float(unit.shape == Shape.SECTION and not unit.is_steps)}
    if all(is_output(code, unit.lead) for code in codes):
        return {"output": 1.0}
    if unit.shape == Shape.CODE and _USAGE.search(codes[0].content):
        return {"usage": 1.0}
    return {"command": float(any(map(_is_command, codes))), "with_code": float(unit.shape == Shape.SECTION)}


def is_output(code: Block, lead: str = "") -> bool:
    """Whether code is what a command prints: by its language, or by the text above it."""
    if _is_command(code):
        return False
    return code.language.lower() in _OUTPUTS or (not code.language and _PRINTS.search(lead.strip()) is not None)


def _is_command(code: Block) -> bool:
    return code.language.lower() in _SHELLS or _PROMPT.search(code.content) is not None
