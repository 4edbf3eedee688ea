"""Errors as pages, for people.

Belongs here: which problems become a page, and their words. Not here: making problems (`query_api.problems`).
Guarantee: a browser that opens an address gets a page that says what happened and where to go, or the page to log in
on; a program gets the problem; neither sees a stack trace. The API's own addresses always answer with problems.
"""

import json
import re
from http import HTTPStatus

from flask import Flask, Response, request

from headwater.domain.wrong_fields import SLUG
from headwater.errors import ForbiddenError
from query_api.guards.authentication import caller
from query_api.pages.catalogue import N_, translate
from query_api.pages.forms import go_to
from query_api.pages.navigation import kb_url, login_url
from query_api.pages.page_renderer import render
from query_api.problems import MEDIA_TYPE

_OF_PROGRAMS = ("/api/", "/v1/", "/mcp", "/metrics", "/openapi", "/health/", "/static/")
_WORDS = {
    403: (N_("You don't have access to this"), N_("The server refuses this request.")),
    404: (
        N_("There is nothing here"),
        N_("The address may be mistyped, or someone deleted or renamed the thing it led to."),
    ),
    500: (N_("Something went wrong"), N_("An unexpected error occurred. The server's log says more.")),
    503: (
        N_("The database does not answer"),
        N_("Headwater is running, but its database is not ready. Try again in a moment."),
    ),
}
_OF_KNOWLEDGE_BASE = re.compile(rf"/kb/({SLUG.strip('^$')})/")
_UNKNOWN = "There is nothing at this address."
_SHELL = "`headwater "
"""What a command begins with in the detail of a problem."""


def install(app: Flask) -> None:
    """Turn problems into pages for browsers."""

    @app.after_request
    def as_page(response: Response) -> Response:
        if response.mimetype != MEDIA_TYPE or not wants_page():
            return response
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            return go_to(login_url(request.full_path if request.method == "GET" else "/"))
        problem = json.loads(response.get_data())
        page = error_page(response.status_code, problem["detail"], code=problem["code"])
        for name in ("Allow", "Retry-After"):
            if name in response.headers:
                page.headers[name] = response.headers[name]
        return page


def wants_page() -> bool:
    """Whether the request is a browser's, for something to look at: it prefers HTML to JSON."""
    accepted = request.accept_mimetypes
    is_for_programs = request.path.startswith(_OF_PROGRAMS)
    return not is_for_programs and accepted["text/html"] > accepted["application/json"]


def error_page(status: int, detail: str, code: str = "") -> Response:
    """A page that says what is wrong, and where to go; what is meant for a shell stays in the problem."""
    title, words = map(translate, _WORDS.get(status, (HTTPStatus(status).phrase, "")))
    who = caller()
    is_scope = code == ForbiddenError.code and who is not None
    if who is not None and is_scope:
        text = N_("Your key has the scope %(scope)s, which does not allow this. Ask an administrator for another one.")
        words = translate(text, scope=who.scope)
    is_shell = status in (HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE) and _SHELL in detail
    is_told = detail and not (is_scope or is_shell) and not detail.startswith((_UNKNOWN, "An unexpected error"))
    here = request.full_path if request.method == "GET" else "/"
    return render(
        "error.html",
        status=status,
        code=status,
        title=title,
        words=detail if is_told else words,
        login=login_url(here) if is_scope else "",
        knowledge_base=_knowledge_base() if status == HTTPStatus.NOT_FOUND and "knowledge base" not in detail else "",
    )


def _knowledge_base() -> str:
    """The page of the knowledge base that the address is about, though what it names there is not; empty if none is."""
    match = _OF_KNOWLEDGE_BASE.match(request.path)
    return kb_url(match[1], "chat") if match else ""
