"""Evaluating a knowledge base after a change, and comparing the result with the one before (EVL-1).

Belongs here: when a run evaluates, and whether quality has fallen. Not here: the measurement (`evaluator`), Dagster.
Guarantee: without a golden set, or without a change of the index or the golden set, no evaluation is made.
"""

from dataclasses import dataclass
from datetime import datetime

from headwater.domain.evaluations import Evaluation, RecordedEvaluation
from headwater.evaluation.evaluator import evaluate, wants_answers
from headwater.identity import content_hash
from headwater.settings import Settings
from headwater.store.store import Store

TOLERATED_FALL = 0.05
"""Of nDCG@10: the effect of one question in twenty that was answered perfectly and is now missed."""
_WORST = 10  # questions shown


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """Whether quality has fallen, in words; the values of nDCG@10 and the time of the earlier one, if there are two."""

    passed: bool
    words: str
    now: float | None = None
    before: float | None = None
    before_at: datetime | None = None


def data_version(made: Evaluation) -> str:
    """The identity of the evaluated state."""
    return content_hash(made.index_digest, made.search_index_id).hex()


def refresh_evaluation(store: Store, settings: Settings, slug: str, run_id: str) -> Evaluation | None:
    """Evaluate the active index, unless the last run's evaluation was of the same state.

    Returns:
        The stored record; None if there was nothing to do.

    Raises:
        NotFoundError: there is no such knowledge base.
        ModelUnavailableError: the index's model cannot be loaded.
    """
    knowledge_base = store.knowledge_bases.get(slug)
    index = store.search_indexes.active(slug)
    if index is None:
        return None
    last = store.evaluations.last_of_runs(knowledge_base)
    digest, _ = store.knowledge_bases.index_digest(slug)
    if last is not None and (last.search_index_id, last.index_digest) == (index.id, digest):
        return None
    with_answers = wants_answers(knowledge_base.settings)
    evaluation = evaluate(store, settings, knowledge_base, index=index, with_answers=with_answers)
    if evaluation is not None:
        store.evaluations.add(knowledge_base, evaluation, run_id)
    return evaluation


def judge_quality(store: Store, slug: str) -> Verdict:
    """Compare the newest evaluation of a run with the previous one."""
    newest = store.evaluations.last_of_runs(store.knowledge_bases.get(slug))
    return compare(newest, store.evaluations.before(newest) if newest else None)


def compare(newest: RecordedEvaluation | None, before: RecordedEvaluation | None) -> Verdict:
    """Judge an evaluation by the previous one; if either is missing, quality has not fallen."""
    if newest is None or before is None:
        return Verdict(passed=True, words="There is no earlier evaluation of this golden set.")
    if "ndcg_at_10" not in newest.metrics or "ndcg_at_10" not in before.metrics:
        return Verdict(passed=True, words="There is no golden question with an answer.")
    now, then = newest.metrics["ndcg_at_10"], before.metrics["ndcg_at_10"]
    message = f"nDCG@10 is {now:.3f} by {newest.model}; it was {then:.3f} by {before.model}."
    return Verdict(
        passed=then - now <= TOLERATED_FALL, words=message, now=now, before=then, before_at=before.created_at
    )


def worst_results(made: Evaluation) -> list[dict[str, object]]:
    """The questions with the worst results, each with the documents found and the right ones."""
    return [
        {
            "question": result.question,
            "relevant": [document.model_dump(exclude_none=True) for document in result.relevant],
            "found": list(result.found[:3]),
            **result.metrics,
        }
        for result in made.results[:_WORST]
        if min(result.metrics.get("ndcg_at_10", 1), result.metrics.get("unanswerable_refused", 1)) < 1
    ]
