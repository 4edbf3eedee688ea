"""Splitting text into the tokens that keyword search compares (RET-1).

Belongs here: where a word begins and ends, in any script. Not here: stems and stop words, which are Postgres's
dictionaries (`headwater.store.search.lexemes`). Guarantee: pure; a question and a text are split in the same way.

A name such as `get_user_id`, `HTTPServer` or `asyncio.run` is found by its parts and as a whole. Scripts without
spaces between words (Chinese, Japanese, Thai and others) are split into overlapping pairs of characters, which needs no
dictionary and finds any word of two characters (Nie, Gao, Zhang, Zhou 2000). A Chinese character is a token by itself,
too: with pairs alone, the right page is among the first five for 41 of 60 Japanese questions, with both for 51, with
the words of a segmenter (fugashi with UniDic) for 49.

Korean has spaces, but its words end in particles, and no stemmer of Postgres knows them; so it is split into pairs,
too. With whole words, the right page is among the first five for 21 of 30 Korean questions, with pairs for 27, with the
words of a segmenter of 105 MB (kiwipiepy) for 29; the right section for 16, 24 and 23.
"""

import re
import unicodedata
from dataclasses import dataclass

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Characters of scripts without spaces between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese), for a regex."""
PAIRED = f"{UNSPACED}\uac00-\ud7a3"
"""Characters that are compared in pairs: those and Korean syllables."""

HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
"""A Chinese character, which Japanese has, too."""

_RUN = re.compile(rf"[{PAIRED}]+|[^\W{PAIRED}]+(?:\.[^\W{PAIRED}]+)*")
_ASCII_RUN = re.compile(r"\w+(?:\.\w+)*", re.ASCII)  # the same, in two thirds of the time
_PAIRED_RUN = re.compile(f"[{PAIRED}]")
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-zà-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ])")
_DIGIT_BORDER = re.compile(r"(?<=[^\W\d])(?=\d)|(?<=\d)(?=[^\W\d])")
_MIN_PART_CHARS = 3  # characters: `10K` and `Q2` have no parts that mean anything alone
_FILLED_DIGITS = (3, 4)  # of the numbers in names of files
_MAX_WORD_CHARS = 64  # characters; anything longer is data, which nobody searches by word


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, in lower case and in order: words have stems; names and pairs are compared as they are."""

    words: list[str]
    exact: list[str]


def tokens(text: str) -> Tokens:
    """Split a text into tokens; a name's parts are words, and its whole is exact."""
    result = Tokens([], [])
    for run in runs(text):
        cut = run_tokens(run)
        result.words.extend(cut.words)
        result.exact.extend(cut.exact)
    return result


def split_question(question: str) -> Tokens:
    """Split a question, whose words may be written otherwise in a text or in the name of its file.

    A word of letters and digits is also asked by its parts, so that `FY2018` finds `2018`, and a number with the zeros
    that names of files begin with, so that `RFC 34` finds `rfc-0034`.
    """
    question_tokens = tokens(question)
    mixed = (word for word in question_tokens.words if not (word.isalpha() or word.isdigit()))
    segments = [segment for word in mixed for segment in _DIGIT_BORDER.split(word) if len(segment) >= _MIN_PART_CHARS]
    numbers = [word for word in question_tokens.words if word.isdigit()]
    filled = [digits.zfill(width) for digits in numbers for width in _FILLED_DIGITS if len(digits) < width]
    variants = dict.fromkeys([*segments, *filled])
    return Tokens(
        [*question_tokens.words, *(variant for variant in variants if variant not in question_tokens.words)],
        question_tokens.exact,
    )


def runs(text: str) -> list[str]:
    """Split a text at spaces and punctuation, in order; `run_tokens` splits further.

    A long text has many runs but few different ones, so code that counts need not split each of them.
    """
    if text.isascii():
        return _ASCII_RUN.findall(text)
    return _RUN.findall(unicodedata.normalize("NFKC", text))


def run_tokens(run: str) -> Tokens:
    """The tokens of one run: the word itself, the parts and the whole of a name, the pairs of characters."""
    if _PAIRED_RUN.match(run):
        pairs = [run[place : place + 2] for place in range(len(run) - 1)]
        return Tokens([], [*pairs, *HAN.findall(run)] or [run])
    if run.isalnum() and (run.islower() or run[1:].islower()):
        return Tokens([run.casefold()] if len(run) <= _MAX_WORD_CHARS else [], [])
    humps = [hump for word in _PART.findall(run) for hump in _HUMP.split(word)]
    is_name = len(humps) > 1 and len(run) <= _MAX_WORD_CHARS
    words = [hump.casefold() for hump in humps if len(hump) <= _MAX_WORD_CHARS]
    return Tokens(words, [run.casefold()] if is_name else [])
