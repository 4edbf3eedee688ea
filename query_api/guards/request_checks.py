"""Checks on every request before a route sees it.

Belongs here: the order of the checks, and the form of paths and bodies. Not here: who may have a route (`hosts`,
`authentication`, `visibility`), how often (`rate_limits`), fields (`query_api.request_shapes`), slow clients
(`query_api.server.gunicorn_worker`). Guarantee: a request passes the rules of access before its body is read, and a
file or a large body is not even sent before (the server asks with the head alone: `admission`); a body is read
completely, or refused, before anything happens.
"""

from uuid import UUID

from flask import Flask, Response, request
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from headwater.errors import DatabaseUnavailableError
from headwater.settings import Settings
from query_api.app_context import app_context, settings
from query_api.guards import rate_limits, visibility
from query_api.guards.admission import HEAD_ONLY
from query_api.guards.authentication import admit, are_keys_needed, caller, identify
from query_api.guards.connection import client_address
from query_api.guards.hosts import READING, Names
from query_api.guards.route_facts import request_facts
from query_api.problems import problem
from query_api.server.request_reader import MAX_BODY_BYTES, RefusedError

_COMPRESSED = "Send the body uncompressed, without Content-Encoding."
_NO_OBJECT = {"field": "body", "message": "Input should be an object"}


def install(app: Flask, chosen: Settings) -> None:
    """Add the checks to an app."""
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.url_map.merge_slashes = False  # no redirects for doubled slashes
    names = Names.of(chosen)
    app.before_request(lambda: _problem_of(_name_refusal(names)))
    app.before_request(_path_is_plain)
    app.before_request(_query_is_text)
    app.before_request(identify)
    app.before_request(lambda: _problem_of(_page_refusal(names)))
    app.before_request(rate_limits.count_request)
    app.before_request(admit)
    app.before_request(_is_visible)
    app.before_request(_file_is_plain)
    app.before_request(_let_body_come)
    app.before_request(_body_can_be_read)


def _name_refusal(names: Names) -> RefusedError | None:
    """Refuse requests for other names than ours; visitors of widgets may use any."""
    is_for_visitors = request_facts().visitors is not None
    return names.refuse_name(request.environ, _takes_other_names, is_for_visitors=is_for_visitors)


def _takes_other_names() -> bool:
    """Whether a key protects this server from names that lead here; if that is not known, it does not."""
    try:
        return are_keys_needed()
    except DatabaseUnavailableError:
        return False


def _page_refusal(names: Names) -> RefusedError | None:
    """Refuse changes by pages of other sites; a page that could send a key has the permission that it needs."""
    who = caller()
    if (who is not None and who.actor.kind == "key") or request_facts().visitors is not None:
        return None
    return names.refuse_page(request.environ, by_cookie=who is not None and who.actor.kind == "session")


def _is_visible() -> None:
    """Hide what belongs to knowledge bases, or to readers, whose things the caller may not see."""
    who = caller()
    if who is not None and request.url_rule is not None:
        app = app_context()
        visibility.check_route(
            lambda: app.store, _owner_in_memory, who, request.url_rule, request_facts(), request.view_args or {}
        )


def _owner_in_memory(answer_id: UUID) -> int | None:
    """The id of the knowledge base of an answer that this process makes, which may not be stored yet."""
    return app_context().answer_tasks.owner_of(answer_id)


def _problem_of(refusal: RefusedError | None) -> Response | None:
    return problem(refusal.status, refusal.code, refusal.detail) if refusal else None


def _is_plain() -> bool:
    return request.headers.get("Content-Encoding", "identity").strip().lower() == "identity"


def _path_is_plain() -> Response | None:
    """Refuse encoded slashes: no name contains one, and decoded they would lead to another route.

    Only OpenAI's names of models contain them, and no other route lies below their address.
    """
    path = request.environ.get("RAW_URI", "/").split("?")[0].lower().removeprefix("/v1/models/headwater%2f")
    if "%2f" in path or "%5c" in path:
        return problem(404, "NOT_FOUND", "Nothing has this name: no name contains an encoded slash or a backslash.")
    return None


def _query_is_text() -> Response | None:
    """Refuse a NUL in any parameter of the query: no text of ours contains one, and Postgres cannot look for it."""
    if b"%00" in request.query_string or b"\0" in request.query_string:
        return problem(422, "INVALID_INPUT", "A parameter of the address contains a NUL (%00). Leave it out.")
    return None


def _file_is_plain() -> Response | None:
    if request_facts().body != "file" or _is_plain():
        return None
    return problem(415, "UNSUPPORTED_MEDIA_TYPE", _COMPRESSED)


def _let_body_come() -> Response | None:
    """If only the head has arrived, and has passed every check, let the body come; then all of them run again."""
    admission = request.environ.get(HEAD_ONLY)
    if admission is None:
        return None
    if request.routing_exception is not None:  # no route would take the body
        raise request.routing_exception
    who = caller()
    admission.grant(who.key_id if who else None, client_address(request.environ, settings().trusted_proxies))
    return Response()  # nobody sees it


def _body_can_be_read() -> Response | None:
    """Refuse bodies that are not JSON (any page can send a form without permission), too large or incomplete.

    An upload may be of any type: a page of another site needs permission for every PUT. Its route reads it in blocks.
    """
    body_kind = request_facts().body
    if body_kind == "file":
        request.max_content_length = settings().upload_limit * 1_000_000
        return None
    try:
        body = request.get_data()
    except RequestEntityTooLarge:
        raise
    except (ParseException, OSError, BadRequest):
        return problem(400, "MALFORMED_REQUEST", "The body is not framed as HTTP requires, or it is incomplete.")
    if request.method in READING:
        return None
    if not _is_plain():
        return problem(415, "UNSUPPORTED_MEDIA_TYPE", _COMPRESSED)
    if body_kind == "form":
        return _form_is_ours()
    if (body or request.mimetype) and not request.is_json:
        return problem(415, "UNSUPPORTED_MEDIA_TYPE", "Send JSON, with the header Content-Type: application/json.")
    if not body:
        return None
    if not isinstance(request.get_json(), dict | None):  # raises for what is not JSON
        return problem(422, "INVALID_INPUT", "body: Input should be an object", [_NO_OBJECT])
    return None


def _form_is_ours() -> Response | None:
    """Refuse forms without a header that only browsers send; a header of another site was refused before (`hosts`)."""
    if request.mimetype != "application/x-www-form-urlencoded":
        return problem(415, "UNSUPPORTED_MEDIA_TYPE", "Send the form as application/x-www-form-urlencoded.")
    if request.headers.get("Sec-Fetch-Site", "").strip().lower() != "same-origin" and "Origin" not in request.headers:
        return problem(
            403, "ORIGIN_NOT_ALLOWED", "The form does not say which page it comes from. Use the API instead."
        )
    return None
