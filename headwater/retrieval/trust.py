"""The trust of passages: how likely each answers a question, and which are kept (RET-7).

Belongs here: the evidence for a passage, its calibrated probability, which passages are kept and why others are
dropped. Not here: finding passages, choosing sentences. Guarantee: pure; the order never changes; every dropped passage
has a reason.

There are three kinds of evidence. *Relevance* is the geometric mean of similarity (cosine, divided by the model's
relevance floor) and coverage (the share of the question's words in the passage, weighted by idf): a passage close in
meaning but with other words is about another subject, and one with the same words but far in meaning uses them in
another sense. *Similarity* counts once more by itself: people ask in other words than the documents', and then meaning
is all there is. But a *name* that no passage holds is not a matter of wording: what it names is not there. A number is
none: people bring numbers of their own. Logistic regression turns these into a probability. For passages found without
vectors, relevance is the square root of the coverage, less if a name or number is in no passage, and *order* takes the
place of similarity: the share of the question's neighbouring words that are neighbours in the passage, too. So it is
for passages in a language that the model does not know, because their vectors say nothing.

Two more say whether the documents are about the question at all: coverage by the passage with the found *text beside*
it, because an answer's words are spread over neighbouring chunks, and the passage's *lead*, by how much its similarity
is above the median of all found passages: if all are equally near, none is near.

`python -m bench.trust_fit` fits coefficients to six collections, whose questions mostly use the documents' words. The
written ones were fitted, with cross-validation by collection, to these and 489 other questions, when lists of synonyms
and everyday words counted, too; without these lists only the intercept was chosen anew, on the 90 questions of
`bench/exam` and of two other tools that were looked at.
These were tried and left out, because they did not improve other sets: the share of the best possible BM25 score,
coverage by the best sentence, the idf of missing words, words that the index does not contain, the ranks in both legs,
the gap to the next passage, how frequent missing words are in English, order beside similarity, and coverage of missing
words by their likeness to the passage's words in the model's table of tokens.
"""

import math
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from uuid import UUID

from headwater.domain.languages import language_code
from headwater.domain.search import Passage
from headwater.lexical.bm25 import mild_idf
from headwater.retrieval.question_words import evidence_words, find_forms, index_weights, names_text, neighbours
from headwater.retrieval.surroundings import USUAL_LEAD, lead_of, median_similarity, with_text_beside
from headwater.understanding.interrogatives import load_interrogatives
from headwater.understanding.words import (
    characters,
    lone_characters,
    names,
    stem,
    terms,
)

