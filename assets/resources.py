"""What assets are given to work with.

Belongs here: Dagster resources around the kernel. Not here: settings of their own; the environment is read by the
kernel. Guarantee: a run opens its connections when it starts and closes them when it ends.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from headwater.settings import Settings
from headwater.store.store import Store, open_store


class StoreResource(dg.ConfigurableResource["StoreResource"]):
    """The store, opened for a block."""

    @contextmanager
    def open(self) -> Iterator[tuple[Store, Settings]]:
        """Open the store that the environment names; yields it with the settings."""
        settings = Settings.from_env()
        with open_store(settings) as store:
            yield store, settings
