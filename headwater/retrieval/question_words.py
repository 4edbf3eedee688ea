"""The words of a question: which forms and other words count as each, and how much each counts.

Belongs here: stems in several languages, misspellings, synonyms, idf, everyday words. Not here: how much of them a
passage holds (`trust`), lists of words (`everyday`, `synonyms`). Guarantee: pure; a form counts for a word in every
passage alike.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from headwater.domain.search import Passage
from headwater.retrieval.abbreviations import spelt_out
from headwater.retrieval.answer_forms import without_form
from headwater.retrieval.everyday import is_everyday, is_replaceable
from headwater.retrieval.synonyms import phrases, synonyms
from headwater.understanding.words import (
    asked_words,
    every_word,
    is_apart,
    is_misspelt,
    is_unspaced,
    joined,
    may_be_misspelt,
    quantities,
    stem,
    words,
)

EVERYDAY = 0.2
"""The weight of an everyday word, or of a quantity, relative to other words as rare; .15 to .3 work equally well."""
_ALONE = 0.5  # weight of a character that stands alone: it occurs in many words
_MOST_MISSPELT = 30  # words of a question that are checked for misspellings


def heading_of(passage: Passage) -> str:
    """The title, the file name and the headings of a passage: people name a document by any of them."""
    return f"{passage.title} {file_name(passage.uri)} {' '.join(passage.breadcrumb)}"


def file_name(uri: str) -> str:
    """The name of a document's file without its ending, as `benefit_options` of `plans/benefit_options.pdf`."""
    return PurePosixPath(uri).stem


def evidence_words(question: str) -> list[str]:
    """The words of a question that count as evidence, found or missing.

    A letter alone, as in `plan B`, is none, and neither is a wish for a form, as in `make me a table of`.
    """
    asked = asked_words(without_form(question))
    return [word for word in asked if len(word) > 1 or not word.isascii() or word.isdigit()]


def own_forms(asked: Iterable[str], languages: Collection[str]) -> dict[str, set[str]]:
    """The question's stems by our own rule, each with the word's stem in every language."""
    forms: dict[str, set[str]] = {}
    for word in asked:
        if not is_unspaced(word):
            forms.setdefault(stem(word), set()).update(stem(word, language) for language in languages)
    return forms


def find_forms(
    asked: Sequence[str], passages: Sequence[Passage], held: Sequence[set[str]], languages: Collection[str]
) -> dict[str, set[str]]:
    """The question's stems, each with the forms that count as it.

    These are the word's stems in each language or, if no passage contains any of them, its misspellings. Pairs of
    characters are left out (`characters`).
    """
    known = set().union(*held)
    forms = own_forms(asked, languages)
    spaced = [word for word in asked if may_be_misspelt(word) and not is_unspaced(word)]
    unknown = list(dict.fromkeys(word for word in spaced if not forms[stem(word)] & known))[:_MOST_MISSPELT]
    by_letter: dict[str, list[str]] = {}
    texts = [words(f"{heading_of(passage)}\n{passage.text}") for passage in passages] if unknown else []
    for other in set().union(*texts):
        by_letter.setdefault(other[0], []).append(other)
    for word in unknown:
        alike = [other for other in by_letter.get(word[0], ()) if is_misspelt(word, other)]
        forms[stem(word)] |= {stem(other, language) for other in alike for language in languages}
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
    for known in idf:
        by_beginning.setdefault(known, known)
        by_beginning.setdefault(known[:-1], known)
    for word in asked:
        if is_unspaced(word):
            continue
        lexeme = word if word in idf else _lexeme(word, by_beginning)
        if lexeme is not None:
            weights[stem(word)] = max(idf[lexeme], weights.get(stem(word), 0.0))
    for character, pairs in forms.items():
        if known_pairs := [idf[pair] for pair in pairs if is_unspaced(pair) and pair in idf]:
            weights[character] = min(known_pairs) * (_ALONE if any(len(pair) == 1 for pair in pairs) else 1.0)
    return weights


def neighbours(asked: Sequence[str], forms: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """The question's neighbouring words; for pairs of characters, those that share a character and count."""
    counted = set().union(*forms.values())
    for first, second in pairwise(asked):
        are_words = not is_unspaced(first) and not is_unspaced(second)
        if are_words or (first[-1] == second[0] and {first, second} <= counted):
            yield first, second


def _lexeme(word: str, by_beginning: Mapping[str, str]) -> str | None:
    """The lexeme of a word: one with the same beginning, because stems may end differently (`policies`, `polici`).

    `by_beginning` has each lexeme by all its letters and by all but the last; at least two letters must be equal.
    """
    beginnings = (word[:length] for length in range(len(word), 1, -1))
    return next((by_beginning[beginning] for beginning in beginnings if beginning in by_beginning), None)


def with_other_words(forms: Mapping[str, set[str]], question: str, asked: Iterable[str]) -> dict[str, set[str]]:
    """The forms of an English question's words, with what means the same and with two words as one (`log in`)."""
    found = {word: set(alike) for word, alike in forms.items()}
    for word, alike in joined(question).items():
        if word in found:
            found[word] |= alike
    for word in asked:
        if not is_unspaced(word):
            found[stem(word)] |= synonyms(word)
    for word, meaning in phrases(every_word(question)):
        if stem(word) in found:
            found[stem(word)] |= meaning
    return found


def spelt_otherwise(question: str, asked: Iterable[str], text: str) -> set[str]:
    """The stems of a question's words that a text spells as two words (`log in`), or as a name (`R&D`)."""
    return {stem(word) for word in asked if is_apart(word, text)} | {stem(word) for word in spelt_out(question, text)}


def light_words(question: str, asked: Iterable[str], missing: Collection[str] = ()) -> set[str]:
    """The stems of an English question's words that an answer need not repeat.

    These are its everyday words, its quantities and, of those that no passage has, words for people, means and degrees.

    Args:
        question: as it was asked.
        asked: its words.
        missing: the stems that no passage has.
    """
    brought = quantities(question)
    return {
        stem(word)
        for word in asked
        if is_everyday(word) or word in brought or (is_replaceable(word) and stem(word) in missing)
    }
