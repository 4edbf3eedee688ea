"""Abbreviations such as `R&D` and `HSA`: as one word, and as the words that they stand for.

Belongs here: what is an abbreviation, and whether a text spells it out. Not here: cutting texts into words (`words`),
synonyms. Guarantee: pure; a letter alone is never an abbreviation.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

_WITH_AMPERSAND = re.compile(r"\b[A-Za-z]{1,3}(?:&[A-Za-z])+s?\b")
_ABBREVIATION = re.compile(r"\b(?:[A-Za-z]{1,3}(?:&[A-Za-z])+|[A-Z]{3,5})(?=s?\b)")
_KNOWN = {
    "m&a": "mergers and acquisitions",
    "p&l": "profit and loss",
    "q&a": "questions and answers",
    "r&d": "research and development",
    "t&c": "terms and conditions",
}
"""What people write without ever spelling it out: a search by meaning does not know the letters."""
_SKIPPED = r"\s+(?:(?:and|of|for|the|&)\s+)?"
_JOINED = r"\s+(?:and|&)\s+"


def without_ampersands(text: str) -> str:
    """A text with each abbreviation such as `R&D` as one word, `RD`: its letters alone mean nothing."""
    return _WITH_AMPERSAND.sub(lambda match: match[0].replace("&", ""), text) if "&" in text else text


def with_known(text: str) -> str:
    """A text with the words of well-known abbreviations such as `R&D` behind them."""
    if "&" not in text:
        return text
    return _WITH_AMPERSAND.sub(lambda match: _followed(match[0]), text)


def _followed(abbreviation: str) -> str:
    known = _KNOWN.get(abbreviation.lower().removesuffix("s"))
    return f"{abbreviation} ({known})" if known else abbreviation


def spelt_out(question: str, text: str) -> set[str]:
    """The abbreviations of a question that a text spells out, as words in lower case without an ampersand.

    `R&D` is spelt out by two words with `and` between them, in any case; `HSA` by three words with capitals.
    """
    patterns = spellings(question)
    return {word for word, pattern in patterns.items() if pattern.search(text)} if patterns else set()


@lru_cache(maxsize=1 << 8)
def spellings(question: str) -> Mapping[str, re.Pattern[str]]:
    """How each abbreviation of a question is spelt out, by its word; none if the question is all in capitals."""
    if question.upper() == question:
        return {}
    return {one.replace("&", "").lower(): _pattern(one) for one in _ABBREVIATION.findall(question)}


def _pattern(abbreviation: str) -> re.Pattern[str]:
    if "&" in abbreviation:
        parts = (r"\s+".join(rf"{letter}[a-z]+" for letter in part) for part in abbreviation.split("&"))
        return re.compile(rf"\b{_JOINED.join(parts)}\b", re.IGNORECASE)
    return re.compile(rf"\b{_SKIPPED.join(rf'{letter}[a-z]+' for letter in abbreviation)}\b")
