"""Whom the API answers, and what a caller needs for each route (SEC-1, API-6)."""

from pathlib import Path

import pytest

from headwater.domain.access import Scope
from headwater.settings import Settings
from query_api.app import create_app
from query_api.guards.hosts import READING, cannot_be_rebound, host_name
from query_api.guards.route_facts import ANSWER, RouteFacts, facts_of, has_facts
from tests import permissions

SETTINGS = Settings(home=Path("home"), cache=Path("cache"))
ASKING = {
    "answers.cancel_answer", "answers.create_answer", "knowledge_bases.search_knowledge_base", "mcp.handle_message",
    "openai.create_chat_completion", "openai.create_context", "conversations.create_conversation",
    "conversations.change_conversation", "conversations.delete_one_conversation", "feedback.put_feedback",
    "feedback.delete_feedback", "chat_page.ask_first", "chat_page.ask_next",
    "language_page.choose_language", "login_page.log_in", "login_page.log_out",
    "bots.change_event", "bots.claim_event", "bots.take_events",
    "widget.ask", "widget.begin", "widget.cancel", "widget.put_feedback", "widget.search",
}  # fmt: skip
"""The routes that change no content, though their method is not one of reading."""


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8080", "localhost"),
        ("127.0.0.1:1", "127.0.0.1"),
        ("[::1]:8080", "::1"),
        ("a-b_c.example", "a-b_c.example"),
        ("", None),
        ("a:b", None),
        ("a:1:2", None),
        ("[::1", None),
        ("::1", None),
        ("a@b", None),
        ("a/b", None),
        ("a b", None),
        ("a\n", None),
        ("é", None),
    ],
)
def test_a_host_header_holds_a_name(header: str, name: str | None) -> None:
    """Without port and brackets, in small letters; a malformed one holds none."""
    assert host_name(header) == name


@pytest.mark.parametrize("name", ["localhost", "api", "192.0.2.1", "::1", "2001:db8::1"])
def test_no_attacker_owns_an_address_or_a_name_without_a_dot(name: str) -> None:
    """Such names are answered to once there are keys."""
    assert cannot_be_rebound(name)


@pytest.mark.parametrize("name", ["evil.example", "localhost.", "127.1", "1.2.3.4.5", "127.0.0.1.evil.example"])
def test_any_other_name_may_be_an_attackers(name: str) -> None:
    """The owner of a domain decides where its names lead, and browsers follow."""
    assert not cannot_be_rebound(name)


CHEAP = ASKING - {
    "answers.create_answer", "chat_page.ask_first", "chat_page.ask_next", "login_page.log_in",
    "openai.create_chat_completion", "openai.create_context",
}  # fmt: skip
"""Those of them that cost what reading costs: none of them makes an answer but the tool `ask` and widgets, which count
their own."""


def test_what_a_reader_asks_for_has_a_cost_that_somebody_chose() -> None:
    """So that no new way to an answer is cheaper than the others (API-6)."""
    app = create_app(SETTINGS)
    costs = {endpoint: facts_of(app, endpoint).cost for endpoint in ASKING}
    assert {endpoint for endpoint, cost in costs.items() if cost is None} == CHEAP
    answers = ("answers.create_answer", "chat_page.ask_first", "chat_page.ask_next", "openai.create_chat_completion")
    assert {costs[endpoint] for endpoint in answers} == {ANSWER}


def test_every_route_says_who_may_have_it() -> None:
    """A route without `allow` fails, and so does one that anybody's key opens though it changes something."""
    app = create_app(SETTINGS)
    for rule in app.url_map.iter_rules():
        assert has_facts(app, rule.endpoint), f"{rule}: say with `allow` who may have it"
        is_reading = (rule.methods or set()) <= set(READING)
        scope = facts_of(app, rule.endpoint).scope
        assert is_reading or rule.endpoint in ASKING or scope in (Scope.WRITE, Scope.ADMIN), rule


def test_a_route_that_says_nothing_is_for_administrators_of_everything() -> None:
    """Whoever forgets `allow` opens nothing: neither to a reader, nor to a key to some knowledge bases."""
    app = create_app(SETTINGS)
    app.add_url_rule("/api/v1/forgotten", "forgotten", lambda: "secret")
    assert not has_facts(app, "forgotten")
    assert facts_of(app, "forgotten") == facts_of(app, "no.endpoint") == RouteFacts(scope=Scope.ADMIN, about=None)


def test_the_page_of_permissions_says_what_the_routes_say() -> None:
    """It has a row for each request, with what the request's route said; `python -m tests.permissions` writes them."""
    page = permissions.PAGE.read_text(encoding="utf-8")
    is_current = page == permissions.page_with(permissions.table(create_app(SETTINGS)))
    assert is_current, "docs/permissions.md is out of date. Run `python -m tests.permissions`."
