"""Dagster resources for assets.

Belongs here: resources around the kernel. Not here: their own settings; the kernel reads the
environment. Guarantee: a run opens its connections when it starts, closes them when it ends, and shows meanwhile that
it is alive.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import dagster as dg

from headwater.settings import Settings
from headwater.store.store import Store, open_store


class StoreResource(dg.ConfigurableResource["StoreResource"]):
    """The store, opened for a block."""

    @contextmanager
    def open(self) -> Iterator[tuple[Store, Settings]]:
        """Open the store that the environment names; yields it with the settings."""
        settings = Settings.from_env()
        run = self._run()
        with open_store(settings) as store, store.workers.running(run.run_id) if run else nullcontext():
            yield store, settings

    def _run(self) -> dg.DagsterRun | None:
        """The run that is being executed; None in a sensor or a schedule, or outside Dagster."""
        try:
            return self.get_resource_context().run
        except dg.DagsterError:
            return None
