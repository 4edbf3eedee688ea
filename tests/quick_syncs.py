"""Syncs without Dagster's own bookkeeping, which is two thirds of the processor time of a small sync.

Belongs here: a run that keeps nothing in Dagster. Not here: tests of what Dagster shows, which are marked `dagster` and
sync as commands do. Guarantee: the same stages, the same refresh and the same rows of Headwater's, made by the same
functions of `assets`; only the events go nowhere.

The checks of a refresh tell Dagster alone what they find, in some forty statements. So they run only in modules that
use the fixture `checks`; anywhere else a test that wants one runs it itself.
"""

import logging
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import dagster as dg

from assets import knowledge_base_refresh
from assets.checks import check_search_index
from assets.run_tags import BATCH_TAG
from assets.source_run import sync_source
from headwater.domain.corpus import Source
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.syncing.stages import STAGES
from pipelines.in_process_run import SyncRun

_log = logging.getLogger(__name__)
_refreshes = threading.local()
_wanted: list[bool] = []


def checks_are_wanted() -> bool:
    """Whether refreshes run their checks."""
    return bool(_wanted)


@contextmanager
def want_checks() -> Iterator[None]:
    """Have refreshes run their checks for the length of a block."""
    _wanted.append(True)
    try:
        yield
    finally:
        _wanted.pop()


def _check_if_wanted(*values: Any, **named: Any) -> Iterator[dg.AssetCheckResult]:
    is_quick = getattr(_refreshes, "is_quick", False)
    return iter(()) if is_quick and not checks_are_wanted() else check_search_index(*values, **named)


knowledge_base_refresh.check_search_index = _check_if_wanted  # type: ignore[attr-defined]


@dataclass(kw_only=True)
class _Forgetful:
    """What the functions of `assets` use of a step's context and of Dagster's instance."""

    run: SimpleNamespace
    refusals: list[str] = field(default_factory=list)
    log: logging.Logger = _log
    op_execution_context: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(op_def=SimpleNamespace(name="source_index"))
    )

    @property
    def instance(self) -> "_Forgetful":
        """Dagster's instance is as forgetful."""
        return self

    def log_event(self, event: Any) -> None:
        """Note why the gate refused a new index, as `run_sync` reads it from Dagster."""
        is_of_gate = isinstance(event, dg.AssetCheckEvaluation) and event.check_name == "gate"
        if is_of_gate and not event.passed and event.severity == dg.AssetCheckSeverity.ERROR:
            self.refusals.append(str(event.description))

    def report_dagster_event(self, *_: object) -> None:
        """Keep nothing."""

    def fetch_materializations(self, *_: object, **__: object) -> SimpleNamespace:
        """There are none."""
        return SimpleNamespace(records=())


def sync_quickly(store: Store, sources: Sequence[Source], batch: str, *, is_full: bool = False) -> SyncRun:
    """Sync sources of one knowledge base, as the environment says, and refresh it if anything changed."""
    settings, run_id = Settings.from_env(), str(uuid.uuid4())
    run = SimpleNamespace(run_id=run_id, tags={BATCH_TAG: batch}, job_name="sync_sources")
    forgetful = _Forgetful(run=run)
    context = cast("Any", forgetful)
    stages = [stage.name for stage in STAGES]
    with store.workers.running(run_id):
        failed = [
            error
            for source in sources
            if (error := sync_source(context, store, settings, source.key, stages, is_full=is_full).error) is not None
        ]
        slugs = dict.fromkeys(source.key.partition("/")[0] for source in sources)
        _refreshes.is_quick = True
        try:
            reasons = [knowledge_base_refresh.refresh_if_changed(context, store, settings, slug) for slug in slugs]
        finally:
            _refreshes.is_quick = False
        refused = list(filter(None, reasons))
    store.worker_failures.fail_rows(run_id, batch, "; ".join(failed) or "The run ended before this source was done.")
    return SyncRun(run_id=run_id, refresh_error="; ".join(refused) or next(iter(forgetful.refusals), None))
