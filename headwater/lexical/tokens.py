"""Text into the tokens that keyword search compares (RET-1).

Belongs here: where a word begins and ends, in any script. Not here: stems and stop words, which are Postgres's
dictionaries (`headwater.store.lexemes`). Guarantee: pure; a question and a text are cut alike.

A name such as `get_user_id`, `HTTPServer` or `asyncio.run` is found by its parts and as a whole. Scripts that put no
space between words (Chinese, Japanese, Thai and others) are cut into overlapping pairs of characters, which need no
dictionary and find any word of two (Nie, Gao, Zhang, Zhou 2000).
"""

import re
import unicodedata
from dataclasses import dataclass

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Characters of scripts that put no space between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese), for a regex."""

_RUN = re.compile(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+(?:\.[^\W{UNSPACED}]+)*")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]")
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-zà-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ])")
_LONGEST = 64  # characters; what is longer is data, which nobody asks for by word


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, in lower case and in order: words have stems; names and pairs are compared as they are."""

    words: list[str]
    exact: list[str]


def tokens(text: str) -> Tokens:
    """Cut a text into tokens; a name's parts are words, and its whole is exact."""
    found = Tokens([], [])
    for run in _RUN.findall(text if text.isascii() else unicodedata.normalize("NFKC", text)):
        if run.isalnum() and (run.islower() or run[1:].islower()) and not _UNSPACED_RUN.match(run):
            found.words.append(run.casefold())
        else:
            _add_run(found, run)
    return Tokens([word for word in found.words if len(word) <= _LONGEST], found.exact)


def _add_run(found: Tokens, run: str) -> None:
    if _UNSPACED_RUN.match(run):
        found.exact.extend([run[place : place + 2] for place in range(len(run) - 1)] or [run])
        return
    parts = [part for piece in _PART.findall(run) for part in _HUMP.split(piece)]
    found.words.extend(part.casefold() for part in parts)
    if len(parts) > 1 and len(run) <= _LONGEST:
        found.exact.append(run.casefold())
