"""The job that every stage of a source works on.

Belongs here: the data that stages share, and progress. Not here: Dagster. Guarantee: reporting progress does not slow
the work down; it is written in parallel.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.chunking.text_links import TextLinks
from headwater.domain.corpus import KnowledgeBase, Lineage, Source
from headwater.domain.documents import DocumentProblem
from headwater.domain.plurals import pluralize
from headwater.domain.search import SearchIndex
from headwater.domain.skips import Skips
from headwater.files.file_store import FileStore, open_files
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.store.work.fencing_tokens import SyncLease
from headwater.store.work.workers import COUNTED_MEANWHILE, ERRORS_SHOWN, SyncCounts
from headwater.syncing.interruption import Watch
from headwater.syncing.publisher import Publisher
from headwater.syncing.store_owner import claim_store

TELL_SECONDS = 60.0
"""How often the log of a run says how far a sync is."""


@dataclass(kw_only=True)
class SourceJob:
    """One source being synced: its token, its targets, and its results so far."""

    store: Store
    settings: Settings
    knowledge_base: KnowledgeBase
    indexes: list[SearchIndex]
    """Every index to publish into; the last is the one for the current settings."""
    work: SyncLease
    lineage: Lineage
    watch: Watch
    publisher: Publisher
    counts: SyncCounts = field(default_factory=SyncCounts)
    tell: Callable[[str], None] = lambda _: None
    """Is told in words what came to its end and how far the rest is, for the log of the run."""
    skips: Skips = field(default_factory=Skips)
    is_cost_known: bool = True
    """False after using a model without a known price; then the counted cost is a lower limit."""
    to_recut: set[UUID] = field(default_factory=set)
    """Documents that are split without the borders of the previous version."""
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds by stage."""
    links_by_version: dict[UUID, tuple[str, TextLinks]] = field(default_factory=dict)
    """By version, its text and the links found while it was split: of the documents that were split last."""
    current_uri: str = ""
    """The document that is read now, which may take minutes; empty between two."""
    find_total: Callable[[], int | None] = lambda: None
    """How many documents the source has, as far as it was listed; asked before the first of them is read."""
    _standing: tuple[str, int, int] = ("", 0, 0)
    _timed: float = 0.0  # seconds of the current block that other stages have counted
    _reported: tuple[object, ...] = ()
    _errors_reported: int = 0
    _told: float = field(default_factory=time.monotonic)

    @property
    def source(self) -> Source:
        """The source."""
        return self.work.source

    @cached_property
    def files(self) -> FileStore:
        """The store of originals."""
        return open_files(self.settings)

    @cached_property
    def own_files(self) -> FileStore:
        """The same for writing, after checking that it belongs to this database."""
        return claim_store(self.store, self.files)

    @property
    def settings_hashes(self) -> list[bytes]:
        """The chunk settings in use, each once."""
        return sorted({index.settings_hash for index in self.indexes})

    @property
    def index_by_settings(self) -> list[SearchIndex]:
        """One index for each chunk settings in use."""
        return list({index.settings_hash: index for index in self.indexes}.values())

    @contextmanager
    def time_stage(self, stage: str) -> Iterator[None]:
        """Count the time of a block for a stage, and not for the stage around it."""
        outer, started = self._timed, time.perf_counter()
        self._timed = 0.0
        try:
            yield
        finally:
            took = time.perf_counter() - started
            self.spent[stage] = self.spent.get(stage, 0.0) + took - self._timed
            self._timed = outer + took

    def open_indexes(self) -> None:
        """Find the indexes to publish into; there is one for the current settings from now on."""
        settings = self.knowledge_base.settings
        chunking = chunk_settings(settings)
        self.indexes = self.store.search_indexes.ensure(
            self.knowledge_base,
            dimensions=load_embedder(settings.embedding_model, self.settings).dimensions,
            chunk_settings=chunking,
            settings_hash=settings_hash(chunking),
        )

    def fail_document(self, uri: str, code: str, message: str) -> None:
        """Record that a document could not be read, or only in part; other documents continue."""
        problem = DocumentProblem(uri=uri, code=code, message=message)
        self.note_problem(problem)
        self.skips.add_problem(problem)
        self.counts.failed += 1

    def note_problem(self, problem: DocumentProblem) -> None:
        """Report a problem with a document, which may still have been read; only the first ones are kept."""
        if len(self.counts.errors) <= ERRORS_SHOWN:
            self.counts.errors.append(problem)

    def note_failure(self, problem: DocumentProblem) -> None:
        """Report a problem with the source, before those with documents, because only the first ones are kept."""
        self.counts.errors.insert(0, problem)

    def count_model_use(self, tokens: int, cost_usd: float | None) -> None:
        """Add the cost of a model call; it is None if the price is unknown."""
        self.counts.tokens += tokens
        self.counts.cost_usd += cost_usd or 0.0
        self.is_cost_known = self.is_cost_known and cost_usd is not None

    def progress(self, stage: str, done: int, total: int) -> None:
        """Set the progress of a stage; `total` is 0 while unknown. `report` stores it.

        Raises:
            Interruption: the sync was cancelled, or takes too long.
        """
        self.watch.check()
        self._standing = (stage, done, total)

    def report(self) -> None:
        """Store the progress, if it changed; called by the watch, in parallel to the work.

        Raises:
            DatabaseUnavailableError: it could not be stored.
        """
        self._tell_progress()
        if self.counts.total is None:
            self.counts.total = self.find_total()
        uri = self.current_uri
        progress = (
            *self._standing,
            uri,
            self.counts.total,
            *(getattr(self.counts, name) for name in COUNTED_MEANWHILE),
        )
        if progress == self._reported:
            return
        with_errors = len(self.counts.errors) > self._errors_reported
        error_count = len(self.counts.errors)
        self.store.workers.progress(self.work, *self._standing, self.counts, current_uri=uri, with_errors=with_errors)
        self._reported, self._errors_reported = progress, error_count

    def _tell_progress(self) -> None:
        """Say from time to time in the log of the run how far a long sync is, also while one document takes long."""
        now = time.monotonic()
        if now - self._told < TELL_SECONDS:
            return
        self._told = now
        stage, completed, total = self._standing
        counts = self.counts
        of = f" of {total:,}" if total else ""
        words = [f"{stage}: {completed:,}{of} done", f"{counts.added:,} added", f"{counts.changed:,} changed"]
        words += [f"{counts.failed:,} failed"] if counts.failed else []
        self.tell(", ".join((*words, f"{pluralize(counts.embedded, 'text')} embedded")))
