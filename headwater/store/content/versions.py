"""Documents, versions and chunks as people open them, now and as of a past time.

Belongs here: reading what was kept, when readers saw it, and what is said of what is gone. Not here: writing
(`documents`), searching it (`searching_past`). Guarantee: each method reads one state of the database; what
belongs to a deleted source is never returned.
"""

from collections.abc import Sequence
from typing import NoReturn
from uuid import UUID

from headwater.errors import GoneError, NotFoundError
from headwater.store.content.places import chunk_place
from headwater.store.server.database import Database, Row, Session


class VersionStore:
    """Reads the documents, document_versions, publications and chunks tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def document(self, document_id: UUID) -> Row:
        """Return a document with its newest version, and the version that readers see.

        Raises:
            NotFoundError: there is no such document. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            return session.row("get_document", id=document_id) or _missing(session, "document", document_id)

    def history(self, document_id: UUID) -> list[Row]:
        """Return the kept versions of a document, newest first, each with `visible`: when readers saw it.

        Raises:
            NotFoundError: there is no such document. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("list_versions", document_id=document_id, id=None)
            if not rows:
                _missing(session, "document", document_id)
            return with_visibility(session, rows, "id")

    def get(self, version_id: UUID) -> Row:
        """Return one version with its text, and `visible`: when readers saw it.

        Raises:
            NotFoundError: there is no such version. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("list_versions", document_id=None, id=version_id)
            if not rows:
                _missing(session, "document version", version_id)
            return with_visibility(session, rows, "id")[0]

    def chunk(self, chunk_id: UUID) -> Row:
        """Return a chunk at its place in the version that readers see, else in the newest that holds it.

        `place` says where that is in the original, None where nobody knows.

        Raises:
            NotFoundError: there is no such chunk. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_chunk", id=chunk_id) or _missing(session, "chunk", chunk_id)
            return {**row, "place": chunk_place(row)}

    def chunk_lineage(self, chunk_id: UUID) -> list[Row]:
        """Return every version that holds a chunk, newest first, with its `place` there and what made each step.

        Raises:
            NotFoundError: there is no such chunk. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("chunk_lineage", chunk_id=chunk_id)
            if not rows:
                _missing(session, "chunk", chunk_id)
            placed = [{**row, "place": chunk_place(row)} for row in rows]
            return with_visibility(session, placed, "document_version_id")


def with_visibility(session: Session, rows: Sequence[Row], column: str) -> list[Row]:
    """Add to rows of versions when readers saw each (`visible`), and whether they do now (`is_current`).

    Args:
        session: the transaction that the rows were read in.
        rows: rows, of which some may have no version.
        column: which of their columns holds the version's id.
    """
    found: dict[UUID, list[Row]] = {row[column]: [] for row in rows}
    for publication in session.rows("list_publications", version_ids=list(found)):
        found[publication["version_id"]].append(publication)
    return [
        {
            **row,
            "visible": found[row[column]],
            "is_current": any(publication["withdrawn_at"] is None for publication in found[row[column]]),
        }
        for row in rows
    ]


def _missing(session: Session, noun: str, row_id: UUID) -> NoReturn:
    """Say why something is not there, as far as a citation still knows of it."""
    cited = session.row("find_citation_of", noun=noun, id=row_id)
    if cited is None:
        raise NotFoundError(f"There is no {noun} {row_id}.")
    if cited["has_source"]:
        raise GoneError(f"This {noun} of {cited['uri']} is not kept any more: its retention has passed.")
    raise GoneError(f"This {noun} of {cited['uri']} is gone: its source {cited['source']} was deleted.")
