"""What every stage of a source's chain works with.

Belongs here: what the chain hands to its stages, and progress. Not here: Dagster. Guarantee: progress costs the
work nothing; it is written beside it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase, Lineage, Source
from headwater.domain.documents import DocumentProblem
from headwater.domain.search import SearchIndex
from headwater.domain.skipping import Skips
from headwater.files.file_store import FileStore, open_files
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.store.work.fencing import SyncSource
from headwater.store.work.workers import ERRORS_SHOWN, SyncCounts
from headwater.syncing.file_owner import claimed
from headwater.syncing.interruption import Watch
from headwater.syncing.publishing import Publisher


@dataclass(kw_only=True)
class SourceJob:
    """One source being synced: who may write, where to, and its results so far."""

    store: Store
    settings: Settings
    knowledge_base: KnowledgeBase
    indexes: list[SearchIndex]
    """Every index that must be published into; the last is the one of the present settings."""
    work: SyncSource
    lineage: Lineage
    watch: Watch
    publisher: Publisher
    counts: SyncCounts = field(default_factory=SyncCounts)
    tell: Callable[[str], None] = lambda _: None
    """Is told in words what came to its end, for the log of the run."""
    skips: Skips = field(default_factory=Skips)
    is_cost_known: bool = True
    """False once a model was used whose price is not known; then the counted cost is a lower limit."""
    to_recut: set[UUID] = field(default_factory=set)
    """Documents that are cut without regard to the borders of the version before."""
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds by stage."""
    _standing: tuple[str, int, int] = ("", 0, 0)
    _timed: float = 0.0  # seconds of the block at hand that other stages have counted
    _reported: tuple[object, ...] = ()
    _errors_reported: int = 0

    @property
    def source(self) -> Source:
        """The source."""
        return self.work.source

    @cached_property
    def files(self) -> FileStore:
        """Where originals are kept."""
        return open_files(self.settings)

    @cached_property
    def own_files(self) -> FileStore:
        """The same, for writing: once it is sure that it belongs to this database."""
        return claimed(self.store, self.files)

    @property
    def settings_hashes(self) -> list[bytes]:
        """The chunk settings in use, each once."""
        return sorted({index.settings_hash for index in self.indexes})

    @property
    def index_by_settings(self) -> list[SearchIndex]:
        """An index of each chunk settings in use."""
        return list({index.settings_hash: index for index in self.indexes}.values())

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Count the time of a block for a stage, and not for the stage within which it runs."""
        outer, started = self._timed, time.perf_counter()
        self._timed = 0.0
        try:
            yield
        finally:
            took = time.perf_counter() - started
            self.spent[stage] = self.spent.get(stage, 0.0) + took - self._timed
            self._timed = outer + took

    def fail_document(self, uri: str, code: str, message: str) -> None:
        """Note that a document could not be read, or not in whole; its neighbours go on."""
        problem = DocumentProblem(uri=uri, code=code, message=message)
        self.note_problem(problem)
        self.skips.add_problem(problem)
        self.counts.failed += 1

    def note_problem(self, problem: DocumentProblem) -> None:
        """Report something wrong with a document, which may have been read all the same; the first ones are kept."""
        if len(self.counts.errors) <= ERRORS_SHOWN:
            self.counts.errors.append(problem)

    def note_failure(self, problem: DocumentProblem) -> None:
        """Report something wrong with the source, before what is wrong with documents: only the first ones are kept."""
        self.counts.errors.insert(0, problem)

    def count_model_use(self, tokens: int, cost_usd: float | None) -> None:
        """Add what a call of a model took; the cost is None when the price is not known."""
        self.counts.tokens += tokens
        self.counts.cost_usd += cost_usd or 0.0
        self.is_cost_known = self.is_cost_known and cost_usd is not None

    def progress(self, stage: str, done: int, total: int) -> None:
        """Say where a stage stands; `total` is 0 while it is not known. It is written down by `report`.

        Raises:
            Interruption: the sync was cancelled, or takes too long.
        """
        self.watch.check()
        self._standing = (stage, done, total)

    def report(self) -> None:
        """Write down where the sync stands, if that changed: for the watch, beside the work.

        Raises:
            DatabaseUnavailableError: it could not be written.
        """
        found = (*self._standing, self.counts.read, self.counts.failed)
        if found == self._reported:
            return
        with_errors = len(self.counts.errors) > self._errors_reported
        shown = len(self.counts.errors)
        self.store.workers.progress(self.work, *self._standing, self.counts, with_errors=with_errors)
        self._reported, self._errors_reported = found, shown
