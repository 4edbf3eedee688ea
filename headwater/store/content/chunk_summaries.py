"""The summaries of single chunks in Postgres (SUM-4).

Belongs here: which chunks lack one, which summary each has. Not here: the summaries themselves (`summaries`), making
them (`headwater.summaries.chunk_summary`). Guarantee: the same text has the same summary, in whichever chunk; a summary
goes in the transaction that deletes the last chunk that has it; every write of a sync checks its fencing token.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session
from headwater.store.work.fencing_tokens import SyncLease, require_token


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkText:
    """What the summary of a chunk is made of; `language` is a code, empty if it is unknown."""

    chunk_id: UUID
    text: str
    language: str


class ChunkSummaryStore:
    """The chunk_summaries table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def missing(self, source: Source, settings_hash: bytes, recipe_hash: bytes) -> list[UUID]:
        """The chunks of a source that have no summary by a recipe, document by document."""
        rows = self._rows(
            "chunks_without_summary", source_id=source.id, settings_hash=settings_hash, recipe_hash=recipe_hash
        )
        return [row["chunk_id"] for row in rows]

    def texts(self, chunk_ids: Sequence[UUID]) -> list[ChunkText]:
        """The texts of some chunks, in order."""
        return [ChunkText(**row) for row in self._rows("chunk_texts", ids=list(chunk_ids))]

    def put(self, work: SyncLease, keys: Mapping[UUID, bytes], *, recipe_hash: bytes) -> int:
        """Note which stored summary each of some chunks has; returns how many rows were written.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            return session.run(
                "put_chunk_summaries",
                source_id=work.source.id,
                chunk_ids=list(keys),
                keys=list(keys.values()),
                recipe_hash=recipe_hash,
            )

    def delete_all(self, work: SyncLease) -> int:
        """Take the summaries of a source's chunks away; their texts stay for a while, in case they come back.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            return session.run("delete_all_chunk_summaries", source_id=work.source.id)

    def digest(self, source: Source) -> tuple[str, int]:
        """A digest of the summaries of a source's chunks, empty if there are none, and how many are shown."""
        (row,) = self._rows("chunk_summaries_digest", source_id=source.id)
        return row["data_version"] if row["row_count"] else "", row["summary_count"]

    def _rows(self, query: str, **values: Any) -> list[Row]:
        return self._database.rows(query, **values)


def delete_with_chunks(session: Session, document_ids: Sequence[UUID], *, unheld_only: bool = False) -> int:
    """Delete the summaries of chunks, within the transaction that deletes these; returns how many texts were deleted.

    Args:
        session: the transaction, before it deletes the chunks.
        document_ids: the documents whose chunks are deleted.
        unheld_only: whether only the chunks go that no version contains any more.
    """
    rows = session.rows("take_chunk_summaries", document_ids=list(document_ids), unheld_only=unheld_only)
    return len(delete_unused_among(session, [row["summary_key"] for row in rows]))


def delete_unused_among(session: Session, keys: Iterable[bytes]) -> list[bytes]:
    """Delete those of some summaries that no tree and no chunk has; returns the hashes of their vectors.

    A sync that is about to use one holds it (`hold_summaries`); this waits for its transaction, and then sees the use.
    """
    among = sorted(set(keys))
    if not among:
        return []
    session.run("lock_summaries", keys=among)
    return [row["embedding_hash"] for row in session.rows("delete_summaries_without_use", keys=among)]
