"""`embeddings`: the vectors of chunks, and with them the publication of documents.

Belongs here: embedding texts without a vector, passing documents to the publisher in batches. Not here: models
(`headwater.models_gateway`), publishing (`publisher`), when (`flow`), a model that fails (`stage_failures`). Guarantee:
the same text is embedded once (EMB-1); no document waits for a slower one longer than `PATIENCE`; vectors made before a
crash or an outage are kept; removed documents are withdrawn even if the model does not answer.
"""

import time
from collections.abc import Callable, Sequence
from uuid import UUID

from headwater.chunking.chunker import embedding_text
from headwater.domain.plurals import pluralize
from headwater.domain.search import SearchIndex
from headwater.identity import content_hash
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.store.content.documents import TextToEmbed
from headwater.store.search.publications import ToPublish
from headwater.syncing.publisher import PATIENCE, WINDOW
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Column, Digest, HandOn, Report, Stage, StageWork
from headwater.syncing.stage_failures import KeptFailures, fail_index

_BATCH = 256  # texts passed to the model at once; it may return them in smaller parts
_MAX_BATCH_TEXTS = 2048  # the batch grows to this while the model is fast
_QUICK = 1.0  # seconds


def bring(
    job: SourceJob, index: SearchIndex, document_ids: Sequence[UUID], tell: Callable[[int], None] = lambda _: None
) -> None:
    """Embed the missing texts of some documents, and make an index serve their newest state; adds to the job's counts.

    Args:
        job: the source being synced.
        index: the index.
        document_ids: a batch, changed or removed; small ones first, so that they do not wait for large ones.
        tell: is called repeatedly with the number of documents that can be published.

    Raises:
        ModelUnavailableError: the index's model does not answer; documents with all vectors are published.
        FencedError: a newer sync took over.
    """
    texts = job.store.documents.texts_to_embed(document_ids, model=index.model, settings_hash=index.settings_hash)
    job.counts.to_embed = max(job.counts.to_embed, job.counts.embedded + len(texts))
    published, last = 0, time.monotonic()
    start, size = 0, _BATCH
    while start < len(texts):
        ready = texts[start].place - 1  # the documents before the first that still lacks a vector
        if ready > published and time.monotonic() - last > PATIENCE:
            job.publisher.publish(index, document_ids[published:ready])
            published, last = ready, time.monotonic()
        tell(ready)
        job.watch.check()
        began = time.monotonic()
        _embed(job, load_embedder(index.model, job.settings), texts[start : start + size])
        start += size
        if time.monotonic() - began < _QUICK:
            size = min(2 * size, _MAX_BATCH_TEXTS)
    job.publisher.publish(index, document_ids[published:])


def _embed(job: SourceJob, embedder: Embedder, texts: Sequence[TextToEmbed]) -> None:
    hashes = [text.embedding_hash for text in texts]
    embed(job, embedder, hashes, [embedding_text(text.breadcrumb, text.prose) for text in texts])


def embed(job: SourceJob, embedder: Embedder, hashes: Sequence[bytes], texts: Sequence[str]) -> None:
    """Embed some texts and store each part as it arrives: no text is paid for twice.

    Args:
        job: the source being synced; its counts grow.
        embedder: the model.
        hashes: what each text is stored under.
        texts: the texts.

    Raises:
        ModelUnavailableError: the model does not answer.
        FencedError: a newer sync took over.
    """
    for embedded in embedder.embed_counted(texts):
        end = embedded.start + len(embedded.token_counts)
        job.count_model_use(sum(embedded.token_counts), embedded.cost_usd)
        job.counts.rows_written += job.store.documents.put_embeddings(
            job.work,
            embedder.model,
            hashes[embedded.start : end],
            embedded.vectors,
            embedded.token_counts,
            job.lineage,
        )
        job.counts.embedded += len(embedded.token_counts)
        job.watch.check()


