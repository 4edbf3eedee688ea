"""A disk that is full in the middle of a sync (REL-1)."""

import json
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from cli.main import main
from headwater.store.server.database_urls import dagster_database_url
from headwater.syncing import sync_failures
from tests.support import Headwater

pytestmark = pytest.mark.synced(files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute."})
_FULL = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION no_room();
"""


def fill(url: str, table: str) -> None:
    """Make a server refuse rows of a table, as one does whose disk is full."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_FULL.format(table=table).encode())


def free(url: str) -> None:
    """Make room again."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP FUNCTION no_room CASCADE")


def sync(*options: str, status: int = 0) -> Any:
    """Run the command; returns its document."""
    done = CliRunner().invoke(main, ["sync", "kb", "docs", "--json", *options])
    assert done.exit_code == status, (done.output, done.exception)
    assert "Retrying" not in done.stderr
    return json.loads(done.stdout)


def states(kb: Headwater) -> list[str]:
    """The states of all parts of syncs, oldest first."""
    return [row["state"] for row in kb.query("SELECT state FROM sync_sources ORDER BY id")]


def test_a_source_whose_documents_do_not_fit_says_so_and_waits_for_nobody(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no outage that would pass; its part is closed, and the next sync publishes what is missing."""
    monkeypatch.setattr(sync_failures, "_wait_for_database", lambda _: pytest.fail("it waits"))
    kb.write("new.md", "# New\n\nThe turbine spins at nine hundred turns per minute.")
    fill(kb.store.database.url, "document_versions")
    [source] = sync(status=1)["sources"]
    assert source["state"] == "failed"
    assert [error["code"] for error in source["errors"]] == ["DISK_FULL"]
    assert "disk of the Postgres server is full" in source["errors"][0]["message"]
    assert kb.source().error == source["errors"][0]["message"]
    free(kb.store.database.url)
    assert sync()["sources"][0]["state"] == "ready"
    assert kb.search("turbine turns per minute")
    assert set(states(kb)[-2:]) == {"failed", "ready"}


def test_an_open_part_is_closed_by_the_next_sync(kb: Headwater) -> None:
    """A full one too, whose process died: a sync that is not full cannot do its work, and no other would come."""
    for is_full in (False, True):
        batch = f"lost-{is_full}"
        kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "command_line", batch, is_full=is_full)
        kb.query("UPDATE sync_sources SET state = 'syncing' WHERE batch = %s RETURNING 1", batch)
        assert sync()["sources"][0]["state"] == "ready"
        assert not {"pending", "queued", "syncing"} & set(states(kb))
    ended = kb.query("SELECT state, errors FROM sync_sources WHERE batch = 'lost-True'")
    assert [row["state"] for row in ended] == ["failed"]
    assert "with --full again" in ended[0]["errors"][0]["message"]
    assert kb.source().state == "ready"


def test_a_command_whose_events_do_not_fit_names_the_disk(kb: Headwater) -> None:
    """Dagster would retry for seconds, and the command would end with an error that nobody foresaw."""
    kb.write("new.md", "# New\n\nThe turbine spins at nine hundred turns per minute.")
    url = dagster_database_url(kb.store.database.url)
    fill(url, "event_logs")
    for _ in range(2):
        error = sync(status=1)["error"]
        assert error["code"] == "DISK_FULL"
        assert "disk of the Postgres server is full" in error["message"]
    assert not {"pending", "queued", "syncing"} & set(states(kb))
    free(url)
    assert sync()["sources"][0]["state"] == "ready"
    assert kb.search("turbine turns per minute")
