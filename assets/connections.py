"""Dagster's own connections to Postgres, kept open.

Belongs here: making Dagster reuse connections. Not here: Headwater's connections
(`headwater.store.server.database`). Guarantee: a broken connection is replaced before it is used, so outages are
survived as before.

Dagster opens a connection for every statement, except in its web server: about 260 of them for a sync of three files,
which is half of its time.
"""

import select
import time
from typing import Any
from weakref import WeakSet

import dagster as dg

_kept: "WeakSet[dg.DagsterInstance]" = WeakSet()
_MOST = 20  # open connections of one storage
_RENEWED = 3600  # seconds after which a connection is replaced
_SILENT = 30.0  # seconds of silence after which a connection is tested, because it may have been dropped unnoticed
_USED = "headwater_used"


def keep_connections(instance: dg.DagsterInstance) -> None:
    """Make an instance keep its connections in this process, as Dagster's web server does."""
    from sqlalchemy import event
    from sqlalchemy.pool import QueuePool

    if instance not in _kept:
        _kept.add(instance)
        if not event.contains(QueuePool, "checkout", _replace_if_broken):
            event.listen(QueuePool, "checkout", _replace_if_broken)
        instance.optimize_for_webserver(statement_timeout=0, pool_recycle=_RENEWED, max_overflow=_MOST)


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
