"""`embeddings`: vectors of the chunks, and with them the documents' publication.

Belongs here: embedding what no vector is known of, and publishing into every live index. Not here: models
(`headwater.models_gateway`), what publishing means (`headwater.store.search_indexes`). Guarantee: the same text is
embedded once (EMB-1); what vanished stops answering even when the model does not answer; vectors made before a crash
or an outage are kept.
"""

from collections.abc import Sequence
from uuid import UUID

from assets.source_job import SourceJob
from headwater.chunking.chunker import embedding_text
from headwater.errors import DatabaseUnavailableError, FencedError, ModelUnavailableError
from headwater.models import DocumentProblem, SearchIndex
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.registry import load_embedder
from headwater.store.database import Row

_WINDOW = 2048  # texts per query
_BATCH = 256  # texts handed to the model at once; it may give them back in smaller parts
_PUBLISH = 200  # documents per transaction


def refresh_embeddings(job: SourceJob) -> None:
    """Embed what is new and publish it; adds to the job's counts.

    Raises:
        ModelUnavailableError: the model of the present settings does not answer; what vanished was withdrawn all the
        same. FencedError: a newer sync took over.
    """
    for index in job.indexes:
        try:
            _embed(job, index)
        except (FencedError, DatabaseUnavailableError):
            raise
        except Exception as error:
            changed, vanished = job.store.search_indexes.documents_to_publish(job.work, index)
            _publish(job, index, vanished)
            if index is job.indexes[-1]:
                raise
            # An older index must not keep the one that replaces it from being built: its model may be what is left
            # behind.
            message = f"The index of {index.model} lacks {len(changed)} documents: {error}"
            job.counts.errors.append(DocumentProblem(uri="", code=ModelUnavailableError.code, message=message))
        else:
            changed, vanished = job.store.search_indexes.documents_to_publish(job.work, index)
            # What vanished goes with what is new, so that a renamed document is never missing.
            _publish(job, index, [*changed, *vanished])


def _embed(job: SourceJob, index: SearchIndex) -> None:
    done = 0
    while rows := job.store.documents.texts_to_embed(
        job.source, search_index_id=index.id, model=index.model, settings_hash=index.settings_hash, limit=_WINDOW
    ):
        embedder = load_embedder(index.model, job.settings)
        total = done + rows[0]["total_count"]
        for start in range(0, len(rows), _BATCH):
            job.progress("embeddings", done, total)
            done += _embed_batch(job, embedder, rows[start : start + _BATCH])


def _embed_batch(job: SourceJob, embedder: Embedder, rows: Sequence[Row]) -> int:
    """Embed some texts and keep each part as it comes: what was paid for is not asked for again."""
    hashes = [row["embedding_hash"] for row in rows]
    done = 0
    for part in embedder.embed_counted([embedding_text(row["breadcrumb"], row["prose"]) for row in rows]):
        count = len(part.token_counts)
        job.count_model_use(sum(part.token_counts), part.cost_usd)
        job.counts.rows_written += job.store.documents.put_embeddings(
            job.work, embedder.model, hashes[done : done + count], part.vectors, part.token_counts, job.lineage
        )
        job.counts.embedded += count
        done += count
    return done


def _publish(job: SourceJob, index: SearchIndex, document_ids: Sequence[UUID]) -> None:
    for start in range(0, len(document_ids), _PUBLISH):
        part = document_ids[start : start + _PUBLISH]
        job.counts.rows_written += job.store.search_indexes.publish(job.work, index, part, job.lineage.run_id)
        job.progress("publish", start + len(part), len(document_ids))
