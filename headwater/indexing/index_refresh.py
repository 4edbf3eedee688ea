"""Refreshing the search indexes of a knowledge base.

Belongs here: the order of a refresh, and what people may know of its result, as plain values. Not here: filling the
indexes (`headwater.syncing`), when one may become active (`gate`), Dagster. Guarantee: the old index stays active until
the new one passes the gate; one that failed is judged again only after a change (EMB-2).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.chunking.chunker import to_knowledge_base_settings
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.indexing.gate import GateReport
from headwater.indexing.preparation import prepare
from headwater.indexing.switch import bring_forward, hash_current_settings
from headwater.settings import Settings
from headwater.store.search.search_indexes import INDEX_RETENTION_DAYS
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Refreshed:
    """The result of a refresh.

    `digest` identifies the input, `report` is the gate's report on the index waiting to take over, if any. `row_count`
    counts the entries of the active index; None if there is none yet. `facts` are for people.
    """

    digest: str
    report: GateReport | None
    row_count: int | None
    facts: Mapping[str, Any]


def refresh_search_index(store: Store, settings: Settings, slug: str) -> Refreshed:
    """Bring a knowledge base's indexes into the right states and partitions.

    Raises:
        NotFoundError: there is no such knowledge base.
        ConflictError: it was changed meanwhile.
    """
    digest, digest_before = store.knowledge_bases.index_digest(slug)
    knowledge_base = store.knowledge_bases.get(slug)
    store.search_indexes.drop_unwanted(knowledge_base, hash_current_settings(knowledge_base))
    report = bring_forward(store, settings, knowledge_base)
    active = store.search_indexes.active(slug)
    if active is not None:
        active = prepare(store, settings, knowledge_base, active, is_changed=digest != digest_before)
    store.search_indexes.drop_expired(INDEX_RETENTION_DAYS)
    store.search_indexes.drop_orphan_partitions()
    row_count, facts = _facts(store, knowledge_base, active, report)
    store.knowledge_bases.set_index_digest(slug, digest)
    return Refreshed(digest=digest, report=report, row_count=row_count, facts=facts)


def _facts(
    store: Store, knowledge_base: KnowledgeBase, active: SearchIndex | None, report: GateReport | None
) -> tuple[int | None, dict[str, Any]]:
    if active is None:
        return None, {"active": "no index yet"}
    counts, live = store.index_health.counts(active), store.search_indexes.live(knowledge_base)
    facts: dict[str, Any] = {
        "active": index_name(active),
        "model": active.model,
        "documents": counts.documents,
        "access": "hnsw" if active.shard else "exact",
        "recall_at_10": 1.0 if active.recall is None else active.recall,
        "indexes": ", ".join(f"{index_name(search_index)} ({search_index.state})" for search_index in live),
    }
    if active.ef_search is not None:
        facts["ef_search"] = active.ef_search
    if report is not None:
        facts["gate"] = report.to_json()
    return counts.entries, facts


def index_name(index: SearchIndex) -> str:
    """A search index, named by the settings in which the indexes of a knowledge base differ."""
    sizes = to_knowledge_base_settings(index.chunk_settings)
    return f"{index.model}, {index.language}, chunks of {sizes['chunk_min']} to {sizes['chunk_max']} characters"


def gate_words(report: GateReport | None) -> str:
    """What the gate's report says, for people."""
    if report is None:
        return "No new index waits to become active."
    if report.passed:
        return "The new index passed the gate and is active now."
    return f"The new search index did not pass the gate; the previous one stays active. {report.reason}"
