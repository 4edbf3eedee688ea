"""`search_index`: the index that a knowledge base is searched with.

Belongs here: the asset, its metadata and the check `gate`. Not here: refreshing it
(`headwater.indexing.index_refresh`), other checks (`checks`). Guarantee: Dagster shows what the kernel did; nothing
else is decided here.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.check_specs import knowledge_base_check
from assets.descriptions import SEARCH_LAYER, definition_metadata, describe_asset
from assets.observations import view_url
from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.indexing.gate import GateReport
from headwater.indexing.index_refresh import Refreshed, gate_words, refresh_search_index
from headwater.settings import Settings
from headwater.syncing.stage import Column
from headwater.syncing.stages import STAGES

_COLUMNS = {
    "search_index_id": Column("bigint", "The search index that the entry belongs to."),
    "kind": Column("text", "What the entry stands for: a chunk, or the headings above a chunk."),
    "target_id": Column("uuid", "The chunk, or the headings."),
    "document_id": Column("uuid", "The document that the chunk or the headings belong to."),
    "source_id": Column("bigint", "The source of that document."),
    "title": Column("text", "The document's title."),
    "vector": Column("halfvec", "The vector; search compares it with the vector of the question."),
}
_REPORTED = {
    "dagster/row_count": "The number of entries of the active index.",
    "active": "The active index: its model, its language and its chunk sizes.",
    "model": "The embedding model of the active index.",
    "documents": "The number of documents in the active index.",
    "access": "How search finds vectors: `exact` compares all of them, `hnsw` uses an approximate index.",
    "recall_at_10": "The measured share of the 10 nearest vectors that search finds; 1 if access is exact.",
    "ef_search": "How thoroughly the approximate index is searched: a higher number is slower and finds more.",
    "indexes": "Every index of the knowledge base, with its state.",
    "gate": "The gate's report on a new index that is not active yet, if there is one.",
    "api": "The knowledge base's search indexes in Headwater's HTTP API.",
    "view": "The same on Headwater's pages.",
}


_DESCRIPTION = describe_asset(
    "The index that a knowledge base is searched with: the vectors and the words of its published documents. If you "
    "change the model or the chunk sizes, a second index is built beside the active one. It becomes active when it "
    "passes the check `gate`.",
    "knowledge base",
    _REPORTED,
)
_gate = knowledge_base_check(
    "search_index",
    "gate",
    "The index for the current settings is good enough to become active. If it fails, the previous index stays "
    "active. A failure is an error; it is only a warning if documents are missing that a sync will add. The check "
    "cannot run alone: it runs when search_index is made. Metadata: `gate` has each criterion with its measured "
    "value and its limit.",
)


@dg.asset(
    partitions_def=KNOWLEDGE_BASES,
    deps=[dg.AssetDep(stage.name, partition_mapping=dg.AllPartitionMapping()) for stage in STAGES if stage.is_searched],
    group_name=SEARCH_LAYER,
    kinds={"postgres"},
    code_version="1",
    description=_DESCRIPTION,
    metadata=definition_metadata("search_entries", _COLUMNS, "docs/syncing.md"),
    check_specs=[_gate],
)
def search_index(context: dg.AssetExecutionContext, store: StoreResource) -> Iterator[dg.MaterializeResult[None]]:
    """The vectors and words with which search finds the documents of one knowledge base."""
    with store.open() as (open_store, settings):
        refreshed = refresh_search_index(open_store, settings, context.partition_key)
    metadata = index_metadata(refreshed, settings, context.partition_key)
    yield dg.MaterializeResult(
        data_version=dg.DataVersion(refreshed.digest), metadata=metadata, check_results=[gate_result(refreshed.report)]
    )


def index_metadata(done: Refreshed, settings: Settings, slug: str) -> dict[str, Any]:
    """The metadata of a refresh for people."""
    metadata = dict(done.facts)
    if done.row_count is not None:
        metadata["dagster/row_count"] = done.row_count
    metadata["api"] = dg.MetadataValue.url(f"{settings.api_url}/api/v1/knowledge-bases/{slug}/search-indexes")
    metadata["view"] = dg.MetadataValue.url(view_url(settings, slug, "status"))
    return metadata


def gate_result(report: GateReport | None) -> dg.AssetCheckResult:
    """The gate's report as a check; passed if there is no report."""
    return dg.AssetCheckResult(
        check_name="gate",
        passed=report is None or report.passed,
        severity=dg.AssetCheckSeverity.WARN if report and report.waits else dg.AssetCheckSeverity.ERROR,
        description=gate_words(report),
        metadata={"gate": dg.MetadataValue.json(report.to_json())} if report else {},
    )
