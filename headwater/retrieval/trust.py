"""How likely a passage answers a question, and which passages are kept (RET-7).

Belongs here: what speaks for a passage, its calibrated probability, what is kept and why the rest is dropped. Not
here: finding passages, choosing sentences. Guarantee: pure; an order is never changed; what is dropped has a reason.

Two things speak for a passage. *Relevance* is the geometric mean of similarity (cosine, in the model's
relevance floors) and coverage (the share of the question's words that the passage holds, each by its idf): close in
meaning but with other words is another subject, the same words far in meaning are another sense. It is less where a
name or number of the question is in no passage found, unless misspelt. *Order* is the share of the question's
neighbouring words that are neighbours in the passage, too. Logistic regression makes a probability of them; for
passages found without vectors, relevance is the root of the coverage, with coefficients of its own. So it is for
passages in a language that the model does not know: their vectors say nothing.

`python -m bench.trust` fits the coefficients and prints what they are worth on sets that they were not fitted to. At a
floor of .5, in each of six sets 97 % or more of the questions about other things are refused; of those with an answer
0–5 %, but 12 % of cranfield's abstract queries; of those about the same things without an answer 25 % (three of twelve)
to 100 %. Tried there and left out, because they told questions of other sets apart no better: the share of the best
possible BM25 score, coverage by the best sentence, the idf of what is missing, words that the index does not hold, the
ranks in both legs, the gap to the next passage.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from uuid import UUID

from headwater.domain.languages import language_code
from headwater.domain.search import Passage
from headwater.lexical.bm25 import mild_idf
from headwater.retrieval.understanding.asking_words import asking_words
from headwater.retrieval.words import (
    asked_words,
    characters,
    is_misspelt,
    is_unspaced,
    lone_characters,
    names,
    stem,
    terms,
    words,
)

_TITLED = 1.2
"""What relevance by words alone is multiplied by where the title or a heading holds one: it names the subject.

Of 240 questions in six languages 17 are refused so instead of 24, and as many of those about other things.
"""
_ALONE = 0.5  # what a character that stands alone counts: it is in many words
_MOST_MISSPELT = 30  # words of a question that a slip is looked for in
UNKNOWN_NAME = 0.7
"""What is left of the relevance when a name or number of the question is in no passage; from .5 to .8 does as well."""
COEFFICIENTS = (-4.9, 5.7, 1.5)
"""Intercept, relevance, order: for passages with a similarity."""
WORD_COEFFICIENTS = (-6.4, 8.6, 3.4)
"""Intercept, relevance, order: for passages that were found by words alone."""
FOREIGN_COEFFICIENTS = (-6.0, 8.6, 1.0)
"""The same for those that are not in English: their questions' words are less often those of the documents.

