"""How likely a passage answers a question, and which passages are kept (RET-7).

Belongs here: the evidence for a passage, its calibrated probability, what is kept and why the rest is dropped. Not
here: finding passages, choosing sentences. Guarantee: pure; an order is never changed; what is dropped has a reason.

Evidence is three things. *Relevance* is the geometric mean of similarity (cosine, in the model's relevance floors) and
coverage (the share of the question's words that the passage holds, each by its idf): close in meaning but with other
words is another subject, the same words far in meaning are another sense. It is less where a name or number of the
question is in no passage found, unless misspelt. *Order* is the share of the question's neighbouring words that are
neighbours in the passage, too. Logistic regression makes a probability of them; for passages found without vectors,
relevance is the root of the coverage, with coefficients of its own.

`python -m bench.trust` fits the coefficients and prints what they are worth on sets that they were not fitted to. At a
floor of .5, in each of six sets 97 % or more of the questions about other things are refused; of those with an answer
0–5 %, but 12 % of cranfield's abstract queries; of those about the same things without an answer 25 % (three of twelve)
to 100 %. Tried there and left out, because they told questions of other sets apart no better: the share of the best
possible BM25 score, coverage by the best sentence, the idf of what is missing, words that the index does not hold, the
ranks in both legs, the gap to the next passage.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from headwater.models import Passage
from headwater.retrieval.words import is_misspelt, names, stem, terms, words

_MOST_MISSPELT = 30  # words of a question that a slip is looked for in
UNKNOWN_NAME = 0.7
"""What is left of the relevance when a name or number of the question is in no passage; from .5 to .8 does as well."""
COEFFICIENTS = (-4.9, 5.7, 1.5)
"""Intercept, relevance, order: for passages with a similarity."""
WORD_COEFFICIENTS = (-6.4, 8.6, 3.4)
"""Intercept, relevance, order: for passages that were found by words alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What speaks for a passage: `relevance` from 0 up, about 1 at the model's floor with all words; `order` in 0–1."""

    relevance: float
    order: float
    is_similarity_known: bool

    @property
    def probability(self) -> float:
        """How likely the passage answers the question, if as many questions have an answer as have none."""
        intercept, relevance, order = COEFFICIENTS if self.is_similarity_known else WORD_COEFFICIENTS
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
    question: str, passages: Sequence[Passage], *, relevance_floor: float, idf: Mapping[str, float] | None = None
) -> list[float]:
    """Say how likely each passage answers the question.

    Args:
        question: as it was asked.
        passages: what search found. Without a similarity in any of them they were found by words alone; where only
            some have none, it counts as the least of the others.
        relevance_floor: of the model that they were found with; see `Embedder`.
        idf: the idf of the question's lexemes in the whole index, those that it does not hold included, stop words
            left out; from the passages alone when not given.

    Returns:
        Probabilities, in the passages' order.
    """
    evidence = find_evidence(question, passages, relevance_floor=relevance_floor, idf=idf)
    return [one.probability for one in evidence]


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


def find_evidence(
    question: str, passages: Sequence[Passage], *, relevance_floor: float, idf: Mapping[str, float] | None = None
) -> list[Evidence]:
    """Collect what speaks for each passage; the arguments are those of `grade`."""
    asked = words(question)
    read = [(*terms(_heading(passage)), *terms(passage.text)) for passage in passages]
    held = [set(stems) for stems in read]
    forms = _forms(asked, passages, held)
    covered = [{word for word, alike in forms.items() if alike & stems} for stems in held]
    weights = _weights(asked, idf) or _weights_among(forms, covered)
    penalty = 1.0 if names(question) & weights.keys() <= set().union(*covered) else UNKNOWN_NAME
    similarities = _similarities(passages, relevance_floor)
    pairs = {(stem(a), stem(b)) for a, b in pairwise(asked)}
    own_form = {alike: word for word, all_alike in forms.items() for alike in all_alike}
    renamed = {alike: word for alike, word in own_form.items() if alike != word}
    evidence = []
    for stems, mine, similarity in zip(read, covered, similarities, strict=True):
        coverage = sum(weights.get(word, 0.0) for word in mine) / (sum(weights.values()) or 1.0)
        relevance = math.sqrt(coverage if similarity is None else max(similarity, 0.0) * coverage)
        evidence.append(
            Evidence(
                relevance=penalty * relevance,
                order=_order(pairs, [renamed.get(one, one) for one in stems] if renamed else stems),
                is_similarity_known=similarity is not None,
            )
        )
    return evidence


def question_weights(question: str, idf: Mapping[str, float]) -> dict[str, float]:
    """What each of a question's words tells, by its stem: its idf in the index, or 1 where none is known."""
    return _weights(words(question), idf) or dict.fromkeys(terms(question), 1.0)


def _heading(passage: Passage) -> str:
    return f"{passage.title} {' '.join(passage.breadcrumb)}"


def _forms(asked: Sequence[str], passages: Sequence[Passage], held: Sequence[set[str]]) -> dict[str, set[str]]:
    """The question's stems, each with those that count as it: its own, and if no passage holds it its misspellings."""
    known = set().union(*held)
    forms = {stem(word): {stem(word)} for word in asked}
    unknown = list(dict.fromkeys(word for word in asked if stem(word) not in known))[:_MOST_MISSPELT]
    by_letter: dict[str, list[str]] = {}
    texts = [words(f"{_heading(passage)}\n{passage.text}") for passage in passages] if unknown else []
    for other in set().union(*texts):
        by_letter.setdefault(other[0], []).append(other)
    for word in unknown:
        forms[stem(word)] |= {stem(other) for other in by_letter.get(word[0], ()) if is_misspelt(word, other)}
    return forms


def _weights(asked: Iterable[str], idf: Mapping[str, float] | None) -> dict[str, float]:
    """The idf of the question's stems by the index's lexemes; a word that has none is a stop word of the language."""
    weights: dict[str, float] = {}
    by_letter: dict[str, list[str]] = {}
    for known in idf or ():
        by_letter.setdefault(known[:1], []).append(known)
    for word in asked if idf else ():
        lexeme = _lexeme(word, by_letter.get(word[:1], ()))
        if lexeme is not None:
            weights[stem(word)] = max((idf or {})[lexeme], weights.get(stem(word), 0.0))
    return weights


def _lexeme(word: str, lexemes: Iterable[str]) -> str | None:
    """Which lexeme is this word's: the one that begins like it; stems may end otherwise (`policies`, `polici`)."""
    best, length = None, 1
    for lexeme in lexemes:
        if lexeme == word:
            return lexeme
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, lexeme, strict=False)))
        if common > length and common >= len(lexeme) - 1:
            best, length = lexeme, common
    return best


def _weights_among(forms: Iterable[str], covered: Sequence[set[str]]) -> dict[str, float]:
    """The weights of stems by how few of the passages hold each: up to half more for the rare, as passages are few."""
    count = len(covered)
    df = Counter(word for mine in covered for word in mine)
    return {word: 1 + math.log(1 + (count - df[word] + 0.5) / (df[word] + 0.5)) / 2 for word in forms}


def _similarities(passages: Sequence[Passage], relevance_floor: float) -> list[float | None]:
    known = [passage.scores.vector for passage in passages if passage.scores.vector is not None]
    if not known:
        return [None] * len(passages)
    values = (passage.scores.vector for passage in passages)
    return [(min(known) if value is None else value) / relevance_floor for value in values]


def _order(pairs: set[tuple[str, str]], stems: Sequence[str]) -> float:
    return len(pairs & set(pairwise(stems))) / len(pairs) if pairs else 0.0
