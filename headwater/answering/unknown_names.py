"""Names of several words whose words the passages have, but never side by side: what they name is not there (ANS-4).

Belongs here: finding such names. Not here: the trust of a passage (`headwater.retrieval.trust`), refusing (`choosing`).
Guarantee: pure; a name that the passages write in another case or with a hyphen is known.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from headwater.domain.languages import language_code
from headwater.domain.search import Passage
from headwater.understanding.words import terms

_NAME = re.compile(r"(?<!^)(?<![.?!:] )\b[A-Z][\w-]*(?: [A-Z][\w-]*)+")
_WORD = re.compile(r"\b[^\W\d_]\w*")
_TITLE_CASE = 0.5  # the share of capitalised words from which capitals say nothing
_EVERYWHERE = 0.5  # the share of passages from which a word is no part of a special name, as that of a product


def has_unknown_name(question: str, passages: Sequence[Passage]) -> bool:
    """Whether a question has a name of several words that stand in the passages, but nowhere side by side.

    Args:
        question: as it was asked; names are told by their capitals, so German questions have none.
        passages: what the search found, trusted or not.
    """
    pairs = {pair for name in _NAME.findall(question) for pair in pairwise(terms(name))}
    if not pairs or _is_title_case(question) or any(language_code(one.language) == "de" for one in passages):
        return False
    texts = [terms(f"{one.title} {' '.join(one.breadcrumb)} {one.text}", one.language) for one in passages]
    beside = {pair for text in texts for pair in pairwise(text)}
    return any(pair not in beside and _is_special(pair, texts) for pair in pairs)


def _is_title_case(question: str) -> bool:
    words: list[str] = _WORD.findall(question)
    return sum(word[0].isupper() for word in words) > _TITLE_CASE * len(words)


def _is_special(pair: tuple[str, str], texts: Sequence[Sequence[str]]) -> bool:
    """Whether each word stands in a passage, and none in most; a word that stands in none may be misspelt."""
    counts = [sum(word in text for text in texts) for word in pair]
    return all(0 < count <= _EVERYWHERE * len(texts) for count in counts)
