"""`/login`: opening a session with a key, or with a link of `headwater login`, and ending it (API-6).

Belongs here: the page, its forms, the cookie. Not here: comparing secrets (`headwater.administration.callers`).
Guarantee: opening a link logs nobody in before its button is pressed, so a program that looks at links uses none up;
the cookie cannot be read by scripts, and no other site's form is sent with it.
"""

from http import HTTPStatus

from flask import Blueprint, Response, request

from headwater.administration.callers import SESSION
from headwater.administration.callers import log_out as end_session
from headwater.domain.access import Scope
from headwater.errors import InvalidInputError
from query_api.app_context import app_context, settings
from query_api.guards.authentication import check_forwarding, cookie_name
from query_api.guards.connection import is_encrypted
from query_api.guards.route_facts import LOGIN, allow
from query_api.pages.catalogue import N_, translate
from query_api.pages.forms import field, go_to
from query_api.pages.navigation import login_url, own_path
from query_api.pages.page_renderer import render

routes = Blueprint("login_page", __name__)
_WRONG_KEY = N_("The key is wrong, expired or revoked.")
_WRONG_LINK = N_("The link was used before, or is older than ten minutes. Run `headwater login` again.")


@routes.get("/login")
@allow(Scope.OPEN)
def show_login() -> Response:
    """Ask for a key; or, with a link, for one press of a button."""
    link = request.args.get("link", "")
    error = "" if link else check_forwarding() or ""
    return _page(link, request.args.get("next", "/"), error, status=HTTPStatus.OK)


@routes.post("/login")
@allow(Scope.OPEN, cost=LOGIN, body="form")
def log_in() -> Response:
    """Open a session."""
    app, link, then = app_context(), field("link"), own_path(field("next"))
    session = app.callers.log_in_by_link(app.store, link) if link else app.callers.log_in(app.store, field("key"))
    if session is None:
        return _page("", then, translate(_WRONG_LINK if link else _WRONG_KEY))
    response = go_to(then)
    set_session_cookie(response, session)
    return response


@routes.post("/logout")
@allow(Scope.OPEN, body="form")
def log_out() -> Response:
    """End the session."""
    token = request.cookies.get(cookie_name(), "")
    if token:
        end_session(app_context().store, token)
    response = go_to(login_url())
    set_session_cookie(response, "")
    return response


def _page(link: str, then: str, error: str, *, status: int = InvalidInputError.http_status) -> Response:
    return render("login.html", status=status, link=link, then=own_path(then), error=error)


def set_session_cookie(response: Response, token: str) -> None:
    """Log a browser in by its cookie, or out with an empty token."""
    response.set_cookie(
        cookie_name(),
        token,
        max_age=int(SESSION.total_seconds()) if token else 0,
        secure=is_encrypted(request.environ, settings()),
        httponly=True,
        samesite="Lax",
        path="/",
    )
