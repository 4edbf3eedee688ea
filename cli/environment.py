"""The surroundings that Dagster needs: its home folder and the address of its database.

Belongs here: preparing both from settings. Not here: starting anything except the embedded Postgres. Guarantee:
`dagster.yaml` of the repository is used, changed only where settings require it: the run launcher and the number of
concurrent runs.
"""

import logging
import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.imports import many_imports
from headwater.administration.audit_trail import act_as
from headwater.domain.access import Actor
from headwater.private_files import private_folder
from headwater.settings import REPOSITORY, Settings
from headwater.store.server.database_urls import dagster_url, database_url
from headwater.store.store import Store, open_store

if TYPE_CHECKING:
    import dagster as dg

_CREDENTIAL = "HEADWATER_CREDENTIAL_"
_MODEL_KEYS = ("_API_KEY", "_API_BASE")  # the names that litellm's providers use
_DAGSTER_DATABASE = "HEADWATER_DAGSTER_DATABASE_URL"  # dagster.yaml refers to it


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """The settings and the store that a command works with."""

    settings: Settings
    store: Store


@contextmanager
def environment(*, size: int = 4) -> Iterator[Environment]:
    """Open the store that the environment names, while a command runs."""
    settings = Settings.from_env()
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # the command itself says that Postgres is away
    act_as(Actor(kind="command_line", id=_user()))
    with open_store(settings, size=size) as store:
        yield Environment(settings=settings, store=store)


def _user() -> str:
    """The name of the user who runs this command; the number, if it has no name, as in a container."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def dagster_variables(settings: Settings) -> dict[str, str]:
    """The environment of Dagster's processes. This also writes `dagster.yaml` into their home."""
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
    """Write `dagster.yaml` into Dagster's home unless it is up to date; returns its path.

    The file is replaced atomically: a process that starts meanwhile reads the old or the new one. A link, such as the
    one in the image, is replaced rather than followed.
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
    """The repository's `dagster.yaml`, changed as the settings require."""
    import yaml

    from pipelines.executors import run_launcher

    text = (REPOSITORY / "pipelines" / "dagster.yaml").read_text(encoding="utf-8")
    # An image has its own folders; runs serve nobody, so they need no keys.
    left_out = ("home", "cache", "admin_key", "metrics_token")
    names = [f"HEADWATER_{name.upper()}" for name in Settings.__dataclass_fields__ if name not in left_out]
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

        instance_context = dg.DagsterInstance.get()  # imports its storage
    with instance_context as instance:
        yield instance
