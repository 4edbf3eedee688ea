"""Progress on stderr: bars on a terminal, elsewhere a line now and then for a sync that takes long.

Belongs here: showing the progress in a sync's row, or how many bytes or things are done. Not here: the work.
Guarantee: if stderr is not a terminal, nothing is drawn, and a sync of a few seconds prints nothing.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from cli.result_texts import plain
from headwater.errors import HeadwaterError
from headwater.store.store import Store

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from headwater.domain.sync_progress import SyncProgress
    from headwater.domain.syncs import SyncPart

Tell = Callable[[str, int, int | None], None]
_INTERVAL = 0.4  # seconds
_MIN_LINE_SECONDS = 10.0
"""How long a sync is silent at first and between two lines, if stderr is not a terminal."""
_MAX_LINE_SECONDS = 30.0
"""When the same stage gets another line."""


@contextmanager
def sync_progress(store: Store, sync_id: int, tell: Callable[[str], None] | None = None) -> Iterator[None]:
    """Show a sync's progress while a block runs: to `tell` as lines, or on stderr."""
    if tell is not None:
        with _background(_tell_lines, store, sync_id, tell):
            yield
        return
    try:
        # Use a copy of the descriptor: while a step runs, Dagster redirects stdout and stderr to its log.
        descriptor = os.dup(sys.stderr.fileno())
    except (OSError, ValueError):  # stderr is closed, or no file
        yield
        return
    with os.fdopen(descriptor, "w", errors="replace") as stream:
        if sys.stderr.isatty():
            with _bars(stream) as progress, _background(_draw, store, sync_id, progress):
                yield
        else:
            with _background(_tell_lines, store, sync_id, lambda line: print(line, file=stream, flush=True)):
                yield


def _bars(terminal: TextIO) -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[counts]}"), TimeElapsedColumn())
    return Progress(*columns, console=Console(file=terminal), transient=True)


@contextmanager
def _background(show: Callable[..., None], *arguments: object) -> Iterator[None]:
    """Run a function in a thread during a block; its last argument is the event that ends it."""
    stopped = threading.Event()
    thread = threading.Thread(target=show, args=(*arguments, stopped), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _tell_lines(store: Store, sync_id: int, tell: Callable[[str], None], stopped: threading.Event) -> None:
    """Tell of a source when its stage has changed, and every half minute."""
    lines = ProgressLines(started=time.monotonic())
    while not stopped.wait(_INTERVAL):
        with suppress(HeadwaterError, OSError):  # the sync itself reports the former; who reads it may have gone
            for line in lines.next_of(store.syncs.get(sync_id).sources, time.monotonic()):
                tell(line)


class ProgressLines:
    """What a sync prints without a terminal, so that people and their logs see that it goes on."""

    def __init__(self, started: float) -> None:
        self._printed: dict[str, tuple[str, float]] = {}
        self._started = started

    def next_of(self, sources: "Sequence[SyncPart]", now: float) -> Iterator[str]:
        """The lines that are due at a time: of sources that are being synced."""
        from headwater.domain.sync_progress import measure_progress

        for sync_source in sources:
            if sync_source.state != "syncing":
                continue
            words = _stage_words(sync_source)
            last_words, printed_at = self._printed.get(sync_source.source, ("", self._started))
            if now - printed_at >= (_MIN_LINE_SECONDS if words != last_words else _MAX_LINE_SECONDS):
                self._printed[sync_source.source] = (words, now)
                measured = measure_progress(sync_source, datetime.now(UTC))
                yield f"{sync_source.source}: {words}, {_count_words(sync_source, measured)}"


def _stage_words(part: "SyncPart") -> str:
    """What is being done for a source, or its state."""
    from headwater.syncing.stages import STAGES

    if part.state != "syncing":
        return part.state
    words_of: dict[str | None, str] = {None: "starting", **{stage.name: stage.doing for stage in STAGES}}
    return words_of.get(part.stage, "")


def _draw(store: Store, sync_id: int, progress: "Progress", stopped: threading.Event) -> None:
    from headwater.domain.sync_progress import measure_progress

    tasks: dict[str, TaskID] = {}
    builds: dict[int, TaskID] = {}
    while not stopped.wait(_INTERVAL):
        try:
            sync = store.syncs.get(sync_id)
            _draw_builds(store, sync.knowledge_base, progress, builds)
        except HeadwaterError:
            continue  # the sync itself reports it
        for sync_source in sync.sources:
            name = sync_source.source
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=None, counts="")
            words = _stage_words(sync_source)
            measured = measure_progress(sync_source, datetime.now(UTC)) if sync_source.state == "syncing" else None
            share = measured.share if measured else None
            progress.update(
                tasks[name],
                description=f"{name}: {words}",
                completed=round((share or 0) * 100),
                total=None if share is None else 100,
                counts=_mark_up(_count_words(sync_source, measured)) if measured else "",
            )


def _mark_up(words: str) -> str:
    """A text from outside in a bar, where brackets would be signs."""
    from rich.markup import escape

    return escape(words)


def _count_words(part: "SyncPart", measured: "SyncProgress") -> str:
    of = f" of {part.documents_total:,}" if part.documents_total else ""
    words = [f"{part.documents_done:,}{of} read"]
    words += [f"{measured.texts_left:,} texts left to embed"] if measured.texts_left else []
    words += [f"now {plain(part.current_uri)}"] if part.current_uri else []
    return ", ".join((*words, measured.words) if measured.words else words)


def _draw_builds(store: Store, knowledge_base: str, progress: "Progress", tasks: "dict[int, TaskID]") -> None:
    """Draw how far the large search indexes of a knowledge base are; the last sources are done by then."""
    for build in store.index_builds.of(store.knowledge_bases.get(knowledge_base)):
        if build.search_index_id not in tasks:
            tasks[build.search_index_id] = progress.add_task("", total=None)
        completed, total = (0, None) if build.share is None else (round(build.share * 100), 100)
        progress.update(tasks[build.search_index_id], description=build.text, completed=completed, total=total)


@contextmanager
def byte_progress() -> Iterator[Tell]:
    """Yield a function that draws how many bytes a step has done, of how many (None: not known)."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:

        def tell(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step, total=total)
            progress.update(tasks[step], completed=done)

        yield tell


@contextmanager
def count_progress(noun: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that draws how many things are done, and of how many."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(noun, total=None)
        yield lambda completed, total: progress.update(task, completed=completed, total=total)
