"""Pages offer a reader nothing that would be refused (API-6, UI-2)."""

from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

from headwater.administration.keys import create_key
from headwater.domain.access import Scope
from query_api.app import create_app
from query_api.guards.route_facts import facts_of
from tests.support import Headwater

pytestmark = pytest.mark.synced(
    "docs", files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"}
)

OURS = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
PAGES = ("/", "/account", "/kb/kb/chat", "/kb/kb/search?q=pump", "/kb/kb/sources", "/kb/kb/sources/docs",
         "/kb/kb/sources/docs/rows", "/kb/kb/documents", "/kb/kb/contents", "/kb/kb/status")  # fmt: skip


class _Controls(HTMLParser):
    """The links and forms of a page: method and address."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()
        self._form = ("get", "")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.found.add(("GET", values.get("href", "")))
        if tag == "form":
            self._form = (values.get("method", "get"), values.get("action", ""))
        if tag == "button" and values.get("type") != "button":
            method, action = self._form
            self.found.add((values.get("formmethod", method).upper(), values.get("formaction", action)))


def _logged_in(kb: Headwater, scope: Scope) -> FlaskClient:
    key = create_key(kb.store, scope.value, scope).text
    client = create_app(kb.settings).test_client()
    client.post("/login", data={"key": key}, headers=OURS)
    return client


def _endpoint(client: FlaskClient, method: str, address: str) -> str | None:
    """The endpoint behind an address of ours; None for others, and for places on the page."""
    if not address.startswith("/"):
        return None
    adapter = client.application.url_map.bind("localhost")
    try:
        return str(adapter.match(address.partition("?")[0].partition("#")[0], method=method)[0])
    except (HTTPException, RequestRedirect):
        return "nothing"


@pytest.mark.parametrize(("scope", "offers"), [(Scope.READ, "chat_page"), (Scope.WRITE, "source_page.work")])
def test_no_control_leads_to_a_refusal(kb: Headwater, scope: Scope, offers: str) -> None:
    """Every link, form and button of every page belongs to a route that the scope includes."""
    client = _logged_in(kb, scope)
    seen = set()
    for page in PAGES:
        shown = client.get(page, headers=OURS)
        assert shown.status_code == 200, page
        controls = _Controls()
        controls.feed(shown.text)
        for method, address in controls.found:
            endpoint = _endpoint(client, method, address)
            assert endpoint != "nothing", (page, method, address)
            if endpoint is not None:
                seen.add(endpoint)
                assert scope.includes(facts_of(client.application, endpoint).scope), (page, method, address)
    assert any(endpoint.startswith(offers) for endpoint in seen)


def test_an_administrator_has_every_button(kb: Headwater) -> None:
    """So that the test above does not pass because nothing is offered to anybody."""
    client = _logged_in(kb, Scope.ADMIN)
    controls = _Controls()
    for page in PAGES:
        controls.feed(client.get(page, headers=OURS).text)
    found = {_endpoint(client, method, address) for method, address in controls.found}
    assert {"source_page.act", "source_page.work", "edit_source_page.show_form", "sources_page.add_source"} <= found
    assert {
        "home_page.create",
        "settings_page.show_settings",
        "access_page.show_keys",
        "search_page.make_golden",
    } <= found


def test_the_first_key_does_not_lock_its_maker_out(kb: Headwater) -> None:
    """It is an administrator's; whoever makes it is logged in with it, others need a key."""
    client = create_app(kb.settings).test_client()
    wrong = client.post("/keys", data={"do": "create", "name": "a", "scope": "read", "days": ""}, headers=OURS)
    assert (wrong.status_code, "The first key must be an admin key" in wrong.text) == (422, True)
    assert "everybody who uses this machine may do everything" in client.get("/account", headers=OURS).text
    made = client.post("/keys", data={"do": "create", "name": "me", "scope": "admin", "days": ""}, headers=OURS)
    assert (made.status_code, "This browser is logged in with it already" in made.text) == (200, True)
    assert client.get("/keys", headers=OURS).status_code == 200
    account = client.get("/account", headers=OURS).text
    assert "You are logged in with <b>me</b>" in account
    assert "Scope <b>admin</b>" in account
    stranger = create_app(kb.settings).test_client()
    assert stranger.get("/keys", headers=OURS).status_code == 303


def test_the_audit_is_filtered_and_names_people(kb: Headwater) -> None:
    """By name of the key, action, target and day; times are absolute; a wrong day is said."""
    client = _logged_in(kb, Scope.ADMIN)
    client.post("/", data={"name": "Mills"}, headers=OURS)

    def rows(query: str) -> int:
        return client.get(f"/audit?{query}", headers=OURS).text.count("<time ")

    assert rows("what=knowledge_base.create&target=mills") == 1
    assert rows("who=admin&what=knowledge_base.create") == 1
    assert rows("who=nobody") == 0
    assert rows("from=2020-01-01&to=2020-01-02") == 0
    assert rows("from=2020-01-01") == rows("") > 1
    page = client.get("/audit?target=mills", headers=OURS).text
    assert "<b>admin</b>" in page
    wrong = client.get("/audit?from=soon", headers=OURS)
    assert (wrong.status_code, "is no day" in wrong.text) == (422, True)