Chosen with the questions of `bench/language_sets`, asked of those documents alone and among 70 manual pages of each
language: of 240 with an answer 7 % are refused, of 336 about other things 94 %. Word order tells them apart no better.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Signals:
    """What speaks for a passage: `relevance` from 0 up, about 1 at the model's floor with all words; `order` in 0–1."""

    relevance: float
    order: float
    is_similarity_known: bool
    is_english: bool = True

    @property
    def probability(self) -> float:
        """How likely the passage answers the question, if as many questions have an answer as have none."""
        by_words = WORD_COEFFICIENTS if self.is_english else FOREIGN_COEFFICIENTS
        intercept, relevance, order = COEFFICIENTS if self.is_similarity_known else by_words
        return 1 / (1 + math.exp(-(intercept + relevance * self.relevance + order * self.order)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Dropped:
    """A passage that is not used, and why, for people."""

    passage: Passage
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Trusted:
    """The passages to answer from, in the order that they came in, and those that were dropped; all with their trust.

    A question whose `kept` is empty is refused.
    """

    kept: tuple[Passage, ...]
    dropped: tuple[Dropped, ...]

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All of them by rank, each with its trust."""
        every = (*self.kept, *(one.passage for one in self.dropped))
        return tuple(sorted(every, key=lambda passage: passage.rank))


def grade(
    question: str,
    passages: Sequence[Passage],
    *,
    relevance_floor: float,
    idf: Mapping[str, float] | None = None,
    language: str = "",
    by_words: Collection[UUID] = (),
) -> list[float]:
    """Say how likely each passage answers the question.

    Args:
        question: as it was asked.
        passages: what search found. Without a similarity in any of them they were found by words alone; where only
            some have none, it counts as the least of the others.
        relevance_floor: of the model that they were found with; see `Embedder`.
        idf: the idf of the question's lexemes in the whole index, those that it does not hold included, stop words
            left out; from the passages alone when not given. Words may stand beside their lexemes.
        language: the question's, by its code; empty when it is not known.
        by_words: the chunks whose similarity says nothing.

    Returns:
        Probabilities, in the passages' order.
    """
    signals = find_signals(
        question, passages, relevance_floor=relevance_floor, idf=idf, language=language, by_words=by_words
    )
    return [one.probability for one in signals]


def keep(passages: Sequence[Passage], grades: Sequence[float], *, floor: float, margin: float) -> Trusted:
    """Keep the passages whose trust is at least `floor`, and at most `margin` under the best one's.

    Args:
        passages: in any order, which is kept.
        grades: the trust of each.
        floor: between 0 and 1.
        margin: between 0 and 1; 1 keeps all that reach the floor.
    """
    best = max(grades, default=0.0)
    kept: list[Passage] = []
    dropped: list[Dropped] = []
    for passage, trust in zip(passages, grades, strict=True):
        graded = replace(passage, scores=replace(passage.scores, trust=round(trust, 4)))
        if trust < floor:
            dropped.append(Dropped(passage=graded, reason=f"Its trust, {trust:.2f}, is under the floor, {floor:.2f}."))
        elif trust < best - margin:
            reason = f"Its trust, {trust:.2f}, is more than {margin:.2f} under the best one's, {best:.2f}."
            dropped.append(Dropped(passage=graded, reason=reason))
        else:
            kept.append(graded)
    return Trusted(kept=tuple(kept), dropped=tuple(dropped))


def find_signals(
    question: str,
    passages: Sequence[Passage],
    *,
    relevance_floor: float,
    idf: Mapping[str, float] | None = None,
    language: str = "",
    by_words: Collection[UUID] = (),
) -> list[Signals]:
    """Collect what speaks for each passage; the arguments are those of `grade`."""
    languages = [passage.language for passage in passages]
    asks = asking_words({language_code(own) for own in ([language] if language else languages)})
    asked = [word for word in asked_words(question) if word not in asks]
    read = [(*terms(_heading(one), one.language), *terms(one.text, one.language)) for one in passages]
    held = [{*stems, *lone_characters(passage.text)} for passage, stems in zip(passages, read, strict=True)]
    forms = _forms(asked, passages, held, {*languages, language}) | characters(question)
    covered = [{word for word, alike in forms.items() if alike & stems} for stems in held]
    weights = _weights(forms, asked, idf) or mild_idf(forms, covered)
    penalty = 1.0 if names(question, language) & weights.keys() <= set().union(*covered) else UNKNOWN_NAME
    similarities = _similarities(passages, relevance_floor, by_words)
    pairs = {(stem(a), stem(b)) for a, b in _neighbours(asked, forms)}
    own_form = {alike: word for word, all_alike in forms.items() for alike in all_alike}
    renamed = {alike: word for alike, word in own_form.items() if alike != word and not is_unspaced(alike)}
    signals = []
    for passage, stems, mine, similarity in zip(passages, read, covered, similarities, strict=True):
        is_english = language_code(language or passage.language) in ("", "en")
        coverage = sum(weights.get(word, 0.0) for word in mine) / (sum(weights.values()) or 1.0)
        relevance = math.sqrt(coverage if similarity is None else max(similarity, 0.0) * coverage)
        if similarity is None and not is_english:
            title = set(terms(_heading(passage), passage.language))
            relevance *= _TITLED if any(forms[word] & title for word in mine if weights.get(word)) else 1.0
        signals.append(
            Signals(
                relevance=penalty * relevance,
                order=_order(pairs, [renamed.get(one, one) for one in stems] if renamed else stems),
                is_similarity_known=similarity is not None,
                is_english=is_english,
            )
        )
    return signals


def question_weights(question: str, idf: Mapping[str, float], language: str = "") -> dict[str, float]:
    """What each of a question's words tells, by its stem in a language: its idf in the index, or 1 if none is known."""
    asks = asking_words({language_code(language)})
    asked = [word for word in asked_words(question) if word not in asks]
    forms = _own_forms(asked, {language}) | characters(question)
    weights = _weights(forms, asked, idf) or dict.fromkeys(forms, 1.0)
    return {alike: weight for word, weight in weights.items() for alike in forms[word]}


def _heading(passage: Passage) -> str:
    return f"{passage.title} {' '.join(passage.breadcrumb)}"


def _own_forms(asked: Iterable[str], languages: Collection[str]) -> dict[str, set[str]]:
    forms: dict[str, set[str]] = {}
    for word in asked:
        if not is_unspaced(word):
            forms.setdefault(stem(word), set()).update(stem(word, language) for language in languages)
    return forms


def _forms(
    asked: Sequence[str], passages: Sequence[Passage], held: Sequence[set[str]], languages: Collection[str]
) -> dict[str, set[str]]:
    """The question's stems, each with those that count as it.

    They are its own, as each language stems it, and if no passage holds any of these its misspellings. Pairs of
    characters are left out (`characters`).
    """
    known = set().union(*held)
    forms = _own_forms(asked, languages)
    spaced = [word for word in asked if not is_unspaced(word)]
    unknown = list(dict.fromkeys(word for word in spaced if not forms[stem(word)] & known))[:_MOST_MISSPELT]
    by_letter: dict[str, list[str]] = {}
    texts = [words(f"{_heading(passage)}\n{passage.text}") for passage in passages] if unknown else []
    for other in set().union(*texts):
        by_letter.setdefault(other[0], []).append(other)
    for word in unknown:
        alike = [other for other in by_letter.get(word[0], ()) if is_misspelt(word, other)]
        forms[stem(word)] |= {stem(other, language) for other in alike for language in languages}
    return forms


def _weights(forms: Mapping[str, set[str]], asked: Iterable[str], idf: Mapping[str, float] | None) -> dict[str, float]:
    """The idf of the question's stems by the index's lexemes; a word that has none is a stop word of the language.

    Of a character, that of the pair which more entries hold: the other one may cross the border of two words.
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


def _neighbours(asked: Sequence[str], forms: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """The question's words that stand side by side; of pairs of characters, those that share a character and count."""
    counted = set().union(*forms.values())
    for first, second in pairwise(asked):
        are_words = not is_unspaced(first) and not is_unspaced(second)
        if are_words or (first[-1] == second[0] and {first, second} <= counted):
            yield first, second


def _lexeme(word: str, by_beginning: Mapping[str, str]) -> str | None:
    """Which lexeme is this word's: the one that begins like it; stems may end otherwise (`policies`, `polici`).

    `by_beginning` has each lexeme by all its letters and by all but the last; two letters or more must be the same.
    """
    beginnings = (word[:length] for length in range(len(word), 1, -1))
    return next((by_beginning[beginning] for beginning in beginnings if beginning in by_beginning), None)


def _similarities(passages: Sequence[Passage], floor: float, by_words: Collection[UUID]) -> list[float | None]:
    values = [None if passage.chunk_id in by_words else passage.scores.vector for passage in passages]
    least = min((value for value in values if value is not None), default=None)
    return [
        None if least is None or passage.chunk_id in by_words else (least if value is None else value) / floor
        for passage, value in zip(passages, values, strict=True)
    ]


def _order(pairs: set[tuple[str, str]], stems: Sequence[str]) -> float:
    return len(pairs & set(pairwise(stems))) / len(pairs) if pairs else 0.0
