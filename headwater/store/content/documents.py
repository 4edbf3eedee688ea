"""Documents, their versions, chunks and vectors in Postgres.

Belongs here: writing the results of a source's stages, and finding work that is still to be done. Not here: the tables
that search reads (`headwater.store.search.publications`). Guarantee: every write checks the sync's fencing token in its
own transaction; equal content writes nothing; after a crash, only unfinished work remains.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import numpy as np
from pgvector import HalfVector

from headwater.domain.corpus import Lineage, Source
from headwater.domain.documents import Chunk, DocumentVersion, ParsedDocument
from headwater.errors import DocumentError, ModelUnavailableError
from headwater.parsing.dates import document_date
from headwater.store.content.document_languages import DocumentLanguages
from headwater.store.content.document_sizes import DocumentSizes
from headwater.store.content.known_documents import KnownDocuments
from headwater.store.content.originals import NO_ORIGINAL, VersionOriginal, set_originals, share_originals
from headwater.store.content.places import put_places
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text, to_json
from headwater.store.server.query_session import Session
from headwater.store.server.typed_rows import from_row
from headwater.store.work.fencing_tokens import SyncLease, require_token


@dataclass(frozen=True, kw_only=True, slots=True)
class NewVersion:
    """A version to be written. `is_new_text` is False if only the raw bytes differ from the newest version's."""

    id: UUID
    document_id: UUID
    sequence: int
    fingerprint: str
    content_hash: bytes
    document: ParsedDocument
    parser_version: str
    is_new_text: bool
    change: Literal["added", "changed", "unchanged"]
    """What the sync counts the document as, once this is stored."""
    detected_language: str = ""
    """The detected language; empty if it is uncertain, or if the document states one itself."""
    validator: str = ""
    access_digest: str = ""
    original: VersionOriginal = NO_ORIGINAL
    """The original to store with it; without one, the version keeps the original it has."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkRow:
    """A chunk with its ids, to be written; `anchors` name the headings that begin in it."""

    id: UUID
    embedding_hash: bytes
    heading_hash: bytes | None
    anchors: tuple[str, ...]
    chunk: Chunk


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkedVersion:
    """A version that was split, to be written; a fresh split would not make `drift_count` of its chunks."""

    version: DocumentVersion
    rows: Sequence[ChunkRow]
    drift_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TextToEmbed:
    """A text without a vector; a breadcrumb alone has no prose.

    `place` is the number, from 1, of the first of the requested documents that contains the text.
    """

    embedding_hash: bytes
    breadcrumb: tuple[str, ...]
    prose: str
    place: int


_URI_LIMIT = 2000  # bytes; a row of a B-tree holds 2,700
_TITLE_LIMIT = 500  # characters


class DocumentStore(KnownDocuments, DocumentLanguages, DocumentSizes):
    """The documents, document_versions, chunks, chunk_sets, version_chunks and embeddings tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_versions(
        self,
        work: SyncLease,
        versions: Sequence[NewVersion],
        *,
        fetched_at: datetime,
        by: Lineage,
        keep_originals: Callable[[], object] = lambda: None,
    ) -> int:
        """Write new versions and make them the newest of their documents; for others, write changed places.

        Returns:
            How many content rows were written. `keep_originals` is called when no other process can remove originals
            any more, so that it can check that they all exist.
        """
        fresh = [version for version in versions if version.is_new_text]
        rows = [
            (v.id, v.document_id, v.sequence, v.content_hash, v.parser_version, v.document.title, v.document.text,
             v.document.media_type, v.document.category, v.document.language, to_json(dict(v.document.metadata)),
             list(v.document.references), fetched_at, by.run_id, by.code_version, document_date(v.document.metadata),
             v.detected_language, v.document.places and to_json(v.document.places.to_json()), v.original.hash,
             v.original.media_type)
            for v in fresh
        ]  # fmt: skip
        with self._fenced_transaction(work) as session:
            if any(version.original.hash for version in versions):
                share_originals(session)
                keep_originals()
            touched = session.run(
                "put_documents",
                source_id=work.source.id,
                ids=[v.document_id for v in versions],
                uris=[v.document.uri for v in versions],
                fingerprints=[v.fingerprint for v in versions],
                validators=[clean_text(v.validator) for v in versions],
                access_digests=[v.access_digest for v in versions],
                version_ids=[v.id for v in versions],
                parser_versions=[v.parser_version for v in versions],
            )
            known_versions = [v for v in versions if not v.is_new_text]
            touched += put_places(session, {v.id: v.document.places for v in known_versions})
            set_originals(session, {v.id: v.original for v in known_versions})
            return touched + session.copy("document_versions", _VERSION_COLUMNS, rows, _VERSION_TYPES)

    def remove(self, work: SyncLease, document_ids: Sequence[UUID]) -> int:
        """Record that documents disappeared from their source; returns how many rows were written."""
        with self._fenced_transaction(work) as session:
            return session.run("remove_documents", ids=list(document_ids))

    def hold_deletions(self, work: SyncLease, count: int | None) -> None:
        """Note how many documents a sync would remove but asks first; None if it need not ask (any more)."""
        with self._fenced_transaction(work) as session:
            session.run("hold_deletions", source_id=work.source.id, count=count)

    def documents_digest(self, source: Source) -> tuple[str, int]:
        """Return the data version of a source's documents, and how many there are."""
        row = self._database.one("documents_data_version", source_id=source.id)
        return row["data_version"], row["row_count"]

    def chunks_digest(self, source: Source, settings_hashes: Sequence[bytes]) -> tuple[str, int]:
        """Return the data version of a source's chunks under the settings in use, and how many there are."""
        row = self._database.one("chunks_data_version", source_id=source.id, settings_hashes=list(settings_hashes))
        return row["data_version"], row["row_count"]

    def to_chunk(self, source: Source, settings_hash: bytes) -> list[tuple[UUID, int]]:
        """Return the documents whose newest version is not split with some settings, each with its stored bytes."""
        rows = self._database.rows("documents_to_chunk", source_id=source.id, settings_hash=settings_hash)
        return [(row["id"], row["size"]) for row in rows]

    def versions_to_chunk(self, document_ids: Sequence[UUID], settings_hash: bytes) -> list[DocumentVersion]:
        """Return the newest versions of some documents, except those already split with some settings."""
        rows = self._database.rows("versions_to_chunk", document_ids=list(document_ids), settings_hash=settings_hash)
        return [DocumentVersion(**row) for row in rows]

    def pieces_before(self, document_ids: Sequence[UUID], settings_hash: bytes) -> dict[UUID, list[str]]:
        """Return the chunks, without overlap, of each document's newest split version; new documents have none."""
        rows = self._database.rows("pieces_before", document_ids=list(document_ids), settings_hash=settings_hash)
        return {row["document_id"]: row["pieces"] for row in rows}

    def put_chunks(
        self,
        work: SyncLease,
        chunked: Sequence[ChunkedVersion],
        *,
        settings_hash: bytes,
        by: Lineage,
    ) -> int:
        """Write the chunks of some versions; returns how many content rows were written."""
        chunks: dict[UUID, tuple[Any, ...]] = {}
        sets, places = [], []
        for chunked_version in chunked:
            version = chunked_version.version
            sets.append(
                (
                    version.id,
                    settings_hash,
                    len(chunked_version.rows),
                    by.run_id,
                    by.code_version,
                    chunked_version.drift_count,
                )
            )
            for position, row in enumerate(chunked_version.rows):
                c = row.chunk
                prose = None if c.prose == c.text else c.prose
                chunks[row.id] = (row.id, version.document_id, settings_hash, c.kind.value, c.text, prose, len(c.text),
                                  by.run_id, by.code_version, c.token_count, c.quality)  # fmt: skip
                places.append((version.id, settings_hash, position, row.id, c.start, c.end, c.overlap, c.line,
                               list(c.breadcrumb), row.embedding_hash, c.parent, row.heading_hash,
                               list(row.anchors)))  # fmt: skip
        with self._fenced_transaction(work) as session:
            row_count = session.copy("chunk_sets", _SET_COLUMNS, sets, _SET_TYPES)
            row_count += session.copy("chunks", _CHUNK_COLUMNS, list(chunks.values()), _CHUNK_TYPES)
            return row_count + session.copy("version_chunks", _PLACE_COLUMNS, places, _PLACE_TYPES)

    def texts_to_embed(self, document_ids: Sequence[UUID], *, model: str, settings_hash: bytes) -> list[TextToEmbed]:
        """Return the distinct texts of some documents that have no vector, by `place`."""
        rows = self._database.rows(
            "texts_to_embed", document_ids=list(document_ids), model=model, settings_hash=settings_hash
        )
        return [from_row(TextToEmbed, row) for row in rows]

    def count_texts_to_embed(self, document_ids: Sequence[UUID], *, model: str, settings_hash: bytes) -> int:
        """Count the distinct texts of some documents that have no vector."""
        values = {"document_ids": list(document_ids), "model": model, "settings_hash": settings_hash}
        return int(self._database.one("count_texts_to_embed", **values)["text_count"])

    def put_embeddings(
        self,
        work: SyncLease,
        model: str,
        hashes: Sequence[bytes],
        vectors: "np.typing.NDArray[np.float32]",
        tokens: Sequence[int],
        by: Lineage,
    ) -> int:
        """Store vectors in the cache; returns how many were new.

        Raises:
            ModelUnavailableError: they have other dimensions than the model's stored vectors.
        """
        texts = zip(hashes, vectors, tokens, strict=True)
        # Sorted: two runs that store some of the same texts would wait for each other if each began elsewhere.
        rows = [
            (model, text_hash, HalfVector(vector), count, by.run_id, by.code_version)
            for text_hash, vector, count in sorted(texts, key=lambda text: text[0])
        ]
        with self._fenced_transaction(work) as session:
            dimensions_row = session.row("vector_dimensions", model=model)
            if dimensions_row is not None and dimensions_row["dimensions"] != vectors.shape[1]:
                raise ModelUnavailableError(
                    f"The model {model} cannot be used: it returns vectors of {vectors.shape[1]} dimensions, but of "
                    f"{dimensions_row['dimensions']} before. Give the new model another name."
                )
            return session.copy("embeddings", _EMBEDDING_COLUMNS, rows, _EMBEDDING_TYPES)

    @contextmanager
    def _fenced_transaction(self, work: SyncLease) -> Iterator[Session]:
        with self._database.transaction() as session:
            require_token(session, work)
            # Readers do not see it yet, and the next sync finds what a crash removes.
            session.run("do_not_wait_for_disk")
            yield session


