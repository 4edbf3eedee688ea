"""Errors as pages, for people.

Belongs here: which problems become a page, and their words. Not here: making problems (`query_api.problems`).
Guarantee: a browser that opens an address gets a page that says what happened and where to go, or the page to log in
on; a program gets the problem; neither sees a stack trace. The API's own addresses always answer with problems.
"""

import json
from http import HTTPStatus

from flask import Flask, Response, request

from query_api.pages.forms import go_to
from query_api.pages.navigation import login_url
from query_api.pages.rendering import render
from query_api.problems import MEDIA_TYPE

_OF_PROGRAMS = ("/api/", "/v1/", "/mcp", "/metrics", "/openapi", "/health/", "/static/")
_WORDS = {
    403: ("You don't have access to this", "The server refuses this request."),
    404: ("There is nothing here", "The address may be mistyped, or someone deleted or renamed the thing it led to."),
    500: ("Something went wrong", "An unexpected error occurred. The server's log says more."),
    503: (
        "The database does not answer",
        "Headwater is running, but its database is not ready. Try again in a moment.",
    ),
}
_UNKNOWN = "There is nothing at this address."


def install(app: Flask) -> None:
    """Turn problems into pages for browsers."""

    @app.after_request
    def as_page(response: Response) -> Response:
        if response.mimetype != MEDIA_TYPE or not wants_page():
            return response
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            return go_to(login_url(request.full_path if request.method == "GET" else "/"))
        problem = json.loads(response.get_data())
        page = error_page(response.status_code, problem["detail"])
        for name in ("Allow", "Retry-After"):
            if name in response.headers:
                page.headers[name] = response.headers[name]
        return page


def wants_page() -> bool:
    """Whether the request is a browser's, for something to look at: it prefers HTML to JSON."""
    accepted = request.accept_mimetypes
    is_for_programs = request.path.startswith(_OF_PROGRAMS)
    return not is_for_programs and accepted["text/html"] > accepted["application/json"]


def error_page(status: int, detail: str) -> Response:
    """A page that says what is wrong."""
    title, words = _WORDS.get(status, (HTTPStatus(status).phrase, ""))
    is_told = detail and not detail.startswith((_UNKNOWN, "An unexpected error"))
    return render("error.html", status=status, code=status, title=title, words=detail if is_told else words)
