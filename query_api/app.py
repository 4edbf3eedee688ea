"""The app's factory.

Belongs here: putting routes, problems and safety together. Not here: any route. Guarantee: without
`--trusted-network` it answers only requests addressed to this machine, so that a web page elsewhere cannot reach it
through its visitor's browser.
"""

from urllib.parse import urlsplit

from flask import Response, request
from flask_openapi3.models.info import Info
from flask_openapi3.openapi import OpenAPI
from werkzeug.exceptions import BadRequest

from headwater import __version__
from headwater.settings import Settings
from query_api import context
from query_api.payloads import Problem
from query_api.problems import install, invalid_request, problem
from query_api.routes import (
    answers,
    deletions,
    documents,
    evaluations,
    health,
    knowledge_bases,
    search_indexes,
    sources,
    syncs,
)

_ROUTES = (
    knowledge_bases, sources, search_indexes, syncs, answers, documents, evaluations, deletions, health,
)  # fmt: skip
_LIMIT = 1_000_000  # bytes of a request
_LOCAL = {"localhost", "127.0.0.1", "[::1]", "::1"}


def create_app(settings: Settings | None = None) -> OpenAPI:
    """Make the app.

    Args:
        settings: as the environment has them when not given.
    """
    chosen = settings or Settings.from_env()
    app = OpenAPI(
        __name__,
        info=Info(title="Headwater", version=__version__, description="Knowledge bases that answer, with evidence."),
        security_schemes={},
        validation_error_status=422,
        validation_error_model=Problem,
        validation_error_callback=invalid_request,
        static_folder=None,
    )
    app.config["MAX_CONTENT_LENGTH"] = _LIMIT
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    context.install(app, context.AppContext(settings=chosen))
    install(app)
    app.before_request(_is_json)
    if not chosen.trusted_network:
        app.before_request(_is_local)
    app.after_request(_safe_headers)
    for module in _ROUTES:
        app.register_api(module.routes)
    return app


def _is_json() -> Response | None:
    """Refuse bodies that are no JSON: a form can be sent by any page without asking."""
    if request.method not in ("POST", "PATCH", "PUT") or not request.content_length:
        return None
    if not request.is_json:
        return problem(415, "UNSUPPORTED_MEDIA_TYPE", "Send JSON, with the header Content-Type: application/json.")
    try:
        request.get_json()
    except BadRequest:
        return problem(400, "MALFORMED_JSON", "The body is not valid JSON.")
    return None


def _is_local() -> Response | None:
    """Refuse names that are not this machine's (DNS rebinding), and changes that other sites' pages ask for."""
    name = request.host.rsplit(":", 1)[0] if not request.host.endswith("]") else request.host
    if name not in _LOCAL:
        return problem(403, "HOST_NOT_ALLOWED", "Ask for localhost, or start the server with --trusted-network.")
    origin = urlsplit(request.headers.get("Origin", ""))
    if request.method not in ("GET", "HEAD", "OPTIONS") and origin.hostname not in (
        None,
        "localhost",
        "127.0.0.1",
        "::1",
    ):
        return problem(403, "ORIGIN_NOT_ALLOWED", "Pages of other sites may not change anything here.")
    return None


def _safe_headers(response: Response) -> Response:
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    return response
