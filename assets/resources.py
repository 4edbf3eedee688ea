"""What assets are given to work with.

Belongs here: Dagster resources around the kernel. Not here: settings of their own; the environment is read by the
kernel. Guarantee: a run opens its connections when it starts and closes them when it ends, and shows meanwhile that it
lives.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from headwater.settings import Settings
from headwater.store.server.database import Database
from headwater.store.store import Store, open_store, ready_url

_standing: dict[str, Store] = {}
_is_kept = False


def keep_stores() -> None:
    """Have this process keep open what its sensors and schedules look at the database by, every few seconds."""
    global _is_kept  # noqa: PLW0603 - a process is a code server from its start to its end
    _is_kept = True


@contextmanager
def standing_store() -> Iterator[tuple[Store, Settings]]:
    """Open the store that the environment names, for a sensor or a schedule; yields it with the settings."""
    settings = Settings.from_env()
    if not _is_kept:
        with open_store(settings) as store:
            yield store, settings
        return
    place = settings.database_url or str(settings.home)
    if place not in _standing:
        _standing[place] = Store(Database(ready_url(settings), size=4))  # which lives through outages by itself
    yield _standing[place], settings


class StoreResource(dg.ConfigurableResource["StoreResource"]):
    """The store, opened for a block."""

    @contextmanager
    def open(self) -> Iterator[tuple[Store, Settings]]:
        """Open the store that the environment names; yields it with the settings."""
        run = self._run()
        if run is None:
            with standing_store() as found:
                yield found
            return
        settings = Settings.from_env()
        with open_store(settings) as store, store.workers.running(run.run_id):
            yield store, settings

    def _run(self) -> dg.DagsterRun | None:
        """The run that is being executed; none in a sensor or a schedule, or outside Dagster."""
        try:
            return self.get_resource_context().run
        except dg.DagsterError:
            return None
