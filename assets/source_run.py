"""One source's part of a run, as Dagster sees it.

Belongs here: the batch of a run, and Dagster's events for a source. Not here: the sync itself
(`headwater.syncing.source_sync`), the form of events (`events`, `reports`). Guarantee: a failed key turns red, and
Dagster's events match what was made.
"""

from collections.abc import Sequence

import dagster as dg

from assets import events
from assets.reports import stage_metadata
from headwater.errors import HeadwaterError
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.syncing.source_sync import Made, SourceSync

BATCH_TAG = "headwater/batch"
_EXECUTED_AGAIN = "dagster/parent_run_id"


class _Dagster:
    """Reports one key to Dagster."""

    def __init__(self, context: dg.AssetExecutionContext, settings: Settings, key: str) -> None:
        self._context = context
        self._settings = settings
        self._key = key

    def planned(self, stages: Sequence[str]) -> None:
        """Plan the key, in a run that got its keys from config."""
        events.announce(self._context, self._key, stages)

    def made(self, made: Made) -> None:
        """Materialise a stage."""
        events.record(
            self._context,
            key=self._key,
            stage=made.stage.name,
            parents={made.stage.parent: made.parent_version},
            data_version=made.version,
            code_version=made.stage.code_version,
            metadata=stage_metadata(made, self._settings, self._key),
        )

    def failed(self, reason: str, problem: Exception) -> None:
        """Log the reason; with a stack trace unless it is a Headwater error."""
        known = isinstance(problem, HeadwaterError)
        with events.storage():
            self._context.log.error(f"{self._key}: {reason}", exc_info=None if known else problem)


def sync_source(
    context: dg.AssetExecutionContext,
    store: Store,
    settings: Settings,
    key: str,
    stages: list[str],
    *,
    is_full: bool,
    is_planned: bool,
) -> str | None:
    """Sync a source.

    Args:
        context: of the step.
        store: the open store.
        settings: the settings of the environment.
        key: the source's partition.
        stages: the chosen stages.
        is_full: read every document again, without trusting fingerprints.
        is_planned: whether Dagster expects an event of every stage.

    Returns:
        Why it failed, or None.
    """
    tags = context.run.tags
    # A run that is executed again in the UI has no batch, although it has all tags of the first one.
    batch = None if _EXECUTED_AGAIN in tags else tags.get(BATCH_TAG)
    sync = SourceSync(
        store=store,
        settings=settings,
        listener=_Dagster(context, settings, key),
        key=key,
        run_id=context.run.run_id,
        batch=batch,
        stages=stages,
        is_full=is_full,
        is_planned=is_planned,
    )
    return sync.execute()
