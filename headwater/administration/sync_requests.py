"""Requesting syncs, and cancelling them (API-2).

Belongs here: which sources a request covers. Not here: storing requests (`headwater.store.work.syncs`), the work
(`headwater.syncing`), running it. Guarantee: a request is stored before anything happens.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from headwater.administration.audit_trail import audit_transaction
from headwater.administration.management import refuse_managed
from headwater.domain.corpus import Source
from headwater.errors import InvalidInputError, SyncAlreadyRunningError
from headwater.store.store import Store
from headwater.store.work.syncs import Origin


class RequestedSync(NamedTuple):
    """A requested sync and its sources."""

    id: int
    sources: list[Source]


def request_sync(
    store: Store,
    knowledge_base: str,
    slugs: Sequence[str],
    origin: Origin,
    batch: str | None = None,
    *,
    is_full: bool = False,
    confirms_deletions: bool = False,
) -> RequestedSync:
    """Request a sync of some sources, or of all that are not paused and that no Dagster project manages.

    Args:
        store: the store of the knowledge base.
        knowledge_base: its slug.
        slugs: the sources; empty means all.
        origin: who requests it. A request of the API joins a waiting request for the same sources.
        batch: the name of the run, if the caller runs it himself and holds its lock.
        is_full: read every document again, without trusting fingerprints.
        confirms_deletions: the sync may remove as many documents as the last one of each source held back.

    Raises:
        NotFoundError: there is no such knowledge base or source.
        InvalidInputError: the knowledge base has no sources.
        SourcePausedError: a named one is paused, or all are.
        ConflictError: a named one is being deleted; or a Dagster project manages it, or all of them.
        SyncAlreadyRunningError: a live worker is syncing one of them.
    """
    owner = store.knowledge_bases.get(knowledge_base)
    sources = store.sources.select(knowledge_base, slugs)
    if not sources:
        raise InvalidInputError(
            f"{knowledge_base} has no sources yet. Add one to its file, such as `sources: [{{slug: docs, kind: "
            "markdown_tree, path: /srv/docs}]`, and run `headwater apply FILE`; or send one to POST "
            f"/api/v1/knowledge-bases/{knowledge_base}/sources."
        )
    free = [source for source in sources if source.managed_by is None]
    if slugs or not free:
        for source in sources:
            refuse_managed(source)
    sources = free
    if confirms_deletions:
        _confirm_deletions(store, sources)
    with audit_transaction(store) as note:
        sync_id = store.syncs.request(owner.id, sources, origin, batch, is_full=is_full)
        note("sync.request", knowledge_base, sync=sync_id, sources=list(slugs) or None, full=is_full or None)
    return RequestedSync(sync_id, sources)


def _confirm_deletions(store: Store, sources: Sequence[Source]) -> None:
    with audit_transaction(store) as note:
        for source in store.sources.confirm_deletions(sources):
            note("source.confirm_deletions", source.key, documents=source.held_deletions)


def request_due_syncs(store: Store, now: datetime | None = None) -> int:
    """Ask for a sync of every source whose own interval or schedule makes it due; returns of how many.

    Args:
        store: the store.
        now: the time to use; by default the present.
    """
    request_count = 0
    due = store.sources.due(now)
    for owner in sorted({source.knowledge_base_id for source in due}):
        mine = [source for source in due if source.knowledge_base_id == owner]
        try:
            store.syncs.request(owner, mine, "schedule")
        except SyncAlreadyRunningError:
            continue  # someone was quicker; the next look sees what is left
        request_count += len(mine)
        for source in mine:
            if source.schedule is not None:
                store.sources.pass_tick(source, now)
    return request_count


def cancel_sync(store: Store, sync_id: int) -> None:
    """Cancel what is left of a sync; what it has published stays.

    Raises:
        NotFoundError: there is none with that id.
    """
    with audit_transaction(store) as note:
        store.syncs.cancel(sync_id)
        note("sync.cancel", str(sync_id))
