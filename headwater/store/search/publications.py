"""Publishing documents into a search index (EMB-2).

Belongs here: which documents an index does not serve in their newest state, publishing them, and recording when readers
saw them, which `as of` reads. Not here: the entries of a document (`entries`), the active index (`search_indexes`).
Guarantee: a document is replaced in one transaction, old entries out and new ones in; a reader sees one state
throughout.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import psycopg

from headwater.domain.search import SearchIndex
from headwater.errors import ModelUnavailableError
from headwater.store.search.entries import publish_entries
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session
from headwater.store.work.fencing_tokens import SyncLease, require_token


class ToPublish(NamedTuple):
    """A document whose newest version is to be published, and the number of its chunks."""

    document_id: UUID
    chunk_count: int


class IndexPublishing:
    """The published_documents and publications tables, and the entries of published documents."""

    _database: Database

    def documents_to_publish(
        self, work: SyncLease, index: SearchIndex, document_ids: Sequence[UUID] | None = None
    ) -> tuple[list[ToPublish], list[UUID]]:
        """Documents that the index serves in another version than the newest, or with another stemming language.

        Args:
            work: the source's sync.
            index: one of its knowledge base's.
            document_ids: limits the result; by default all documents of the source.

        Returns:
            Changed ones, by URI, and those that disappeared.
        """
        rows = self._database.rows(
            "documents_to_publish",
            search_index_id=index.id,
            source_id=work.source.id,
            settings_hash=index.settings_hash,
            document_ids=None if document_ids is None else list(document_ids),
            language=index.language,
        )
        to_publish = [ToPublish(row["id"], row["chunk_count"]) for row in rows if not row["is_removed"]]
        return to_publish, [row["id"] for row in rows if row["is_removed"]]

    def publish(self, work: SyncLease, index: SearchIndex, document_ids: Sequence[UUID], run_id: str) -> int:
        """Make the index serve the newest state of some documents, in one transaction; returns how many rows changed.

        Raises:
            FencedError: the sync was overtaken.
            ModelUnavailableError: a text has no vector; nothing was published.
        """
        values = {"search_index_id": index.id, "document_ids": list(document_ids), "language": index.language}
        try:
            with self._database.transaction() as session:
                require_token(session, work)
                session.run("share_index_lock", id=index.id)
                row = session.row("get_search_index", id=index.id)
                if row is None:  # another index has become active meanwhile, and this one was dropped
                    return 0
                count = publish_entries(session, index, row["shard"], document_ids)
                if not row["dimensions"]:
                    session.run("learn_dimensions", id=index.id, model=index.model)
                served = session.run("publish_documents", **values, run_id=run_id)
                count += served + session.run("withdraw_documents", **values)
                if row["state"] == "active":
                    if served:  # answers that do not cite a withdrawn document stay valid
                        session.run("revise_source", source_id=work.source.id)
                    note_publications(session, index.id, document_ids)
                return count
        except psycopg.errors.NotNullViolation as error:
            raise ModelUnavailableError(
                f"Some chunks of {work.source.key} have no vector of {index.model} yet. Materialize embeddings first."
            ) from error


def note_publications(session: Session, search_index_id: int, document_ids: Sequence[UUID]) -> None:
    """Record what readers see of some documents from now on, and what they no longer see; `as of` reads it."""
    moment = session.one("publication_time")["published_at"]
    values = {"search_index_id": search_index_id, "document_ids": list(document_ids), "published_at": moment}
    session.run("close_publications", **values)
    session.run("open_publications", **values)