_TITLED = 1.2
"""The factor for relevance by words alone if the title or a heading contains a word: it names the subject.

It reduces refusals from 24 to 17 of 240 questions in six languages, without changing those on other subjects.
"""
UNKNOWN_NAME = 0.7
"""The factor for relevance by words alone if a name or number is in no passage; .5 to .8 work equally well."""
_MARGIN = 0.4
"""How far the trust of a passage that may be used lies below the best passage's at most."""
COEFFICIENTS = (-3.4, 1.1, 1.1, -2.9, 3.1, 2.7)
"""Intercept, relevance, similarity, whether a name is in no passage, coverage with the text beside, and how far the
passage stands out: for passages with a similarity."""
MAX_SIMILARITY = 1.8
"""How much similarity counts by itself, in floors: without a word of the question it never suffices, because many
models find any two texts that similar."""
WORD_COEFFICIENTS = (-6.5, 8.5, 3.4)
"""Intercept, relevance, order: for passages that were found only by words."""
FOREIGN_COEFFICIENTS = (-6.0, 8.6, 1.0)
"""The same for passages not in English: their questions share fewer words with the documents.

Chosen with `bench/language_sets`, alone and among 70 manual pages of each language. On those alone, `python -m
bench.language_quality` refuses 9 of 120 questions with an answer, 71 of 72 on other subjects. Word order does not help.
"""
FOREIGN_VECTOR_COEFFICIENTS = (-4.7, 1.6, 1.3, -0.9, 4.2, 1.2)
"""Those of `COEFFICIENTS` for passages not in English: multilingual models find any two texts more alike.

Fitted to xquad in eight languages with `builtin/e5-multilingual-int8` (1,040 questions with an answer, 800 about hidden
paragraphs of the same articles, 128 on other subjects), then moved towards `COEFFICIENTS`, because people use other
words than these questions. Of these they refuse 4, 60 and 83 %; `COEFFICIENTS` 2, 40 and 63 %. Of
`bench/language_sets`, which they were not fitted to, they refuse 3 of 120 with an answer and 70 of 72 without one;
`COEFFICIENTS` 3 and 55.
"""
ACROSS_COEFFICIENTS = (-6.6, 6.4, 6.4)
"""Intercept, similarity, lead: for a question in one language and a passage in another, which share no words.

Chosen with every question of `bench/language_sets` asked of the documents in each other language (600 and 360): 70 % of
those with an answer are answered, 91 % of those on other subjects refused.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Signals:
    """The evidence for a passage: `relevance` from 0 up, about 1 at the floor with all words; `order` from 0 to 1.

    `similarity` is divided by the model's relevance floor; None if it is unknown or says nothing. `lacks_name` says
    whether a name of the question is in no passage. `beside` is the share of the question's words in the passage and
    the found passages beside it, from 0 to 1; `lead` is how far its similarity is above the median of
    all found passages. `is_across` says that it is in another language than the question.
    """

    relevance: float
    order: float
    similarity: float | None = None
    lacks_name: bool = False
    beside: float = 0.0
    lead: float = USUAL_LEAD
    is_english: bool = True
    is_across: bool = False

    @property
    def is_similarity_known(self) -> bool:
        """Whether vectors say anything about the passage."""
        return self.similarity is not None

    @property
    def values(self) -> tuple[float, ...]:
        """What the coefficients after the intercept apply to."""
        if self.similarity is None:
            return self.relevance, self.order
        return self.relevance, min(self.similarity, MAX_SIMILARITY), float(self.lacks_name), self.beside, self.lead

    @property
    def probability(self) -> float:
        """How likely the passage answers the question, if half of all questions have an answer."""
        if self.is_across and self.similarity is not None:
            intercept, near_weight, apart = ACROSS_COEFFICIENTS
            return 1 / (1 + math.exp(-(intercept + near_weight * self.similarity + apart * self.lead)))
        by_words = WORD_COEFFICIENTS if self.is_english else FOREIGN_COEFFICIENTS
        by_both = COEFFICIENTS if self.is_english else FOREIGN_VECTOR_COEFFICIENTS
        intercept, *weights = by_both if self.is_similarity_known else by_words
        evidence = sum(weight * value for weight, value in zip(weights, self.values, strict=True))
        return 1 / (1 + math.exp(-(intercept + evidence)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Dropped:
    """A passage that is not used, with the reason, for people."""

    passage: Passage
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TrustedPassages:
    """The passages to answer from, in their original order, and the dropped ones; all with their trust.

    A question whose `kept` is empty is refused.
    """

    kept: tuple[Passage, ...]
    dropped: tuple[Dropped, ...]

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All of them by rank, each with its trust."""
        every = (*self.kept, *(item.passage for item in self.dropped))
        return tuple(sorted(every, key=lambda passage: passage.rank))


def grade(
    question: str,
    passages: Sequence[Passage],
    *,
    relevance_floor: float,
    idf: Mapping[str, float] | None = None,
    language: str = "",
    by_words: Collection[UUID] = (),
    others: Sequence[Passage] = (),
    own_names: Set[str] = frozenset(),
) -> list[float]:
    """Return how likely each passage answers the question.

    Args:
        question: the question as it was asked.
        passages: the search results. If none has a similarity, they were found only by words; if only some have none,
            these count as the lowest of the others.
        relevance_floor: of the model that found them; see `Embedder`.
        idf: the idf of the question's lexemes in the whole index, including those that it does not contain, without
            stop words; by default computed from the passages. Words may be included beside their lexemes.
        language: the question's language code; empty if unknown.
        by_words: the chunks whose similarity says nothing.
        others: what else was found: the text beside the passages.
        own_names: stems of words that name what all the documents are about; a passage need not repeat them.

    Returns:
        Probabilities, in the order of the passages.
    """
    signals = find_signals(
        question,
        passages,
        relevance_floor=relevance_floor,
        idf=idf,
        language=language,
        by_words=by_words,
        others=others,
        own_names=own_names,
    )
    return [signal.probability for signal in signals]


def select_trusted(
    passages: Sequence[Passage], grades: Sequence[float], *, floor: float, margin: float = _MARGIN
) -> TrustedPassages:
    """Keep the passages whose trust is at least `floor`, and at most `margin` below the best passage's.

    Args:
        passages: in any order, which is kept.
        grades: the trust of each.
        floor: between 0 and 1.
        margin: between 0 and 1; 1 keeps all that reach the floor.
    """
    best = max(grades, default=0.0)
    trusted: list[Passage] = []
    dropped: list[Dropped] = []
    for passage, trust in zip(passages, grades, strict=True):
        graded = replace(passage, scores=replace(passage.scores, trust=round(trust, 4)))
        if trust < floor:
            dropped.append(Dropped(passage=graded, reason=f"Its trust, {trust:.2f}, is below the floor, {floor:.2f}."))
        elif trust < best - margin:
            reason = f"Its trust, {trust:.2f}, is more than {margin:.2f} below the best passage's, {best:.2f}."
            dropped.append(Dropped(passage=graded, reason=reason))
        else:
            trusted.append(graded)
    return TrustedPassages(kept=tuple(trusted), dropped=tuple(dropped))


