"""The words of a question as evidence: their stems, and how much each counts.

Belongs here: stems in several languages, idf. Not here: how much of them a passage holds (`trust`), cutting texts into
words (`headwater.understanding.words`). Guarantee: pure; a form counts for a word in every passage alike.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath

from headwater.domain.search import Passage
from headwater.understanding.words import find_asked_words, is_pair, stem

_ALONE = 0.5  # weight of a character that stands alone: it occurs in many words


def names_text(passage: Passage) -> str:
    """The title, the file name, the headings and the columns of a passage: people name a document by any of them."""
    return f"{passage.title} {file_name(passage.uri)} {' '.join(passage.breadcrumb)} {passage.table_header}".rstrip()


@lru_cache(maxsize=4096)
def file_name(uri: str) -> str:
    """The name of a document's file without its ending, as `benefit_options` of `plans/benefit_options.pdf`."""
    return PurePosixPath(uri).stem


def evidence_words(question: str) -> list[str]:
    """The words of a question that count as evidence, found or missing; a letter alone is none."""
    return [word for word in find_asked_words(question) if len(word) > 1 or not word.isascii() or word.isdigit()]


def find_forms(asked: Iterable[str], languages: Collection[str]) -> dict[str, set[str]]:
    """The question's stems, each with the word's stem in every language; pairs of characters are left out."""
    forms: dict[str, set[str]] = {}
    for word in asked:
        if not is_pair(word):
            forms.setdefault(stem(word), set()).update(stem(word, language) for language in languages)
    return forms


def index_weights(
    forms: Mapping[str, set[str]], asked: Iterable[str], idf: Mapping[str, float] | None
) -> dict[str, float]:
    """The idf of the question's stems from the index's lexemes; a word without one is a stop word of the language.

    A character gets the idf of its more frequent pair: the other one may cross the border of two words.
    """
    if not idf:
        return {}
    weights: dict[str, float] = {}
    by_beginning: dict[str, str] = {}
    for term in idf:
        by_beginning.setdefault(term, term)
        by_beginning.setdefault(term[:-1], term)
    for word in asked:
        if is_pair(word):
            continue
        lexeme = word if word in idf else _lexeme(word, by_beginning)
        if lexeme is not None:
            weights[stem(word)] = max(idf[lexeme], weights.get(stem(word), 0.0))
    for character, pairs in forms.items():
        if known_pairs := [idf[pair] for pair in pairs if is_pair(pair) and pair in idf]:
            weights[character] = min(known_pairs) * (_ALONE if any(len(pair) == 1 for pair in pairs) else 1.0)
    return weights


def neighbours(asked: Sequence[str], forms: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """The question's neighbouring words; for pairs of characters, those that share a character and count."""
    counted = set().union(*forms.values())
    for first, second in pairwise(asked):
        are_words = not is_pair(first) and not is_pair(second)
        if are_words or (first[-1] == second[0] and {first, second} <= counted):
            yield first, second


def _lexeme(word: str, by_beginning: Mapping[str, str]) -> str | None:
    """The lexeme of a word: one with the same beginning, because stems may end differently (`policies`, `polici`).

    `by_beginning` has each lexeme by all its letters and by all but the last; at least two letters must be equal.
    """
    beginnings = (word[:length] for length in range(len(word), 1, -1))
    return next((by_beginning[beginning] for beginning in beginnings if beginning in by_beginning), None)
