"""The list of syncs, newest first.

Belongs here: the list with the totals of each sync. Not here: a sync with its sources (`syncs`). Guarantee: a sync has
the same state in the list as on its own, also if its workers were lost.
"""

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.syncs import SyncSummary
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import typed
from headwater.store.work.workers import ATTEMPTS

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
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows(
                "list_syncs",
                knowledge_base_id=knowledge_base.id if knowledge_base else None,
                before=before,
                limit=limit,
                named=_NAMED,
                attempts=ATTEMPTS,
                visible=self._visible,
            )
        return [typed(SyncSummary, row) for row in rows]