class EmbeddingsWork(StageWork):
    """Publishes a source's documents into every index; if one index's model fails, the others are not affected."""

    def __init__(self, job: SourceJob, hand_on: HandOn) -> None:
        """Begin for a source."""
        super().__init__(job, hand_on)
        self._failures = KeptFailures[int]()  # by index
        self._brought = 0  # documents published into the current index

    def take(self, document_ids: Sequence[UUID]) -> None:
        """Publish some documents into every index; errors are kept for `complete` or `settle`."""
        for index in self.job.indexes:
            documents, _ = self.job.store.search_indexes.documents_to_publish(self.job.work, index, document_ids)
            self._bring(index, _small_first(documents))

    def complete(self) -> None:
        """Publish what no index serves yet; raises the reason if the index for the current settings lacks documents."""
        for index in self.job.indexes:
            self._bring_the_rest(index)
            self._tell_failure(index)

    def settle(self) -> None:
        """Wait until everything taken is published; raises the reason if something was not."""
        self._settle(self.job.indexes[-1])
        for index in self.job.indexes:
            self._tell_failure(index)

    def kept_failures(self) -> Sequence[Exception]:
        """Errors of single indexes."""
        return list(self._failures.errors.values())

    def digest(self, parent_version: str) -> Digest:
        """The version depends on the chunks and on the indexes they were published into."""
        # Includes the index's number: an index that was dropped and built again is a new one, to be judged again.
        models = sorted(
            (index.id, index.model, index.settings_hash.hex(), index.language) for index in self.job.indexes
        )
        return Digest(content_hash(parent_version, models).hex(), self.job.counts.chunks)

    def summary(self) -> str:
        """How many texts the model embedded."""
        return f"{pluralize(self.job.counts.embedded, 'text')} embedded"

    def report(self) -> Report:
        """What the models did, and the current state of the source's chunks."""
        job, documents = self.job, self.job.store.documents
        sizes = [documents.embeddings_size(job.source, index.model, index.settings_hash) for index in job.indexes]
        return {
            "embedded": job.counts.embedded,
            "embedded_tokens": job.counts.tokens,
            "cost_usd": job.counts.cost_usd if job.is_cost_known else "unknown",
            "vectors": sum(size.vector_count for size in sizes),
            "tokens": sum(size.token_count for size in sizes),
            "models": ", ".join(index.model for index in job.indexes),
        }

    def _bring_the_rest(self, index: SearchIndex) -> None:
        """Publish the remaining documents. Removed ones come last, so that no renamed document is missing meanwhile."""
        job = self.job
        self._settle(index)  # documents that are being published need not be published twice
        documents, vanished = job.store.search_indexes.documents_to_publish(job.work, index)
        self._brought, total = 0, len(documents) + len(vanished)
        text_count = job.store.documents.count_texts_to_embed(
            [document.document_id for document in documents], model=index.model, settings_hash=index.settings_hash
        )
        job.counts.to_embed = max(job.counts.to_embed, job.counts.embedded + text_count)
        with_it: list[UUID] = []
        for start in range(0, len(documents), WINDOW):
            window = _small_first(documents[start : start + WINDOW])
            is_last = start + WINDOW >= len(documents)
            with_it = vanished[: WINDOW - len(window)] if is_last else []
            self._bring(index, [*window, *with_it], total)
            self._brought += len(window)
            job.progress(EMBEDDINGS.name, self._brought, total)
        self._settle(index)
        with self._failures.keep(index.id):
            job.publisher.publish(index, vanished if index.id in self._failures.errors else vanished[len(with_it) :])
        self._settle(index)

    def _bring(self, index: SearchIndex, document_ids: Sequence[UUID], total: int = 0) -> None:
        """Publish some documents into an index, unless its model has failed before; reports the progress."""
        if index.id in self._failures.errors or not document_ids:
            return

        def tell(ready: int) -> None:
            if total:
                self.job.progress(EMBEDDINGS.name, self._brought + ready, total)

        with self._failures.keep(index.id):
            bring(self.job, index, document_ids, tell)
        if len(self.job.indexes) > 1:
            self._settle(index)  # so that an error is reported for the index where it occurred

    def _settle(self, index: SearchIndex) -> None:
        with self._failures.keep(index.id):
            self.job.publisher.wait()

    def _tell_failure(self, index: SearchIndex) -> None:
        """Report why an index lacks documents, if it does."""
        error = self._failures.errors.get(index.id)
        if error is None:
            return

        def say_lacking() -> str:
            lacking, _ = self.job.store.search_indexes.documents_to_publish(self.job.work, index)
            return pluralize(len(lacking), "document")

        fail_index(self.job, index, say_lacking, error)


def _small_first(documents: Sequence[ToPublish]) -> list[UUID]:
    return [document.document_id for document in sorted(documents, key=lambda document: document.chunk_count)]


EMBEDDINGS = Stage(
    name="embeddings",
    parent="chunks",
    doing="publishing",
    description=(
        "One vector for each distinct text of the chunks and their headings. When a document has all its vectors, it "
        "is published: from then on, search finds it."
    ),
    columns={
        "model": Column("text", "The embedding model that made the vector."),
        "text_hash": Column("bytea", "The hash of the embedded text: equal texts are embedded only once."),
        "vector": Column("halfvec", "The vector; texts with similar meanings have similar vectors."),
        "token_count": Column("integer", "The length of the text in tokens of the model."),
    },
    reported={
        "embedded": "The number of texts that the model embedded in this sync.",
        "embedded_tokens": "The number of tokens that the model embedded in this sync.",
        "cost_usd": "Their price at the model's provider, in US dollars; `unknown` if the price is unknown.",
        "vectors": "The number of vectors of the source's chunks, for all models.",
        "tokens": "The number of tokens of all embedded texts.",
        "models": "The embedding models in use.",
    },
    page="docs/models.md",
    work=EmbeddingsWork,
    is_searched=True,
)
