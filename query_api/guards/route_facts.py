"""What the guards must know of a route, said at the route itself (API-6).

Belongs here: the decorator `allow`, and reading what it said. Not here: what follows from it (`authentication`,
`visibility`, `rate_limits`, `idempotency`, `request_checks`, `query_api.widget.page_admission`). Guarantee: a route
that says nothing is for administrators whose key is not limited to some knowledge bases.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from flask import Flask, current_app, request

from headwater.domain.access import Scope
from headwater.store.access.owners import Kind

READ, ANSWER, UPLOAD, PICTURE, EVALUATION, LOGIN = 1, 5, 2, 2, 20, 5
"""What a request costs, in units of the rate limit."""
Subject = Kind | Literal["visible", "server"]
"""What a route without `<kb>` in its path is about.

A kind is that of the thing that `<id>` names. `visible` lists, or names a knowledge base in its body or query: the
request's store finds only what the caller may see. `server` is about the whole server, which a key that is limited to
knowledge bases may not have.
"""
VisitorCheck = Literal["nothing", "origin", "session", "question"]
"""What a page of another site needs to use a widget's route; each needs what those before it need.

A `question` also has to fit into the limits of the widget.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class RouteFacts:
    """What the guards must know of a route."""

    scope: Scope = Scope.ADMIN
    """What a caller must be allowed to do."""
    about: Subject | None = None
    """Whose it is; None if the path has `<kb>`, or if everybody may have the route."""
    cost: int | None = None
    """Units; None if it is what reading costs, and nothing for a caller who needs no key."""
    body: Literal["json", "form", "file"] = "json"
    """A `form` must say that it comes from a page of ours; a `file` is not read before the route reads it."""
    keeps_response: bool = True
    """Whether a POST below `/api/` keeps its response for a repeat with the same `Idempotency-Key`."""
    returns: Kind | None = None
    """What a kept response tells about, if that can be deleted while the response is kept."""
    visitors: VisitorCheck | None = None
    """What visitors of widgets need; None if the route is not for them."""
    takes_metrics_token: bool = False
    """Whether the secret for metrics opens it."""
    works_without_database: bool = False
    """Whether it answers some requests of this machine while Postgres is away."""


_NAME = "route_facts"
_SILENT = RouteFacts()
_View = TypeVar("_View", bound=Callable[..., Any])


def allow(
    scope: Scope,
    *,
    about: Subject | None = None,
    cost: int | None = None,
    body: Literal["json", "form", "file"] = "json",
    keeps_response: bool = True,
    returns: Kind | None = None,
    visitors: VisitorCheck | None = None,
    takes_metrics_token: bool = False,
    works_without_database: bool = False,
) -> Callable[[_View], _View]:
    """Say who may have a route, below the decorator that makes it one; `RouteFacts` explains the arguments."""
    facts = RouteFacts(
        scope=scope, about=about, cost=cost, body=body, keeps_response=keeps_response, returns=returns,
        visitors=visitors, takes_metrics_token=takes_metrics_token, works_without_database=works_without_database,
    )  # fmt: skip

    def note(view: _View) -> _View:
        setattr(view, _NAME, facts)
        return view

    return note


def facts_of(app: Flask, endpoint: str) -> RouteFacts:
    """What the route of an endpoint said; one that does not exist, or said nothing, is for administrators."""
    facts: RouteFacts = getattr(app.view_functions.get(endpoint), _NAME, _SILENT)
    return facts


def has_facts(app: Flask, endpoint: str) -> bool:
    """Whether the route of an endpoint said anything."""
    return hasattr(app.view_functions[endpoint], _NAME)


def request_facts() -> RouteFacts:
    """What the route of the present request said."""
    return facts_of(current_app, request.endpoint or "")
