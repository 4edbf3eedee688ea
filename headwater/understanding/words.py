"""Comparing the words of a question with those of a passage, without a dictionary.

Belongs here: what counts as a word, which words carry no meaning, and the common stem of a word's forms. Not here: the
words of the index, which Postgres stems. Guarantee: pure; questions and texts are treated alike.

Words are stemmed by Snowball's stemmers, which Postgres uses too, as English if the language is unknown. Korean, and
scripts without spaces between words, are compared by pairs of characters.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from headwater.domain.languages import UNSTEMMED, stemming_language
from headwater.lexical.tokens import HAN, PAIRED, UNSPACED
from headwater.understanding.interrogatives import load_interrogatives

_MOST_WORDS, _MOST_TEXTS = 1 << 16, 1 << 11  # cached
_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        """
    a an the of to in on for and or is are was were be been do does did can could i my me we our you your it its this
    that with by at from how what which who when where why will would should if as not no have has had there their they
    them than then into about get got any up much many
        """,
    )
)
"""Words without a meaning of their own; `only`, `must`, `before` and `over` have one: they decide."""
_WORD = re.compile(rf"[{PAIRED}]+|[^\W_{PAIRED}]+")
_PAIRED_WORD = re.compile(f"[{PAIRED}]")
_PAIRED_RUN = re.compile(f"[{PAIRED}]+")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_KOREAN_ASKING = load_interrogatives(["ko"])
_FILLED_DIGITS = 3  # digits of a number that may be filled up with zeros
_ENDED = 3  # syllables of a Korean word whose last one is mostly a particle
_KANA = re.compile(r"[\u3040-\u30ff]")
_KATAKANA_WORD = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}")
_LONE = re.compile(r"(?<![\u30a1-\u30fc\u3400-\u9fff])[\u3400-\u9fff](?![\u30a1-\u30fc\u3400-\u9fff])")
_JAPANESE_FUNCTION = re.compile(r"[\u3040-\u309f]+|何|誰")  # hiragana is mostly grammar
_CHINESE_FUNCTION = re.compile(
    "为什么|什么时候|什么|怎么样|怎么|怎样|如何|哪里|哪儿|哪些|哪个|哪一|哪|多少|多长时间|多久|多长|多高|多远|多大|是否|"
    "可以|能够|请问|以及|谁|几|吗|呢|吧|啊|的|地|得|了|着|过|是|在|有|和|与|及|或|被|把|将|从|向|对|于|就|都|也|还|而|其|"
    "这|那|它|他|她|我|你|们|个|会|能|要|"
    "為什麼|什麼時候|什麼|怎麼樣|怎麼|怎樣|哪裡|哪個|請問|誰|幾|嗎|與|將|從|對|於|還|這|個|會|們"
)
_own = threading.local()
_MARKS = re.compile(rf"[^\w\x00-\x7f{UNSPACED}]+")  # quotation marks, dashes, arrows: without them most texts are ASCII
ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
"""For `str.translate`: ASCII in lower case, with a blank for each character that is not of a word."""
_MEASURES = re.compile(
    r"(?<=\bhow )(?:long|often|far|old|soon|big|large|high|tall|deep|wide|thick|heavy|fast|quickly|frequently)\b", re.I
)
_CONTRACTED = re.compile(r"\b(?:[cC]a|[wW]o)n['’][tT]\b|[nN'’](?:(?<=\w['’])(?i:s|re|ve|ll|d|m)|(?<=\w[nN])['’][tT])\b")
_LONG_WORD, _LEAST_OF_TITLE = 4, 4  # letters of a word that a title capitalises; how many of these make a title
_UNIT = re.compile(r"(?<=\d)[ \u00a0](?:[A-Za-z]{1,3})\b(?![\w-])")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s)[\s\"'“‘(*_`]*$")


def words(text: str) -> list[str]:
    """The words of a text that carry meaning, in order, complete and in lower case.

    Contractions (`'s`, `n't`) are cut off. In Korean, and in a script without spaces, pairs of characters replace
    words.
    """
    return [word for word in _cut(text) if word not in _STOPWORDS]


def every_word(text: str) -> list[str]:
    """All words of a text, in order, complete and in lower case; `words` leaves out those without a meaning."""
    return _cut(text)


def without_measures(question: str) -> str:
    """A question without the words that only ask how much there is of something, as `long` does in `how long`."""
    return _MEASURES.sub("", question)


def find_asked_words(question: str) -> list[str]:
    """The words of a question that an answer can be expected to hold."""
    return words(without_measures(question))


def _cut(text: str) -> list[str]:
    """All words of a text. ASCII is split with a translation table, five times as fast as with a regex."""
    plain = _plain(text)
    if not plain.isascii():
        plain = _MARKS.sub(" ", plain)
    if plain.isascii():
        return plain.translate(ASCII_WORDS).split()
    word_tokens: list[str] = []
    for word in _WORD.findall(plain.casefold()):
        if word >= UNSPACED[0] and _PAIRED_WORD.match(word):
            word_tokens.extend([word[place : place + 2] for place in range(len(word) - 1)] or [word])
        else:
            word_tokens.append(word)
    return word_tokens


@lru_cache(maxsize=1 << 8)
def _dictionary(language: str) -> str:
    """The Snowball stemmer of a language, English if it is unknown; empty if there is none."""
    name = stemming_language(language, "english")
    return "" if name == UNSTEMMED else name


class _Remembered(dict[str, str]):
    """What a function returns for each word; for the words of whole texts it is faster than `lru_cache`."""

    def __init__(self, compute: Callable[[str], str]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_WORDS:
            self.clear()
        self[word] = computed = self._compute(word)
        return computed


@cache  # stemmers are few
def _terms_by(dictionary: str) -> _Remembered:
    """The stem of each word in lower case, empty for a stop word."""
    return _Remembered(lambda word: "" if word in _STOPWORDS else _stem(word, dictionary))


@cache
def _load_stems(dictionary: str) -> _Remembered:
    return _Remembered(lambda word: _stem(_lower(word), dictionary))


def stem_by_word(language: str = "") -> Mapping[str, str]:
    """The stem of each word as a text writes it, such as `Pumps`, by that word."""
    return _load_stems(_dictionary(language))


def _lower(word: str) -> str:
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()


def terms(text: str, language: str = "") -> tuple[str, ...]:
    """The stems of a text's words, in order; the language is an ISO 639 code, empty if unknown."""
    return _terms(text, _dictionary(language))


