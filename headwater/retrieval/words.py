"""The words of a question and of a passage, as far as both can be compared without a dictionary.

Belongs here: what counts as a word, which words carry no meaning, and what the forms of one word share. Not here: the
words that the index is searched by, which Postgres stems. Guarantee: pure; the same for a question and for a text.
"""

import re
import unicodedata
from functools import lru_cache

from headwater.lexical.tokens import UNSPACED

_MOST_WORDS, _MOST_TEXTS = 1 << 16, 1 << 11  # remembered
_STEM = 6  # characters: more tells forms of one word apart, in most languages
_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        """
    a about according after all also am an and any are as at be been before being but by called can considered could
    described did do does doing for from get had has have having he her here hers him his how i if in into is it its
    just kind known many may me mentioned might mine more most much must my need no nor not of off on one or our out
    over own per please regarding she should so some sort such tell than that the their them then there these they this
    those to too typically under until up us use used using usually very was we were what when where which while who
    whom whose why will with would you your
    """,
    )
)
_WORD = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+")
_UNSPACED_WORD = re.compile(f"[{UNSPACED}]")
_FIRST_UNSPACED = UNSPACED[0]
_MARKS = re.compile(rf"[^\w\x00-\x7f{UNSPACED}]+")  # quotation marks, dashes, arrows: without them most texts are ASCII
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_CONTRACTED = re.compile(r"[nN'’](?:(?<=\w['’])(?i:s|re|ve|ll|d|m)|(?<=\w[nN])['’][tT])\b")
_SUFFIXES = ("ations", "ation", "ments", "ment", "ings", "ing", "ers", "ed", "er", "es", "ly", "s", "e")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s)[\s\"'“‘(*_`]*$")


def words(text: str) -> list[str]:
    """The words of a text that carry meaning, in order, whole and in lower case.

    Contractions (`'s`, `n't`) are cut off. Where a script puts no space between words, pairs of characters stand for
    them.
    """
    return [word for word in _cut(text) if word not in _STOPWORDS]


def _cut(text: str) -> list[str]:
    """All words of a text. ASCII is split at what becomes spaces, in a fifth of the time that a regex takes."""
    plain = _plain(text)
    if not plain.isascii():
        plain = _MARKS.sub(" ", plain)
    if plain.isascii():
        return plain.translate(_ASCII).split()
    found: list[str] = []
    for word in _WORD.findall(plain.casefold()):
        if word >= _FIRST_UNSPACED and _UNSPACED_WORD.match(word):
            found.extend([word[place : place + 2] for place in range(len(word) - 1)] or [word])
        else:
            found.append(word)
    return found


class _Terms(dict[str, str]):
    """The stem of each word, empty for a stop word."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_WORDS:
            self.clear()
        self[word] = term = "" if word in _STOPWORDS else stem(word)
        return term


_term = _Terms().__getitem__


@lru_cache(maxsize=_MOST_TEXTS)
def terms(text: str) -> tuple[str, ...]:
    """The stems of a text's words, in order; who ranks passages and who grades them ask for those of the same texts."""
    return tuple(filter(None, map(_term, _cut(text))))


@lru_cache(maxsize=_MOST_WORDS)
def stem(word: str) -> str:
    """Cut a word to what its forms share; crude, but the same for the question and the text."""
    if any(character.isdigit() for character in word):
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)][:_STEM]
    return word[:_STEM]


def content_words(text: str) -> set[str]:
    """The words of a text that carry meaning, stemmed."""
    return set(terms(text))


def names(text: str) -> set[str]:
    """Names and numbers, stemmed: words with a digit, or with a capital that no sentence begins with."""
    plain = _plain(text)
    return {
        stem(match.group().casefold())
        for match in _WORD.finditer(plain)
        if match.group().casefold() not in _STOPWORDS
        and (
            any(character.isdigit() for character in match.group())
            or (match.group()[0].isupper() and not _SENTENCE_START.search(plain[: match.start()]))
        )
    }


def is_misspelt(word: str, other: str) -> bool:
    """Whether two words of five letters or more are one slip apart: a letter too many, too few, wrong, or swapped.

    Their first letters are the same, which slips seldom touch; with digits, another word is another thing.
    """
    short, long = sorted((word, other), key=len)
    if len(short) < 5 or len(long) - len(short) > 1 or word[0] != other[0] or not (word + other).isalpha():
        return False
    at = next((place for place, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    is_swapped = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return is_swapped or short[at + 1 :] == long[at + 1 :]


def _plain(text: str) -> str:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _CONTRACTED.sub("", plain) if "'" in plain or "’" in plain else plain
