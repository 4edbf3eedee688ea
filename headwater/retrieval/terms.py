"""The terms of a question and of passages, as far as they are compared without a dictionary.

Belongs here: words in order, without those that carry no meaning, cut to what their forms share. Not here: the terms
that the index is searched by, which Postgres stems. Guarantee: pure; the same for a question and for a text.
"""

import re
import unicodedata
from functools import lru_cache

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TERM = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")
_STEM = 6  # characters: more tells forms of one word apart, in most languages
_SUFFIXES = ("ations", "ation", "ments", "ment", "ings", "ing", "ers", "ed", "er", "es", "ly", "s", "e")
_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        """
    a about after all also am an and any are as at be been before being but by can could d did do does doing for
    from had has have having he her here hers him his how i if in into is it its just ll m may me might mine
    more most much must my no nor not of off on one or our out over own per please re s she should so some such
    t than that the their them then there these they this those to too under until up us ve very was we were
    what when where which while who whom whose why will with would you your
    """,
    )
)


def terms(text: str) -> list[str]:
    """Cut a text into terms, in order; pairs of characters where a script puts no space between words."""
    plain = (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()
    words = _TERM.findall(plain)
    if not plain.isascii() and _UNSPACED_CHARACTER.search(plain):
        words = [part for word in words for part in _parts(word)]
    return [term for term in map(_term, words) if term]


def _parts(word: str) -> list[str]:
    """The word itself, or pairs of its characters."""
    if len(word) < 2 or not _UNSPACED_CHARACTER.match(word):
        return [word]
    return [word[place : place + 2] for place in range(len(word) - 1)]


@lru_cache(maxsize=1 << 16)
def _term(word: str) -> str:
    """What the forms of a word share, crude but alike for both sides; nothing of a word without meaning."""
    if word in _STOPWORDS:
        return ""
    if not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)][:_STEM]
    return word[:_STEM]
