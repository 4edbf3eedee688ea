"""A source that would lose most of its documents in one sync asks first (SRC-10, DOC-1)."""

import pytest
from flask.testing import FlaskClient

from headwater.domain.source_settings import SourceSettings
from query_api.app import create_app
from tests.support import Headwater

URL = "/api/v1/knowledge-bases/kb/sources/docs"
PAGE = "/kb/kb/sources/docs"
ORIGIN = {"Origin": "http://localhost"}


NOTES = {f"{number:02}.md": f"# Wheel {number}\n\nIt turns {number} times." for number in range(16)}
pytestmark = pytest.mark.synced(files=NOTES)


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """A client of its API and pages."""
    return create_app(kb.settings).test_client()


def test_a_sync_that_would_remove_most_documents_asks(kb: Headwater, client: FlaskClient) -> None:
    """Nothing is removed until somebody confirms that number; what is new is found meanwhile; then it is forgotten."""
    for number in range(11):
        kb.remove(f"{number:02}.md")
    kb.write("lamp.md", "# Lamp\n\nThe lamp was mended on Tuesday.")
    done = kb.sync()["docs"]
    assert (done.state, done.added, done.removed) == ("failed", 1, 0)
    assert [error.code for error in done.errors] == ["DELETIONS_HELD"]
    assert "no longer lists 11 of its 16 documents" in done.errors[0].message
    assert "headwater sync kb docs --confirm-deletions" in done.errors[0].message
    shown = client.get(URL).get_json()
    assert (shown["held_deletions"], shown["documents"], shown["deletion_guard"]) == (11, 17, 0.5)
    assert {passage.uri for passage in kb.search("wheel lamp")} >= {"lamp.md", "00.md"}
    assert "Remove 11 documents" in client.get(PAGE).get_data(as_text=True)
    kb.remove("11.md")  # one more than somebody agrees to
    assert client.post(PAGE, data={"do": "confirm-deletions"}, headers=ORIGIN).status_code == 303
    assert "no longer lists 12 of its 17 documents" in kb.sync()["docs"].errors[0].message
    asked = client.post("/api/v1/knowledge-bases/kb/syncs", json={"confirm_deletions": True})
    assert asked.status_code == 202
    done = kb.sync()["docs"]
    assert (done.state, done.removed, done.errors) == ("ready", 12, [])
    shown = client.get(URL).get_json()
    assert (shown["held_deletions"], shown["documents"], shown["state"]) == (None, 5, "ready")
    assert kb.query("SELECT count(*) AS n FROM audit_entries WHERE action = 'source.confirm_deletions'")[0]["n"] == 2


def test_a_source_that_lists_them_again_asks_no_more(kb: Headwater, client: FlaskClient) -> None:
    """A folder that was not mounted, and then is; a guard of 1 never asks."""
    for name in NOTES:
        kb.remove(name)
    assert kb.sync()["docs"].state == "failed"
    for name, text in NOTES.items():
        kb.write(name, text)
    done = kb.sync()["docs"]
    assert (done.state, done.removed, done.unchanged, kb.source().held_deletions) == ("ready", 0, 16, None)
    assert client.patch(URL, json={"deletion_guard": 1}).get_json()["deletion_guard"] == 1
    for name in NOTES:
        kb.remove(name)
    assert (kb.sync()["docs"].state, kb.source().document_count) == ("ready", 0)
    assert SourceSettings.of(kb.source()).deletion_guard == 1