@lru_cache(maxsize=_MOST_TEXTS)
def _terms(text: str, dictionary: str) -> tuple[str, ...]:
    """Cached: ranking and grading need the stems of the same texts."""
    return tuple(filter(None, map(_terms_by(dictionary).__getitem__, _cut(text))))


def stem(word: str, language: str = "") -> str:
    """Reduce a word to the common part of its forms."""
    return _stem(word, _dictionary(language))


@lru_cache(maxsize=_MOST_WORDS)
def _stem(word: str, dictionary: str) -> str:
    if len(word) >= _FILLED_DIGITS and word.isdigit():  # as in `rfc-0034.txt`, which people call RFC 34
        return word.lstrip("0") or word
    if not dictionary or any(character.isdigit() for character in word):
        return word
    return _snowball(dictionary, word)


def _snowball(name: str, word: str) -> str:
    """A stemmer belongs to one thread, because it has a buffer of its own."""
    stemmers: dict[str, Any] = _own.__dict__.setdefault("stemmers", {})
    if name not in stemmers:
        from Stemmer import Stemmer

        stemmers[name] = Stemmer(name)
    return str(stemmers[name].stemWord(word))


def count_words(text: str) -> int:
    """How many words a reader sees; in scripts without spaces, as many as the English translation has.

    Two Chinese characters count as one word, or four others: in 98 pages of documentation in three languages, an
    English word stands for 2.0 characters of Chinese, and for 3.5 of Japanese, most of which are kana.
    """
    if text.isascii():
        return len(text.split())
    unspaced = "".join(_UNSPACED_RUN.findall(text))
    chinese = len(HAN.findall(unspaced))
    return len(_UNSPACED_RUN.sub(" ", text).split()) + -(-(2 * chinese + len(unspaced) - chinese) // 4)


def content_words(text: str, language: str = "") -> set[str]:
    """The words of a text that carry meaning, stemmed."""
    return set(terms(text, language))


def characters(question: str) -> dict[str, set[str]]:
    """A question's characters that are compared in pairs, each with the pairs that count as containing it.

    A pair across the border of two words is in no text, although both words are; so one of its two pairs is enough.
    Characters that only ask or join words are left out, like stop words elsewhere. Katakana words are long, so only
    their first and last pair count; in Japanese, a character that stands alone is a word (`lone_characters`).
    """
    pairs_by_key: dict[str, set[str]] = {}
    plain = _plain(question).casefold()
    function = _JAPANESE_FUNCTION if _KANA.search(plain) else _CHINESE_FUNCTION
    lone = lone_characters(plain)
    for run in _PAIRED_RUN.findall(plain):
        for word in _KATAKANA_WORD.findall(run):
            pairs_by_key.update({pair: {pair} for pair in (word[:2], word[-2:])})
        out = _find_joining_syllables(run) if _HANGUL.match(run) else _find_covered(function, run)
        out = out if len(out) < len(run) or run in _KOREAN_ASKING else set()
        out |= _find_covered(_KATAKANA_WORD, run)
        for place in set(range(len(run))) - out:
            pairs = {run[start : start + 2] for start in (place - 1, place) if start >= 0 and start + 2 <= len(run)}
            pairs_by_key.setdefault(f"{run[place]}\0{min(pairs, default='')}", set()).update(
                pairs | (lone & {run[place]})
            )
    return pairs_by_key


def _find_covered(pattern: re.Pattern[str], run: str) -> set[int]:
    return {place for match in pattern.finditer(run) for place in range(*match.span())}


def _find_joining_syllables(word: str) -> set[int]:
    """The syllables of a Korean word that only ask, or join it to others: all, or the last one."""
    return set(range(0 if word in _KOREAN_ASKING else max(len(word) - 1, _ENDED - 1), len(word)))


def lone_characters(text: str) -> set[str]:
    """The Chinese characters of a Japanese text that stand alone among hiragana: words of their own."""
    return set(_LONE.findall(text)) if not text.isascii() and _KANA.search(text) else set()


def is_pair(word: str) -> bool:
    """Whether a word, as `words` gives them, is a pair of characters, of Korean or of a script without spaces."""
    return _PAIRED_WORD.match(word) is not None


def names(text: str, language: str = "") -> set[str]:
    """Names and numbers, stemmed: words with a digit, or with a capital that does not begin a sentence.

    German capitalises every noun, and a title every long word, so there only digits count. A unit behind a number is
    no name.
    """
    plain = _UNIT.sub("", _plain(text))
    is_told_by_capitals = language != "de" and not _is_title(plain)
    return {
        stem(match.group().casefold())
        for match in _WORD.finditer(plain)
        if match.group().casefold() not in _STOPWORDS
        and (
            any(character.isdigit() for character in match.group())
            or (
                is_told_by_capitals
                and match.group()[0].isupper()
                and not _SENTENCE_START.search(plain[: match.start()])
            )
        )
    }


def _is_title(text: str) -> bool:
    """Whether all long words of a text are capitalised, and there are several."""
    long = [word for word in text.split()[1:] if len(word) >= _LONG_WORD and word[0].isalpha()]
    return len(long) >= _LEAST_OF_TITLE and all(word[0].isupper() for word in long)


def may_be_misspelt(word: str) -> bool:
    """Whether a word is one that `is_misspelt` compares: five letters or more, and nothing else."""
    return len(word) >= 5 and word.isalpha()


def is_misspelt(word: str, other: str) -> bool:
    """Whether two words of five letters or more differ by one error: a letter added, missing, wrong, or swapped.

    Their first letters must be equal, since errors seldom affect them; words with digits must be identical.
    """
    short, long = sorted((word, other), key=len)
    if not (may_be_misspelt(short) and may_be_misspelt(long)) or len(long) - len(short) > 1 or word[0] != other[0]:
        return False
    position = next((place for place, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[position:] == long[position + 1 :]
    is_swapped = (
        short[position : position + 2] == long[position : position + 2][::-1]
        and short[position + 2 :] == long[position + 2 :]
    )
    return is_swapped or short[position + 1 :] == long[position + 1 :]


def _plain(text: str) -> str:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _CONTRACTED.sub("", plain) if "'" in plain or "’" in plain else plain
