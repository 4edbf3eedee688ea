"""The languages of texts: their codes, and what Postgres stems them by.

Belongs here: how a language is named, which dictionary stems it, what people call it. Not here: telling which language
a text is in (`headwater.parsing.language` of a document, `headwater.retrieval.understanding.languages` of a question).
Guarantee: pure; the SQL function `stemming_language` knows the same dictionaries, and a test compares both.
"""

import re
from functools import lru_cache

_LANGUAGES = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_ALIASES = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi"}
_OTHERS = {
    "bg": "Bulgarian", "cs": "Czech", "et": "Estonian", "fa": "Persian", "he": "Hebrew", "hr": "Croatian",
    "ja": "Japanese", "ko": "Korean", "lv": "Latvian", "pl": "Polish", "sk": "Slovak", "sl": "Slovenian", "th": "Thai",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_CODE = re.compile(r"(?!und|mul|mis|zxx)[a-z]{2,3}")
_CODES = {name: code for code, name in _LANGUAGES.items()}

UNSTEMMED = "simple"
"""The dictionary with neither stems nor stop words: of languages that Postgres has none for."""
STEMMED = frozenset(_LANGUAGES.values())
"""What a Postgres of version 16 has dictionaries for."""


@lru_cache(maxsize=1 << 10)  # every passage of every search asks
def language_code(tag: str) -> str:
    """Return the ISO 639 code of a language, such as `de` for `de-AT`, `DE_de` or `German`.

    It is empty for what names no language of people, such as `python` or `und`: as good as nothing said.
    """
    code = tag.strip().lower().replace("_", "-").partition("-")[0]
    code = _CODES.get(code) or _ALIASES.get(code, code)
    return code if _CODE.fullmatch(code) else ""


def stemming_language(tag: str, fallback: str) -> str:
    """Say which dictionary stems a text, as the SQL function `stemming_language` does.

    Args:
        tag: the text's language; empty when nobody knows.
        fallback: the knowledge base's. Where it is `simple`, nothing is stemmed.
    """
    code = language_code(tag)
    if not code or fallback == UNSTEMMED:
        return fallback
    return _LANGUAGES.get(code, UNSTEMMED)


def language_name(tag: str) -> str:
    """What English calls a language; its code when it is not known here."""
    code = language_code(tag)
    return _OTHERS.get(code) or _LANGUAGES.get(code, code).capitalize()
