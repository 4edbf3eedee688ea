"""What people see of a stage in the Dagster UI.

Belongs here: metadata of one source and stage: counts, sizes, a preview. Not here: the work. Guarantee: text of
sources is shown as text; it cannot become markup.
"""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from headwater.store.content.document_sizes import ChunkPreview, DocumentPreview
from headwater.syncing.source_job import SourceJob


def stage_metadata(job: SourceJob, stage: str, row_count: int, ms: float) -> dict[str, Any]:
    """Gather the results of one stage.

    Args:
        job: the source, after the stage.
        stage: documents, chunks or embeddings.
        row_count: documents or chunks that there are now.
        ms: milliseconds the stage took.
    """
    metadata: dict[str, Any] = {
        "dagster/row_count": row_count,
        "milliseconds": ms,
        **_details(job, stage),
        "api": dg.MetadataValue.url(_api_url(job)),
    }
    if job.counts.skipped and stage == "documents":
        metadata["skipped"] = dg.MetadataValue.json({line.message: list(line.examples) for line in job.counts.skipped})
    if job.counts.errors and stage == "documents":
        problems = [{"uri": p.uri, "code": p.code, "message": p.message} for p in job.counts.errors[:50]]
        metadata["errors"] = dg.MetadataValue.json({"count": job.counts.failed, "first": problems})
    return metadata


def _api_url(job: SourceJob) -> str:
    source = job.source
    return f"{job.settings.api_url}/api/v1/knowledge-bases/{source.knowledge_base}/sources/{source.slug}"


def _details(job: SourceJob, stage: str) -> dict[str, Any]:
    documents = job.store.documents
    if stage == "documents":
        return {
            "added": job.counts.added,
            "changed": job.counts.changed,
            "removed": job.counts.removed,
            "unchanged": job.counts.unchanged,
            "characters": documents.documents_size(job.source),
            "preview": _table(documents.preview_documents(job.source), ("uri", "title", "category", "character_count")),
        }
    if stage == "chunks":
        return {
            "characters": documents.chunks_size(job.source, job.settings_hashes),
            "preview": _table(documents.preview_chunks(job.source), ("uri", "breadcrumb", "text", "character_count")),
        }
    sizes = [documents.embeddings_size(job.source, index.model, index.settings_hash) for index in job.indexes]
    return {
        "embedded": job.counts.embedded,
        "embedded_tokens": job.counts.tokens,
        "cost_usd": job.counts.cost_usd if job.is_cost_known else "unknown",
        "vectors": sum(size.vector_count for size in sizes),
        "tokens": sum(size.token_count for size in sizes),
        "models": ", ".join(index.model for index in job.indexes),
    }


def _table(rows: Sequence[DocumentPreview | ChunkPreview], columns: Sequence[str]) -> dg.MarkdownMetadataValue:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_cell(getattr(row, column)) for column in columns)} |" for row in rows]
    return dg.MetadataValue.md("\n".join(lines))


def _cell(value: Any) -> str:
    text = " › ".join(value) if isinstance(value, tuple) else str(value)
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    for mark in "\\`*_[]|!#":
        text = text.replace(mark, f"\\{mark}")
    return text[:200]
