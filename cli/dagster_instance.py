"""Where Dagster keeps its runs, its events and the output of runs: the classes that `dagster.yaml` names.

Belongs here: finding both places, and what every process of Dagster does as soon as it opens its instance. Not here:
making the databases (`headwater.store.server.database_urls`), the guards (`processes.ui_guard`). Guarantee: every
process of Dagster finds the same places, whichever starts it: `headwater up`, a container, `dagster dev` or `dg`; it
keeps its connections; a web server among them is guarded.
"""

import os
import sys
from collections.abc import Sequence
from typing import Any

import click
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager
from dagster_postgres import DagsterPostgresStorage
from sqlalchemy import Engine

from assets.connections import keep_connections, made_engines, name_full_disk
from cli.processes.development import claim_development, end_with_parent
from cli.processes.ui_guard import guard_web_server
from headwater.errors import ConflictError, HeadwaterError
from headwater.private_files import private_umask
from headwater.settings import Settings
from headwater.store.server.database_urls import create_databases, dagster_url, database_url
from headwater.store.store import open_store

_DEVELOPMENT = "dev"
"""The name of the command `dev`, both of `dagster` and of `dg`; its child processes run other commands."""
_STARTING_RUNS = {"launch", "materialize", "execute", "backfill"}
"""The names of the commands of `dagster` and `dg` that start runs."""


class HeadwaterStorage(DagsterPostgresStorage):
    """Postgres at the address in a variable; if it is not set, Dagster's database beside Headwater's own."""

    @classmethod
    def config_type(cls) -> Any:
        """The shape of Dagster's own Postgres storage; the variable may be missing."""
        return {"postgres_url": {"env": str}}

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Any) -> "HeadwaterStorage":
        """Open it; this starts the embedded server if that is used."""
        private_umask()
        settings = Settings.from_env()
        context = click.get_current_context(silent=True)
        _claim_home(settings, context)
        name_full_disk(settings)
        if "dagster_webserver.cli" in sys.modules:
            guard_web_server(settings)
        url = os.environ.get(config_value["postgres_url"]["env"]) or _own_url(settings)
        with made_engines() as engines:
            storage = cls(keep_connections(url), inst_data=inst_data)
        _close_with_instance(storage.run_storage, engines)
        if context is not None and context.command.name in _STARTING_RUNS:
            _register_sources(settings, storage)
        return storage


class HeadwaterComputeLogs(LocalComputeLogManager):
    """The output of runs, in Headwater's home, also if DAGSTER_HOME is another folder."""

    @classmethod
    def config_type(cls) -> Any:
        """It takes no configuration."""
        return {}

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Any) -> "HeadwaterComputeLogs":
        """Open it."""
        return cls(str(Settings.from_env().home / "dagster" / "storage"), inst_data=inst_data, **config_value)


def _close_with_instance(part: Any, engines: Sequence[Engine]) -> None:
    """Close kept connections when the instance is closed, which closes each part of its storage."""
    close = part.dispose

    def close_all() -> None:
        close()
        for engine in engines:
            engine.dispose()

    part.dispose = close_all


def _own_url(settings: Settings) -> str:
    url = database_url(settings)
    create_databases(url)
    return dagster_url(url)


def _claim_home(settings: Settings, context: click.Context | None) -> None:
    """Let one `dagster dev` run for a home, and none beside `headwater up`; what it starts ends with it."""
    if context is not None and context.params.get("shutdown_pipe"):
        end_with_parent()
    if context is None or context.command.name != _DEVELOPMENT:
        return
    try:
        claim_development(settings.home)
    except ConflictError as error:
        raise click.ClickException(str(error)) from error  # Dagster's commands show it without a stack trace


def _register_sources(settings: Settings, storage: DagsterPostgresStorage) -> None:
    """Make partitions of the sources that no sensor and no sync has seen yet: a run of one can then be started."""
    from pipelines.in_process_run import register_partitions

    try:
        with open_store(settings) as store:
            register_partitions(storage.event_log_storage, store)
    except HeadwaterError as error:
        raise click.ClickException(str(error)) from error