def clean_document(document: ParsedDocument) -> ParsedDocument:
    """The document with every text in storable form, so that offsets refer to the stored text.

    Raises:
        DocumentError: its URI is too long to be indexed.
    """
    if len(document.uri.encode("utf-8", "replace")) > _URI_LIMIT:
        raise DocumentError(f"The URI is longer than {_URI_LIMIT} bytes.")
    text, places = clean_text(document.text), document.places
    if places and len(text) != len(document.text):
        places = places.moved(lambda offset: len(clean_text(document.text[:offset])))
    return replace(
        document,
        uri=clean_text(document.uri),
        title=clean_text(document.title)[:_TITLE_LIMIT],
        text=text,
        category=clean_text(document.category),
        language=clean_text(document.language),
        references=tuple(clean_text(uri) for uri in document.references),
        notes=(),
        places=places,
    )


_VERSION_COLUMNS = (
    "id", "document_id", "sequence", "content_hash", "parser_version", "title", "text", "media_type", "category",
    "language", "metadata", "outgoing", "fetched_at", "run_id", "code_version", "dated_at",
    "detected_language", "places", "original_hash", "original_media_type",
)  # fmt: skip
_VERSION_TYPES = (
    "uuid", "uuid", "int4", "bytea", "text", "text", "text", "text", "text",
    "text", "jsonb", "text[]", "timestamptz", "text", "text", "timestamptz", "text", "jsonb", "bytea", "text",
)  # fmt: skip
_SET_COLUMNS = ("version_id", "settings_hash", "chunk_count", "run_id", "code_version", "drift_count")
_SET_TYPES = ("uuid", "bytea", "int4", "text", "text", "int4")
_CHUNK_COLUMNS = (
    "id", "document_id", "settings_hash", "kind", "text", "prose", "character_count", "run_id", "code_version",
    "token_count", "quality",
)  # fmt: skip
_CHUNK_TYPES = ("uuid", "uuid", "bytea", "text", "text", "text", "int4", "text", "text", "int4", "float4")
_PLACE_COLUMNS = (
    "version_id", "settings_hash", "position", "chunk_id", "start_offset", "end_offset", "overlap_count", "line",
    "breadcrumb", "embedding_hash", "parent_position", "heading_hash", "anchors",
)  # fmt: skip
_PLACE_TYPES = (
    "uuid", "bytea", "int4", "uuid", "int4", "int4", "int4", "int4", "text[]", "bytea", "int4", "bytea", "text[]",
)  # fmt: skip
_EMBEDDING_COLUMNS = ("model", "text_hash", "vector", "token_count", "run_id", "code_version")
_EMBEDDING_TYPES = ("text", "bytea", "halfvec", "int4", "text", "text")
