"""The list of syncs: what ran, when, who asked, how it ended, what it cost (SRC-10, API-2)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.errors import NotFoundError
from headwater.settings import Settings
from query_api.app import create_app
from tests.support import Headwater


def _lose_a_folder(kb: Headwater) -> None:
    """One of two sources loses its folder after the first sync; a third sync is requested."""
    (kb.folder / "more" / "b.md").unlink()
    (kb.folder / "more").rmdir()
    kb.write("docs/c.md", "# C\n\nSleep well.\n")
    kb.sync()
    kb.store.syncs.request(kb.knowledge_base.id, kb.store.sources.select("kb", ["docs"]), "api", is_full=True)


FILES = {"docs/a.md": "# A\n\nRest.\n", "more/b.md": "# B\n\nDrink water.\n"}
pytestmark = pytest.mark.synced("docs", "more", files=FILES, then=_lose_a_folder)


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """The API over the test's database."""
    return create_app(settings).test_client()


def listed(client: FlaskClient, **query: Any) -> dict[str, Any]:
    """What the API lists."""
    response = client.get("/api/v1/syncs", query_string=query, headers={"Host": "127.0.0.1"})
    assert response.status_code == 200, response.text
    assert response.json is not None
    return dict(response.json)


def test_a_list_says_what_ran_who_asked_how_it_ended_and_what_it_cost(kb: Headwater, client: FlaskClient) -> None:
    """Newest first; each as it stands on its own."""
    waiting, failed, first = listed(client)["syncs"]
    assert [waiting["id"], failed["id"], first["id"]] == sorted([waiting["id"], failed["id"], first["id"]])[::-1]
    assert (waiting["state"], waiting["requested_by"], waiting["full"]) == ("pending", "api", True)
    assert (waiting["sources"], waiting["started_at"], waiting["finished_at"]) == (["docs"], None, None)
    assert (failed["state"], failed["requested_by"], failed["full"]) == ("failed", "command_line", False)
    assert (failed["sources"], failed["total"], failed["done"], failed["failed"]) == (["more", "docs"], 2, 2, 1)
    assert "There is no file or folder" in failed["error"]
    assert (failed["added"], failed["changed"], failed["removed"]) == (1, 0, 0)
    assert (first["state"], first["added"], first["error"]) == ("ready", 2, None)
    assert first["requested_at"] <= first["started_at"] <= first["finished_at"]
    for sync in (failed, first):
        parts = kb.store.syncs.get(sync["id"]).sources
        assert sync["embedded"] == sum(part.embedded_count for part in parts) > 0
        assert (sync["tokens"], sync["cost_usd"]) == (sum(part.token_count for part in parts), 0.0)
        assert sync["run_id"] in {part.run_id for part in parts}


def test_one_sync_says_who_asked_too(kb: Headwater, client: FlaskClient) -> None:
    """As the list does."""
    for sync in listed(client)["syncs"]:
        alone = client.get(f"/api/v1/syncs/{sync['id']}", headers={"Host": "127.0.0.1"}).json
        assert alone is not None
        same = ("id", "knowledge_base", "state", "requested_by", "full", "total", "done", "failed", "requested_at")
        assert {name: alone[name] for name in same} == {name: sync[name] for name in same}


def test_the_list_comes_in_pages_and_by_knowledge_base(
    kb: Headwater, headwater: Callable[..., Headwater], client: FlaskClient
) -> None:
    """`next` leads through all of them; an unknown knowledge base is an error, not an empty list."""
    other = headwater("docs", slug="other", files={"d.md": "# D\n\nEat.\n"})
    other.sync()
    everything = [sync["id"] for sync in listed(client)["syncs"]]
    seen, after = [], None
    while True:
        page = listed(client, limit=3, **({"after": after} if after else {}))
        seen += [sync["id"] for sync in page["syncs"]]
        after = page["next"]
        if after is None:
            break
    assert seen == everything
    assert len(seen) == 4
    assert [sync["knowledge_base"] for sync in listed(client, knowledge_base="other")["syncs"]] == ["other"]
    missing = client.get("/api/v1/syncs?knowledge_base=none", headers={"Host": "127.0.0.1"})
    assert (missing.status_code, missing.json["code"]) == (404, NotFoundError.code)  # type: ignore[index]


def test_a_sync_whose_worker_is_gone_waits_in_the_list_too(kb: Headwater, client: FlaskClient) -> None:
    """Nobody holds the source, so it does not count as syncing (KB-3)."""
    kb.query("UPDATE sync_sources SET state = 'syncing' WHERE state = 'pending' RETURNING id")
    assert listed(client)["syncs"][0]["state"] == "pending"


def test_the_command_lists_the_same(kb: Headwater) -> None:
    """A line for each sync, what was wrong below it, and how to see older ones."""
    run = CliRunner()
    page = json.loads(run.invoke(main, ["syncs", "kb", "--limit", "2", "--json"]).stdout)
    assert [sync["state"] for sync in page["syncs"]] == ["pending", "failed"]
    text = run.invoke(main, ["syncs", "kb", "--limit", "2"]).stdout.splitlines()
    assert text[0].startswith(f"{page['syncs'][0]['id']}  ")
    assert "pending, asked by api, full: docs; documents +0 ~0 -0, 0 texts embedded" in text[0]
    assert "asked by command line: more, docs (1 of 2 failed); documents +1 ~0 -0, " in text[1]
    assert "There is no file or folder" in text[2]
    assert text[3] == f"Older ones: headwater syncs kb --after {page['next']}"
    (last,) = run.invoke(main, ["syncs", "kb", "--after", str(page["next"])]).stdout.splitlines()
    assert "  ready after " in last


def test_a_knowledge_base_without_syncs_says_what_to_do(headwater: Callable[..., Headwater]) -> None:
    """Rather than print nothing."""
    headwater()
    assert "has never been synced" in CliRunner().invoke(main, ["syncs", "kb"]).stdout
    assert CliRunner().invoke(main, ["syncs", "none"]).exit_code == 2
