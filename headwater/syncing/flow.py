"""Documents on their way from a source to what readers see, some at a time.

Belongs here: which documents go through which stage, in what portions, and what a failing model leaves. Not here: the
stages' own work (`documents`, `chunks`, `embeddings`), what Dagster is told (`source_run`). Guarantee: what is ready is
published within seconds, whatever comes after it; what still is to be done is read once per sync, not once per portion;
what vanished stops answering even when the model does not answer.
"""

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from headwater.domain.documents import DocumentProblem
from headwater.domain.search import SearchIndex
from headwater.errors import DatabaseUnavailableError, FencedError, ModelUnavailableError, SourceError
from headwater.syncing.chunks import cut
from headwater.syncing.documents import refresh_documents
from headwater.syncing.drift import documents_to_recut
from headwater.syncing.embeddings import PATIENCE, bring
from headwater.syncing.publishing import WINDOW
from headwater.syncing.source_job import SourceJob

_WINDOW_BYTES = 20_000_000  # of texts, as they are stored, that are cut up together


class Flow:
    """One source's documents on their way. `error` says why the index of the present settings lacks some of them."""

    def __init__(self, job: SourceJob, stages: Collection[str]) -> None:
        self._job = job
        self._stages = stages
        self._waiting: list[UUID] = []
        self._last = time.monotonic()
        self._failed: dict[int, Exception] = {}  # by index
        self.error: Exception | None = None

    def run(self) -> None:
        """Do the chosen stages' work.

        Raises:
            SourceError: the source cannot be read as a whole; what was read of it is published.
            FencedError: a newer sync took over.
        """
        try:
            self._run_stages()
        finally:  # what was published counts, however the rest ends
            self._job.counts.rows_written += self._job.publisher.rows_written
        if self._job.counts.rows_written or self._job.work.is_full:
            self._job.store.drift.set_share(self._job.work, self._job.indexes[-1].settings_hash)
            self._job.store.planning.analyze_grown()  # what comes next reads all of it

    def _run_stages(self) -> None:
        if "documents" in self._stages:
            with self._job.timing("documents"):
                if self._job.work.is_full:
                    self._job.to_recut = documents_to_recut(self._job)
                try:
                    refresh_documents(self._job, self._take)
                except SourceError:
                    self._pass_on()
                    self._settle(self._job.indexes[-1])
                    raise
        if "chunks" in self._stages:
            with self._job.timing("chunks"):
                self._cut_the_rest()
        if "embeddings" in self._stages:
            with self._job.timing("embeddings"):
                for index in self._job.indexes:
                    self._bring_the_rest(index)

    def _take(self, document_ids: Sequence[UUID]) -> None:
        """Pass on documents with new versions: at once when they are many, or when the first has waited long."""
        self._waiting += document_ids
        if len(self._waiting) >= WINDOW or time.monotonic() - self._last >= PATIENCE:
            self._pass_on()

    def _pass_on(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and "chunks" in self._stages:
            with self._job.timing("chunks"):
                cut(self._job, waiting)
        if waiting and "embeddings" in self._stages:
            with self._job.timing("embeddings"):
                for index in self._job.indexes:
                    changed, _ = self._job.store.search_indexes.documents_to_publish(self._job.work, index, waiting)
                    self._bring(index, [one.document_id for one in sorted(changed, key=lambda one: one.chunk_count)])
        self._last = time.monotonic()

    def _cut_the_rest(self) -> None:
        """Cut up what the database says was not, such as all documents for new settings, or what a crash has left."""
        done = 0
        for index in self._job.index_by_settings:
            left = self._job.store.documents.to_chunk(self._job.source, index.settings_hash)
            for window in _windows(left):
                cut(self._job, window)
                done += len(window)
                self._job.progress("chunks", done, len(left))

    def _bring_the_rest(self, index: SearchIndex) -> None:
        """Publish what the index does not serve yet. What vanished goes last, so no renamed document is missing."""
        job = self._job
        self._settle(index)  # what is being published needs no second time
        changed, vanished = job.store.search_indexes.documents_to_publish(job.work, index)
        job.brought, job.to_bring = 0, len(changed) + len(vanished)
        with_it: list[UUID] = []
        for start in range(0, len(changed), WINDOW):
            window = sorted(changed[start : start + WINDOW], key=lambda one: one.chunk_count)
            is_last = start + WINDOW >= len(changed)
            with_it = vanished[: WINDOW - len(window)] if is_last else []
            self._bring(index, [*(one.document_id for one in window), *with_it])
            job.brought += len(window)
            job.progress("embeddings", job.brought, job.to_bring)
        self._settle(index)
        with self._keeping_failure(index):
            job.publisher.publish(index, vanished if index.id in self._failed else vanished[len(with_it) :])
        self._settle(index)
        if index.id in self._failed:
            self._note_failure(index)

    def _bring(self, index: SearchIndex, document_ids: Sequence[UUID]) -> None:
        """Bring some documents into an index, unless its model has failed before."""
        if index.id in self._failed or not document_ids:
            return
        with self._keeping_failure(index):
            bring(self._job, index, document_ids)
        if len(self._job.indexes) > 1:
            self._settle(index)  # so that what goes wrong is told of the index that it went wrong with

    def _settle(self, index: SearchIndex) -> None:
        with self._keeping_failure(index):
            self._job.publisher.wait()

    @contextmanager
    def _keeping_failure(self, index: SearchIndex) -> Iterator[None]:
        """Keep what goes wrong with an index until the other stages are done."""
        try:
            yield
        except (FencedError, DatabaseUnavailableError):
            raise
        except Exception as error:  # noqa: BLE001 - raised, or reported, once the other stages are done
            self._failed.setdefault(index.id, error)

    def _note_failure(self, index: SearchIndex) -> None:
        """Keep why an index lacks documents. An older one must not keep the one that replaces it from being built."""
        error = self._failed[index.id]
        if index is self._job.indexes[-1]:
            self.error = error
            return
        lacking, _ = self._job.store.search_indexes.documents_to_publish(self._job.work, index)
        message = f"The index of {index.model} lacks {len(lacking)} documents: {error}"
        self._job.counts.errors.append(DocumentProblem(uri="", code=ModelUnavailableError.code, message=message))


def _windows(documents: Sequence[tuple[UUID, int]]) -> Iterator[list[UUID]]:
    """Documents in portions: so many of them, or so many bytes."""
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
