"""The parts of a question that asks for several things, by rules (RET-3).

Belongs here: several questions in one text, the two sides of a comparison. Not here: concepts from a model (the
answering package), searching for each part (`headwater.retrieval.search`). Guarantee: pure; every word of a part is in
the question.
"""

import re

from headwater.understanding.concepts import Concepts
from headwater.understanding.european_questions import COMPARED_EU
from headwater.understanding.follow_ups import stand_alone
from headwater.understanding.intents import Intent
from headwater.understanding.japanese_questions import COMPARED_JA
from headwater.understanding.question import Understanding
from headwater.understanding.words import find_asked_words, words

MAX_PARTS = 4
_QUESTION_END = re.compile(r"(?<=[?？])(?=\s|\Z|[^\x00-\x7f])")  # not in an address
_LAST_SENTENCE = re.compile(r"(?:.*[.!]\s+)?(.+)", re.DOTALL)
_COMPARING = frozenset(
    ["difference", "differences", "differ", "different", "compare", "comparison", "choose", "decide", "better", "best",
     "faster", "cheaper", "advantages", "trade", "offs", "tradeoff", "tradeoffs", "pros", "cons", "explain", "show"]
)  # fmt: skip
_ONE, _OTHER = (rf"(?:the |an? )?(?P<{name}>[^?,;.]{{2,80}}?)" for name in ("one", "other"))
_END = r"\s*(?:[?.,;]|$)"
_ONE_CHINESE, _OTHER_CHINESE = (rf"(?P<{name}>[^?？，。]{{1,40}}?)" for name in ("one", "other"))
_DIFFERENT_CHINESE = r"(?:的|有什么|有哪些|有何)*(?:区别|差别|差异|不同)(?:是什么)?"
_SIDES = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"\bbetween {_ONE}\s+and\s+{_OTHER}{_END}",
        rf"\bcompare {_ONE}\s+(?:and|with|to)\s+{_OTHER}{_END}",
        rf"\b(?:how|where|in what) (?:do|does|is|are) {_ONE} (?:differ|differs|different) from {_OTHER}{_END}",
        rf"\bhow (?:do|does) {_ONE}\s+and\s+{_OTHER} (?:differ|compare)\b",
        rf"(?:^|[,:]|\b(?:is|are|use|about|of)) ?{_ONE}\s+(?:versus|vs\.?)\s+{_OTHER}{_END}",
        rf"\b(?:better|faster|cheaper|best)\b[,:]? {_ONE}\s+or\s+{_OTHER}{_END}",
        rf"^{_ONE}\s+or\s+{_OTHER}\s*[,:;–-] (?=which|what|how)",
        *(rf"{compared}{_END}" for compared in COMPARED_EU),
        *COMPARED_JA,
        rf"^{_ONE_CHINESE}(?:和|与|跟){_OTHER_CHINESE}(?:之间)?{_DIFFERENT_CHINESE}{_END}",
        rf"^比较(?:一下)?{_ONE_CHINESE}(?:和|与|跟){_OTHER_CHINESE}{_END}",
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
    return find_questions(understanding) or find_sides(understanding)


def find_questions(understanding: Understanding) -> tuple[str, ...]:
    """The questions of a text with several, each with what it needs of those before it; otherwise empty."""
    earlier: list[str] = []
    questions: list[str] = []
    for sentence in _QUESTION_END.split(" ".join(understanding.language_text.split()))[:-1]:
        last = _LAST_SENTENCE.match(sentence.strip())
        question = last[1] if last else sentence.strip()
        if words(question) or earlier:
            questions.append(stand_alone(question, earlier))
            earlier.append(question)
    return tuple(dict.fromkeys(questions))[:MAX_PARTS] if len(questions) > 1 else ()


def find_sides(understanding: Understanding) -> tuple[str, ...]:
    """What is asked about each of two things that are compared; empty if none are."""
    if understanding.intent is not Intent.COMPARISON:
        return ()
    about, sides = _find_compared(" ".join(understanding.language_text.split()))
    return tuple(dict.fromkeys(" ".join((*about, side)) for side in sides))


def whole_sides(text: str) -> tuple[str, ...]:
    """Two things that a text compares as a whole; empty if it compares them in one respect, or nothing.

    Args:
        text: the question in one line.
    """
    about, sides = _find_compared(text)
    return () if about else tuple(sides)


def _find_compared(text: str) -> tuple[list[str], list[str]]:
    """In what two things are compared, and the two; both empty if none are."""
    for rule in _SIDES:
        match = rule.search(text)
        sides = [side.strip() for side in (match["one"], match["other"]) if words(side)] if match else []
        if match and len(sides) == 2:
            around = f"{text[: match.start()]} {text[match.end() :]}"
            return [word for word in find_asked_words(around) if word not in _COMPARING], sides
    return [], []
