"""Search indexes over HTTP and from the command line (EMB-2, API-1)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.settings import Settings
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]
KB = "/api/v1/knowledge-bases"
FILES = {"docs/a.md": "# A\n\nThe pump lifts water.", "more/b.md": "# B\n\nThe wheel turns."}


@pytest.fixture
def kb(headwater: Make) -> Headwater:
    """A knowledge base whose new index lacks the documents of one source."""
    made = headwater("docs", "more", files=FILES)
    made.sync()
    chosen = made.knowledge_base.settings.model_copy(update={"chunk_max": 500, "chunk_min": 100, "language": "dutch"})
    made.store.knowledge_bases.update("kb", settings=chosen)
    made.sync("docs")
    return made


def _run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["index", *arguments])
    assert done.exit_code == status, (arguments, done.output, done.exception)
    assert "Traceback" not in done.output
    return done.stdout


def _json(*arguments: str, status: int = 0) -> Any:
    return json.loads(_run(*arguments, "--json", status=status))


def test_indexes_over_http(kb: Headwater, settings: Settings) -> None:
    """List, be refused with the reason, switch, go back; nothing is switched that does not pass."""
    client: FlaskClient = create_app(settings).test_client()
    indexes = client.get(f"{KB}/kb/search-indexes").json["search_indexes"]  # type: ignore[index]
    first, second = (one["id"] for one in indexes)
    assert [(one["state"], one["is_wanted"]) for one in indexes] == [("active", False), ("building", True)]
    assert [(one["documents"], one["entries"]) for one in indexes] == [(2, 2), (1, 1)]
    assert (indexes[1]["chunk_max"], indexes[1]["language"]) == (500, "dutch")
    assert (indexes[0]["access"], indexes[0]["recall_at_10"], indexes[0]["expires_at"]) == ("exact", 1.0, None)
    assert indexes[1]["gate"]["criteria"][0]["words"].startswith("The new index lacks documents")

    refused = client.post(f"{KB}/kb/search-indexes/{second}/switch")
    assert (refused.status_code, refused.json["code"]) == (409, "GATE_FAILED")  # type: ignore[index]
    assert "1 of source more" in refused.json["detail"]  # type: ignore[index]
    nothing = client.post(f"{KB}/kb/search-indexes/rollback")
    assert (nothing.status_code, nothing.json["code"]) == (409, "CONFLICT")  # type: ignore[index]
    kb.sync("more")
    same = client.post(f"{KB}/kb/search-indexes/{second}/switch").json
    assert same is not None
    assert (same["search_index"]["state"], same["previous"]) == ("active", None)

    back = client.post(f"{KB}/kb/search-indexes/rollback").json
    assert back is not None
    assert (back["search_index"]["id"], back["previous"], back["settings"]["chunk_max"]) == (first, second, 1000)
    assert back["settings"]["language"] == "english"
    retained = client.get(f"{KB}/kb/search-indexes").json["search_indexes"][1]  # type: ignore[index]
    assert retained["state"] == "retained"
    assert retained["expires_at"] > retained["retained_at"]
    forward = client.post(f"{KB}/kb/search-indexes/{second}/switch").json
    assert forward is not None
    assert (forward["search_index"]["gate"]["passed"], forward["previous"]) == (True, first)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "none/search-indexes", 404),
        ("post", "none/search-indexes/rollback", 404),
        ("post", "kb/search-indexes/99999999999999999999/switch", 404),
        ("post", "kb/search-indexes/x/switch", 422),
    ],
)
def test_bad_requests_say_so(headwater: Make, settings: Settings, method: str, path: str, status: int) -> None:
    """No knowledge base, no index, no number."""
    headwater()
    response = getattr(create_app(settings).test_client(), method)(f"{KB}/{path}")
    assert (response.status_code, response.content_type) == (status, "application/problem+json")


def test_indexes_from_the_command_line(kb: Headwater) -> None:
    """The same as over HTTP, for people and for programs."""
    shown = _run("list", "kb")
    assert "may not become active: The new index lacks documents that the active one has: 1 of source more." in shown
    assert _json("switch", "kb", status=1)["error"]["code"] == "GATE_FAILED"
    assert _json("rollback", "kb", status=1)["error"]["code"] == "CONFLICT"
    kb.sync("more")
    assert "is already active" in _run("switch", "kb")
    first, second = (one["id"] for one in _json("list", "kb")["search_indexes"])
    said = _run("rollback", "kb")
    assert f"Index {first} is active now; {second} is retained." in said
    assert "chunks of 300 to 1000 characters" in said
    assert _json("switch", "kb", str(second))["previous"] == first
    assert "dropped after" in _run("list", "kb")
    assert len(kb.search("pump wheel")) == 2


def test_wrong_use_of_index_commands(headwater: Make) -> None:
    """A missing index is named; for a knowledge base without an index, the message says what to do."""
    headwater()
    assert _json("list", "none", status=2)["error"]["code"] == "NOT_FOUND"
    assert _json("switch", "kb", "7", status=2)["error"]["code"] == "NOT_FOUND"
    assert _json("switch", "kb", status=1)["error"]["code"] == "CONFLICT"
    assert "Sync it first" in _run("list", "kb")
    assert _json("switch", "kb", "x", status=2)["error"]["code"] == "WRONG_USE"
