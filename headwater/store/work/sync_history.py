"""The syncs there were, newest first.

Belongs here: the list with its sums. Not here: one sync with what became of each source (`syncs`). Guarantee: a sync
stands in the list as it stands on its own, lost workers included.
"""

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.syncs import SyncSummary
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import typed
from headwater.store.work.workers import ATTEMPTS

_NAMED = 10  # sources of a sync; one may have thousands


class SyncHistoryStore:
    """Reads the syncs table with what it comes to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(
        self, knowledge_base: KnowledgeBase | None = None, *, before: int | None = None, limit: int = 50
    ) -> list[SyncSummary]:
        """Return syncs, newest first.

        Args:
            knowledge_base: whose; those of all when not given.
            before: only those asked for before the sync with this id.
            limit: how many at most.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows(
                "list_syncs",
                knowledge_base_id=knowledge_base.id if knowledge_base else None,
                before=before,
                limit=limit,
                named=_NAMED,
                attempts=ATTEMPTS,
            )
        return [typed(SyncSummary, row) for row in rows]
