"""What a sync asks of Postgres beyond its work."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg
import psycopg
import pytest
from psycopg_pool import ConnectionPool
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.pool import Pool

from assets import resources
from headwater.store.server.database import Database
from headwater.store.server.database_urls import dagster_database_url
from headwater.store.server.named_queries import load_queries
from headwater.store.server.planner_statistics import _DIVIDED, _TABLES
from headwater.store.server.session_lock import SessionLock
from pipelines.definitions import build_definitions
from tests.support import Headwater

_MORE = 5  # sources and knowledge bases
_STORAGES = 3  # of Dagster's, each with a pool of its own
FILES = {"a.md": "# A\n\nThe pump lifts water.", "b.md": "# B\n\nThe wheel turns."}

pytestmark = [pytest.mark.usefixtures("checks"), pytest.mark.synced(files=FILES)]


def test_a_command_s_run_works_with_the_command_s_store(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at no migrations of its own, and Postgres reads its catalogue for no further connections."""
    monkeypatch.setattr(resources, "open_store", lambda *_: pytest.fail("the run opened a store of its own"))
    kb.write("c.md", "# C\n\nThe valve opens.")
    assert kb.sync()["docs"].added == 1


def test_the_connection_that_was_used_last_is_used_next(kb: Headwater) -> None:
    """It has prepared the statements and read the catalogue, which another one would have to do again."""

    def used() -> int:
        with database.transaction() as session:
            return session.connection.info.backend_pid

    database = kb.store.database
    with database.transaction(), database.transaction():
        other = used()
    assert [used() for _ in range(3)] == [used()] * 3
    with database.transaction():
        assert used() != other


def test_a_lock_takes_the_connection_of_the_one_before(kb: Headwater) -> None:
    """Two at once have one each; a connection that broke meanwhile is replaced, and no lock stays (REL-1)."""
    database = kb.store.database

    def process(lock: SessionLock) -> int:
        assert lock.is_held
        return lock._connection.info.backend_pid

    with database.session_lock("a") as first, database.session_lock("b") as second:
        with database.session_lock("a") as third:
            assert not third.is_held
        before = {process(first), process(second)}
    assert len(before) == 2
    with Database(database.url).session_lock("a") as elsewhere:
        assert process(elsewhere) not in before
    with database.session_lock("a") as again:
        assert process(again) in before
    kb.query("SELECT count(pg_terminate_backend(pid, 10000)) FROM unnest(%s) pid", list(before))
    with database.session_lock("a") as replaced:
        assert process(replaced) not in before


@pytest.mark.dagster
def test_dagster_knows_its_schema_after_the_first_sync(kb: Headwater) -> None:
    """It neither looks at its tables again, nor opens another connection to do so while it uses one.

    Nor does it notify anybody of its events, or look for what was checked once for each check.
    """
    kb.write("c.md", "# C\n\nThe valve opens.")
    kb.sync()
    statements: list[str] = []
    opened: list[object] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    def note_opened(connection: object, _record: object) -> None:
        opened.append(connection)

    listener = psycopg.connect(dagster_database_url(kb.store.database.url), autocommit=True)
    listener.execute("LISTEN run_events")
    event.listen(Engine, "before_cursor_execute", note)
    event.listen(Pool, "connect", note_opened)
    try:
        kb.write("d.md", "# D\n\nThe gate closes.")
        assert kb.sync()["docs"].added == 1
        assert list(listener.notifies(timeout=0.1)) == []
    finally:
        listener.close()
        event.remove(Engine, "before_cursor_execute", note)
        event.remove(Pool, "connect", note_opened)
    assert any("INSERT INTO event_logs" in statement for statement in statements)
    assert not [statement for statement in statements if "pg_catalog" in statement]
    newest = [one for one in statements if "FROM event_logs" in one and "ORDER BY event_logs.id DESC" in one]
    assert 0 < len(newest) < 15, newest
    assert not opened


