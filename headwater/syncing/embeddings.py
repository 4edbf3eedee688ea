"""`embeddings`: vectors of the chunks, and with them the documents' publication.

Belongs here: embedding what no vector is known of, and handing on to the publisher, some documents at a time. Not here:
models (`headwater.models_gateway`), publishing (`publishing`), which documents and when (`flow`). Guarantee: the same
text is embedded once (EMB-1); no document waits for a slower one longer than `PATIENCE`; vectors made before a crash or
an outage are kept.
"""

import time
from collections.abc import Sequence
from uuid import UUID

from headwater.chunking.chunker import embedding_text
from headwater.domain.search import SearchIndex
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.registry import load_embedder
from headwater.store.content.documents import TextToEmbed
from headwater.syncing.source_job import SourceJob

PATIENCE = 5.0  # seconds that what can be published is held back for what comes with it
_BATCH = 256  # texts handed to the model at once; it may give them back in smaller parts
_LARGEST_BATCH = 2048  # what it grows to while the model is quick
_QUICK = 1.0  # seconds


def bring(job: SourceJob, index: SearchIndex, document_ids: Sequence[UUID]) -> None:
    """Embed what some documents lack, and make an index serve their newest state; adds to the job's counts.

    Args:
        job: the source being synced.
        index: where to.
        document_ids: a portion, changed or vanished; small ones first, so that they do not wait for large ones.

    Raises:
        ModelUnavailableError: the index's model does not answer; what had its vectors by then is published.
        FencedError: a newer sync took over.
    """
    texts = job.store.documents.texts_to_embed(document_ids, model=index.model, settings_hash=index.settings_hash)
    published, last = 0, time.monotonic()
    start, size = 0, _BATCH
    while start < len(texts):
        ready = texts[start].place - 1  # documents before the first that still lacks a vector
        if ready > published and time.monotonic() - last > PATIENCE:
            job.publisher.publish(index, document_ids[published:ready])
            published, last = ready, time.monotonic()
        job.bringing(ready)
        began = time.monotonic()
        _embed(job, load_embedder(index.model, job.settings), texts[start : start + size])
        start += size
        if time.monotonic() - began < _QUICK:
            size = min(2 * size, _LARGEST_BATCH)
    job.publisher.publish(index, document_ids[published:])


def _embed(job: SourceJob, embedder: Embedder, texts: Sequence[TextToEmbed]) -> None:
    """Embed some texts and keep each part as it comes: what was paid for is not asked for again."""
    hashes = [text.embedding_hash for text in texts]
    done = 0
    for part in embedder.embed_counted([embedding_text(text.breadcrumb, text.prose) for text in texts]):
        count = len(part.token_counts)
        job.count_model_use(sum(part.token_counts), part.cost_usd)
        job.counts.rows_written += job.store.documents.put_embeddings(
            job.work, embedder.model, hashes[done : done + count], part.vectors, part.token_counts, job.lineage
        )
        job.counts.embedded += count
        done += count
