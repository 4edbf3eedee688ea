"""The addresses of the databases: ours, and Dagster's next to it on the same server.

Belongs here: making addresses from settings, and creating missing databases. Not here: their contents.
Guarantee: an address that contains a password is never printed.
"""

from urllib.parse import urlencode, urlsplit

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from headwater.errors import DatabaseUnavailableError, InvalidConfigurationError
from headwater.settings import Settings
from headwater.store.server import embedded_postgres
from headwater.store.server.connections import DatabaseUrls, unavailable

_NAME = "headwater"


def database_url(settings: Settings) -> str:
    """The address of Headwater's database, past a connection pool; starts the embedded server if it is used.

    Raises:
        DatabaseUnavailableError: the embedded server does not start.
        InvalidConfigurationError: an address is not one of Postgres.
    """
    return database_urls(settings).direct


def database_urls(settings: Settings) -> DatabaseUrls:
    """All addresses of Headwater's database; starts the embedded server if it is used.

    Raises:
        As `database_url`.
    """
    direct = _check_url(settings.direct_database_url, "HEADWATER_DIRECT_DATABASE_URL")
    replica = _check_url(settings.read_database_url, "HEADWATER_READ_DATABASE_URL")
    url = _check_url(settings.database_url, "HEADWATER_DATABASE_URL")
    if url is None:
        if direct or replica:
            raise InvalidConfigurationError(
                "HEADWATER_DIRECT_DATABASE_URL and HEADWATER_READ_DATABASE_URL need HEADWATER_DATABASE_URL."
            )
        return DatabaseUrls(direct=_with_database(embedded_postgres.start(settings.home / "postgres"), _NAME))
    return DatabaseUrls(direct=direct or url, pooled=url if direct else None, replica=replica)


def _check_url(url: str | None, variable: str) -> str | None:
    wrong = f"{variable} must look like postgresql://user:password@host/database."
    try:
        url_parts = urlsplit(url or "")
        conninfo_to_dict(url or "")
    except (ValueError, psycopg.Error):  # the error may contain parts of the address, and so of the password
        raise InvalidConfigurationError(wrong) from None
    if url is not None and (url_parts.scheme not in ("postgresql", "postgres") or not url_parts.path.strip("/")):
        raise InvalidConfigurationError(wrong)
    return url


def dagster_url(url: str) -> str:
    """The address of Dagster's database next to `url`, for SQLAlchemy.

    The driver is named because SQLAlchemy 2.1 uses psycopg 3 for a bare `postgresql://`, which broke Dagster's daemon.
    """
    url_parts, values = urlsplit(dagster_database_url(url)), conninfo_to_dict(url)
    account, at, hosts = url_parts.netloc.rpartition("@")
    query = url_parts.query
    if "," in hosts:  # SQLAlchemy reads several servers from parameters alone
        servers = urlencode({"host": values["host"], "port": values.get("port", "")})
        hosts, query = "", f"{query}&{servers}".removeprefix("&")
    return f"postgresql+psycopg2://{account}{at}{hosts}{url_parts.path}?{query}".removesuffix("?")


def dagster_database_url(url: str) -> str:
    """The address of Dagster's database next to `url`, for Postgres's own tools."""
    return _with_database(url, urlsplit(url).path.strip("/") + "_dagster")


def create_databases(url: str) -> None:
    """Create our database and Dagster's, if they do not exist.

    Raises:
        DatabaseUnavailableError: the server cannot be reached, or does not let us create a database.
    """
    name = urlsplit(url).path.strip("/")
    for database_name in (name, f"{name}_dagster"):
        if not _exists(_with_database(url, database_name)):
            _create(url, database_name)


def _exists(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=10).close()
    except psycopg.OperationalError as error:
        if "does not exist" in str(error):
            return False
        raise unavailable(error) from error
    return True


def _create(url: str, name: str) -> None:
    try:
        with psycopg.connect(_with_database(url, "postgres"), autocommit=True, connect_timeout=10) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    except psycopg.errors.DuplicateDatabase:
        return  # another command was faster
    except psycopg.errors.UniqueViolation:
        return  # faster still
    except psycopg.Error as error:
        raise DatabaseUnavailableError(
            f"Database {name} does not exist and could not be created ({str(error).strip()}). Create it yourself."
        ) from error


def _with_database(url: str, name: str) -> str:
    url_parts = urlsplit(url)
    query = f"?{url_parts.query}" if url_parts.query else ""
    return f"{url_parts.scheme}://{url_parts.netloc}/{name}{query}"  # urlunsplit drops `//` if no server is named
