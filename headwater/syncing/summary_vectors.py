"""Vectors of a source's summaries, so that search finds them (EMB-3).

Belongs here: embedding summaries for each index, and putting a tree into indexes that lack it. Not here: the tree
(`summary_tree`), its entries (`headwater.store.search.summary_entries`). Guarantee: a text is embedded once for each
model; the failure of an old index's model does not keep the tree from the others.
"""

from collections.abc import Mapping, Sequence

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.syncing.embeddings import embed
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage_failures import fail_index

_BATCH = 256  # texts passed to the model at once


def serve_tree(job: SourceJob) -> None:
    """Put the source's tree, as it is, into the indexes that lack a part of it, such as a new one.

    Raises:
        ModelUnavailableError: the model of the index for the current settings does not answer.
        FencedError: a newer sync took over.
    """
    lacking = {index.id: job.store.summary_entries.lacking(job.source.id, index) for index in job.indexes}
    if any(lacking.values()):
        embed_summaries(job, lacking)
        job.counts.rows_written += job.store.summaries.publish(job.work, job.indexes)


def embed_summaries(job: SourceJob, keys: Mapping[int, Sequence[bytes]]) -> None:
    """Embed summaries that have no vector of the model of an index.

    Args:
        job: the source being synced.
        keys: of the summaries, by the id of the index.

    Raises:
        ModelUnavailableError: the model of the index for the current settings does not answer.
        FencedError: a newer sync took over.
    """
    for index in job.indexes:
        texts = job.store.summary_entries.to_embed(keys[index.id], index.model)
        try:
            for start in range(0, len(texts), _BATCH):
                batch = texts[start : start + _BATCH]
                job.watch.check()
                embedder = load_embedder(index.model, job.settings)
                embed(job, embedder, [summary.embedding_hash for summary in batch], [summary.text for summary in batch])
        except ModelUnavailableError as error:
            fail_index(job, index, lambda: "summaries", error)
