"""How likely a run of fragments answers a question.

Belongs here: the evidence for a candidate, and its score. Not here: making candidates (`candidates`), the model
(`headwater.models_gateway.answer_scorer`), words (`headwater.understanding`). Guarantee: pure but for the model; equal
scores keep the order of the search.

The words and the rank choose which candidates the model reads; the model decides among these. Without the model, or for
a language that it does not know, words, rank and the passage's similarity decide alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.domain.search import Passage
from headwater.models_gateway.answer_scorer import AnswerScorer
from headwater.quote.candidates import Candidate
from headwater.understanding.answer_kinds import asks_for_quantity, has_quantity
from headwater.understanding.words import content_words

MAX_READ = 16
"""How many candidates the model reads."""
_COVERED, _HEADED, _QUANTITY, _RANK = 0.55, 0.1, 0.1, 0.05
"""Weights of the question's words in a candidate and in its headings, of a wanted quantity, and of a rank in the search.

Each may be halved or doubled without losing more than 2 of 72 looked-at questions.
"""
_WORDS_PER_LOGIT = 1.0  # how much of the model's log-odds all words of the question weigh


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A candidate with its score; `log_odds` is the model's, None if it did not read the candidate."""

    candidate: Candidate
    rank: int
    score: float
    log_odds: float | None = None


def score_candidates(
    question: str,
    candidates: Sequence[tuple[Candidate, int]],
    *,
    weights: Mapping[str, float],
    scorer: AnswerScorer | None,
    language: str = "",
) -> list[Scored]:
    """Score candidates, best first.

    Args:
        question: as it was asked.
        candidates: each with the rank of its best passage, from 0.
        weights: of the question's words, by their stems.
        scorer: reads the most promising ones; None if there is none for this language.
        language: of the documents.
    """
    promising = sorted(
        (
            Scored(candidate=one, rank=rank, score=_by_words(question, one, rank, weights, language))
            for one, rank in candidates
        ),
        key=lambda scored: -scored.score,
    )
    if scorer is None or not promising:
        return promising
    read = promising[:MAX_READ]
    log_odds = scorer.score(question, [scored.candidate.read_text for scored in read])
    both = [
        Scored(
            candidate=one.candidate,
            rank=one.rank,
            score=float(logit) + _WORDS_PER_LOGIT * one.score,
            log_odds=float(logit),
        )
        for one, logit in zip(read, log_odds, strict=True)
    ]
    return sorted(both, key=lambda scored: -scored.score)


def _by_words(question: str, one: Candidate, rank: int, weights: Mapping[str, float], language: str) -> float:
    total = sum(weights.values()) or 1.0
    covered = sum(weights.get(word, 0.0) for word in content_words(one.plain, language)) / total
    headed = sum(weights.get(word, 0.0) for word in content_words(" ".join(one.headings), language)) / total
    wanted = asks_for_quantity(question) and has_quantity(one.plain)
    return _COVERED * covered + _HEADED * headed + _QUANTITY * wanted - _RANK * rank


def best_rank(passages: Sequence[Passage], ranks: Mapping[int, int]) -> int:
    """The best rank of some passages, by their identity."""
    return min(ranks[id(passage)] for passage in passages)
