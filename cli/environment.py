"""What Dagster needs around it: its home folder, and its database's address.

Belongs here: preparing both from settings. Not here: starting anything but the embedded Postgres. Guarantee:
`dagster.yaml` of the repository is the one that is used, but for what settings say: the run launcher and the number of
runs at once.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.imports import many_imports
from headwater.private_files import private_folder
from headwater.settings import REPOSITORY, Settings
from headwater.store.server.addresses import dagster_url, database_url
from headwater.store.store import Store, open_store

if TYPE_CHECKING:
    import dagster as dg

_CREDENTIAL = "HEADWATER_CREDENTIAL_"
_MODEL_KEYS = ("_API_KEY", "_API_BASE")  # as litellm's providers call them
_DAGSTER_DATABASE = "HEADWATER_DAGSTER_DATABASE_URL"  # what dagster.yaml names


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
    home = write_dagster_yaml(settings).parent
    return {
        "DAGSTER_HOME": str(home),
        "HEADWATER_HOME": str(settings.home),
        "HEADWATER_CACHE": str(settings.cache),
        "HEADWATER_API_URL": settings.api_url,
        _DAGSTER_DATABASE: dagster_url(database_url(settings)),
    }


def worker_environ(settings: Settings) -> dict[str, str]:
    """The environment of a process that executes steps."""
    return {**os.environ, **dagster_variables(settings)}


def write_dagster_yaml(settings: Settings) -> Path:
    """Write `dagster.yaml` into Dagster's home, if it is not there as it should be; returns its path.

    It takes the old one's place whole: processes that start meanwhile read one or the other, and the image's link to
    its own is replaced rather than followed.
    """
    target = settings.home / "dagster" / "dagster.yaml"
    private_folder(target.parent)
    text = _dagster_yaml(settings)
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        draft = target.with_name(f"dagster.yaml.{os.getpid()}")
        draft.write_text(text, encoding="utf-8")
        draft.replace(target)
    return target


def _dagster_yaml(settings: Settings) -> str:
    """The repository's `dagster.yaml`, with what the settings say otherwise."""
    import yaml

    from pipelines.executors import run_launcher

    text = (REPOSITORY / "pipelines" / "dagster.yaml").read_text(encoding="utf-8")
    # An image has folders of its own.
    names = [f"HEADWATER_{name.upper()}" for name in Settings.__dataclass_fields__ if name not in ("home", "cache")]
    secrets = [name for name in os.environ if name.startswith(_CREDENTIAL) or name.endswith(_MODEL_KEYS)]
    launcher = run_launcher(settings, [_DAGSTER_DATABASE, *(name for name in names if name in os.environ), *secrets])
    config = yaml.safe_load(text)
    runs = config["concurrency"]["runs"]
    if launcher is None and runs["max_concurrent_runs"] == settings.concurrent_runs:
        return text
    runs["max_concurrent_runs"] = settings.concurrent_runs or -1
    return str(yaml.safe_dump(config if launcher is None else {**config, "run_launcher": launcher}, sort_keys=False))


@contextmanager
def dagster_instance(settings: Settings) -> "Iterator[dg.DagsterInstance]":
    """Open Dagster's instance in this process."""
    os.environ.update(dagster_variables(settings))
    with many_imports():
        import dagster as dg

        from assets.connections import keep_connections

        opened = dg.DagsterInstance.get()  # imports its storage
    with opened as instance:
        keep_connections(instance)
        yield instance
