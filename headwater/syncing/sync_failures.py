"""What happens when the sync of a source fails.

Belongs here: which failures a sync survives, what it is called, what becomes of the source, and what its run says. Not
here: a stage that fails while others go on (`stage_failures`), a worker that dies (`store.work.worker_failures`),
noticing that a sync takes too long or was cancelled (`interruption`). Guarantee: a failure concerns one source; the
next one is processed, and what was published stays.

    the database is away       the sync waits for it, and then finds its remaining work again: `run_through_outages`
    a disk is full             the source fails at once, because waiting does not help
    another worker has it      a request of the API waits for the next run, a command gets the error: `give_up`
    it was cancelled           its part is closed, and nothing failed
    it was deleted meanwhile   the run says so; its rows are gone
    anything else              the source fails with the code and the reason of `explain_failure`, until it is synced
"""

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from headwater.domain.corpus import Source
from headwater.domain.plurals import pluralize
from headwater.errors import (
    CancelledError,
    DatabaseUnavailableError,
    DiskFullError,
    HeadwaterError,
    SourceError,
    SyncAlreadyRunningError,
)
from headwater.full_disk import explain_by_full_disk
from headwater.settings import Settings
from headwater.store.store import Store

_MAX_OUTAGES = 5  # that one source may survive in one sync
_MAX_OUTAGE_SECONDS = 300.0
_CAUSES_SHOWN = 10


class SyncFailure(NamedTuple):
    """The code of an error, and its text for people."""

    code: str
    reason: str


def explain_failure(problem: Exception) -> SyncFailure:
    """Name the failure of a source or of a stage: an error that is not ours has no code of its own."""
    code = problem.code if isinstance(problem, HeadwaterError) else SourceError.code
    return SyncFailure(code, str(problem) or type(problem).__name__)


def find_cause(problem: Exception, settings: Settings) -> Exception:
    """A problem, or the error that a disk is full, if that is its cause."""
    is_embedded = settings.database_url is None
    return explain_by_full_disk(problem, settings.home, is_embedded=is_embedded) or problem


def is_outage(problem: Exception) -> bool:
    """Whether the database is away, and may come back."""
    return isinstance(problem, DatabaseUnavailableError) and not isinstance(problem, DiskFullError)


def run_through_outages(attempt: Callable[[], str | None], store: Store, settings: Settings) -> str | None:
    """Sync a source, again after each outage of the database; returns why it failed, or None.

    Args:
        attempt: syncs it; it raises a DatabaseUnavailableError if it must be called again.
        store: the open store.
        settings: the settings of the environment.
    """
    for _ in range(_MAX_OUTAGES):
        try:
            return attempt()
        except DatabaseUnavailableError as error:
            outage = find_cause(error, settings)
            if not is_outage(outage) or not _wait_for_database(store):
                break
    return str(outage)


def give_up(store: Store, source: Source | None, batch: str | None, error: HeadwaterError) -> str | None:
    """Leave a source that a sync could not take; returns why it failed, or None if it did not.

    Args:
        store: the open store.
        source: the source; None if there is none any more.
        batch: the batch of its waiting rows, if it was requested by rows.
        error: why it could not be taken.

    Raises:
        DatabaseUnavailableError: it is an outage, which the sync may survive.
    """
    if isinstance(error, DatabaseUnavailableError):
        raise error
    if isinstance(error, CancelledError):
        return None
    if isinstance(error, SyncAlreadyRunningError) and source is not None and batch is not None:
        return None if store.workers.postpone(source, batch, str(error)) else str(error)
    return str(error)


def explain_run(failed: Mapping[str, str], refused: Mapping[str, str], source_count: int) -> str:
    """Why a run failed: each failed source with its cause, the first ones alone if they are many.

    Args:
        failed: the cause of each source that failed, by its key.
        refused: why knowledge bases could not be refreshed, by their slugs.
        source_count: of the run.
    """
    causes = [f"{key}: {why}" for key, why in failed.items()]
    causes += [f"{slug} could not be refreshed: {why}" for slug, why in refused.items()]
    more_causes = [f"and {len(causes) - _CAUSES_SHOWN} more"] if len(causes) > _CAUSES_SHOWN else []
    head = f"{len(failed)} of {pluralize(source_count, 'source')} failed. " if failed else ""
    return head + "\n".join(causes[:_CAUSES_SHOWN] + more_causes)


def _wait_for_database(store: Store) -> bool:
    """Wait until Postgres is back; written rows stay, and the remaining work is found again."""
    deadline = time.monotonic() + _MAX_OUTAGE_SECONDS
    while time.monotonic() < deadline:
        time.sleep(1)
        if store.database.is_reachable():
            return True
    return False
