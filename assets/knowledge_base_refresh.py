"""Refreshing a knowledge base in the run that changed it.

Belongs here: refreshing after the last source of a run, and reporting it to Dagster. Not here: making the index, the
checks, the evaluation, the suggestions and the summary (`search_index`, `checks`, `evaluation`, `suggestions`,
`knowledge_base_summary`). Guarantee: one refresh at a time per knowledge base; if a refresh fails here, a later sync
repeats it, and that of the index the sensor too, because the digest still differs. The summary and the suggestions come
last, and each fails alone: a model that one of them calls keeps nothing else from being refreshed.

A separate run would take as long as a small sync, most of it for Dagster.
"""

from collections.abc import Callable, Iterable
from itertools import chain

import dagster as dg

from assets import dagster_events
from assets.check_specs import check_evaluation
from assets.checks import check_search_index
from assets.evaluation import check_quality, evaluation_metadata
from assets.knowledge_base_summary import (
    KNOWLEDGE_BASE_SUMMARY,
    check_summary,
    explain_skip,
    refresh_summary,
    summary_metadata,
)
from assets.search_index import gate_result, index_metadata
from assets.suggestions import to_check_metadata
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import NotFoundError
from headwater.evaluation.evaluation_refresh import data_version, refresh_evaluation
from headwater.indexing.index_refresh import refresh_search_index
from headwater.questions.suggestion_refresh import refresh_suggestions
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.summaries.knowledge_base_tree import is_current
from headwater.syncing.questions import QUESTIONS
from headwater.syncing.stages import STAGES
from headwater.syncing.summary_tree import SUMMARY_TREE
from headwater.syncing.sync_failures import explain_failure

_CODE_VERSION = "1"


def refresh_if_changed(context: dg.AssetExecutionContext, store: Store, settings: Settings, slug: str) -> str | None:
    """Refresh a knowledge base whose sources, settings, golden set or summaries changed, unless other runs sync it.

    Args:
        context: of the step that synced its sources.
        store: the open store.
        settings: the settings of the environment.
        slug: the knowledge base.

    Returns:
        Why it could not be refreshed, or None.
    """
    try:
        knowledge_base = store.knowledge_bases.get(slug)
        if store.workers.is_worked_at(knowledge_base.id):
            return None  # the run that ends last refreshes
        with store.workers.hold_refresh(knowledge_base.id):
            digest, refreshed = store.knowledge_bases.index_digest(slug)
            if digest != refreshed:
                _refresh(context, store, settings, slug)
            steps = (_summarize, _suggest)  # answers made ahead may cite the summary
            reasons = [_failure_of(step, context, store, settings, knowledge_base) for step in steps]
            return "; ".join(filter(None, reasons)) or None
    except NotFoundError:
        return None  # deleted or renamed meanwhile
    except Exception as error:  # noqa: BLE001 - whatever it is, the sources of the run were synced
        return _log(context, slug, error)


def _failure_of(
    step: Callable[[dg.AssetExecutionContext, Store, Settings, KnowledgeBase], None],
    context: dg.AssetExecutionContext,
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
) -> str | None:
    """Take a step; returns why it failed, or None."""
    try:
        step(context, store, settings, knowledge_base)
    except NotFoundError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the next step does not depend on this one
        return _log(context, knowledge_base.slug, error)
    return None


def _log(context: dg.AssetExecutionContext, slug: str, error: Exception) -> str:
    reason = explain_failure(error).reason
    with dagster_events.storage():
        context.log.error(f"{slug} could not be refreshed: {reason}", exc_info=error)
    return reason


def _refresh(context: dg.AssetExecutionContext, store: Store, settings: Settings, slug: str) -> None:
    dagster_events.announce(context, slug, ["search_index"])
    refreshed = refresh_search_index(store, settings, slug)
    dagster_events.record(
        context,
        key=slug,
        stage="search_index",
        parents={stage.name: refreshed.digest for stage in STAGES if stage.is_searched},
        data_version=refreshed.digest,
        code_version=_CODE_VERSION,
        metadata=index_metadata(refreshed, settings, slug),
    )
    checks = check_search_index(store, slug, is_spot=True)
    _tell(context, slug, chain([gate_result(refreshed.report)], checks), "search_index")
    _evaluate(context, store, settings, slug, refreshed.digest)


def _evaluate(context: dg.AssetExecutionContext, store: Store, settings: Settings, slug: str, digest: str) -> None:
    try:
        new_evaluation = refresh_evaluation(store, settings, slug, context.run.run_id)
    except Exception:
        dagster_events.announce(context, slug, ["evaluation"])  # planned but not made, which turns it red
        raise
    if new_evaluation is None:
        return
    dagster_events.record(
        context,
        key=slug,
        stage="evaluation",
        parents={"search_index": digest},
        data_version=data_version(new_evaluation),
        code_version=_CODE_VERSION,
        metadata=evaluation_metadata(new_evaluation, settings, slug),
    )
    _tell(context, slug, [check_quality(store, slug)], "evaluation")


def _summarize(
    context: dg.AssetExecutionContext, store: Store, settings: Settings, knowledge_base: KnowledgeBase
) -> None:
    if is_current(store, knowledge_base):
        return
    try:
        refreshed = refresh_summary(store, settings, knowledge_base, context.run.run_id)
    except Exception:
        dagster_events.announce(context, knowledge_base.slug, [KNOWLEDGE_BASE_SUMMARY])
        raise
    if refreshed.is_over_budget or not store.knowledge_base_summaries.has_tree(knowledge_base):
        with dagster_events.storage():
            context.log.info(explain_skip(knowledge_base, refreshed))
        return
    version, metadata = summary_metadata(store, settings, knowledge_base, refreshed)
    dagster_events.record(
        context,
        key=knowledge_base.slug,
        stage=KNOWLEDGE_BASE_SUMMARY,
        parents={SUMMARY_TREE.name: version},
        data_version=version,
        code_version=_CODE_VERSION,
        metadata=metadata,
    )
    _tell(context, knowledge_base.slug, check_summary(store, knowledge_base), KNOWLEDGE_BASE_SUMMARY)


def _suggest(
    context: dg.AssetExecutionContext, store: Store, settings: Settings, knowledge_base: KnowledgeBase
) -> None:
    """Check the questions that are new, or whose document has changed, even if the search index has not."""
    slug = knowledge_base.slug
    try:
        suggested = refresh_suggestions(store, settings, slug, context.run.run_id, context.log.info)
    except Exception:
        dagster_events.announce(context, slug, ["suggestions"])  # planned but not made, which turns it red
        raise
    if suggested is None:
        return
    digest, _ = store.knowledge_bases.index_digest(slug)
    dagster_events.record(
        context,
        key=slug,
        stage="suggestions",
        parents={"search_index": digest, QUESTIONS.name: suggested.data_version},
        data_version=suggested.data_version,
        code_version=_CODE_VERSION,
        metadata=to_check_metadata(suggested, settings, slug),
    )


def _tell(context: dg.AssetExecutionContext, slug: str, results: Iterable[dg.AssetCheckResult], asset: str) -> None:
    """Log the results of an asset's checks: all looked at what was just made, since one process refreshes at a time."""
    target = dagster_events.check_target(context.instance, asset, slug)
    for result in results:
        with dagster_events.storage():
            context.log_event(check_evaluation(result, asset, slug, target))
