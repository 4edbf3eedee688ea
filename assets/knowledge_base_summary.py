"""`knowledge_base_summary`: the summary of a knowledge base, made of those of its sources.

Belongs here: the asset, its metadata, its checks. Not here: the tree itself
(`headwater.summaries.knowledge_base_tree`), when it is refreshed in a sync (`knowledge_base_refresh`). Guarantee: if no
summary of a source changed, nothing is called or written; readers see the old tree until the new one is complete
(SUM-1).
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.check_specs import knowledge_base_check, log_results
from assets.descriptions import CONTENT_LAYER, definition_metadata, describe_asset
from assets.observations import view_url
from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater import __version__
from headwater.domain.corpus import KnowledgeBase, Lineage
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.summaries.knowledge_base_tree import Refreshed, is_current, refresh
from headwater.syncing.stage import Column
from headwater.syncing.summary_tree import SUMMARY_TREE

KNOWLEDGE_BASE_SUMMARY = "knowledge_base_summary"
_PATHS, _FITS = "one_path", "fits_sources"
_COLUMNS = {
    "id": Column("uuid", "The node's id, which stays the same while its text changes."),
    "kind": Column("text", "What the summary is of: a group of sources, or the knowledge base."),
    "summary_key": Column("bytea", "The hash of what is summarised, and how."),
    "parent_id": Column("uuid", "The node above; none for that of the knowledge base."),
    "knowledge_base_id": Column("bigint", "The knowledge base."),
}
_REPORTED = {
    "dagster/row_count": "The number of nodes above the sources.",
    "summary": "The summary of the knowledge base.",
    "summarized": "The number of summaries that were made in this run, above the sources.",
    "reused": "The number of summaries that the new tree needed and that existed: calls that were saved.",
    "summary_tokens": "The tokens that those summaries took.",
    "summary_cost_usd": "Their cost in US dollars; missing if the price of the model is not known.",
    "nodes": "The number of nodes of each kind in the whole tree, with those of the sources.",
    "api": "The tree in Headwater's HTTP API.",
    "view": "The tree on Headwater's pages.",
}


@dg.asset(
    partitions_def=KNOWLEDGE_BASES,
    deps=[dg.AssetDep(SUMMARY_TREE.name, partition_mapping=dg.AllPartitionMapping())],
    group_name=CONTENT_LAYER,
    kinds={"postgres", "python"},
    code_version="1",
    output_required=False,
    description=describe_asset(
        "The summary of a whole knowledge base, made of the summaries of its sources, and of groups of them if there "
        "are many. Only what changed is summarised again. There is none unless the knowledge base sets "
        "`summary_model`. If a run's `summary_budget` is spent, the old summary stays, and the next run goes on.",
        "knowledge base",
        _REPORTED,
    ),
    metadata=definition_metadata("summary_tree", _COLUMNS, "docs/summaries.md"),
)
def knowledge_base_summary(
    context: dg.AssetExecutionContext, store: StoreResource
) -> Iterator[dg.MaterializeResult[None]]:
    """The summary of one knowledge base; skipped without a summary model, or if its budget is spent."""
    with store.open() as (open_store, settings):
        knowledge_base = open_store.knowledge_bases.get(context.partition_key)
        with open_store.workers.hold_refresh(knowledge_base.id):
            refreshed = refresh_summary(open_store, settings, knowledge_base, context.run.run_id)
        if refreshed.is_over_budget or not open_store.knowledge_base_summaries.has_tree(knowledge_base):
            context.log.info(explain_skip(knowledge_base, refreshed))
            return
        version, metadata = summary_metadata(open_store, settings, knowledge_base, refreshed)
    yield dg.MaterializeResult(data_version=dg.DataVersion(version), metadata=metadata)


def refresh_summary(store: Store, settings: Settings, knowledge_base: KnowledgeBase, run_id: str) -> Refreshed:
    """Bring a knowledge base's summary up to date.

    Raises:
        ModelUnavailableError, RateLimitedError: the model does not answer; the old tree stays.
    """
    return refresh(store, settings, knowledge_base, Lineage(run_id=run_id, code_version=__version__))


def explain_skip(knowledge_base: KnowledgeBase, done: Refreshed) -> str:
    """Why there is no new summary."""
    if done.is_over_budget:
        return (
            f"{knowledge_base.slug}: the summary of the knowledge base stopped at the budget of "
            f"{knowledge_base.settings.summary_budget:,} tokens. The next sync goes on."
        )
    return f"{knowledge_base.slug} has no summary: it sets no summary_model, or no source has a text."


def summary_metadata(
    store: Store, settings: Settings, knowledge_base: KnowledgeBase, done: Refreshed
) -> tuple[str, dict[str, Any]]:
    """The data version of a knowledge base's summary, and its metadata for people."""
    summaries = store.knowledge_base_summaries
    version, count = summaries.digest(knowledge_base)
    nodes = {kind.value: kind_count for kind, kind_count in summaries.counts(knowledge_base).items()}
    return version, {
        "dagster/row_count": count,
        "summary": summaries.text(knowledge_base) or "",
        "summarized": done.made,
        "reused": done.reused,
        "summary_tokens": done.tokens,
        **({} if done.cost_usd is None else {"summary_cost_usd": done.cost_usd}),
        "nodes": dg.MetadataValue.json(nodes),
        "api": dg.MetadataValue.url(f"{settings.api_url}/api/v1/knowledge-bases/{knowledge_base.slug}/tree"),
        "view": dg.MetadataValue.url(view_url(settings, knowledge_base.slug, "contents#summaries")),
    }