def find_signals(
    question: str,
    passages: Sequence[Passage],
    *,
    relevance_floor: float,
    idf: Mapping[str, float] | None = None,
    language: str = "",
    by_words: Collection[UUID] = (),
    others: Sequence[Passage] = (),
    own_names: Set[str] = frozenset(),
) -> list[Signals]:
    """Collect the evidence for each passage; the arguments are those of `grade`."""
    languages = {language_code(tag) for tag in ([language] if language else (passage.language for passage in passages))}
    asks = load_interrogatives(languages)
    question_words = [word for word in evidence_words(question) if word not in asks]
    read = [
        (*terms(names_text(passage), passage.language), *terms(passage.text, passage.language)) for passage in passages
    ]
    passage_stems = [{*stems, *lone_characters(passage.text)} for passage, stems in zip(passages, read, strict=True)]
    forms = find_forms(question_words, {*(passage.language for passage in passages), language}) | characters(question)
    question_names = names(question, language)
    covered = [{word for word, alike in forms.items() if alike & stems} for stems in passage_stems]
    covered_words = set().union(*covered)
    weights = index_weights(forms, question_words, idf) or mild_idf(forms, covered)
    weights = {word: weight for word, weight in weights.items() if word in covered_words or word not in own_names}
    unknown = question_names & weights.keys() - covered_words - own_names
    lacks_name = any(not name.isdecimal() for name in unknown)
    similarities = _similarities(passages, relevance_floor, by_words)
    pairs = {(stem(a), stem(b)) for a, b in neighbours(question_words, forms)}
    middle = median_similarity(others, relevance_floor)
    around = with_text_beside(passages, covered, others, forms)
    signals = []
    for passage, stems, mine, words_beside, similarity in zip(
        passages, read, covered, around, similarities, strict=True
    ):
        is_english = language_code(language or passage.language) in ("", "en")
        coverage = _share(weights, mine)
        relevance = math.sqrt(coverage if similarity is None else max(similarity, 0.0) * coverage)
        relevance *= UNKNOWN_NAME if similarity is None and unknown else 1.0
        if similarity is None and not is_english:
            title = set(terms(names_text(passage), passage.language))
            relevance *= _TITLED if any(forms[word] & title for word in mine if weights.get(word)) else 1.0
        signals.append(
            Signals(
                relevance=relevance,
                order=_order(pairs, stems),
                similarity=similarity if similarity is None or any(weights.values()) else 0.0,  # of no word
                lacks_name=lacks_name,
                beside=_share(weights, words_beside),
                lead=lead_of(similarity, middle) if any(weights.values()) else 0.0,
                is_english=is_english,
                is_across=is_across(language, passage.language),
            )
        )
    return signals


def question_weights(question: str, idf: Mapping[str, float], language: str = "") -> dict[str, float]:
    """The weight of a question's words, by their stems in a language: the idf in the index, or 1 if unknown."""
    asks = load_interrogatives({language_code(language)})
    question_words = [word for word in evidence_words(question) if word not in asks]
    forms = find_forms(question_words, {language}) | characters(question)
    weights = index_weights(forms, question_words, idf) or dict.fromkeys(forms, 1.0)
    return {alike: weight for word, weight in weights.items() for alike in forms[word]}


def is_across(asked: str, written: str) -> bool:
    """Whether a question and a passage are in different languages, by their codes; False if one is unknown."""
    return bool(asked and written) and language_code(asked) != language_code(written)


def _share(weights: Mapping[str, float], words: Collection[str]) -> float:
    return sum(weights.get(word, 0.0) for word in words) / (sum(weights.values()) or 1.0)


def _similarities(passages: Sequence[Passage], floor: float, by_words: Collection[UUID]) -> list[float | None]:
    values = [None if passage.chunk_id in by_words else passage.scores.vector for passage in passages]
    least = min((value for value in values if value is not None), default=None)
    return [
        None if least is None or passage.chunk_id in by_words else (least if value is None else value) / floor
        for passage, value in zip(passages, values, strict=True)
    ]


def _order(pairs: set[tuple[str, str]], stems: Sequence[str]) -> float:
    return len(pairs & set(pairwise(stems))) / len(pairs) if pairs else 0.0
