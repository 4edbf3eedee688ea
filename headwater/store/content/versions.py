"""Documents, versions and chunks as people open them, now and as of a past time.

Belongs here: reading stored versions, when readers saw them, and errors for removed ones. Not here: writing
(`documents`), searching (`headwater.store.search.past_search`). Guarantee: each method reads one state of the database;
documents of a deleted source are never returned.
"""

from collections.abc import Sequence
from typing import NoReturn
from uuid import UUID

from headwater.domain.search import split_breadcrumb
from headwater.domain.summaries import MadeSummary
from headwater.domain.versions import (
    ChunkGroup,
    ChunkOrigin,
    ChunkSet,
    ChunkSpan,
    HoldingVersion,
    Publication,
    StoredChunk,
    StoredDocument,
    StoredVersion,
    TextPart,
    VersionChunks,
)
from headwater.errors import GoneError, NotFoundError
from headwater.store.content.places import chunk_place
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session
from headwater.store.server.typed_rows import from_row


class VersionStore:
    """Reads the documents, document_versions, publications and chunks tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def document(self, document_id: UUID) -> StoredDocument:
        """Return a document with its newest version, and the version that readers see.

        Raises:
            NotFoundError: there is no such document. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_document", id=document_id) or _raise_missing(session, "document", document_id)
        return from_row(StoredDocument, row)

    def history(self, document_id: UUID, *, with_chunk_sets: bool = True) -> list[StoredVersion]:
        """Return the kept versions of a document, newest first, without their texts.

        Args:
            document_id: the document.
            with_chunk_sets: whether to say how each was split, for which all of its chunks are looked at.

        Raises:
            NotFoundError: there is no such document. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("list_versions", document_id=document_id, id=None, with_chunk_sets=with_chunk_sets)
            if not rows:
                _raise_missing(session, "document", document_id)
            return _versions(session, rows)

    def get(self, version_id: UUID) -> StoredVersion:
        """Return one version with its text.

        Raises:
            NotFoundError: there is no such version. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("list_versions", document_id=None, id=version_id, with_chunk_sets=True)
            if not rows:
                _raise_missing(session, "document version", version_id)
            return _versions(session, rows)[0]

    def chunk(self, chunk_id: UUID) -> StoredChunk:
        """Return a chunk in the version that readers see, or else in the newest version that contains it.

        `place` is its position in the original, None if unknown.

        Raises:
            NotFoundError: there is no such chunk. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_chunk", id=chunk_id) or _raise_missing(session, "chunk", chunk_id)
        return from_row(StoredChunk, row, breadcrumb=_headings(row), place=chunk_place(row))

    def chunks_of(self, version_id: UUID, chunk_id: UUID | None = None, *, most: int, groups: int) -> VersionChunks:
        """Return the chunks of a version, as the active index has it split, or else as it was split last.

        Args:
            version_id: the version.
            chunk_id: the chosen chunk.
            most: how many chunks may be groups of their own; if there are more, neighbours share a group.
            groups: how many groups there are at most in that case.
        """
        rows = self._database.rows("version_chunks", version_id=version_id, chunk_id=chunk_id, most=most, groups=groups)
        several = tuple(from_row(ChunkGroup, row) for row in rows if row["start"] is None)
        single = [row for row in rows if row["start"] is not None]
        return VersionChunks(
            groups=several,
            around=tuple(from_row(ChunkGroup, row) for row in single) if single and several[-1].last > most else (),
            chosen=next((from_row(ChunkSpan, row, number=row["first"]) for row in single if row["is_chosen"]), None),
        )

    def text_part(self, version_id: UUID, start: int, length: int) -> TextPart:
        """Return a part of a version's text, in characters.

        Raises:
            NotFoundError: there is no such version. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_text_part", id=version_id, start=start, length=length)
            return from_row(TextPart, row or _raise_missing(session, "document version", version_id))

    def span_texts(self, spans: Sequence[tuple[UUID, int, int]], most: int) -> list[str]:
        """Return the texts of spans, each a version with two offsets, in order; empty where the version is gone.

        Args:
            spans: the version, the first offset and the offset behind the last of each.
            most: how many characters of each.
        """
        if not spans:
            return []
        version_ids, starts, ends = (list(column) for column in zip(*spans, strict=True))
        lengths = [min(most, end - start) for start, end in zip(starts, ends, strict=True)]
        rows = self._database.rows("list_span_texts", version_ids=version_ids, starts=starts, lengths=lengths)
        text_by_position = {row["position"]: row["text"] for row in rows}
        return [text_by_position.get(position, "") for position in range(1, len(spans) + 1)]

    def chunk_lineage(self, chunk_id: UUID) -> ChunkOrigin:
        """Return the origin of a chunk, and every version that contains it, newest first, with its `place` there.

        Raises:
            NotFoundError: there is no such chunk. GoneError: there was, and it was cited.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("chunk_lineage", chunk_id=chunk_id)
            if not rows:
                _raise_missing(session, "chunk", chunk_id)
            visible = publications(session, [row["document_version_id"] for row in rows])
            summary_row = session.row("get_chunk_summary", chunk_id=chunk_id)
        versions = [
            from_row(
                HoldingVersion,
                row,
                breadcrumb=_headings(row),
                visible=visible[row["document_version_id"]],
                place=chunk_place(row),
            )
            for row in rows
        ]
        summary = None if summary_row is None else from_row(MadeSummary, summary_row)
        return from_row(ChunkOrigin, rows[0], versions=tuple(versions), summary=summary)


def publications(session: Session, version_ids: Sequence[UUID]) -> dict[UUID, tuple[Publication, ...]]:
    """Return the periods in which readers saw each of some versions, in order; none for a version never seen."""
    by_version: dict[UUID, list[Publication]] = {version_id: [] for version_id in version_ids}
    for row in session.rows("list_publications", version_ids=list(by_version)):
        by_version[row["version_id"]].append(from_row(Publication, row))
    return {version_id: tuple(times) for version_id, times in by_version.items()}


def _versions(session: Session, rows: Sequence[Row]) -> list[StoredVersion]:
    visible = publications(session, [row["id"] for row in rows])
    return [
        from_row(
            StoredVersion,
            row,
            chunk_sets=tuple(from_row(ChunkSet, chunk_set) for chunk_set in row["chunk_sets"] or ()),
            visible=visible[row["id"]],
        )
        for row in rows
    ]


def _raise_missing(session: Session, noun: str, row_id: UUID) -> NoReturn:
    """Raise an error that says why something is missing, as far as a citation still knows."""
    cited = session.row("find_citation_of", noun=noun, id=row_id)
    if cited is None:
        raise NotFoundError(f"There is no {noun} {row_id}.")
    if cited["has_source"]:
        raise GoneError(f"This {noun} of {cited['uri']} is no longer kept: it is older than its retention period.")
    raise GoneError(
        f"This {noun} of {cited['uri']} is gone, because the source `{cited['source']}` was deleted. Ask again to get "
        "an answer from the present documents."
    )


def _headings(row: Row) -> tuple[str, ...]:
    return split_breadcrumb(row["breadcrumb"], row["text"])[0]
