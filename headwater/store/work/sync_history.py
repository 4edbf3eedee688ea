"""The list of syncs, newest first.

Belongs here: the list with the totals of each sync, and that of one source with what each sync changed. Not here: a
sync with its sources (`syncs`). Guarantee: a sync has
the same state in the list as on its own, also if its workers were lost.
"""

from headwater.domain.corpus import KnowledgeBase, Source
from headwater.domain.syncs import SourceSyncSummary, SyncedDocument, SyncSummary
from headwater.errors import NotFoundError
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row
from headwater.store.work.worker_failures import MAX_LOST_WORKERS

_NAMED = 10  # sources of a sync; one may have thousands


class SyncHistoryStore:
    """Reads syncs with their totals; with `visible`, as a caller who may see only these knowledge bases."""

    def __init__(self, database: Database, visible: frozenset[int] | None = None) -> None:
        self._database = database
        self._visible = None if visible is None else sorted(visible)

    def all(
        self, knowledge_base: KnowledgeBase | None = None, *, before: int | None = None, limit: int = 50
    ) -> list[SyncSummary]:
        """Return syncs, newest first.

        Args:
            knowledge_base: lists its syncs only; by default the syncs of all knowledge bases.
            before: lists only syncs that were requested before the sync with this id.
            limit: the maximum number of syncs.
        """
        rows = self._database.rows(
            "list_syncs",
            knowledge_base_id=knowledge_base.id if knowledge_base else None,
            before=before,
            limit=limit,
            named=_NAMED,
            attempts=MAX_LOST_WORKERS,
            visible=self._visible,
        )
        return [from_row(SyncSummary, row) for row in rows]

    def of_source(self, source: Source, *, limit: int = 10) -> list[SourceSyncSummary]:
        """Return the syncs of a source, newest first."""
        return self._of_source(source, None, limit)

    def one_of_source(self, source: Source, sync_id: int) -> SourceSyncSummary:
        """Return a sync of a source.

        Raises:
            NotFoundError: the source has no such sync.
        """
        summaries = self._of_source(source, sync_id, 1)
        if not summaries:
            raise NotFoundError(f"{source.key} has no sync {sync_id}.")
        return summaries[0]

    def documents(self, source: Source, sync: SourceSyncSummary, *, limit: int) -> list[SyncedDocument]:
        """Return the documents that a sync of a source added, changed or removed."""
        rows = self._database.rows(
            "synced_documents",
            source_id=source.id,
            run_id=sync.run_id,
            started_at=sync.started_at,
            finished_at=sync.finished_at,
            limit=limit,
        )
        return [from_row(SyncedDocument, row) for row in rows]

    def _of_source(self, source: Source, sync_id: int | None, limit: int) -> list[SourceSyncSummary]:
        rows = self._database.rows(
            "list_source_syncs", source_id=source.id, sync_id=sync_id, limit=limit, attempts=MAX_LOST_WORKERS
        )
        return [from_row(SourceSyncSummary, row) for row in rows]
