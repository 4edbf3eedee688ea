"""What Dagster needs around it: its home folder, and its database's address.

Belongs here: preparing both from settings. Not here: starting anything but the embedded Postgres. Guarantee:
`dagster.yaml` of the repository is the one that is used.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.settings import REPOSITORY, Settings
from headwater.store.addresses import dagster_url, database_url
from headwater.store.store import Store, open_store

if TYPE_CHECKING:
    import dagster as dg


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """What a command works with."""

    settings: Settings
    store: Store


@contextmanager
def environment(*, size: int = 4) -> Iterator[Environment]:
    """Open the store that the environment names, for the length of a command."""
    settings = Settings.from_env()
    with open_store(settings, size=size) as store:
        yield Environment(settings=settings, store=store)


def dagster_variables(settings: Settings) -> dict[str, str]:
    """The environment of Dagster's processes; writes `dagster.yaml` into their home."""
    home = settings.home / "dagster"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = (REPOSITORY / "dagster.yaml").read_text(encoding="utf-8")
    target = home / "dagster.yaml"
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")
    return {
        "DAGSTER_HOME": str(home),
        "HEADWATER_HOME": str(settings.home),
        "HEADWATER_CACHE": str(settings.cache),
        "HEADWATER_API_URL": settings.api_url,
        "HEADWATER_DAGSTER_DATABASE_URL": dagster_url(database_url(settings)),
    }


@contextmanager
def dagster_instance(settings: Settings) -> "Iterator[dg.DagsterInstance]":
    """Open Dagster's instance in this process."""
    os.environ.update(dagster_variables(settings))
    import dagster as dg

    with dg.DagsterInstance.get() as instance:
        yield instance
