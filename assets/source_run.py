"""One source's part of a run, as Dagster sees it.

Belongs here: the batch of a run, and Dagster's events for a source. Not here: the sync itself
(`headwater.syncing.source_sync`), the form of events (`dagster_events`, `reports`). Guarantee: a failed key turns red,
and Dagster's events match what was made; the state of the source is observed after each sync, however it ended.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple, NoReturn

import dagster as dg

from assets import dagster_events
from assets.check_specs import check_evaluation
from assets.observations import CHECKED_ASSET, cause, observation, readable_result, registration
from assets.reports import stage_metadata
from assets.run_tags import batch_of, origin_of
from headwater.domain.corpus import Source, SourceState
from headwater.domain.plurals import join_names
from headwater.errors import DatabaseUnavailableError, HeadwaterError, NotFoundError
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.syncing.helper import Helper
from headwater.syncing.source_sync import Made, SourceSync
from headwater.syncing.stages import STAGES
from headwater.syncing.sync_failures import explain_failure


class SourceEnd(NamedTuple):
    """How the sync of a source ended: why it failed, or that it was cancelled in Headwater, if it was."""

    error: str | None
    is_cancelled: bool


class _Dagster:
    """Reports one key to Dagster."""

    def __init__(self, context: dg.AssetExecutionContext, settings: Settings, key: str, stages: Sequence[str]) -> None:
        self._context = context
        self._settings = settings
        self._key = key
        self._stages = list(stages)
        self.told: set[str] = set()

    def progressed(self, words: str) -> None:
        """Log the progress: the run is a single step, so only its log shows how far it is."""
        with dagster_events.storage():
            self._context.log.info(f"{self._key}: {words}")

    def planned(self, stages: Sequence[str]) -> None:
        """Plan the key, in a run that got its keys from config."""
        dagster_events.announce(self._context, self._key, stages)

    def made(self, made: Made) -> None:
        """Materialise a stage."""
        dagster_events.record(
            self._context,
            key=self._key,
            stage=made.stage.name,
            parents={made.stage.parent: made.parent_version},
            data_version=made.version,
            code_version=made.stage.code_version,
            metadata=stage_metadata(made, self._settings, self._key),
        )
        self.told.add(made.stage.name)

    def failed(self, reason: str, problem: Exception) -> None:
        """Log the reason, with a stack trace unless it is a Headwater error, and observe it on each failed key."""
        is_explained = isinstance(problem, HeadwaterError)
        code = explain_failure(problem).code
        with dagster_events.storage():
            self._context.log.error(f"{self._key}: {reason}", exc_info=None if is_explained else problem)
            for stage in self._stages:
                if stage not in self.told:
                    self._context.log_event(cause(stage, self._key, reason, code, self._settings))


def sync_source(
    context: dg.AssetExecutionContext,
    store: Store,
    settings: Settings,
    key: str,
    stages: list[str],
    *,
    is_full: bool,
    planned: Collection[str] = (),
    registered: Mapping[str, str] = MappingProxyType({}),
) -> SourceEnd:
    """Sync a source; returns how it ended.

    Args:
        context: of the step.
        store: the open store.
        settings: the settings of the environment.
        key: the source's partition.
        stages: the stages to make; of a source whose last sync failed, all are made, so that it is ready afterwards.
        is_full: read every document again, without trusting fingerprints.
        planned: the stages of which Dagster expects an event.
        registered: the versions of sources that Dagster has, by key.
    """
    previous_source = _row(store, key)
    if previous_source is not None and previous_source.state == SourceState.FAILED:
        stages = [stage.name for stage in STAGES]
    listener = _Dagster(context, settings, key, stages)
    sync = SourceSync(
        store=store,
        settings=settings,
        listener=listener,
        key=key,
        run_id=context.run.run_id,
        batch=batch_of(context.run),
        stages=stages,
        is_full=is_full,
        planned=set(planned),
        origin=origin_of(context.run),
        source=previous_source,
    )
    error = sync.execute()
    # A check looked at one materialization: without a new result, Dagster shows a newer one as not checked.
    is_checked = _is_bad(previous_source) or CHECKED_ASSET in listener.told
    tell_of_source(context, store, settings, key, registered, is_checked=is_checked)
    if sync.is_cancelled:
        listener.progressed("cancelled in Headwater; what was published before stays")
    return SourceEnd(error, sync.is_cancelled)


def is_unwanted_run(store: Store, run: dg.DagsterRun) -> bool:
    """Whether every request that a run served was cancelled, though it may have done some of the sources before."""
    return store.worker_failures.are_requests_cancelled(batch_of(run))


def end_as_canceled(context: dg.AssetExecutionContext, keys: Sequence[str]) -> NoReturn:
    """End a run as canceled because its requests were cancelled in Headwater: Dagster must not call it a success.

    Args:
        context: of the step.
        keys: the sources that were not done.

    Raises:
        dagster.Failure: always: Dagster calls a run canceled whose step fails after somebody asked to cancel it.
    """
    reason = f"{join_names(keys)} {'was' if len(keys) == 1 else 'were'} cancelled in Headwater."
    with dagster_events.storage():
        context.instance.report_run_canceling(context.run, message=reason)
    raise dg.Failure(reason, allow_retries=False)


def help_with_source(context: dg.AssetExecutionContext, store: Store, settings: Settings, share_id: int) -> None:
    """Help the run that syncs a source; that run alone tells Dagster what was made.

    Raises:
        dagster.Failure: it could not go on; the other run does what is left.
    """

    def tell(words: str) -> None:
        with dagster_events.storage():
            context.log.info(words)

    try:
        Helper(store=store, settings=settings, share_id=share_id, run_id=context.run.run_id, tell=tell).execute()
    except HeadwaterError as error:
        raise dg.Failure(
            f"{error} This run only helped: the run that syncs the source does what is left.", allow_retries=False
        ) from error


def tell_of_source(
    context: dg.AssetExecutionContext,
    store: Store,
    settings: Settings,
    key: str,
    registered: Mapping[str, str],
    *,
    is_checked: bool = True,
) -> None:
    """Report the state of a source, and whether all its documents were read, if that is wanted or a warning."""
    source = _row(store, key)
    if source is None:
        return
    # The sync is over: the next sync reports what cannot be reported now.
    with suppress(DatabaseUnavailableError), dagster_events.storage():
        if (materialization := registration(source, registered)) is not None:
            context.log_event(materialization)
        context.log_event(observation(source, settings))
        if is_checked or materialization is not None or _is_bad(source):
            result = readable_result(source)
            target = dagster_events.check_target(context.instance, CHECKED_ASSET, key)
            context.log_event(check_evaluation(result, CHECKED_ASSET, key, target))


def _is_bad(source: Source | None) -> bool:
    return source is not None and bool(source.unread)


def _row(store: Store, key: str) -> Source | None:
    """The current row of a source; None if it was deleted, or the database is unavailable."""
    knowledge_base, _, slug = key.partition("/")
    try:
        return store.sources.get(knowledge_base, slug)
    except (NotFoundError, DatabaseUnavailableError):
        return None
