"""What a step of a knowledge base asks of the kernel, and its results as plain values.

Belongs here: declaring the rows, syncing a source, noting its upstream. Not here: Dagster's results (`assets`), the
work itself (`headwater`). Guarantee: a source that fails says why, and raises nothing; a run that wrote nothing leaves
no trace.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from headwater.administration.deletion import finish_deletions
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec
from headwater.errors import AlreadyExistsError
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.store.work.syncs import Origin
from headwater.syncing.source_sync import Made, SourceSync


@dataclass(frozen=True, kw_only=True, slots=True)
class Ownership:
    """Who manages the rows: the project's name, and what it may do with what is there."""

    project: str
    dagster_url: str
    takes_over: bool = False
    prunes: bool = False


@dataclass(kw_only=True, slots=True)
class Synced:
    """What came of one source's sync; `error` says why it failed."""

    made: list[Made] = field(default_factory=list)
    error: str | None = None


class _Listener:
    """Keeps what was made: the kernel calls it, while Dagster's step yields."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.synced = Synced()
        self.progressed = tell

    def planned(self, stages: Sequence[str]) -> None:
        """Dagster has planned its own step."""

    def made(self, made: Made) -> None:
        """Keep it."""
        self.synced.made.append(made)

    def failed(self, reason: str, problem: Exception) -> None:
        """`SourceSync.execute` returns the reason."""


def declare(store: Store, settings: Settings, spec: KnowledgeBaseSpec, owner: Ownership) -> list[str]:
    """Make the rows of a knowledge base and its sources what a project says; does nothing the second time.

    Returns:
        The sources of the project that its definitions no longer have: nobody syncs them, and searches find them.

    Raises:
        ConflictError: somebody else manages it, or people made it.
    """
    applying = partial(apply, store, spec, prune=owner.prunes, managed_by=owner.project, takes_over=owner.takes_over)
    try:
        applied = applying()
    except AlreadyExistsError:  # another run made it at the same moment
        applied = applying()
    if applied.deleted:
        finish_deletions(settings, store)
    sources = [store.sources.get(spec.slug, slug) for slug in applied.unlisted]
    return [source.slug for source in sources if source.managed_by == owner.project]


def sync_source(
    store: Store,
    settings: Settings,
    key: str,
    *,
    run_id: str,
    stages: Sequence[str],
    expected: Sequence[str],
    is_full: bool,
    patience: float,
    origin: Origin,
    owner: Ownership,
    upstream: Sequence[Mapping[str, Any]],
    tell: Callable[[str], None],
) -> Synced:
    """Sync one source.

    Args:
        store: the open store.
        settings: those of the place.
        key: `<knowledge base>/<source>`.
        run_id: Dagster's run.
        stages: the stages to run.
        expected: those of which a result is wanted, changed or not.
        is_full: whether every document is read again.
        patience: seconds to wait for another run of the same source.
        origin: who started the run.
        owner: where the run is shown.
        upstream: the project's assets that the source is made of.
        tell: is told how far it is.
    """
    knowledge_base, _, slug = key.partition("/")
    source = store.sources.get(knowledge_base, slug)
    store.outside_runs.put(run_id, source, dagster_url=owner.dagster_url, upstream=upstream)
    listener = _Listener(tell)
    sync = SourceSync(
        store=store,
        settings=settings,
        listener=listener,
        key=key,
        run_id=run_id,
        batch=None,
        stages=list(stages),
        is_full=is_full,
        planned=set(expected),
        patience=patience,
        origin=origin,
    )
    listener.synced.error = sync.execute()
    if not sync.counts.rows_written:
        store.outside_runs.forget(run_id, source)
    return listener.synced
