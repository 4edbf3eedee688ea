"""`evaluation`: the results of a knowledge base's golden set over time (EVL-1).

Belongs here: evaluating after a change, and the check that quality has not fallen. Not here: the measurement
(`headwater.evaluation`). Guarantee: without a golden set, or without a change of the index or the golden set,
nothing is made.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.domain.evaluations import Evaluation, RecordedEvaluation
from headwater.evaluation.evaluating import evaluate
from headwater.identity import content_hash
from headwater.settings import Settings
from headwater.store.store import Store

TOLERATED_FALL = 0.05
"""Of nDCG@10: the effect of one question in twenty that was answered perfectly and is now missed."""
_WORST = 10  # questions shown


@dg.asset(
    partitions_def=KNOWLEDGE_BASES,
    deps=["search_index"],
    group_name="knowledge_base",
    kinds={"postgres"},
    code_version="1",
    output_required=False,
    metadata={"dagster/table_name": "evaluations"},
)
def evaluation(context: dg.AssetExecutionContext, store: StoreResource) -> Iterator[dg.MaterializeResult[None]]:
    """Retrieval quality of one knowledge base by its golden set; skipped when there is none or nothing changed."""
    with store.open() as (opened, settings):
        made = refresh_evaluation(opened, settings, context.partition_key, context.run.run_id)
    if made is None:
        context.log.info("There is no golden set, or neither it nor the search index changed since the last run's.")
        return
    yield dg.MaterializeResult(data_version=dg.DataVersion(data_version(made)), metadata=evaluation_metadata(made))


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
    made = evaluate(store, settings, knowledge_base, index=index)
    if made is not None:
        store.evaluations.add(knowledge_base, made, run_id)
    return made


@dg.asset_check(
    asset="evaluation",
    partitions_def=KNOWLEDGE_BASES,
    description=f"nDCG@10 has not fallen by more than {TOLERATED_FALL} since the golden set was last evaluated.",
)
def retrieval_quality(context: dg.AssetCheckExecutionContext, store: StoreResource) -> dg.AssetCheckResult:
    """Compare the newest evaluation of a run with the previous one."""
    with store.open() as (opened, _):
        return check_quality(opened, context.partition_key)


def check_quality(store: Store, slug: str) -> dg.AssetCheckResult:
    """Compare the newest evaluation of a run with the previous one."""
    newest = store.evaluations.last_of_runs(store.knowledge_bases.get(slug))
    return compare(newest, store.evaluations.before(newest) if newest else None)


def compare(newest: RecordedEvaluation | None, before: RecordedEvaluation | None) -> dg.AssetCheckResult:
    """Judge an evaluation by the previous one; if either is missing, the check passes."""
    if newest is None or before is None:
        return dg.AssetCheckResult(passed=True, description="There is no earlier evaluation of this golden set.")
    now, then = newest.metrics["ndcg_at_10"], before.metrics["ndcg_at_10"]
    return dg.AssetCheckResult(
        passed=then - now <= TOLERATED_FALL,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"nDCG@10 is {now:.3f} by {newest.model}; it was {then:.3f} by {before.model}.",
        metadata={
            "ndcg_at_10": now,
            "ndcg_at_10_before": then,
            "before": dg.MetadataValue.timestamp(before.created_at),
        },
    )


def evaluation_metadata(made: Evaluation) -> dict[str, Any]:
    """The metadata of an evaluation for people."""
    worst = [
        {
            "question": result.question,
            "relevant": [document.model_dump(exclude_none=True) for document in result.relevant],
            "found": list(result.found[:3]),
            "ndcg_at_10": result.metrics["ndcg_at_10"],
        }
        for result in made.results[:_WORST]
        if result.metrics["ndcg_at_10"] < 1
    ]
    return {
        **{name: float(value) for name, value in made.metrics.items()},
        "questions": made.question_count,
        "model": made.model,
        "search_index": made.search_index_id,
        "worst": dg.MetadataValue.json(worst),
    }
