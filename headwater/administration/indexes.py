"""Choosing the active search index by hand: forward to one that passes the gate, or back (EMB-2).

Belongs here: which index is meant, and the messages. Not here: judging and switching (`headwater.indexing`),
which a sync does by itself. Guarantee: the active index keeps answering until the other one takes over.
"""

from dataclasses import dataclass

from headwater.administration.audit_trail import note
from headwater.administration.management import refuse_managed
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.errors import ConflictError, GateFailedError
from headwater.indexing.gate import GateReport
from headwater.indexing.switch import find_current_index, settings_of, switch_if_passed
from headwater.settings import Settings
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Switched:
    """The active index; `previous` is the one before, None if nothing was switched."""

    index: SearchIndex
    previous: int | None


def switch(store: Store, settings: Settings, slug: str, search_index_id: int | None = None) -> Switched:
    """Make a chosen index active if it passes the gate.

    Args:
        store: the store of the knowledge base.
        settings: the limit for exact scans, and the models.
        slug: the knowledge base.
        search_index_id: the index; by default the one for the current settings.

    Raises:
        NotFoundError: there is no such knowledge base or index.
        ConflictError: no index was built for the current settings, or another process changed something meanwhile,
            or a Dagster project manages it.
        GateFailedError: the index failed the gate; the message says why.
    """
    knowledge_base = store.knowledge_bases.get(slug)
    refuse_managed(knowledge_base)
    if search_index_id is not None:
        index = store.search_indexes.get(knowledge_base, search_index_id)
    elif (current := find_current_index(store, knowledge_base)) is not None:
        index = current
    else:
        raise ConflictError(f"{slug} has no search index for its current settings yet. Sync it first.")
    active = store.search_indexes.active(slug)
    if index.state == "active":
        return Switched(index=index, previous=None)
    report = switch_if_passed(store, settings, knowledge_base, index)
    if not report.passed:
        raise _refusal(slug, index, active, report)
    return _switch(store, knowledge_base, index, active)


def roll_back(store: Store, slug: str) -> Switched:
    """Make the previous index active again; it is not judged, because it was active before.

    Raises:
        NotFoundError: there is no such knowledge base.
        ConflictError: no index is retained, another process changed something meanwhile, or a Dagster project manages
            it.
        GateFailedError: it lacks documents that the active one serves.
    """
    knowledge_base = store.knowledge_bases.get(slug)
    refuse_managed(knowledge_base)
    retained = [index for index in store.search_indexes.live(knowledge_base) if index.state == "retained"]
    if not retained:
        raise ConflictError(
            f"{slug} has no previous search index to go back to. `headwater index list {slug}` lists those it has."
        )
    active = store.search_indexes.active(slug)
    index = max(retained, key=lambda candidate: candidate.retained_at or candidate.created_at)
    store.search_indexes.weigh(index)  # entries published meanwhile, or before the current keyword search, lack weights
    lacking = store.search_indexes.activate(knowledge_base, index, settings_of(knowledge_base, index))
    if lacking:
        raise _refusal(slug, index, active, GateReport.of_missing(lacking))
    return _switch(store, knowledge_base, index, active)


def _refusal(slug: str, index: SearchIndex, active: SearchIndex | None, report: GateReport) -> GateFailedError:
    """What was refused, what answers meanwhile, why, and what to do."""
    still = f"; search index {active.id} stays active" if active is not None else ""
    advice = (
        f" Then run `headwater index switch {slug} {index.id}`."
        if report.waits
        else " Change the settings and sync again, or keep the active index."
    )
    return GateFailedError(f"Search index {index.id} of {slug} was not made active{still}. {report.reason}{advice}")


def _switch(store: Store, knowledge_base: KnowledgeBase, index: SearchIndex, before: SearchIndex | None) -> Switched:
    """Note the switch, and read the active index again."""
    note(store, "search_index.switch", knowledge_base.slug, index=index.id, before=before.id if before else None)
    return Switched(
        index=store.search_indexes.get(knowledge_base, index.id), previous=before.id if before is not None else None
    )
