"""The knowledge base that anything with an id of its own belongs to, and the key of a conversation (API-6).

Belongs here: looking them up. Not here: who may see it (`query_api.guards.visibility`). Guarantee: None for whatever
does not exist.
"""

from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from headwater.domain.access import Reader
from headwater.store.server.database import Database

Kind = Literal[
    "knowledge_base", "answer", "conversation", "document", "version", "chunk", "summary", "sync", "deletion"
]

_QUERIES: Mapping[Kind, str] = {
    "knowledge_base": "owner_of_knowledge_base",
    "answer": "owner_of_answer",
    "conversation": "owner_of_conversation",
    "document": "owner_of_document",
    "version": "owner_of_version",
    "chunk": "owner_of_chunk",
    "summary": "owner_of_summary",
    "sync": "owner_of_sync",
    "deletion": "owner_of_deletion",
}
_CONVERSATIONS: Mapping[Kind, str] = {
    "answer": "reader_of_answer",
    "conversation": "reader_of_conversation",
}


class OwnerStore:
    """Reads which knowledge base a row belongs to, and which reader."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def may_read(self, reader: Reader, kind: Kind, row_id: UUID | int | str) -> bool:
        """Whether somebody may read something: all but a conversation of others, and the turns of one."""
        query = _CONVERSATIONS.get(kind)
        if query is None or reader.sees_all:
            return True
        row = self._database.row(query, id=row_id)
        return row is None or (row["owner"] is not None and row["owner"] == reader.owner)

    def of(self, kind: Kind, row_id: UUID | int | str) -> int | None:
        """The id of the knowledge base of a row; a knowledge base is named by its slug."""
        row = self._database.row(_QUERIES[kind], id=row_id)
        return None if row is None else int(row["knowledge_base_id"])
