"""Which pages may use a widget: origins, tokens, limits, and the headers of CORS (INT-2, SEC-1).

Belongs here: the checks before any route of `/widget/v1/`. Not here: signing (`headwater.administration.visitors`).
Guarantee: only a page whose origin the widget lists gets the headers with which its browser shows it a response (but
every page may read a refusal by the server itself, whose words never vary: `query_api.server.refusals`); nothing is
sent with cookies; a request without a valid token reaches no route but the first two.
"""

from contextlib import suppress
from http import HTTPStatus

from flask import Response, g, request

from headwater.administration.visitors import visitor_of, widget_for
from headwater.domain.access import Bucket
from headwater.domain.origins import is_allowed
from headwater.domain.widgets import Visitor, Widget
from headwater.errors import (
    BudgetSpentError,
    ForbiddenError,
    HeadwaterError,
    InvalidInputError,
    NotFoundError,
    QuestionTooLongError,
    RateLimitedError,
    SessionExpiredError,
    UnauthenticatedError,
)
from query_api.app_context import app_context, settings, store
from query_api.guards.authentication import are_keys_needed
from query_api.guards.connection import client_address, is_encrypted
from query_api.guards.hosts import Names, is_loopback, is_page_of
from query_api.guards.route_facts import request_facts
from query_api.problems import problem, problem_of

_FOR_VISITORS = (
    BudgetSpentError, ForbiddenError, InvalidInputError, NotFoundError, QuestionTooLongError, RateLimitedError,
    SessionExpiredError, UnauthenticatedError,
)  # fmt: skip
_LATER = "The assistant cannot answer at the moment. Please try again later."
_OTHERS = 120  # other requests of a visitor in a minute
_METHODS = "GET, POST, PUT, OPTIONS"
_HEADERS = "Authorization, Content-Type, Last-Event-ID"
_REMEMBERED = 600  # seconds for which a browser remembers the permission
_NO_ORIGIN = "The request does not say which page it comes from. A widget works in a browser, on a site that it lists."


def admit() -> Response | None:
    """Refuse a request that no page of a listed origin sent, or that has no valid token; answer a preflight."""
    g.cors_origin = None
    origin = request.headers.get("Origin", "")
    if request.method == "OPTIONS":
        return _preflight(origin)
    if request_facts().visitors == "origin":
        return None
    if not origin and _asks_own_server():
        origin = _own_origin()
    authorization = request.authorization
    token = authorization.token if authorization is not None and authorization.type == "bearer" else None
    if not origin or not token:
        raise UnauthenticatedError(_NO_ORIGIN if token else "A session is needed: begin one at /widget/v1/sessions.")
    try:
        g.visitor = visitor_of(store(), token, origin, is_ours=_is_ours(origin))
    except SessionExpiredError:
        g.cors_origin = origin  # the page may know, and begin another session
        raise
    g.cors_origin = origin
    _count(g.visitor)
    return None


def widget_of_page(widget_id: str) -> tuple[Widget, str]:
    """The widget that the present request names, and its page's origin; lets that page read the response.

    Raises:
        NotFoundError, ForbiddenError: as `widget_for`.
    """
    origin = request.headers.get("Origin", "")
    widget = widget_for(store(), widget_id, origin, is_ours=_is_ours(origin))
    g.cors_origin = origin or None
    return widget, origin or _own_origin()


def visitor() -> Visitor:
    """Who sent the present request."""
    current_visitor: Visitor = g.visitor
    return current_visitor


def count_session() -> None:
    """Count a new session of an address."""
    _take(_address_bucket("sessions", _OTHERS))


def share(response: Response) -> Response:
    """Let the page that was admitted read a response; no other page can."""
    response.vary.add("Origin")
    response.headers.setdefault("Cache-Control", "no-store")
    origin = g.cors_origin if "cors_origin" in g else _find_listed_origin()
    if origin:
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "Location, Retry-After"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _find_listed_origin() -> str | None:
    """The page of a request that was refused before `admit` saw it, such as a body that is no JSON, if it is listed."""
    origin = request.headers.get("Origin", "")
    with suppress(HeadwaterError):  # without a database, the refusal is still a refusal
        if is_allowed(origin, store().widgets.origins()):
            return origin
    return None


def retell(error: HeadwaterError) -> Response:
    """A refusal for visitors: the words of other errors are for us, and may name models, sources and commands."""
    return problem_of(error, None if type(error) in _FOR_VISITORS else _LATER)


def _preflight(origin: str) -> Response:
    """Permission for a page that some widget lists; which widget is not known yet."""
    if not is_allowed(origin, store().widgets.origins()):
        return problem(HTTPStatus.FORBIDDEN, "ORIGIN_NOT_ALLOWED", "No widget lists the origin of this page.")
    g.cors_origin = origin
    response = Response(status=HTTPStatus.NO_CONTENT)
    response.headers["Access-Control-Allow-Methods"] = _METHODS
    response.headers["Access-Control-Allow-Headers"] = _HEADERS
    response.headers["Access-Control-Max-Age"] = str(_REMEMBERED)
    return response


def _is_ours(origin: str) -> bool:
    """Whether a page is one of our own, such as the preview, at a name that nobody else can have pointed here."""
    is_own = is_page_of(origin, request.host.lower()) if origin else _asks_own_server()
    return is_own and _is_our_name()


def _asks_own_server() -> bool:
    """Whether the browser says that the page and this server are of one origin; then a GET names no origin."""
    return request.headers.get("Sec-Fetch-Site") == "same-origin"


def _own_origin() -> str:
    """The origin of our own pages, as this request's browser knows it."""
    scheme = "https" if is_encrypted(request.environ, settings()) else request.scheme
    return f"{scheme}://{request.host.lower()}"


def _is_our_name() -> bool:
    return Names.of(settings()).refuse_name(request.environ, are_keys_needed) is None


def _count(who: Visitor) -> None:
    limits, widget = who.widget.settings, who.widget.id
    if request_facts().visitors != "question":
        _take(Bucket(name=f"widget-others:{widget}:{who.id}", limit=_OTHERS))
        return
    _take(
        Bucket(name=f"widget-visitor:{widget}:{who.id}", limit=limits.visitor_per_minute),
        Bucket(name=f"widget:{widget}", limit=limits.widget_per_minute),
        _address_bucket(widget, limits.address_per_minute),
    )


def _address_bucket(name: str, limit: int) -> Bucket:
    """The bucket of the client's address; programs of this machine, such as a proxy, have none."""
    address = client_address(request.environ, settings().trusted_proxies)
    limits = app_context().store.limits
    return Bucket(
        name=f"widget-address:{name}:{limits.hash_address(address)}", limit=0 if is_loopback(address) else limit
    )


def _take(*buckets: Bucket) -> None:
    app_context().store.limits.take(*buckets)
