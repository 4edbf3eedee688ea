"""`search_index`: the index that a knowledge base answers from.

Belongs here: refreshing the indexes of one knowledge base, and their metadata. Not here: filling them
(`headwater.syncing`), when one may become active (`headwater.indexing`), other checks (`checks`). Guarantee: the old
index answers until the new one passes the gate; one that failed is judged again only after a change (EMB-2).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import dagster as dg

from assets.check_specs import knowledge_base_check
from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.indexing.gate import GateReport
from headwater.indexing.preparing import prepare
from headwater.indexing.switching import bring_forward, wanted_hash
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.syncing.stages import STAGES


@dataclass(frozen=True, kw_only=True, slots=True)
class Refreshed:
    """The result of a refresh.

    `digest` identifies the input, `report` is the gate's report on the index waiting to take over, if any.
    """

    digest: str
    report: GateReport | None
    metadata: dict[str, Any]


@dg.asset(
    partitions_def=KNOWLEDGE_BASES,
    deps=[dg.AssetDep(stage.name, partition_mapping=dg.AllPartitionMapping()) for stage in STAGES if stage.is_searched],
    group_name="knowledge_base",
    kinds={"postgres"},
    code_version="1",
    check_specs=[
        knowledge_base_check(
            "search_index",
            "gate",
            "The index of the present settings may answer; while it may not, the old one goes on.",
        )
    ],
)
def search_index(context: dg.AssetExecutionContext, store: StoreResource) -> Iterator[dg.MaterializeResult[None]]:
    """Vectors and words of one knowledge base, as search reads them."""
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
    store.knowledge_bases.set_index_digest(slug, digest)
    return Refreshed(digest=digest, report=report, metadata=metadata)


def _metadata(
    store: Store, knowledge_base: KnowledgeBase, active: SearchIndex | None, report: GateReport | None
) -> dict[str, Any]:
    if active is None:
        return {"active": "none"}
    counts = store.index_health.counts(active)
    metadata: dict[str, Any] = {
        "dagster/row_count": counts.entries,
        "active": active.id,
        "model": active.model,
        "documents": counts.documents,
        "access": "hnsw" if active.shard else "exact",
        "recall_at_10": 1.0 if active.recall is None else active.recall,
        "indexes": len(store.search_indexes.live(knowledge_base)),
    }
    if active.ef_search is not None:
        metadata["ef_search"] = active.ef_search
    if report is not None:
        metadata["gate"] = dg.MetadataValue.json(report.to_json())
    return metadata


def gate_result(report: GateReport | None) -> dg.AssetCheckResult:
    """The gate's report as a check; passed if there is no report."""
    if report is None:
        return dg.AssetCheckResult(
            check_name="gate", passed=True, description="No other index is to take over from the one that answers."
        )
    return dg.AssetCheckResult(
        check_name="gate",
        passed=report.passed,
        severity=dg.AssetCheckSeverity.WARN if report.waits else dg.AssetCheckSeverity.ERROR,
        description=_words(report),
        metadata={"gate": dg.MetadataValue.json(report.to_json())},
    )


def _words(report: GateReport) -> str:
    if report.passed:
        return "The new index passed and answers now."
    return f"The new search index did not pass the gate; the one before goes on answering. {report.reason}"
