"""Progress bars, on a terminal.

Belongs here: drawing the progress in a sync's row, or how many bytes or things are done. Not here: the work.
Guarantee: nothing is drawn if stderr is not a terminal.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cli.result_texts import plain
from headwater.errors import HeadwaterError
from headwater.store.store import Store

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from headwater.domain.sync_progress import SyncProgress
    from headwater.domain.syncs import SyncPart

Tell = Callable[[str, int, int | None], None]
_INTERVAL = 0.4  # seconds


@contextmanager
def sync_progress(store: Store, sync_id: int) -> Iterator[None]:
    """Draw a sync's progress while a block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[counts]}"), TimeElapsedColumn())
    stopped = threading.Event()
    # Use a copy of the terminal's descriptor: while a step runs, Dagster redirects stdout and stderr to its log.
    with (
        os.fdopen(os.dup(sys.stderr.fileno()), "w") as terminal,
        Progress(*columns, console=Console(file=terminal), transient=True) as progress,
    ):
        thread = threading.Thread(target=_draw, args=(store, sync_id, progress, stopped), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()


def _draw(store: Store, sync_id: int, progress: "Progress", stopped: threading.Event) -> None:
    from headwater.domain.sync_progress import measure_progress
    from headwater.syncing.stages import STAGES

    words_of: dict[str | None, str] = {stage.name: stage.doing for stage in STAGES}
    words_of[None] = "starting"
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
            words = words_of.get(sync_source.stage, "") if sync_source.state == "syncing" else sync_source.state
            measured = measure_progress(sync_source, datetime.now(UTC)) if sync_source.state == "syncing" else None
            share = measured.share if measured else None
            progress.update(
                tasks[name],
                description=f"{name}: {words}",
                completed=round((share or 0) * 100),
                total=None if share is None else 100,
                counts=_count_words(sync_source, measured) if measured else "",
            )


def _count_words(part: "SyncPart", measured: "SyncProgress") -> str:
    from rich.markup import escape

    of = f" of {part.documents_total:,}" if part.documents_total else ""
    words = [f"{part.documents_done:,}{of} read"]
    words += [f"{measured.texts_left:,} texts left to embed"] if measured.texts_left else []
    words += [f"now {escape(plain(part.current_uri))}"] if part.current_uri else []
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
