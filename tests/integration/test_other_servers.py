"""Postgres where people have it: an ordinary role, limits for sessions, TLS, a pool in transaction mode, a replica."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import dagster as dg
import psycopg
import pytest

from headwater.errors import DatabaseUnavailableError, InvalidConfigurationError
from headwater.settings import Settings
from headwater.store.server.connections import DatabaseUrls
from headwater.store.server.database import Database
from headwater.store.server.database_urls import database_url, database_urls
from headwater.store.server.migrations import migrate
from headwater.store.server.query_session import Session
from headwater.store.store import Store, open_database
from tests.conftest import fill
from tests.postgres_server import PASSWORD, ROLE, PostgresServer, has_pgbouncer, pgbouncer, postgres_server, replica_of
from tests.support import Headwater

pytestmark = pytest.mark.servers
FILES = {f"{name}.md": f"# {name}\n\nThe {name} is serviced every {number} weeks." for number, name in enumerate(
    ("pump", "valve", "boiler", "filter"), 2)}  # fmt: skip
_LIMITS = ("statement_timeout", "idle_in_transaction_session_timeout", "transaction_timeout")


@pytest.fixture(scope="module")
def elsewhere_server() -> Iterator[PostgresServer]:
    """A server with a role that is no superuser and may create no database; its sessions are limited to 0.3 s."""
    with postgres_server() as server:
        server.execute(*(f"ALTER ROLE {ROLE} SET {limit} = '300ms'" for limit in _LIMITS))
        migrate(server.url("kb", ROLE))
        yield server


@pytest.fixture(scope="module")
def pool_url(elsewhere_server: PostgresServer) -> Iterator[str]:
    """The address of its database through PgBouncer, over TLS."""
    if not has_pgbouncer():
        pytest.skip("there is no pgbouncer: apt-get install pgbouncer")
    with pgbouncer(elsewhere_server) as url:
        yield url


@pytest.fixture(scope="module")
def replica(elsewhere_server: PostgresServer) -> Iterator[PostgresServer]:
    """A streaming replica of it."""
    with replica_of(elsewhere_server) as standby:
        yield standby


@pytest.fixture
def database_url_here(elsewhere_server: PostgresServer) -> str:
    """The address of the database of the ordinary role."""
    return elsewhere_server.url("kb", ROLE)


def test_an_ordinary_role_with_short_limits_works(database_url_here: str) -> None:
    """It migrates where an administrator has created databases and extension; its limits end no work (OPS-4)."""
    database = Database(database_url_here, size=2)
    assert migrate(database_url_here) == []
    with database.transaction() as session:
        session.connection.execute("SELECT pg_sleep(0.4)")
        time.sleep(0.4)
        session.connection.execute("SELECT")
    with database.session_lock("long") as lock:
        time.sleep(0.4)
        assert lock.is_held
        assert lock.is_alive()
    database.close()


def test_a_missing_extension_is_explained(elsewhere_server: PostgresServer) -> None:
    """Who may not create the extension is told what an administrator must do."""
    elsewhere_server.execute(f"CREATE DATABASE bare OWNER {ROLE}", f"CREATE DATABASE bare_dagster OWNER {ROLE}")
    with pytest.raises(DatabaseUnavailableError, match="CREATE EXTENSION vector"):
        migrate(elsewhere_server.url("bare", ROLE))


def test_a_pool_needs_a_second_address(pool_url: str) -> None:
    """Without it, the error names the setting; with it, Dagster and migrations go past the pool."""
    with pytest.raises(DatabaseUnavailableError, match="HEADWATER_DIRECT_DATABASE_URL"):
        migrate(pool_url)
    settings = replace(Settings.from_env({}), database_url=pool_url, direct_database_url="postgresql://a@b/c")
    assert database_url(settings) == "postgresql://a@b/c"
    assert database_urls(settings).statements == pool_url
    with pytest.raises(InvalidConfigurationError, match="need HEADWATER_DATABASE_URL"):
        database_urls(replace(settings, database_url=None))


@pytest.fixture
def pooled(
    settings: Settings,
    instance: dg.DagsterInstance,
    database_url_here: str,
    pool_url: str,
    replica: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Headwater]:
    """A knowledge base in the other server's database, used through the pool, with searches on the replica."""
    monkeypatch.setattr("headwater.store.server.replica._RETRY_SECONDS", 0.5)
    here = replace(
        settings,
        database_url=pool_url,
        direct_database_url=database_url_here,
        read_database_url=replica.url("kb", ROLE),
    )
    store = Store(open_database(here, size=6))
    kb = Headwater(settings=here, store=store, open_instance=lambda: instance, slug="kb", folder=tmp_path / "kb")
    yield fill(kb, files=FILES)
    store.close()


