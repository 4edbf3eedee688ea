"""Dagster's own connections to Postgres, kept open.

Belongs here: having Dagster use a connection again. Not here: Headwater's connections (`headwater.store.database`).
Guarantee: a connection that broke meanwhile is replaced before it is used, so an outage is lived through as before.

Dagster opens a connection for every statement, except in its web server: some 260 of them for a sync of three files,
which is half of the time that it takes.
"""

from typing import Any
from weakref import WeakSet

import dagster as dg

_kept: "WeakSet[dg.DagsterInstance]" = WeakSet()
_MOST = 20  # connections of one storage that are open at once
_RENEWED = 3600  # seconds after which a connection is opened anew


def keep_connections(instance: dg.DagsterInstance) -> None:
    """Have an instance keep its connections in this process, as Dagster's web server does."""
    from sqlalchemy import event
    from sqlalchemy.pool import QueuePool

    if instance not in _kept:
        _kept.add(instance)
        if not event.contains(QueuePool, "checkout", _replace_if_broken):
            event.listen(QueuePool, "checkout", _replace_if_broken)
        instance.optimize_for_webserver(statement_timeout=0, pool_recycle=_RENEWED, max_overflow=_MOST)


def _replace_if_broken(connection: Any, _record: object, _proxy: object) -> None:
    """SQLAlchemy's recipe against connections that broke: ask each before it is used."""
    import psycopg2
    from sqlalchemy.dialects.postgresql.psycopg2 import dialect
    from sqlalchemy.exc import DisconnectionError

    try:
        dialect().do_ping(connection)  # type: ignore[no-untyped-call]
    except psycopg2.Error as error:
        raise DisconnectionError from error
