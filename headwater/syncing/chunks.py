"""`chunks`: the documents' newest versions, split.

Belongs here: splitting versions in batches, and writing their chunks. Not here: where borders fall
(`headwater.chunking`), when (`headwater.syncing.flow`). Guarantee: a version is split once per
chunk settings; equal text keeps its chunk's id (CHK-5); a document that cannot be split does not affect others.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

from headwater.chunking.anchors import chunk_anchors
from headwater.chunking.chunker import chunk_ids, cut_document, embedding_hash, heading_hash
from headwater.chunking.text_links import TextLinks
from headwater.domain.documents import DocumentVersion
from headwater.domain.search import SearchIndex
from headwater.store.content.documents import ChunkedVersion, ChunkRow
from headwater.syncing.publisher import WINDOW
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Column, Digest, Report, Stage, StageWork, Table
from headwater.syncing.stage_failures import explain_document_failure

_WINDOW_BYTES = 20_000_000  # stored bytes of texts that are split together


def cut(job: SourceJob, document_ids: Sequence[UUID]) -> None:
    """Split the newest versions of some documents, for all chunk settings in use; adds to the job's counts.

    Raises:
        FencedError: a newer sync took over.
    """
    job.links_by_version.clear()  # the next stage takes those of these documents only
    for index in job.index_by_settings:
        versions = job.store.documents.versions_to_chunk(document_ids, index.settings_hash)
        if not versions:
            continue
        stable_ids = [version.document_id for version in versions if version.document_id not in job.to_recut]
        pieces_by_document = job.store.documents.pieces_before(stable_ids, index.settings_hash)
        chunked = [
            _cut_one(job, version, index, pieces_by_document.get(version.document_id, ())) for version in versions
        ]
        job.counts.rows_written += job.store.documents.put_chunks(
            job.work,
            [chunked_version for chunked_version in chunked if chunked_version is not None],
            settings_hash=index.settings_hash,
            by=job.lineage,
        )


def _cut_one(
    job: SourceJob, version: DocumentVersion, index: SearchIndex, before: Sequence[str]
) -> ChunkedVersion | None:
    """Split one version; None if that is impossible, and its document keeps its previous version."""
    try:
        chunked, links = job.watch.document(lambda: _split_version(version, index, before))
    except Exception as error:  # noqa: BLE001 - whatever a hostile text makes a chunker raise concerns that document only
        job.fail_document(version.uri, *explain_document_failure(error))
        return None
    job.links_by_version[version.id] = (version.text, links)
    return chunked


def _split_version(
    version: DocumentVersion, index: SearchIndex, before: Sequence[str]
) -> tuple[ChunkedVersion, TextLinks]:
    document = cut_document(
        version.text,
        title=version.title,
        media_type=version.media_type,
        settings=index.chunk_settings,
        before=before,
    )
    chunks = document.chunks
    ids = chunk_ids(version.document_id, index.settings_hash, chunks)
    is_markdown = version.media_type == "text/markdown"
    anchors = chunk_anchors(version.text, chunks) if is_markdown else [()] * len(chunks)
    rows = [
        ChunkRow(
            id=chunk_id,
            embedding_hash=embedding_hash(chunk.breadcrumb, chunk.prose),
            heading_hash=heading_hash(chunk.breadcrumb),
            anchors=names,
            chunk=chunk,
        )
        for chunk_id, chunk, names in zip(ids, chunks, anchors, strict=True)
    ]
    return ChunkedVersion(version=version, rows=rows, drift_count=document.drift_count), document.found


class ChunksWork(StageWork):
    """Splits a source's documents."""

    def take(self, document_ids: Sequence[UUID]) -> None:
        """Split some documents."""
        cut(self.job, document_ids)

    def complete(self) -> None:
        """Split all documents that are not split yet, such as for new settings, or after a crash."""
        completed = 0
        for index in self.job.index_by_settings:
            document_ids = self.job.store.documents.to_chunk(self.job.source, index.settings_hash)
            for window in _windows(document_ids):
                cut(self.job, window)
                completed += len(window)
                self.job.progress(CHUNKS.name, completed, len(document_ids))

    def digest(self, _: str) -> Digest:
        """The version depends on the chunks' texts and headings; the count is the number of chunks."""
        version, count = self.job.store.documents.chunks_digest(self.job.source, self.job.settings_hashes)
        self.job.counts.chunks = count
        return Digest(version, count)

    def report(self) -> Report:
        """How much text there is, and some of it."""
        documents, source = self.job.store.documents, self.job.source
        return {
            "characters": documents.chunks_size(source, self.job.settings_hashes),
            "preview": Table(
                columns=("uri", "breadcrumb", "text", "character_count"), rows=documents.preview_chunks(source)
            ),
        }


def _windows(documents: Sequence[tuple[UUID, int]]) -> Iterator[list[UUID]]:
    """Documents in batches, limited by number and by bytes."""
    window: list[UUID] = []
    size = 0
    for document_id, stored in documents:
        if window and (len(window) >= WINDOW or size + stored > _WINDOW_BYTES):
            yield window
            window, size = [], 0
        window.append(document_id)
        size += stored
    if window:
        yield window


CHUNKS = Stage(
    name="chunks",
    parent="documents",
    doing="cutting",
    description=(
        "The documents, split into chunks: passages of a few hundred words, split at headings or between paragraphs. "
        "Search finds chunks, and answers quote them."
    ),
    columns={
        "id": Column("uuid", "The chunk's id, which stays the same while its text does."),
        "document_id": Column("uuid", "The document that the chunk is part of."),
        "text": Column("text", "The chunk's text, exactly as in the document."),
        "prose": Column("text", "The text as the model reads it, without markup; empty if it is the same."),
        "character_count": Column("integer", "How many characters the text has."),
    },
    reported={
        "characters": "Characters of text in all chunks of the source.",
        "preview": "Some of the chunks, each with the headings above it.",
    },
    page="docs/chunking.md",
    work=ChunksWork,
)
