"""The app's factory.

Belongs here: putting routes, problems and guards together. Not here: any route. Guarantee: every request passes the
guards before a route sees it, and the OpenAPI document describes every response.
"""

from flask import Response
from flask_openapi3.models.info import Info
from flask_openapi3.openapi import OpenAPI

from headwater import __version__
from headwater.settings import Settings
from query_api import app_context, prometheus
from query_api.guards import idempotency, request_checks
from query_api.guards.strict_json import StrictJson
from query_api.mcp import errors as mcp_errors
from query_api.mcp import routes as mcp
from query_api.openai import errors as openai_errors
from query_api.openai import routes as openai
from query_api.openapi import describe_problems, open_document
from query_api.pages import blueprints as pages
from query_api.problems import Problem, install, invalid_request
from query_api.routes import (
    answers,
    audit,
    bots,
    conversations,
    deletions,
    documents,
    evaluations,
    exports,
    feedback,
    health,
    keys,
    knowledge_bases,
    links,
    originals,
    questions,
    search_indexes,
    sources,
    summary_trees,
    syncs,
    uploads,
    widgets,
)
from query_api.widget import routes as widget
from query_api.widget import scripts as widget_files

_ROUTES = (
    knowledge_bases, sources, exports, uploads, search_indexes, syncs, answers, conversations, feedback,
    documents, originals, evaluations, deletions, health, openai, summary_trees, links, keys, audit, bots,
    questions, widgets,
)  # fmt: skip
_SAFE = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "frame-ancestors 'none'"),  # otherwise a page could cover Swagger's buttons
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


def create_app(settings: Settings | None = None) -> OpenAPI:
    """Create the app.

    Args:
        settings: by default those of the environment.
    """
    used_settings = settings or Settings.from_env()
    app = OpenAPI(
        __name__,
        info=Info(title="Headwater", version=__version__, description="Answers from your documents, with evidence."),
        security_schemes={},
        validation_error_status=422,
        validation_error_model=Problem,
        validation_error_callback=invalid_request,
        static_folder=None,
    )
    open_document(app)
    app.json = StrictJson(app)
    app.json.ensure_ascii = False
    app_context.install(app, app_context.AppContext(settings=used_settings, on_answer=prometheus.count_answer))
    install(app)
    prometheus.install(app)
    request_checks.install(app, used_settings)
    app.after_request(_safe_headers)
    openai_errors.install(app)
    mcp_errors.install(app)
    pages.install(app)
    for module in _ROUTES:
        app.register_api(module.routes)
    app.register_api(widget.routes)
    app.register_blueprint(widget_files.routes)
    app.register_blueprint(mcp.routes)
    idempotency.install(app)
    describe_problems(app)
    return app


def _safe_headers(response: Response) -> Response:
    for name, value in _SAFE:
        response.headers.setdefault(name, value)
    return response
