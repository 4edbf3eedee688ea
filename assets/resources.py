"""Dagster resources for assets.

Belongs here: resources around the kernel. Not here: their own settings; the kernel reads the environment. Guarantee: a
run opens its connections when it starts and closes them when it ends, unless its caller lends it a store; while it
runs, it holds a lock that shows that it is alive.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

import dagster as dg

from assets.connections import name_full_disk
from headwater.settings import Settings
from headwater.store.store import Store, open_database, open_store

_standing: dict[str, Store] = {}
_opening = Lock()


@contextmanager
def shared_store() -> Iterator[tuple[Store, Settings]]:
    """The store that the environment names, for a sensor or a schedule; yields it with the settings.

    It stays open as long as the process: the code server evaluates sensors every few seconds.
    """
    settings = Settings.from_env()
    place = f"{settings.database_url} {settings.direct_database_url} {settings.read_database_url} {settings.home}"
    with _opening:  # sensors are evaluated in several threads
        if place not in _standing:
            _standing[place] = Store(open_database(settings, size=4))  # its pool survives outages of the database
    yield _standing[place], settings


_lent: ContextVar[Store | None] = ContextVar("lent", default=None)


@contextmanager
def lend_store(store: Store) -> Iterator[None]:
    """Let runs that this thread executes within a block use an open store.

    A new store would check the migrations again, and Postgres would load its catalogue for the new connections.
    """
    token = _lent.set(store)
    try:
        yield
    finally:
        _lent.reset(token)


class StoreResource(dg.ConfigurableResource["StoreResource"]):
    """The store, opened for a block."""

    @contextmanager
    def open(self) -> Iterator[tuple[Store, Settings]]:
        """Open the store that the environment names, or use one that is already open; yields it with the settings."""
        run = self._run()
        if run is None:
            with shared_store() as store_and_settings:
                yield store_and_settings
            return
        settings = Settings.from_env()
        name_full_disk(settings)  # also if the storage is not Headwater's, as with Dagster's Helm chart
        with _store(settings) as store, store.workers.running(run.run_id):
            yield store, settings

    def _run(self) -> dg.DagsterRun | None:
        """The run that is being executed; None in a sensor or a schedule, or outside Dagster."""
        try:
            return self.get_resource_context().run
        except dg.DagsterError:
            return None


@contextmanager
def _store(settings: Settings) -> Iterator[Store]:
    lent = _lent.get()
    if lent is not None:
        yield lent
        return
    with open_store(settings) as store:
        yield store
