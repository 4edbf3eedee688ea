"""What assets are given to work with.

Belongs here: Dagster resources around the kernel. Not here: settings of their own; the environment is read by the
kernel. Guarantee: a run opens its connections when it starts and closes them when it ends, and shows meanwhile that it
lives.
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
        """The run that is being executed; none in a sensor or a schedule, or outside Dagster."""
        try:
            return self.get_resource_context().run
        except dg.DagsterError:
            return None
