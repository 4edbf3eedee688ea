"""Switching to another search index when it passes the gate (EMB-2).

Belongs here: the order of preparing, judging and switching. Not here: switching by hand
(`headwater.administration.indexes`), the transaction that switches (`headwater.store.search.search_indexes`).
Guarantee: the active index keeps answering until the other one takes over; afterwards the knowledge base has the
settings of the active index.
"""

from headwater.chunking.chunker import chunk_settings, settings_hash, to_knowledge_base_settings
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import SearchIndex
from headwater.indexing.gate import GateReport, completeness, judge
from headwater.indexing.preparation import prepare
from headwater.settings import Settings
from headwater.store.store import Store


def find_current_index(store: Store, knowledge_base: KnowledgeBase) -> SearchIndex | None:
    """The index for a knowledge base's current settings; None if no sync has begun to build it."""
    current_hash = hash_current_settings(knowledge_base)
    for index in store.search_indexes.live(knowledge_base):
        if index.is_for(knowledge_base.settings, current_hash):
            return index
    return None


def hash_current_settings(knowledge_base: KnowledgeBase) -> bytes:
    """The hash of a knowledge base's current chunk settings."""
    return settings_hash(chunk_settings(knowledge_base.settings))


def bring_forward(store: Store, settings: Settings, knowledge_base: KnowledgeBase) -> GateReport | None:
    """Make the index for the current settings active if it passes the gate.

    Returns:
        The report of the gate; None if the index is already active, or does not exist yet.

    Raises:
        ConflictError: the knowledge base was changed meanwhile.
    """
    index = find_current_index(store, knowledge_base)
    if index is None or index.state == "active":
        return None
    return switch_if_passed(store, settings, knowledge_base, index)


def settings_of(knowledge_base: KnowledgeBase, index: SearchIndex) -> KnowledgeBaseSettings:
    """The knowledge base's settings, changed to those of the index."""
    index_settings = {
        "embedding_model": index.model,
        "language": index.language,
        **to_knowledge_base_settings(index.chunk_settings),
    }
    return KnowledgeBaseSettings.model_validate({**knowledge_base.settings.model_dump(), **index_settings})


def switch_if_passed(store: Store, settings: Settings, knowledge_base: KnowledgeBase, index: SearchIndex) -> GateReport:
    """Prepare an index, judge it, and make it active if it passes; returns the report.

    An incomplete index is not prepared, because its partition would still grow.

    Raises:
        ConflictError: the knowledge base was changed meanwhile.
    """
    if not store.search_indexes.lacking(index):
        index = prepare(store, settings, knowledge_base, index)
    report = judge(store, settings, knowledge_base, index)
    if not report.passed:
        return report
    lacking = store.search_indexes.activate(knowledge_base, index, settings_of(knowledge_base, index))
    if lacking:  # a sync has published into the other index in between, and will publish into this one next
        report = GateReport(criteria=(completeness(lacking),), judged_at=report.judged_at)
        store.search_indexes.record_gate(index, report.to_json())
    return report