def test_everything_works_behind_a_pool_and_with_a_replica(pooled: Headwater, replica: PostgresServer) -> None:
    """A sync and searches through PgBouncer in transaction mode, while other clients use the same few sessions.

    What was published is found at once, though searches are read from the replica, also when the replica is behind
    (its replay is paused), cancels a read, and is gone; when it is back, it is used again.
    """
    database = pooled.store.database
    assert pooled.sync()["docs"].state == "ready"
    assert [passage.uri for passage in pooled.search("How often is the boiler serviced?", top_k=1)] == ["boiler.md"]
    _wait_until(lambda: _read_port(database) == replica.port)
    with ThreadPoolExecutor(8) as pool:  # more than the pool has sessions
        answers = list(pool.map(lambda word: pooled.search(f"{word} serviced", top_k=1)[0].uri, ["pump", "valve"] * 8))
    assert answers == ["pump.md", "valve.md"] * 8

    replica.execute("SELECT pg_wal_replay_pause()")
    pooled.write("kettle.md", "# Kettle\n\nThe kettle is descaled monthly.")
    assert pooled.sync()["docs"].state == "ready"
    assert pooled.search("When is the kettle descaled?", top_k=1)[0].uri == "kettle.md"
    assert _read_port(database) != replica.port
    replica.execute("SELECT pg_wal_replay_resume()")
    _wait_until(lambda: _read_port(database) == replica.port)

    replica.stop()
    assert pooled.search("When is the kettle descaled?", top_k=1)[0].uri == "kettle.md"
    replica.start()
    _wait_until(lambda: _read_port(database) == replica.port)
    assert pooled.search("When is the kettle descaled?", top_k=1)[0].uri == "kettle.md"


def test_a_read_that_the_replica_cancels_is_done_again(pooled: Headwater, replica: PostgresServer) -> None:
    """A replica cancels reads that its replay conflicts with; the first server answers then, and it stays in use."""
    ports: list[int] = []
    _wait_until(lambda: _read_port(pooled.store.database) == replica.port)

    def read(session: Session) -> int:
        ports.append(_port(session))
        if ports[-1] == replica.port:
            raise psycopg.errors.SerializationFailure("canceling statement due to conflict with recovery")
        return ports[-1]

    assert pooled.store.database.read(read) != replica.port
    assert ports[0] == replica.port
    assert len(ports) == 2
    assert _read_port(pooled.store.database) == replica.port


def test_the_replica_that_is_promoted_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an address that names both servers, whichever is first gets the statements; nothing is lost (REL-1).

    Until the replica is promoted, the error says so, and names what to set.
    """
    monkeypatch.setattr("headwater.store.server.connection_pool._LIMIT", 0.5)
    with postgres_server() as first, replica_of(first) as second:
        url = f"postgresql://{ROLE}:{PASSWORD}@127.0.0.1:{second.port},127.0.0.1:{first.port}/kb"
        database = Database(url, size=2)
        with database.session_lock("sync") as lock:
            assert lock.is_held
            with database.transaction() as session:
                assert _port(session) == first.port
                session.connection.execute("CREATE TABLE committed AS SELECT 1 AS number")
            with psycopg.connect(second.url("kb"), autocommit=True) as reader:
                _wait_until(lambda: reader.execute("SELECT to_regclass('committed')").fetchone() != (None,))
            first.stop()
            with pytest.raises(DatabaseUnavailableError), database.transaction():
                pass
            with (
                pytest.raises(DatabaseUnavailableError, match="let HEADWATER_DATABASE_URL name"),
                database.transaction(),
            ):
                pass
            assert not database.is_reachable()
            assert not lock.is_alive()
            second.run("pg_ctl", "-D", str(second.folder / "data"), "-w", "promote")
            with database.transaction() as session:
                assert _port(session) == second.port
                assert session.connection.execute("SELECT number FROM committed").fetchall() == [{"number": 1}]
        with database.session_lock("sync") as lock:
            assert lock.is_held
        database.close()
        first.start()  # the block stops it


def test_reads_follow_the_replica_when_the_servers_change_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an address that names both, a new replica is used once the old one was promoted, without a restart."""
    monkeypatch.setattr("headwater.store.server.connection_pool._LIMIT", 0.5)
    monkeypatch.setattr("headwater.store.server.replica._RETRY_SECONDS", 0.5)
    with postgres_server() as first, replica_of(first) as second:
        url = f"postgresql://{ROLE}:{PASSWORD}@127.0.0.1:{second.port},127.0.0.1:{first.port}/kb"
        database = Database(DatabaseUrls(direct=url, replica=f"{url}?target_session_attrs=standby"), size=2)
        _wait_until(lambda: _read_port(database) == second.port)
        first.kill()
        second.run("pg_ctl", "-D", str(second.folder / "data"), "-w", "promote")
        _wait_until(database.is_reachable)
        with suppress(DatabaseUnavailableError):
            assert _read_port(database) == second.port
        first.copy(second)
        first.start()
        _wait_until(lambda: _read_port(database) == first.port)
        database.close()


def _read_port(database: Database) -> int:
    """The port of the server that a read is answered by."""
    return database.read(_port)


def _port(session: Session) -> int:
    row = session.connection.execute("SELECT inet_server_port() AS port").fetchone()
    assert row is not None
    return int(row["port"])


def _wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)
