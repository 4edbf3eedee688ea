"""The parts of a question that asks for several things, by rules (RET-3).

Belongs here: several questions in one text, the two sides of a comparison. Not here: concepts from a model (the
answering package), searching for each part (`headwater.retrieval.search`). Guarantee: pure; every word of a part is in
the question.
"""

import re
from collections.abc import Iterator

from headwater.retrieval.understanding.concepts import Concepts
from headwater.retrieval.understanding.follow_ups import stand_alone
from headwater.retrieval.understanding.intents import Intent
from headwater.retrieval.understanding.question import Understanding
from headwater.retrieval.words import words

MOST_PARTS = 4
_QUESTION = re.compile(r"[^?？]+[?？]")
_LAST_SENTENCE = re.compile(r"(?:.*[.!]\s+)?(.+)", re.DOTALL)
_ONE, _OTHER = (rf"(?:the |an? )?(?P<{name}>[^?,;.]{{2,80}}?)" for name in ("one", "other"))
_END = r"\s*(?:[?.,;]|$)"
_SIDES = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"\bbetween {_ONE}\s+and\s+{_OTHER}{_END}",
        rf"\bcompare {_ONE}\s+(?:and|with|to)\s+{_OTHER}{_END}",
        rf"\b(?:how|where|in what) (?:do|does|is|are) {_ONE} (?:differ|differs|different) from {_OTHER}{_END}",
        rf"\bhow (?:do|does) {_ONE}\s+and\s+{_OTHER} (?:differ|compare)\b",
        rf"(?:^|[,:]|\b(?:is|are|use|about|of)) ?{_ONE}\s+(?:versus|vs\.?)\s+{_OTHER}{_END}",
        rf"\b(?:better|faster|cheaper|best)\b[,:]? {_ONE}\s+or\s+{_OTHER}{_END}",
    )
)


class RuleConcepts:
    """Finds the parts of a question by rules: what a knowledge base without a cheap model uses."""

    name = "builtin/rules"

    def find_concepts(self, understanding: Understanding) -> Concepts:
        """The intent by rules, and the parts; none if the question asks for one thing."""
        return Concepts(intent=understanding.intent, concepts=find_parts(understanding))


def find_parts(understanding: Understanding) -> tuple[str, ...]:
    """The parts of a question, each a text to search for; empty if it asks for one thing."""
    text = " ".join(understanding.language_text.split())
    parts = list(_questions(text))
    if len(parts) < 2:
        parts = list(_sides(text)) if understanding.intent is Intent.COMPARISON else []
    return tuple(dict.fromkeys(parts))[:MOST_PARTS]


def _questions(text: str) -> Iterator[str]:
    """Each question of the text, with what it needs of those before it."""
    earlier: list[str] = []
    for match in _QUESTION.finditer(text):
        last = _LAST_SENTENCE.match(match.group().strip())
        question = last[1] if last else match.group().strip()
        if words(question) or earlier:
            yield stand_alone(question, earlier)
            earlier.append(question)


def _sides(text: str) -> Iterator[str]:
    """The two things that are compared."""
    for rule in _SIDES:
        match = rule.search(text)
        if match:
            yield from (side for side in (match["one"].strip(), match["other"].strip()) if words(side))
            return
