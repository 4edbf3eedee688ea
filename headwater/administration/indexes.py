"""Choosing by hand which search index answers: forward to one that passes the gate, or back (EMB-2).

Belongs here: which index someone means, and what they are told. Not here: judging and switching (`headwater.indexing`),
which a sync does by itself. Guarantee: what answers now goes on answering until the other one does.
"""

from dataclasses import dataclass

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.errors import ConflictError, GateFailedError
from headwater.indexing.gate import completeness
from headwater.indexing.switching import settings_of, switch_if_passed, wanted_index
from headwater.settings import Settings
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Switched:
    """What answers now; `previous` is the index that did before, None when nothing was switched."""

    index: SearchIndex
    previous: int | None


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
    report = switch_if_passed(store, settings, knowledge_base, index)
    if not report.passed:
        raise GateFailedError(f"Search index {index.id} of {slug} may not answer. {report.reason}")
    return _switched(store, knowledge_base, index, active)


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
    return _switched(store, knowledge_base, index, active)


def _switched(store: Store, knowledge_base: KnowledgeBase, index: SearchIndex, before: SearchIndex | None) -> Switched:
    """Read again what answers now."""
    return Switched(
        index=store.search_indexes.get(knowledge_base, index.id), previous=before.id if before is not None else None
    )
