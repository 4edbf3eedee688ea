"""`evaluation`: the results of a knowledge base's golden set over time (EVL-1).

Belongs here: the asset, its metadata, and the check that quality has not fallen. Not here: when it is evaluated, and
the measurement (`headwater.evaluation`). Guarantee: Dagster shows what the kernel did; nothing else is decided here.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.check_specs import knowledge_base_check, log_results
from assets.descriptions import QUALITY_LAYER, definition_metadata, describe_asset
from assets.observations import view_url
from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.domain.evaluations import Evaluation
from headwater.evaluation.evaluation_refresh import (
    TOLERATED_FALL,
    data_version,
    judge_quality,
    refresh_evaluation,
    worst_results,
)
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.syncing.stage import Column

RETRIEVAL_QUALITY = "retrieval_quality"
_COLUMNS = {
    "id": Column("bigint", "The evaluation's id."),
    "knowledge_base_id": Column("bigint", "The knowledge base that was evaluated."),
    "search_index_id": Column("bigint", "The search index that was searched."),
    "model": Column("text", "The embedding model of that index."),
    "golden_hash": Column("bytea", "The hash of the golden set: equal hashes mean equal questions."),
    "question_count": Column("integer", "How many questions were asked."),
    "metrics": Column("jsonb", "The mean of each metric over the questions."),
    "counts": Column("jsonb", "Of how many questions each metric is the mean."),
    "answer_model": Column("text", "The model that made the answers; empty if none were made."),
    "judge_model": Column("text", "The model that judged the answers; empty if rules did."),
    "judge_prompt": Column("text", "The version of the prompt that the judge got."),
    "run_id": Column("text", "The Dagster run that made the evaluation; empty if a command or a request made it."),
    "created_at": Column("timestamptz", "When it was evaluated."),
}
_REPORTED = {
    "ndcg_at_10": "How high the right documents rank in the top ten; 1 is best (nDCG@10).",
    "recall_at_10": "The share of the right documents that are in the top ten.",
    "mrr": "1 divided by the rank of the first right document; 0 if none is in the top ten.",
    "faithfulness": "The share of an answer's claims that the text which they cite supports.",
    "citation_precision": "The share of citations that lead to a place which states a part of the expected answer.",
    "citation_recall": "The share of the right documents that an answer cites.",
    "relevance": "The share of answers that give the expected answer, or a main part of it.",
    "wrong_refusals": "The share of questions with an answer that are refused; 0 is best.",
    "unanswerable_refused": "The share of unanswerable questions that are refused.",
    "judge_agreement": "Cohen's kappa between the judge model and the rules; only with a judge model.",
    "questions": "How many questions the golden set has.",
    "view": "The evaluations on Headwater's pages.",
    "model": "The embedding model of the index that was searched.",
    "answer_model": "The model that made the answers; missing if none were made.",
    "judge_model": "The model that judged the answers; missing if rules did.",
    "worst": "The questions with the worst results, each with the documents found and the right ones.",
}


@dg.asset(
    partitions_def=KNOWLEDGE_BASES,
    deps=["search_index"],
    group_name=QUALITY_LAYER,
    kinds={"postgres"},
    code_version="2",
    output_required=False,
    description=describe_asset(
        "How well search finds the right documents, measured with the knowledge base's golden set: questions together "
        "with the documents that answer them. Without a golden set there is no evaluation, and the partition stays "
        "missing; load a golden set with `headwater golden load`. A new evaluation is made only if the golden set or "
        "the search index has changed.",
        "knowledge base",
        _REPORTED,
    ),
    metadata=definition_metadata("evaluations", _COLUMNS, "docs/evaluation.md"),
)
def evaluation(context: dg.AssetExecutionContext, store: StoreResource) -> Iterator[dg.MaterializeResult[None]]:
    """Retrieval quality of one knowledge base by its golden set; skipped without one, or if nothing changed."""
    with store.open() as (open_store, settings):
        new_evaluation = refresh_evaluation(open_store, settings, context.partition_key, context.run.run_id)
    if new_evaluation is None:
        context.log.info("There is no golden set, or nothing has changed since the last evaluation.")
        return
    metadata = evaluation_metadata(new_evaluation, settings, context.partition_key)
    yield dg.MaterializeResult(data_version=dg.DataVersion(data_version(new_evaluation)), metadata=metadata)


_quality_check = knowledge_base_check(
    "evaluation",
    RETRIEVAL_QUALITY,
    (
        f"nDCG@10, which measures how high the right documents rank, has not fallen by more than {TOLERATED_FALL} "
        "since the last evaluation of the same golden set. A failure is only a warning. It runs after each evaluation, "
        "and for every evaluated knowledge base when you choose Execute all. Metadata: `ndcg_at_10` is the value now, "
        "`ndcg_at_10_before` the last value, and `before` its time."
    ),
)


@dg.multi_asset_check(name=RETRIEVAL_QUALITY, specs=[_quality_check], can_subset=True)
def retrieval_quality(context: dg.AssetCheckExecutionContext, store: StoreResource) -> Iterator[dg.AssetCheckResult]:
    """Compare the newest evaluation of a run with the previous one."""
    with store.open() as (open_store, _):
        if context.has_partition_key:
            yield check_quality(open_store, context.partition_key)
            return
        for knowledge_base in open_store.knowledge_bases.all(limit=100_000):
            if open_store.evaluations.last_of_runs(knowledge_base) is not None:
                result = check_quality(open_store, knowledge_base.slug)
                log_results(context, [result], "evaluation", knowledge_base.slug)


def check_quality(store: Store, slug: str) -> dg.AssetCheckResult:
    """Compare the newest evaluation of a run with the previous one."""
    verdict = judge_quality(store, slug)
    metadata: dict[str, Any] = {}
    if verdict.before_at is not None:
        previous_time = dg.MetadataValue.timestamp(verdict.before_at)
        metadata = {"ndcg_at_10": verdict.now, "ndcg_at_10_before": verdict.before, "before": previous_time}
    return dg.AssetCheckResult(
        check_name=RETRIEVAL_QUALITY,
        passed=verdict.passed,
        severity=dg.AssetCheckSeverity.WARN,
        description=verdict.words,
        metadata=metadata,
    )


def evaluation_metadata(made: Evaluation, settings: Settings, slug: str) -> dict[str, Any]:
    """The metadata of an evaluation of a knowledge base, named by its slug, for people."""
    return {
        **{name: float(value) for name, value in made.metrics.items()},
        "questions": made.question_count,
        "view": dg.MetadataValue.url(view_url(settings, slug, "status#evaluations")),
        "model": made.model,
        **({"answer_model": made.answer_model} if made.answer_model else {}),
        **({"judge_model": made.judge_model} if made.judge_model else {}),
        "worst": dg.MetadataValue.json(worst_results(made)),
    }
