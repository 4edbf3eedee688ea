"""What strangers see: the page of a shared conversation, and the others that need no key (CNV-1, SEC-1)."""

import re

import pytest
from flask.testing import FlaskClient

from headwater.administration.deletion import delete_source
from query_api.app import create_app
from tests.support import Headwater

KB = "/api/v1/knowledge-bases/kb"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

pytestmark = pytest.mark.synced(
    files={"customers/acme/pump.txt": "The pump of the mill lifts forty litres of water per minute.\n"}
)


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """A client of the app."""
    return create_app(kb.settings).test_client()


@pytest.fixture
def page(client: FlaskClient) -> str:
    """The address of a shared conversation with one turn."""
    talk = client.post(f"{KB}/conversations", json={}).get_json()["id"]
    asked = {"question": "How many litres does the pump of the mill lift?", "conversation": talk}
    answer = client.post(f"{KB}/answers", json=asked).get_json()
    assert answer["cited"][0]["uri"] == "customers/acme/pump.txt"
    return str(client.put(f"/api/v1/conversations/{talk}/share").get_json()["shared"])


def _links(html: str) -> set[str]:
    """Where a page leads, beside its own styles, scripts and parts."""
    found = set(re.findall(r'(?:href|action|src)="([^"]*)"', html))
    return {link for link in found if not link.startswith(("/static/", "#"))}


def test_no_search_engine_lists_a_page(client: FlaskClient, page: str) -> None:
    """By a header and in the page itself, whoever links to it."""
    for path in (page, "/", "/kb/kb/chat", "/login", "/nowhere"):
        response = client.get(path, headers=BROWSER)
        assert response.headers["X-Robots-Tag"] == "noindex, nofollow", path
        assert '<meta name="robots" content="noindex, nofollow">' in response.text, path


def test_a_shared_page_leads_nowhere_into_the_installation(kb: Headwater, client: FlaskClient, page: str) -> None:
    """Nor does the page of a link that was withdrawn, or the one to log in on; an operator's page does."""
    for path in (page, "/shared/withdrawn", "/login"):
        shown = client.get(path, headers=BROWSER).text
        assert _links(shown) <= ({"/login"} if path == "/login" else set()), path
        assert kb.settings.dagster_url not in shown, path
    assert {"/", "/openapi/swagger", kb.settings.dagster_url} <= _links(client.get("/kb/kb/chat", headers=BROWSER).text)


def test_a_source_is_listed_with_the_words_that_are_cited(kb: Headwater, client: FlaskClient, page: str) -> None:
    """So that a citation can be checked without a key; of a source that is deleted no word is left."""
    words = '<q class="soft">The pump of the mill lifts forty litres of water per minute.</q>'
    assert words in client.get(page, headers=BROWSER).text
    delete_source(kb.settings, kb.store, "kb", "docs")
    assert "<q" not in client.get(page, headers=BROWSER).text


def test_a_stranger_reads_no_path_and_no_reason_of_operators(kb: Headwater, client: FlaskClient, page: str) -> None:
    """A document without a title is called by its file; a failure is said without its reason."""
    shown = client.get(page, headers=BROWSER).text
    assert "pump.txt" in shown
    assert "acme" not in shown
    kb.query("UPDATE answers SET state = 'failed', error_detail = 'Run `headwater doctor`.' RETURNING 1")
    shown = client.get(page, headers=BROWSER).text
    assert "This answer failed." in shown
    assert "headwater doctor" not in shown
