"""Reading misspelt words of a question (RET-3).

Belongs here: which words are misspelt, the word that is meant, and the note for the reader. Not here: searching again
(`headwater.retrieval.search`), other languages. Guarantee: pure; a word that a document has, or that
is an English word, is never read as another.

A misspelt word finds nothing by words, its vector is that of its syllables, and it counts as missing from the passage
that answers. A dictionary does not know the terms of the documents, so the found passages say which word is meant.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from headwater.domain.languages import language_code
from headwater.domain.search import Passage
from headwater.models_gateway.minilm_vocabulary import english_words
from headwater.store.search.passage_search import Candidates, TermEvidence
from headwater.understanding.question import Understanding, understand
from headwater.understanding.words import find_asked_words, is_misspelt, may_be_misspelt, names, stem, words

_ENGLISH = ("", "en")
_LONG = 9  # letters of a word that may have two errors
_MIN_ENGLISH_LETTERS = 6  # letters of a word that is read as one that no found passage has
_MIN_HALF_LETTERS = 2  # of each of two words that were written as one
_MAX_WORDS = 5  # words of a question that are read as others


def respelt(understanding: Understanding, candidates: Candidates) -> Understanding:
    """A question with its misspelt words replaced; the same if none is misspelt.

    A word is misspelt if no document has it, it is no English word, and the found passages have it as two words, or a
    word that differs by one letter (long words: two). If they have none, a word of six letters that is no name and no
    form of an English word is read as an English word. Questions with code or in other languages stay as they are.

    Args:
        understanding: of the question as it was asked.
        candidates: what was found with it.
    """
    language = understanding.likely_language
    if understanding.code or language not in _ENGLISH or not english_words():
        return understanding
    unknown = _unknown(understanding.question, candidates.terms)
    if not unknown:
        return understanding
    passages = [passage for passage in candidates.passages if language_code(passage.language) in _ENGLISH]
    meant = _find_meant_words(unknown, names(understanding.question), passages)
    question = understanding.question
    misspelt: dict[str, str] = {}
    for word, read in meant.items():
        if (new_question := replace_word(question, word, read)) != question:
            question = new_question
            misspelt[word] = read
    if not misspelt:
        return understanding
    return replace(understand(question), asked=understanding.asked, misspelt=misspelt)


def spelling_notes(understanding: Understanding, *, may_name: bool) -> tuple[str, ...]:
    """What a reader must know about the words that were read as others.

    Args:
        understanding: the result of `respelt`.
        may_name: whether notes may repeat words of the question; they may be stored.
    """
    if understanding.misspelt and not may_name:
        return ("A word that no document has was read in another spelling.",)
    read = understanding.misspelt.items()
    return tuple(f"No document has the word “{word}”; it was read as “{meant}”." for word, meant in read)


def _unknown(question: str, terms: Sequence[TermEvidence]) -> set[str]:
    """The words of a question that no entry of the index has, and that are no English words."""
    indexed_words = {word for term in terms if term.held for word in term.words}
    looked_up = {word for term in terms for word in term.words}
    asked_words = {word for word in find_asked_words(question) if may_be_misspelt(word) and not _is_english(word)}
    return (asked_words & looked_up) - indexed_words


def _is_english(word: str) -> bool:
    return word in english_words()


def _find_meant_words(unknown: Collection[str], named: Collection[str], passages: Sequence[Passage]) -> dict[str, str]:
    """What each unknown word is meant to be: two words, or the nearest one, of equally near ones the most frequent."""
    counts = Counter(
        word
        for passage in passages
        for word in {*words(f"{passage.title} {' '.join(passage.breadcrumb)}\n{passage.text}")}
        if may_be_misspelt(word)
    )
    meant: dict[str, str] = {}
    for word in sorted(unknown)[:_MAX_WORDS]:
        if halves := _find_halves(word, passages):
            meant[word] = halves
            continue
        alike = _alike(word, counts, is_misspelt) or _alike(word, counts, _is_misspelt_twice)
        if alike:
            meant[word] = min(alike, key=lambda candidate: (-counts[candidate], candidate))
        elif len(word) >= _MIN_ENGLISH_LETTERS and stem(word) not in named:
            english = _alike(word, english_words(), is_misspelt)
            if english and all(stem(word) != stem(candidate) for candidate in english):
                meant[word] = min(english, key=english_words().__getitem__)
    return meant


def _find_halves(word: str, passages: Sequence[Passage]) -> str:
    """The two words of a passage that are written as one, as in "quicksync"; empty if there are none."""
    # Not one alternative for each cut: those of a word of 2,000 letters took five seconds.
    spaced = re.compile(rf"\b{'[ -]?'.join(word)}\b", re.IGNORECASE)
    for passage in passages:
        for match in spaced.finditer(" ".join((passage.title, *passage.breadcrumb, passage.text))):
            halves = match.group().casefold().replace("-", " ").split(" ")
            if len(halves) == 2 and min(map(len, halves)) >= _MIN_HALF_LETTERS:
                return " ".join(halves)
    return ""


def _alike(word: str, others: Iterable[str], is_like: Callable[[str, str], bool]) -> list[str]:
    return [
        candidate for candidate in others if candidate[0] == word[0] and candidate != word and is_like(word, candidate)
    ]


def _is_misspelt_twice(word: str, other: str) -> bool:
    """Whether two long words differ by two errors."""
    if min(len(word), len(other)) < _LONG or abs(len(word) - len(other)) > 2:
        return False
    return _distance(word, other) <= 2


def _distance(word: str, other: str) -> int:
    """How many letters are added, missing, wrong, or swapped with the next one."""
    previous_row, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for index, letter in enumerate(word, start=1):
        earlier, previous_row, row = previous_row, row, [index]
        for place, theirs in enumerate(other, start=1):
            cost = min(previous_row[place] + 1, row[-1] + 1, previous_row[place - 1] + (letter != theirs))
            if index > 1 and place > 1 and letter == other[place - 2] and word[index - 2] == theirs:
                cost = min(cost, earlier[place - 2] + 1)
            row.append(cost)
    return row[-1]


def replace_word(question: str, word: str, read: str) -> str:
    """Replace a word of a question by another one where it stands alone; not in a path or an address.

    Args:
        question: the question.
        word: the word, in any case.
        read: what replaces it, with a capital where the word has one.
    """
    pattern = rf"(?<![\w./@:])(?<!\s-)(?<!--){re.escape(word)}(?![\w/@:]|\.\w)"
    return re.sub(
        pattern, lambda match: read.capitalize() if match.group()[0].isupper() else read, question, flags=re.IGNORECASE
    )
