"""Which search index answers: forward when it passes the gate, back when someone says so (EMB-2).

Belongs here: the order of preparing, judging and switching, for the asset, the command line and the API alike. Not
here: the transaction that switches (`headwater.store.search.index_switching`). Guarantee: what answers now goes on
answering until the other one does; afterwards the knowledge base's settings are those of what answers.
"""

from dataclasses import dataclass

from headwater.chunking.chunker import chosen_sizes, chunk_settings, settings_hash
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import SearchIndex
from headwater.errors import ConflictError, GateFailedError
from headwater.indexing.gate import GateReport, completeness, judge
from headwater.indexing.preparing import prepare
from headwater.settings import Settings
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Switched:
    """What answers now; `previous` is the index that did before, None when nothing was switched."""

    index: SearchIndex
    previous: int | None


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
    return _try(store, settings, knowledge_base, index)


def switch(store: Store, settings: Settings, slug: str, search_index_id: int | None = None) -> Switched:
    """Let an index answer that someone chose, if it passes the gate.

    Args:
        store: where it is.
        settings: what is large, and where the models are.
        slug: the knowledge base.
        search_index_id: the index; that of the present settings when not given.

    Raises:
        NotFoundError: there is no such knowledge base or index.
        ConflictError: nothing has been built for the present settings, or someone else changed something meanwhile.
        GateFailedError: it may not answer; the message says why.
    """
    knowledge_base = store.knowledge_bases.get(slug)
    if search_index_id is not None:
        index = store.search_indexes.get(knowledge_base, search_index_id)
    elif (wanted := wanted_index(store, knowledge_base)) is not None:
        index = wanted
    else:
        raise ConflictError(f"No search index of the present settings of {slug} was built yet. Sync it first.")
    active = store.search_indexes.active(slug)
    if index.state == "active":
        return Switched(index=index, previous=None)
    report = _try(store, settings, knowledge_base, index)
    if not report.passed:
        raise GateFailedError(f"Search index {index.id} of {slug} may not answer. {report.reason}")
    return Switched(
        index=store.search_indexes.get(knowledge_base, index.id), previous=active.id if active is not None else None
    )


def roll_back(store: Store, slug: str) -> Switched:
    """Let the index answer again that was last switched away from; it is not judged, since it has answered before.

    Raises:
        NotFoundError: there is no such knowledge base.
        ConflictError: no index is retained, or someone else changed something meanwhile.
        GateFailedError: it lacks documents that the active one serves.
    """
    knowledge_base = store.knowledge_bases.get(slug)
    retained = [index for index in store.search_indexes.live(knowledge_base) if index.state == "retained"]
    if not retained:
        raise ConflictError(f"{slug} has no search index to go back to.")
    active = store.search_indexes.active(slug)
    index = max(retained, key=lambda one: one.retained_at or one.created_at)
    store.search_indexes.weigh(index)  # what was published into it meanwhile, or before keyword search was as it is
    lacking = store.search_indexes.activate(knowledge_base, index, settings_of(knowledge_base, index))
    if lacking:
        raise GateFailedError(f"Search index {index.id} of {slug} may not answer. {completeness(lacking).words}")
    return Switched(
        index=store.search_indexes.get(knowledge_base, index.id), previous=active.id if active is not None else None
    )


def settings_of(knowledge_base: KnowledgeBase, index: SearchIndex) -> KnowledgeBaseSettings:
    """The knowledge base's settings, with those that the index belongs to."""
    chosen = {
        "embedding_model": index.model,
        "language": index.language,
        **chosen_sizes(index.chunk_settings),
    }
    return KnowledgeBaseSettings.model_validate({**knowledge_base.settings.model_dump(), **chosen})


def _try(store: Store, settings: Settings, knowledge_base: KnowledgeBase, index: SearchIndex) -> GateReport:
    """Prepare, judge and switch; an index that is still incomplete is not prepared, since its partition would grow."""
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
