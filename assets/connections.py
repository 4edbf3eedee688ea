"""Dagster's own connections to Postgres, kept open.

Belongs here: making Dagster reuse its connections, and cache the schema of its tables. Not here: Headwater's own
connections (`headwater.store.server.database`). Guarantee: a broken connection is replaced before it is used, so
outages are survived as before.

Dagster opens a connection for every statement, except in its web server: about 260 for a sync of three files, which
is half of its time. A plugin of SQLAlchemy, which the address names, changes that in every process. Before each event
Dagster also asks Postgres whether its tables have the columns that some releases added, which takes a fifth of the
rest. Tables do not change while a process runs, because nobody migrates them then. After each event it notifies
listeners, of which no release has had any for years: a quarter of what then is left.
"""

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy import Engine, event, make_url
from sqlalchemy.dialects import plugins
from sqlalchemy.engine import URL, CreateEnginePlugin

from headwater.full_disk import explain_by_full_disk
from headwater.settings import Settings

_settings: Settings | None = None
_made: ContextVar[list[Engine] | None] = ContextVar("made", default=None)
_PLUGIN = "headwater"
_ROLE = "target_session_attrs"
_KEPT = 2  # connections of one instance that stay open: Dagster looks for tables by a second one while it uses one
_MAX_CONNECTIONS = 60  # open connections of one instance
_RENEWED = 3600  # seconds after which a connection is replaced
_SILENT = 30.0  # seconds of silence after which a connection is tested, because it may have been dropped unnoticed
_USED = "headwater_used"
# Dagster lists all tables to look for one of these. Until all are there, some process is still creating tables.
_SOUGHT_TABLES = frozenset({"runs", "event_logs", "secondary_indexes", "instigators", "asset_daemon_asset_evaluations"})


def name_full_disk(settings: Settings) -> None:
    """Make Dagster's storage report a full disk at once: Dagster would retry every statement for seconds."""
    global _settings  # noqa: PLW0603 - SQLAlchemy calls the function below with nothing of ours
    _settings = settings
    if not event.contains(Engine, "handle_error", _raise_if_full):
        event.listen(Engine, "handle_error", _raise_if_full)


def _raise_if_full(context: Any) -> None:
    assert _settings is not None  # noqa: S101 - `name_full_disk` came first
    is_embedded = _settings.database_url is None
    full = explain_by_full_disk(context.original_exception, _settings.home, is_embedded=is_embedded)
    if full is not None:
        raise full


def keep_connections(url: str) -> str:
    """Make the storages at an address of Dagster's database keep their connections; returns the address for them.

    It leads to the first of several servers, unless it says something else: a replica takes no events.
    """
    plugins.register(_PLUGIN, __name__, KeptConnections.__name__)
    address = make_url(url)
    parameters = [("plugin", _PLUGIN), *([] if _ROLE in address.query else [(_ROLE, "primary")])]
    return address.update_query_pairs(parameters).render_as_string(hide_password=False)


@contextmanager
def made_engines() -> Iterator[list[Engine]]:
    """The engines that are made in a block; the caller can close their connections.

    Those of one address share them: an instance has three storages, and each would keep one, of 3 MB in Postgres.
    """
    engines: list[Engine] = []
    token = _made.set(engines)
    try:
        yield engines
    finally:
        _made.reset(token)


class KeptConnections(CreateEnginePlugin):
    """An engine with a pool of connections, which reads the columns of each of its tables only once."""

    def __init__(self, url: URL, kwargs: dict[str, Any]) -> None:
        super().__init__(url, kwargs)
        kwargs.pop("poolclass", None)  # Dagster's keeps nothing
        kwargs["pool_size"] = _KEPT  # Dagster's web server sets 1
        kwargs.setdefault("max_overflow", _MAX_CONNECTIONS)
        kwargs.setdefault("pool_recycle", _RENEWED)

    def update_url(self, url: URL) -> URL:
        """Leave the address as it is; SQLAlchemy removes its own parameter."""
        return url

    def engine_created(self, engine: Engine) -> None:
        """Replace broken connections, and remember the schema."""
        engines = _made.get()
        for earlier in engines or ():
            if earlier.url == engine.url:
                engine.pool, engine.dialect = earlier.pool, earlier.dialect
                return
        if engines is not None:
            engines.append(engine)
        event.listen(engine, "checkout", _replace_if_broken)
        event.listen(engine, "do_execute", _passes_over)
        dialect: Any = engine.dialect
        dialect.get_columns = cache_per_table(dialect.get_columns)
        dialect.has_table = cache_per_table(dialect.has_table)
        dialect.get_table_names = cache_per_table(dialect.get_table_names, _SOUGHT_TABLES.issubset)


def cache_per_table(look: Callable[..., Any], is_final: Callable[[Any], bool] = bool) -> Callable[..., Any]:
    """Cache the results of a function per table or schema, its second argument; only those that will not change."""
    seen: dict[str | None, Any] = {}

    def look_once(connection: Any, table: str | None = None, *arguments: Any, **options: Any) -> Any:
        result = seen.get(table) or look(connection, table, *arguments, **options)
        if is_final(result):
            seen[table] = result
        return result

    return look_once


def _passes_over(_cursor: object, statement: str, _parameters: object, _context: object) -> bool:
    """Whether a statement is not to be sent: a notification, to which nobody listens."""
    return statement.startswith("NOTIFY ")


def _replace_if_broken(connection: Any, record: Any, _proxy: object) -> None:
    """SQLAlchemy's recipe for broken connections: test each before use, but only if in doubt.

    A recently used connection without incoming data is alive: a server that ends closes it, which is visible as data.
    Testing each time doubled the number of statements.
    """
    import psycopg2
    from sqlalchemy.dialects.postgresql.psycopg2 import dialect
    from sqlalchemy.exc import DisconnectionError

    now = time.monotonic()
    is_recent = now - record.info.get(_USED, -_SILENT) < _SILENT
    record.info[_USED] = now
    try:
        if is_recent and not _can_be_read(connection.fileno()):
            return
        dialect().do_ping(connection)  # type: ignore[no-untyped-call]
    except psycopg2.Error as error:
        raise DisconnectionError from error


def _can_be_read(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(0))