@pytest.mark.dagster
@pytest.mark.parametrize("chosen", ["sources", "search_index", "evaluation"])
def test_runs_of_the_ui_keep_dagster_s_connections(kb: Headwater, chosen: str) -> None:
    """Observe and Execute all do not open one for each thing that they tell Dagster, however many there are."""
    for number in range(_MORE):
        settings = {"path": str(kb.folder / "docs")}
        kb.store.sources.create("kb", slug=f"more-{number}", kind="markdown_tree", config=settings)
        kb.store.knowledge_bases.create(
            slug=f"kb-{number}", name="Another", description="", settings=kb.knowledge_base.settings
        )
    job = _chosen(kb, dg.AssetKey(chosen))
    with dg.DagsterInstance.get() as instance, _opened() as opened:
        assert job.execute_in_process(instance=instance).success
    assert len(opened) <= _STORAGES


def _chosen(kb: Headwater, asset: dg.AssetKey) -> dg.JobDefinition:
    """What Observe runs, or Execute all of an asset's checks."""
    definitions = build_definitions(kb.settings)
    job = definitions.resolve_implicit_global_asset_job_def()
    checks = {key for key in definitions.resolve_asset_graph().asset_check_keys if key.asset_key == asset}
    checks = {key for key in checks if key.name != "gate"}
    if checks:
        return job.get_subset(asset_selection=set(), asset_check_selection=checks)
    return job.get_subset(asset_selection={asset})


@contextmanager
def _opened() -> Iterator[list[object]]:
    """Dagster's connections that are opened during a block, since the last step began."""
    opened: list[object] = []

    def note(_connection: object, _cursor: object, _statement: str, values: object, *_: object) -> None:
        if dg.DagsterEventType.STEP_START.value in str(values):
            opened.clear()

    def note_opened(connection: object, _record: object) -> None:
        opened.append(connection)

    event.listen(Engine, "before_cursor_execute", note)
    event.listen(Pool, "connect", note_opened)
    try:
        yield opened
    finally:
        event.remove(Engine, "before_cursor_execute", note)
        event.remove(Pool, "connect", note_opened)


def test_a_connection_is_asked_only_where_there_is_doubt(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was just used is taken as it is; one that the server closed meanwhile is replaced unnoticed (REL-1)."""
    asked: list[object] = []
    ask = ConnectionPool.check_connection

    def note(connection: "psycopg.Connection[Any]") -> None:
        asked.append(connection)
        ask(connection)

    monkeypatch.setattr(ConnectionPool, "check_connection", staticmethod(note))
    database = Database(database_url, size=1)
    try:
        first = _backend(database)
        asked.clear()
        assert [_backend(database) for _ in range(3)] == [first] * 3
        assert asked == []
        with psycopg.connect(database_url) as other:
            other.execute("SELECT pg_terminate_backend(%s, 60000)", (first,))
        assert _backend(database) != first
        assert asked
    finally:
        database.close()


def _backend(database: Database) -> int:
    with database.transaction() as session:
        return session.connection.info.backend_pid


def test_only_the_sizes_of_the_tables_that_syncs_fill_are_looked_up(database_url: str) -> None:
    """Each is a look at files, and Postgres's catalogue holds hundreds of others."""
    values = {"names": list(_TABLES), "divided": list(_DIVIDED)}
    with psycopg.connect(database_url) as connection:
        query = b"EXPLAIN (ANALYZE, FORMAT JSON) " + load_queries()["grown_tables"].encode()
        found = connection.execute(query, values).fetchone()
    assert found
    scans = [node for node in _nodes(found[0][0]["Plan"]) if node.get("Relation Name") == "pg_class"]
    assert scans
    for scan in scans:
        assert scan["Actual Rows"] + scan.get("Rows Removed by Filter", 0) <= len(_TABLES) + 20


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in _nodes(child))]


@pytest.mark.dagster
def test_a_closed_instance_keeps_no_connection(kb: Headwater) -> None:
    """Kept connections end with the instance that kept them, not some time later."""
    with dg.DagsterInstance.get() as instance:
        assert instance.get_runs_count() >= 0
        before = _connections(kb)
    deadline = time.monotonic() + 60
    while _connections(kb) >= before:  # a server's process ends some time after its connection
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _connections(kb: Headwater) -> int:
    rows = kb.query("SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() || '_dagster'")
    return int(rows[0]["n"])


def test_the_first_caller_opens_one_connection(kb: Headwater) -> None:
    """It waits for the pool's first one, instead of having a second opened beside it."""
    database = kb.store.database
    pool = database._connections()
    assert kb.store.sources.all()
    database.close()
    assert pool.get_stats()["connections_num"] == 1
