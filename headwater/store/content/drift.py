"""How far edits have moved the borders of chunks away from a fresh split.

Belongs here: the stored counts, by document and by source. Not here: where borders fall (`headwater.chunking`),
when a document is split again (`headwater.syncing.drift`). Guarantee: every write checks the sync's fencing token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.domain.documents import DocumentVersion
from headwater.store.server.database import Database
from headwater.store.work.fencing_tokens import SyncLease, require_token


@dataclass(frozen=True, kw_only=True, slots=True)
class SplitVersion:
    """A version that was split, and the offsets where its chunks end."""

    version: DocumentVersion
    ends: tuple[int, ...]


class DriftStore:
    """`drift_count` of chunk_sets and `drift_share` of sources."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find_uncounted(self, source: Source, settings_hash: bytes) -> list[UUID]:
        """Documents whose newest version was split by a release that did not count drift."""
        rows = self._database.rows("documents_without_drift", source_id=source.id, settings_hash=settings_hash)
        return [row["id"] for row in rows]

    def cut_versions(self, document_ids: Sequence[UUID], settings_hash: bytes) -> list[SplitVersion]:
        """The newest versions of some documents, as they are split with some settings."""
        rows = self._database.rows("cut_versions", document_ids=list(document_ids), settings_hash=settings_hash)
        return [SplitVersion(ends=tuple(row.pop("ends")), version=DocumentVersion(**row)) for row in rows]

    def put_counts(self, work: SyncLease, counts: Mapping[UUID, int], settings_hash: bytes) -> None:
        """Store how many chunks of each version a fresh split would not make.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            session.run(
                "put_drift", version_ids=list(counts), counts=list(counts.values()), settings_hash=settings_hash
            )

    def find_drifted(self, source: Source, settings_hash: bytes, limit: float) -> set[UUID]:
        """Documents in which the share of chunks that a fresh split would not make exceeds `limit`."""
        rows = self._database.rows("drifted_documents", source_id=source.id, settings_hash=settings_hash, limit=limit)
        return {row["id"] for row in rows}

    def set_share(self, work: SyncLease, settings_hash: bytes) -> None:
        """Store a source's share, for people to see.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            session.run("set_drift_share", source_id=work.source.id, settings_hash=settings_hash)