_WHEN = (
    "It runs after each new summary of a knowledge base, every week, and for every knowledge base with a summary model "
    "when you choose Execute all."
)
_SPECS = [
    knowledge_base_check(
        KNOWLEDGE_BASE_SUMMARY,
        _PATHS,
        "Every chunk of a summarised document is below the summary of the knowledge base, by exactly one path. "
        f"Metadata: `count` is the number of chunks that are not, `examples` names some of their documents. {_WHEN}",
    ),
    knowledge_base_check(
        KNOWLEDGE_BASE_SUMMARY,
        _FITS,
        "The tree is the one of its sources' summaries as they are now. A failure is a warning: the next sync makes "
        f"the tree again, as far as its budget and its model let it. {_WHEN}",
    ),
]


@dg.multi_asset_check(name="knowledge_base_summary_checks", specs=_SPECS, can_subset=True)
def knowledge_base_summary_checks(
    context: dg.AssetCheckExecutionContext, store: StoreResource
) -> Iterator[dg.AssetCheckResult]:
    """Look for defects in the summary tree of a knowledge base."""
    selected = {key.name for key in context.selected_asset_check_keys}
    with store.open() as (open_store, _):
        if context.has_partition_key:
            results = check_summary(open_store, open_store.knowledge_bases.get(context.partition_key))
            yield from (result for result in results if result.check_name in selected)
            return
        every = open_store.knowledge_bases.all(limit=100_000)
        for knowledge_base in (candidate for candidate in every if candidate.settings.summary_model is not None):
            results = check_summary(open_store, knowledge_base)
            chosen_results = [result for result in results if result.check_name in selected]
            log_results(context, chosen_results, KNOWLEDGE_BASE_SUMMARY, knowledge_base.slug)


def check_summary(store: Store, knowledge_base: KnowledgeBase) -> list[dg.AssetCheckResult]:
    """Check the summary tree of one knowledge base; it passes if there is none."""
    count, examples = 0, list[str]()
    if store.knowledge_base_summaries.has_tree(knowledge_base):
        count, examples = store.knowledge_base_summaries.chunks_off_the_tree(knowledge_base)
    has_fit = is_current(store, knowledge_base)
    return [
        dg.AssetCheckResult(
            check_name=_PATHS,
            passed=count == 0,
            description=f"{count} chunks are not below the summary by exactly one path.",
            metadata={"count": count, **({"examples": dg.MetadataValue.json(examples)} if examples else {})},
        ),
        dg.AssetCheckResult(
            check_name=_FITS,
            passed=has_fit,
            severity=dg.AssetCheckSeverity.WARN,
            description="The tree fits." if has_fit else "A source's summary, or a setting, is newer than the tree.",
        ),
    ]
