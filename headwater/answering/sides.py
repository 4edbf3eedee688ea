"""The two sides of a question that compares, and what they are compared in.

Belongs here: the wording of comparisons. Not here: other kinds of questions (`asked`), choosing an answer (`choosing`).
Guarantee: pure; a question has at least two sides or none.
"""

import re
from collections.abc import Sequence

from headwater.understanding.words import asked_words, content_words

_WHETHER = (
    r"^(?:is|are|was|were|does|do|will|should|would)\b.{1,80}?\b(?:(?:more|less|fewer)\b(?! than)|better|worse|"
    r"(?!(?:number|server|user|other|after|never|over|under|order|container|cluster|docker|paper|power|water)\b)"
    r"[a-z]{3,}er)\b.{0,60}?\b"
)
_SIDES = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"{_WHETHER}(with|without|for|in|on|under|by|via|at|from|through|using|as)\s+(.+?),?\s+or\s+(?:\1\s+)?(.+?)[?.]*$",
        r"\b(?:differences?|differ|distinction)\b.*?\b(?:between|of)\s+(.+?)\s+(?:and|or|from)\s+(.+?)[?.]*$",
        r"\bhow (?:do|does|is|are)\s+(.+?)\s+(?:differ|different)\w*\s+(?:from|to|than)\s+(.+?)[?.]*$",
        r"\bhow (?:do|does|is|are)\s+(.+?)\s+(?:and|versus|vs\.?)\s+(.+?)\s+(?:differ|compare)\w*",
        r"\bcompare[ds]?\s+(.+?)\s+(?:and|with|to|versus|vs\.?)\s+(.+?)[?.]*$",
        r"(.+?),?\s+(?:versus|vs\.?|compared (?:to|with))\s+(.+?)[?.]*$",
        r"^(.+?)\s+or\s+(.+?)\s*[,:;–-]\s+(?:which|what|when|why|how)\b",
        r"(?:[:,]|\b(?:is|are|does|do|than|choose|use|better|faster|cheaper))\s+(.+?),?\s+(?:or|than)\s+(.+?)[?.]*$",
    )
)
_VERSUS = re.compile(r",?\s+(?:vs\.?|versus)\s+", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\b(?:differences?|differ|distinction|compare)\b(?:.{0,30}? between)? (.+?)[?.]*$", re.IGNORECASE
)
_COMMA = re.compile(r",\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)
_MOST_SIDES, _SIDE = 4, 5  # things that are compared, and words of each, if there are more than two
_LONGEST = 500  # characters: the rules take cubic time, and a longer question is not so simple
_COMPARED = re.compile(
    rf"{_WHETHER}(?:with|without|for|in|on|under|by|via|at|from|through|using|as) .{{1,80}} or |"
    r"^(?:which|what|who)\b.{1,80}[,:] .{1,60} or |"
    r"\bhow (?:is|are|does|do) .{1,80}\bdifferent(?:ly)?\b|^\S.{0,60} or .{1,60}?[,:;–-] (?:which|what|when|why|how)\b",
    re.IGNORECASE,
)
_COMPARING = re.compile(
    r"\b(?:compar\w*|differ\w*|versus|vs\.?|distinction|distinguish\w*|between|than|which|one|choose|"
    r"pros|cons|(?:dis)?advantages?|trade[- ]?offs?|"
    r"(?:more|less|fewer|better|worse|best|(?!(?:number|server|user|other|after|never|over|under|order|container|"
    r"cluster|docker|paper|power|water)\b)[a-z]{3,}er))\b",
    re.IGNORECASE,
)

_KIND = r"(?:(?:the|these|those|our|your|both|two|each|either|of) )*(?P<kind>\w+)"
_DIFFER = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"\bhow (?:do|does|are|is) {_KIND} (?:differ|compare)",
        rf"\b(?:differences?|distinction) (?:is there )?between {_KIND}\b(?! and\b)",
        (
            rf"\b(?:does it matter|(?:does|will) it depend on|depends? on|is it the same (?:for|on|in|with|under)) "
            rf"(?:which )?{_KIND}\b"
        ),
    )
)
_EACH = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        r"\b(?:both|(?:each|either) of) (?:(?:the|our|your|two) )*(?P<kind>\w+s)\b|\bthe two (?P<two>\w+s)\b",
        (
            r"^(?:in |with |on |under )?(?:which|what) (?:of the (?:two )?)?(?P<kind>\w+) (?:.{1,40} )?"
            r"(?:more|less|better|best|most|least|cheaper|cheapest|higher|highest|lower|lowest|larger|largest|smaller)\b"
        ),
    )
)


def compared_kind(plain: str) -> frozenset[str]:
    """The stem of what a question compares without naming the things, as `plan` in `Which plan costs less?`.

    Args:
        plain: the question in one line.
    """
    return _kind(plain, (*_DIFFER, *_EACH))


def _kind(plain: str, rules: Sequence[re.Pattern[str]]) -> frozenset[str]:
    if len(plain) > _LONGEST:
        return frozenset()
    found = [match for rule in rules if (match := rule.search(plain))]
    words = (word for match in found for word in match.groupdict().values() if word)
    return frozenset().union(*(content_words(word) for word in words))


def find_sides(plain: str) -> tuple[str, ...]:
    """The things that a question compares, two or more, as it names them; empty if it compares nothing.

    Args:
        plain: the question in one line.
    """
    if len(plain) > _LONGEST:
        return ()
    if several := _several(plain):
        return several
    for rule in _SIDES:
        if match := rule.search(plain):
            first, second = match.groups()[-2:]
            sides = first.strip(), second.strip()
            return sides if all(map(content_words, sides)) else ()
    return ()


def _several(plain: str) -> tuple[str, ...]:
    """Three or more things, as in `validate vs render vs deploy` or `the difference between A, B and C`."""
    found = [_VERSUS.split(plain.strip(" ?."))]
    if listed := _BETWEEN.search(plain):
        found.append(_COMMA.split(listed[1]))
    for parts in found:
        sides = tuple(part.strip() for part in parts)
        if _MOST_SIDES >= len(sides) > 2 and all(content_words(side) and len(side.split()) <= _SIDE for side in sides):
            return sides
    return ()


def compares(plain: str) -> bool:
    """Whether the wording of a question says that it compares, without a word such as `difference`.

    Args:
        plain: the question in one line.
    """
    return len(plain) <= _LONGEST and (_COMPARED.search(plain) is not None or bool(_kind(plain, _DIFFER)))


def side_questions(question: str, sides: Sequence[str]) -> tuple[str, ...]:
    """A question about each side of a comparison: with what they are compared in, or only what it is.

    Args:
        question: the whole question.
        sides: what it compares.
    """
    rest = " ".join(question.split())
    for side in sides:
        rest = rest.replace(side, " ")
    compared = " ".join(word for word in asked_words(_COMPARING.sub(" ", rest)))
    return tuple(f"What is the {compared} of {side}?" if compared else f"What is {side}?" for side in sides)
