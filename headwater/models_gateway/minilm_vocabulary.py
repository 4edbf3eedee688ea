"""The English words that the local model knows as a whole: some 22,000, the most frequent ones of its training texts.

Belongs here: reading them from the installed weights. Not here: their use (`headwater.understanding.spelling`).
Guarantee: never fails; without the weights there are no words.
"""

import json
from collections.abc import Mapping
from functools import cache

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.minilm import find_weights

_FIRST = 1996  # tokens before it are characters and marks


@cache
def english_words() -> Mapping[str, int]:
    """The words, in lower case, each with its place by frequency; inflected and rare words are often missing."""
    try:
        read = json.loads((find_weights() / "tokenizer.json").read_text(encoding="utf-8"))
        tokens: dict[str, int] = read["model"]["vocab"]
    except (ModelUnavailableError, OSError, ValueError, KeyError):
        return {}
    return {word: token - _FIRST for word, token in tokens.items() if token >= _FIRST and word.isalpha()}
