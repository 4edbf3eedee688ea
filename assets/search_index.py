"""`search_index`: the index that a knowledge base is searched with.

Belongs here: refreshing the indexes of one knowledge base, and their metadata. Not here: filling them
(`headwater.syncing`), when one may become active (`headwater.indexing`), other checks (`checks`). Guarantee: the old
index stays active until the new one passes the gate; one that failed is judged again only after a change (EMB-2).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import dagster as dg

from assets.check_specs import knowledge_base_check
from assets.describing import SEARCH_LAYER, definition_metadata, described
from assets.observing import view_url
from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.chunking.chunker import chosen_sizes
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.indexing.gate import GateReport
from headwater.indexing.preparing import prepare
from headwater.indexing.switching import bring_forward, wanted_hash
from headwater.settings import Settings
from headwater.store.store import Store
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Refreshed:
    """The result of a refresh.

    `digest` identifies the input, `report` is the gate's report on the index waiting to take over, if any.
    """

    digest: str
    report: GateReport | None
    metadata: dict[str, Any]


_DESCRIPTION = described(
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
    with store.open() as (opened, settings):
        done = refresh_search_index(opened, settings, context.partition_key)
    yield dg.MaterializeResult(
        data_version=dg.DataVersion(done.digest), metadata=done.metadata, check_results=[gate_result(done.report)]
    )


def refresh_search_index(store: Store, settings: Settings, slug: str) -> Refreshed:
    """Bring a knowledge base's indexes into the right states and partitions.

    Raises:
        NotFoundError: there is no such knowledge base.
        ConflictError: it was changed meanwhile.
    """
    digest, before = store.knowledge_bases.index_digest(slug)
    knowledge_base = store.knowledge_bases.get(slug)
    store.search_indexes.drop_unwanted(knowledge_base, wanted_hash(knowledge_base))
    report = bring_forward(store, settings, knowledge_base)
    active = store.search_indexes.active(slug)
    if active is not None:
        active = prepare(store, settings, knowledge_base, active, is_changed=digest != before)
    store.search_indexes.drop_expired(settings.index_retention_days)
    store.search_indexes.drop_orphan_partitions()
    metadata = _metadata(store, knowledge_base, active, report)
    metadata["api"] = dg.MetadataValue.url(f"{settings.api_url}/api/v1/knowledge-bases/{slug}/search-indexes")
    metadata["view"] = dg.MetadataValue.url(view_url(settings, slug, "status"))
    store.knowledge_bases.set_index_digest(slug, digest)
    return Refreshed(digest=digest, report=report, metadata=metadata)


def _metadata(
    store: Store, knowledge_base: KnowledgeBase, active: SearchIndex | None, report: GateReport | None
) -> dict[str, Any]:
    if active is None:
        return {"active": "no index yet"}
    counts, live = store.index_health.counts(active), store.search_indexes.live(knowledge_base)
    metadata: dict[str, Any] = {
        "dagster/row_count": counts.entries,
        "active": index_name(active),
        "model": active.model,
        "documents": counts.documents,
        "access": "hnsw" if active.shard else "exact",
        "recall_at_10": 1.0 if active.recall is None else active.recall,
        "indexes": ", ".join(f"{index_name(one)} ({one.state})" for one in live),
    }
    if active.ef_search is not None:
        metadata["ef_search"] = active.ef_search
    if report is not None:
        metadata["gate"] = dg.MetadataValue.json(report.to_json())
    return metadata


def index_name(index: SearchIndex) -> str:
    """A search index, named by the settings in which the indexes of a knowledge base differ."""
    sizes = chosen_sizes(index.chunk_settings)
    return f"{index.model}, {index.language}, chunks of {sizes['chunk_min']} to {sizes['chunk_max']} characters"


def gate_result(report: GateReport | None) -> dg.AssetCheckResult:
    """The gate's report as a check; passed if there is no report."""
    if report is None:
        return dg.AssetCheckResult(check_name="gate", passed=True, description="No new index waits to become active.")
    return dg.AssetCheckResult(
        check_name="gate",
        passed=report.passed,
        severity=dg.AssetCheckSeverity.WARN if report.waits else dg.AssetCheckSeverity.ERROR,
        description=_words(report),
        metadata={"gate": dg.MetadataValue.json(report.to_json())},
    )


def _words(report: GateReport) -> str:
    if report.passed:
        return "The new index passed the gate and is active now."
    return f"The new search index did not pass the gate; the previous one stays active. {report.reason}"
