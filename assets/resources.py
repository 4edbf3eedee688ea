"""Dagster resources for assets.

Belongs here: resources around the kernel. Not here: their own settings; the kernel reads the environment. Guarantee: a
run opens its connections when it starts and closes them when it ends, unless its caller lends it a store; it shows
meanwhile that it is alive.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

import dagster as dg

from headwater.settings import Settings
from headwater.store.store import Store, open_store

_lent: ContextVar[Store | None] = ContextVar("lent", default=None)


@contextmanager
def lending(store: Store) -> Iterator[None]:
    """Let runs that this thread executes within a block work with an open store.

    A store of their own would look at the migrations again, and Postgres would read its catalogue again for it.
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
        """Open the store that the environment names, or take the one that was lent; yields it with the settings."""
        settings, run = Settings.from_env(), self._run()
        with _store(settings) as store, store.workers.running(run.run_id) if run else nullcontext():
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
