"""What a connection to Postgres begins with: the addresses of one database, and the options of a session.

Belongs here: which address serves what, limits that a server sets for sessions, the errors of connecting. Not here:
pools (`connection_pool`), making addresses from settings (`database_urls`). Guarantee: no error contains an address,
which may hold a password.
"""

from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from headwater.errors import DatabaseUnavailableError, DiskFullError
from headwater.full_disk import is_caused_by_full_disk

CONNECT_LIMIT = 5
"""Seconds."""
SHUTDOWNS = (psycopg.errors.AdminShutdown, psycopg.errors.CrashShutdown, psycopg.errors.CannotConnectNow)
"""Errors of a server that stops or starts."""
_TRANSACTION_TIMEOUT_SINCE = 170_000  # the server's version
_AWAY = "Postgres does not answer. Your request is not lost; run `headwater doctor` to see what is wrong."
_POOL_ERRORS = ("unsupported startup parameter", "prepared statement")
_REPLICA_ERRORS = ("in hot standby", "session is read-only", "in a read-only transaction")
_READ_ONLY = (
    "Postgres takes no changes now: the server is a replica, or is just becoming the first server. Try again in a"
    " minute. If it stays so, let HEADWATER_DATABASE_URL name the first server, or all servers (`@one,two/headwater`)."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class DatabaseUrls:
    """The addresses of one database."""

    direct: str = field(repr=False)
    """The server itself: for locks that outlive a transaction, migrations, backups and Dagster."""
    pooled: str | None = field(default=None, repr=False)
    """A connection pool in transaction mode before it: for transactions."""
    replica: str | None = field(default=None, repr=False)
    """A streaming replica: for searches."""

    @property
    def statements(self) -> str:
        """Where transactions run."""
        return self.pooled or self.direct


def session_options(url: str, options: str) -> str:
    """A session's options: those of its address, then ours."""
    return f"{conninfo_to_dict(url).get('options') or ''} {options}".strip()


def connect_directly(url: str, **keywords: Any) -> psycopg.Connection[Any]:
    """Open a connection for work that takes as long as it takes, whatever limits the server sets for sessions.

    Args:
        url: the server's own address, not a pool's.
        keywords: as of `psycopg.connect`.

    Raises:
        OperationalError: the server cannot be reached.
    """
    limits = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0"
    connection = psycopg.connect(
        url,
        **{"connect_timeout": CONNECT_LIMIT, "options": session_options(url, limits), **first_server(url), **keywords},
    )
    lift_transaction_timeout(connection)
    return connection


def lift_transaction_timeout(connection: psycopg.Connection[Any]) -> None:
    """Lift the limit that servers before 17 do not have, so that it cannot be an option of a session."""
    if connection.info.server_version >= _TRANSACTION_TIMEOUT_SINCE:
        connection.execute("SET transaction_timeout = 0")
        if not connection.autocommit:
            connection.commit()


def first_server(url: str) -> dict[str, Any]:
    """The parameter by which a connection is refused, or tried with the next server, if one is a replica.

    An address may say something else.
    """
    return {} if "target_session_attrs" in conninfo_to_dict(url) else {"target_session_attrs": "primary"}


def find_outage(url: str, *, is_replica: bool = False) -> DatabaseUnavailableError | None:
    """Why the Postgres at an address does not accept our connection now; None if it does.

    Args:
        url: the address.
        is_replica: whether it may be a replica, which takes no changes.
    """
    try:
        psycopg.connect(url, connect_timeout=CONNECT_LIMIT, **({} if is_replica else first_server(url))).close()
    except psycopg.OperationalError as error:
        return DatabaseUnavailableError(_READ_ONLY if _is_refused_by_replica(error) else _AWAY)
    return None


def is_reachable(url: str, *, is_replica: bool = False) -> bool:
    """Whether the Postgres at an address accepts our connection now; arguments as of `find_outage`."""
    return find_outage(url, is_replica=is_replica) is None


def _is_refused_by_replica(error: Exception) -> bool:
    """Whether the only server that answered is a replica, or takes no changes for another reason."""
    return any(words in str(error) for words in _REPLICA_ERRORS)


def unavailable(error: Exception) -> DatabaseUnavailableError:
    """The error that Postgres cannot be reached, or is full, without the address, which may contain a password."""
    if is_caused_by_full_disk(error):
        return DiskFullError()
    lines = [line.strip() for line in str(error).strip().splitlines() if not line.startswith("\tIs the server")]
    reason = lines[-1] if lines else type(error).__name__
    if any(words in reason for words in _POOL_ERRORS):
        return DatabaseUnavailableError(
            f"HEADWATER_DATABASE_URL leads to a connection pool in transaction mode ({reason}). Set "
            "HEADWATER_DIRECT_DATABASE_URL to the address of the server itself, too."
        )
    if _is_refused_by_replica(error):
        return DatabaseUnavailableError(_READ_ONLY)
    return DatabaseUnavailableError(f"Postgres did not answer ({reason}). Run `headwater doctor` to see what is wrong.")
