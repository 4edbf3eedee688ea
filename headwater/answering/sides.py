"""The two sides of a question that compares, and what they are compared in.

Belongs here: the wording of comparisons. Not here: other kinds of questions (`asked`), choosing an answer (`choosing`).
Guarantee: pure; a question has two sides or none.
"""

import re
from collections.abc import Sequence

from headwater.retrieval.words import asked_words, content_words

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

_KINDS = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        r"\bhow (?:do|does|are|is) (?:the |these |those |our |your |both |two )*(\w+s) (?:differ|compare)",
        r"\b(?:differences?|differ|compare|comparison|choose|choice)\b.{0,30}? (?:between |of )?(?:the |these |our |your |both |two )+(\w+s)\b",
        r"\b(?:does it matter|depends?(?:ing)? on|does it depend on|is it the same|no matter) (?:the |which |in |on |with |under )*"
        r"(?:both |every |each |either )?(\w+)\b",
        r"\b(?:both|(?:each|either|both) of (?:the |our |your )?(?:two )?|the two|each|every) (?:the |our |your |two )*(\w+)\b",
        r"^(?:which|what) (?:one )?(?:of (?:the |our |your )?(?:two )?)?(\w+) (?:is|are|has|have|costs?|pays?|covers?|gives?|offers?) "
        r"(?:the |a )?(?:more|less|better|best|cheaper|cheapest|most|least|higher|lower|larger|smaller|\w+er)\b",
    )
)


def compared_kind(plain: str) -> frozenset[str]:
    """The stem of what a question compares without naming the things, as `plan` in `Which plan is cheaper?`.

    Args:
        plain: the question in one line.
    """
    if len(plain) > _LONGEST:
        return frozenset()
    found = (rule.search(plain) for rule in _KINDS)
    return frozenset().union(*(content_words(match[1]) for match in found if match))


def find_sides(plain: str) -> tuple[str, ...]:
    """The two things that a question compares, as it names them; empty if it compares nothing.

    Args:
        plain: the question in one line.
    """
    if len(plain) > _LONGEST:
        return ()
    for rule in _SIDES:
        if match := rule.search(plain):
            first, second = match.groups()[-2:]
            sides = first.strip(), second.strip()
            return sides if all(map(content_words, sides)) else ()
    return ()


def compares(plain: str) -> bool:
    """Whether the wording of a question says that it compares, without a word such as `difference`.

    Args:
        plain: the question in one line.
    """
    return len(plain) <= _LONGEST and _COMPARED.search(plain) is not None


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
