"""Forms that work without a script.

Belongs here: reading a form, and what follows it. Not here: which endpoints take forms (`query_api.guards`).
Guarantee: after a change the browser is sent to a page by GET, so reloading repeats nothing.
"""

from flask import Response, redirect, request


def field(name: str) -> str:
    """A field of the form, without blanks around it; empty if it is missing."""
    return request.form.get(name, "").strip()


def go_to(url: str) -> Response:
    """Send the browser to a page after a change."""
    response = redirect(url, 303)
    response.headers["Cache-Control"] = "no-store"
    assert isinstance(response, Response)  # noqa: S101 - werkzeug's own type is wider
    return response
