"""Connectives: first words by which a sentence needs the one before it.

Belongs here: the words of each language. Not here: which sentences are quoted. Guarantee: pure; a language without a
list has none.
"""

import re

_WORDS = {
    "en": "however also this that these those it they he she them such so then therefore thus otherwise instead but "
    "and or yet nor still likewise similarly additionally furthermore moreover meanwhile note finally lastly here "
    "there doing",
    "de": "jedoch auch dies diese dieser dieses es sie er so dann deshalb daher sonst stattdessen aber und oder "
    "dabei hier",
    "fr": "cependant aussi ce cette ces cela il elle ils elles donc ensuite sinon mais et ou ainsi ici",
    "es": "sin también este esta estos estas esto ello así entonces pero y o aquí además",
    "pt": "porém também este esta estes estas isto isso ele ela assim então mas e ou aqui além",
    "it": "tuttavia anche questo questa questi queste ciò esso essa così quindi ma e o qui inoltre",
}
_FIRST = re.compile(r"[^\W\d_]+")


def begins_with_connective(sentence: str, language: str = "") -> bool:
    """Whether a sentence begins with a word such as `however` or `it`.

    Args:
        sentence: the sentence.
        language: its language code; English if unknown.
    """
    match = _FIRST.search(sentence)
    return match is not None and match.group().casefold() in _CONNECTIVES.get((language or "en")[:2], frozenset())


_CONNECTIVES = {language: frozenset(words.split()) for language, words in _WORDS.items()}
