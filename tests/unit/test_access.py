"""Whom the API answers, and what a caller needs for each route (SEC-1, API-6)."""

from pathlib import Path

import pytest

from headwater.domain.access import Scope
from headwater.settings import Settings
from query_api.app import create_app
from query_api.guards.hosts import READING, cannot_be_rebound, host_name
from query_api.guards.rate_limits import ANSWER, COSTS
from query_api.guards.route_scopes import SCOPES, scope_of

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
    assert {endpoint for endpoint in ASKING if endpoint not in COSTS} == CHEAP
    answers = ("answers.create_answer", "chat_page.ask_first", "chat_page.ask_next", "openai.create_chat_completion")
    assert {COSTS[endpoint] for endpoint in answers} == {ANSWER}


def test_every_route_says_which_scope_it_needs() -> None:
    """A route without a row, or a row without a route, fails; what has no row is for administrators alone."""
    rules = list(create_app(Settings(home=Path("home"), cache=Path("cache"))).url_map.iter_rules())
    assert {rule.endpoint for rule in rules} == set(SCOPES)
    assert scope_of("routes.nobody_declared") is Scope.ADMIN
    for rule in rules:
        is_reading = (rule.methods or set()) <= set(READING)
        assert is_reading or rule.endpoint in ASKING or SCOPES[rule.endpoint] in (Scope.WRITE, Scope.ADMIN), rule
