"""Detecting the language of a document from its text.

Belongs here: extracting prose, and calling the library. Not here: the language that a document states, which comes
first; questions, which are too short (`headwater.understanding.language_detector`). Guarantee: pure; without
evidence the result is empty; only parts of a long text are read, so the time is bounded.

The library (py3langid: its model is in the wheel, 139 languages) detects 22 of 23 languages from one short sentence,
but takes half a second and 80 MB to load. English prose, and scripts used by one language, are detected without it, so
a knowledge base of English documents never loads it.
"""

import re
import threading
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from headwater.domain.languages import language_code

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

TELLING_PART = 3_000
"""Characters of the beginning, middle and end of a text that are used for detection."""
_MIN_LETTERS = 40  # fewer are not enough; a character of Chinese, Japanese or Korean counts as three
_SAMPLED = 400  # characters from each part of a long text, without its code
_TOLD = 200  # characters from each part that the library reads: it is slow, and a sentence is enough for it
_MIN_CONFIDENCE = 0.6
_ENGLISH_SHARE = 0.15  # of the words; English prose has about 25 %, other languages under 5 %
_MIN_WORDS = 20
_FOREIGN_SHARE = 0.05  # of English words, below which a text is in another language
_MIN_FOREIGN_WORDS = 20
_KNOWN = (
    "af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk kn ko ky "
    "lt lv mk ml mn mr ms mt my ne nl nn no pa pl ps pt ro ru si sk sl sq sr sv sw ta te tg th tl tr uk ur uz vi yue "
    "zh zxx"
)
"""The detected languages. Languages with few texts are left out: short texts of others are mistaken for them."""

_FENCED = re.compile(r"^[ \t>]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
# All repetitions are bounded, so that the time depends only on the text's length.
_NOT_PROSE = re.compile(
    r"`[^`\n]{1,500}`|\$\$?[^$\n]{1,200}\$\$?|</?[A-Za-z][^<>\n]{0,300}>|\]\([^)\s]{0,500}\)|&\w{1,10};"
)
_NAME = re.compile(r"[/\\_=<>{}|#@\d]")  # of a path, an address, a variable, a number
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[a-z]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_OWN_SCRIPTS = (
    ("ja", _KANA, 0.1),
    ("ko", re.compile(r"[\uac00-\ud7af]"), 0.3),
    ("th", re.compile(r"[\u0e00-\u0e7f]"), 0.5),
    ("el", re.compile(r"[\u0370-\u03ff]"), 0.5),
)
"""Scripts of one language, and the share of letters that decides: Japanese has Chinese characters, too."""
_ENGLISH = frozenset(
    re.findall(
        r"\w+",
        """
    the of and to in is that for it with as are this be on by or can from an not you your if when which has have will at
    was were been its
    """,
    )
)
_lock = threading.Lock()


def detect_document_language(text: str, media_type: str = "text/markdown") -> str:
    """Detect the language of a document.

    Args:
        text: the whole text, with markup and code.
        media_type: its type; code has no human language.

    Returns:
        An ISO 639 code such as `de`; empty if the text is too short or the result is uncertain.
    """
    if media_type not in ("text/markdown", "text/plain"):
        return ""
    prose = _sample(_prose(text), _SAMPLED)
    letters = len(_LETTER.findall(prose))
    wide = len(_WIDE.findall(prose))
    if letters + 2 * wide < _MIN_LETTERS:
        return ""
    for language, script, share in _OWN_SCRIPTS:
        if len(script.findall(prose)) > share * letters:
            return language
    return "en" if _is_english(prose) else _by_library(_sample(prose, _TOLD))


def correct_language(declared: str, text: str) -> str:
    """The language that a document states, or that of its text if it states English and has no English prose.

    Generators of websites say `en` unless they are told another language, and few authors tell them.
    """
    if language_code(declared) != "en":
        return declared
    prose = _sample(_prose(text), _SAMPLED)
    words = _WORD.findall(prose.lower())
    is_foreign = len(words) >= _MIN_FOREIGN_WORDS and _count_english(words) < _FOREIGN_SHARE * len(words)
    return (detect_document_language(text) if is_foreign else "") or declared


def _prose(text: str) -> str:
    """Some of the prose: without code, markup, addresses and names of things."""
    if len(text) > 3 * TELLING_PART + 2:  # it may have been given in parts
        middle = len(text) // 2
        text = "\n".join([text[:TELLING_PART], text[middle : middle + TELLING_PART], text[-TELLING_PART:]])
    words = _NOT_PROSE.sub(" ", _FENCED.sub("\n", text)).split()
    return " ".join([word for word in words if word.isalpha() or not (word.isascii() and _NAME.search(word))])


def _is_english(prose: str) -> bool:
    if not prose.isascii() and len(_LETTER.findall(prose)) > 1.2 * len(re.findall(r"[A-Za-z]", prose)):
        return False
    words = _WORD.findall(prose.lower())
    return len(words) >= _MIN_WORDS and _count_english(words) >= _ENGLISH_SHARE * len(words)


def _count_english(words: list[str]) -> int:
    return sum(word in _ENGLISH for word in words)


def _by_library(prose: str) -> str:
    with _lock:  # load it only once
        identifier = _identifier()
    code, confidence = identifier.classify(prose)
    return language_code(code) if confidence >= _MIN_CONFIDENCE and code != "zxx" else ""


def _sample(prose: str, length: int) -> str:
    """Parts of a long text, `length` characters each, from its beginning, middle and end: more would add nothing."""
    if len(prose) <= 3 * length:
        return prose
    middle = len(prose) // 2
    return f"{prose[:length]} {prose[middle : middle + length]} {prose[-length:]}"


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # slow to load, and not needed for English

    every = LanguageIdentifier.from_model_file(MODEL_FILE)
    every.set_languages(_KNOWN.split())
    # Rows of it are multiplied: half precision and column order would make that six times slower.
    table = np.ascontiguousarray(every.nb_ptc, dtype=np.float32)
    # `every` keeps the table of all languages, too, which takes 27 MB.
    return LanguageIdentifier(
        table, every.nb_pc, every.nb_classes, every.tk_nextmove, every.tk_output, norm_probs=True, tk_row=every.tk_row
    )
