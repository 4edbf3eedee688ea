"""Estimating the number of tokens of a text without a model's tokenizer.

Belongs here: the estimate. Not here: token budgets (`headwater.retrieval.context`), models that count themselves.
Guarantee: pure; the estimates of two texts add up to that of both joined by a space or a newline.

Tokenizers differ, and a budget must not be exceeded, so the estimate is high. Compared with the built-in model's
tokenizer it gives 1.11 times as many for markdown, reStructuredText and Python (the lowest of 277 documents is 0.91),
1.35 for prose full of names, 1.0 for Chinese and Japanese, but 0.76 for German, which that tokenizer splits finely;
compared with OpenAI's cl100k_base 1.3 for code and English, 1.03 for German, at least 1.06 for Chinese and Japanese.
"""

import re

_WORD = re.compile(r"[A-Za-z]+")
_NUMBER = re.compile(r"\d+")
# Translated by a table: ASCII takes half the time.
_LETTERS = "".join(chr(code) if chr(code).isalpha() else " " for code in range(128))
_DIGITS = "".join(chr(code) if chr(code).isdigit() else " " for code in range(128))
_SHORT, _MIDDLE = 5, 8  # letters: a word up to this length is usually one token, or two
_OF_LENGTH = [0, *([1] * _SHORT), *([2] * (_MIDDLE - _SHORT)), *(-(-n // 4) for n in range(_MIDDLE + 1, 65))]


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: words by length, three digits or one other letter or sign per token."""
    is_ascii = text.isascii()
    lengths = list(map(len, text.translate(_LETTERS).split() if is_ascii else _WORD.findall(text)))
    numbers = list(map(len, text.translate(_DIGITS).split() if is_ascii else _NUMBER.findall(text)))
    visible = sum(map(len, text.split()))
    if max(lengths, default=0) < len(_OF_LENGTH):
        words = sum(map(_OF_LENGTH.__getitem__, lengths))
    else:
        words = sum(_OF_LENGTH[n] if n < len(_OF_LENGTH) else -(-n // 4) for n in lengths)
    sign_count = visible - sum(lengths) - sum(numbers)
    return words + sum(-(-length // 3) for length in numbers) + sign_count
