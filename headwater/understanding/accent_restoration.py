"""Reading words that were typed without their accents (RET-3).

Belongs here: which words of a question lack accents, and the word with them. Not here: other errors (`spelling`), and
finding such words (`headwater.lexical.accents`). Guarantee: pure; a word that the found passages have as it was typed
stays, unless that is rare, and so does one that only passages in another language than the question's have.

`competences` has another stem than `compétences`, another vector, and counts as missing from the passage that answers.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from headwater.domain.languages import language_code
from headwater.domain.search import Passage
from headwater.lexical.accents import strip_accents
from headwater.store.search.passage_search import Candidates
from headwater.understanding.question import Understanding, understand
from headwater.understanding.spelling import replace_word
from headwater.understanding.words import stem

_ACCENTED = re.compile(r"\b[a-z]*[^\W\d_\x00-\x7f]\w*")  # a word with a letter beyond ASCII, in lower case
_PLAIN = re.compile(r"[a-z]+")
_TIMES = 5
"""How much more often passages must have a word with accents than without: German manuals have "Drücken Sie" more often
than "drucken", which is another word. Of 3,000 words of a French manual without accents, 15 are read with accents; 30
with 1, and 127 if other forms of a word are counted with it. Of 800 with accents, 713, 743 and 753 get theirs back."""
_READ = 50  # passages that are read for forms with accents, in about 4 ms


def restore_accents(understanding: Understanding, candidates: Candidates) -> Understanding:
    """A question whose words have the accents that the found passages give them; the same if there are none.

    Args:
        understanding: of the question as it was asked, in any language.
        candidates: what was found with it.
    """
    plain_words = {word for term in candidates.terms for word in term.words if _PLAIN.fullmatch(word)}
    if not plain_words:  # as in Russian: reading the passages would take 20 ms for nothing
        return understanding
    language = understanding.likely_language
    passages = [
        passage
        for passage in candidates.passages[:_READ]
        if not (language and passage.language) or language_code(passage.language) == language
    ]
    question = understanding.question
    for word, accented in _find_accented(plain_words, passages).items():
        question = replace_word(question, word, accented)
    if question == understanding.question:
        return understanding
    return replace(understand(question), asked=understanding.asked, found_language=understanding.found_language)


def _find_accented(plain_words: Collection[str], passages: Sequence[Passage]) -> dict[str, str]:
    """For each word that passages write with accents, that form, or the most frequent one with its stem."""
    texts = [_text(passage).casefold() for passage in passages]
    languages = [language_code(passage.language) for passage in passages]
    forms: dict[str, Counter[str]] = {}
    for text, language in zip(texts, languages, strict=True):
        if not text.isascii():
            for word, accented in _pair_words({stem(word, language): word for word in plain_words}, text, language):
                forms.setdefault(word, Counter())[accented] += 1
    return {
        word: _choose_form(word, counts)
        for word, counts in forms.items()
        if _lacks_accents(word, counts, sum(len(re.findall(rf"\b{word}\b", text)) for text in texts))
    }


def _lacks_accents(word: str, counts: Mapping[str, int], plain_count: int) -> bool:
    """Whether passages write a word with accents, by the counts of its forms that have them and of the word itself."""
    accented_count = sum(count for form, count in counts.items() if strip_accents(form) == word)
    return accented_count > _TIMES * plain_count if accented_count else not plain_count


def _choose_form(word: str, counts: Counter[str]) -> str:
    """Of the forms of a word with accents, the one that is the word itself, or else the most frequent one."""
    return max(counts, key=lambda form: (strip_accents(form) == word, counts[form], form))


def _pair_words(word_by_stem: Mapping[str, str], text: str, language: str) -> Iterator[tuple[str, str]]:
    """Each word with accents in a text that is a form of an asked one, behind the latter."""
    for accented in _ACCENTED.findall(text):
        if word := word_by_stem.get(stem(strip_accents(accented), language)):
            yield word, accented


def _text(passage: Passage) -> str:
    return " ".join((passage.title, *passage.breadcrumb, passage.text))
