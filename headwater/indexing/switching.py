"""Which search index answers: another one does once it passes the gate (EMB-2).

Belongs here: the order of preparing, judging and switching. Not here: switching by hand
(`headwater.administration.indexes`), the transaction that switches (`headwater.store.search.index_switching`).
Guarantee: what answers now goes on answering until the other one does; afterwards the knowledge base's settings are
those of what answers.
"""

from headwater.chunking.chunker import chosen_sizes, chunk_settings, settings_hash
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import SearchIndex
from headwater.indexing.gate import GateReport, completeness, judge
from headwater.indexing.preparing import prepare
from headwater.settings import Settings
from headwater.store.store import Store


def wanted_index(store: Store, knowledge_base: KnowledgeBase) -> SearchIndex | None:
    """The index of a knowledge base's present settings; None when no sync has begun to build it."""
    wanted = wanted_hash(knowledge_base)
    for index in store.search_indexes.live(knowledge_base):
        if index.is_for(knowledge_base.settings, wanted):
            return index
    return None


def wanted_hash(knowledge_base: KnowledgeBase) -> bytes:
    """The hash of a knowledge base's present chunk settings."""
    return settings_hash(chunk_settings(knowledge_base.settings))


def bring_forward(store: Store, settings: Settings, knowledge_base: KnowledgeBase) -> GateReport | None:
    """Let the index of the present settings answer if it passes the gate.

    Returns:
        What it was judged by; None when it answers already, or when there is none yet.

    Raises:
        ConflictError: the knowledge base was changed meanwhile.
    """
    index = wanted_index(store, knowledge_base)
    if index is None or index.state == "active":
        return None
    return switch_if_passed(store, settings, knowledge_base, index)


def settings_of(knowledge_base: KnowledgeBase, index: SearchIndex) -> KnowledgeBaseSettings:
    """The knowledge base's settings, with those that the index belongs to."""
    chosen = {
        "embedding_model": index.model,
        "language": index.language,
        **chosen_sizes(index.chunk_settings),
    }
    return KnowledgeBaseSettings.model_validate({**knowledge_base.settings.model_dump(), **chosen})


def switch_if_passed(store: Store, settings: Settings, knowledge_base: KnowledgeBase, index: SearchIndex) -> GateReport:
    """Prepare an index, judge it, and let it answer if it passes; returns what it was judged by.

    One that is still incomplete is not prepared, since its partition would grow.

    Raises:
        ConflictError: the knowledge base was changed meanwhile.
    """
    if not store.search_indexes.lacking(index):
        index = prepare(store, settings, knowledge_base, index)
    report = judge(store, settings, knowledge_base, index)
    if not report.passed:
        return report
    lacking = store.search_indexes.activate(knowledge_base, index, settings_of(knowledge_base, index))
    if lacking:  # a sync has published in between, and is about to publish here too
        report = GateReport(criteria=(completeness(lacking),), judged_at=report.judged_at)
        store.search_indexes.record_gate(index, report.to_json())
    return report
