"""`chunks`: the documents' newest versions, cut up.

Belongs here: finding versions that were not cut up yet, and writing their chunks. Not here: where borders fall
(`headwater.chunking`). Guarantee: a version is cut up once per chunk settings; equal text keeps its chunk's id (CHK-5).
"""

from collections.abc import Sequence

from assets.source_job import SourceJob
from headwater.chunking.anchors import chunk_anchors
from headwater.chunking.chunker import chunk_ids, chunk_text, embedding_hash, heading_hash
from headwater.models import DocumentVersion, SearchIndex
from headwater.store.documents import ChunkRow

_BATCH = 100  # versions per transaction


def refresh_chunks(job: SourceJob) -> None:
    """Cut up what is new, for every chunk settings in use; adds to the job's counts.

    Raises:
        FencedError: a newer sync took over.
    """
    for index in {index.settings_hash: index for index in job.indexes}.values():
        done = 0
        while versions := job.store.documents.versions_to_chunk(job.source, index.settings_hash, _BATCH):
            ids = [version.document_id for version in versions]
            before = job.store.documents.pieces_before(ids, index.settings_hash)
            chunked = [(version, _rows(version, index, before.get(version.document_id, ()))) for version in versions]
            job.counts.rows_written += job.store.documents.put_chunks(
                job.work, chunked, settings_hash=index.settings_hash, by=job.lineage
            )
            done += len(versions)
            job.progress("chunks", done, job.counts.documents)


def _rows(version: DocumentVersion, index: SearchIndex, before: Sequence[str]) -> list[ChunkRow]:
    chunks = chunk_text(
        version.text,
        title=version.title,
        media_type=version.media_type,
        settings=index.chunk_settings,
        before=before,
    )
    ids = chunk_ids(version.document_id, index.settings_hash, chunks)
    is_markdown = version.media_type == "text/markdown"
    anchors = chunk_anchors(version.text, chunks) if is_markdown else [()] * len(chunks)
    return [
        ChunkRow(
            id=chunk_id,
            embedding_hash=embedding_hash(chunk.breadcrumb, chunk.prose),
            heading_hash=heading_hash(chunk.breadcrumb),
            anchors=names,
            chunk=chunk,
        )
        for chunk_id, chunk, names in zip(ids, chunks, anchors, strict=True)
    ]
