"""The progress of building large search indexes.

Belongs here: which indexes are being built now, and how far they are. Not here: building them (`index_partitions`).
Guarantee: it asks Postgres itself, so it also shows a build whose own process has died.
"""

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.index_builds import IndexBuild
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row


class IndexBuildStore:
    """What Postgres says about the building of indexes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, knowledge_base: KnowledgeBase) -> list[IndexBuild]:
        """The indexes of a knowledge base that get their partition now; rarely more than one."""
        return [
            from_row(IndexBuild, row)
            for row in self._database.rows("index_builds", knowledge_base_id=knowledge_base.id)
        ]
