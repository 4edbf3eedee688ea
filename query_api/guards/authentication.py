"""Who sent a request, and whether that caller may have this route (API-6).

Belongs here: reading keys and cookies of requests, and refusing by scope. Not here: comparing secrets
(`headwater.administration.callers`), the scope of each route (`route_facts`), which knowledge bases a caller may see
(`visibility`). Guarantee: a request whose connection is not loopback, or that a proxy forwarded, needs a key, and so
does every request once there is a key; a route that is not open runs with a caller whose scope is enough.
"""

import hmac

from flask import g, request

from headwater.administration.audit_trail import act_as
from headwater.administration.callers import ANYONE, COOKIE, SECURE_COOKIE
from headwater.domain.access import Caller, Scope
from headwater.errors import DatabaseUnavailableError, ForbiddenError, UnauthenticatedError
from query_api.app_context import app_context, settings
from query_api.guards.connection import came_in_locally, find_forwarding_headers, is_encrypted
from query_api.guards.route_facts import request_facts

_NOBODY = Caller(actor=ANYONE.actor, scope=Scope.READ, visible=frozenset())
"""The caller while Postgres is away: whether a key is needed is not known, so nothing is visible."""
_MISSING = (
    "This address needs an API key: send the header `Authorization: Bearer hw_…`, or log in at /login. `headwater keys"
    " create` makes a key, and `headwater login` a link for a browser."
)
_FORWARDED = (
    "This request came through a proxy ({}), and there is no API key yet, so everybody whom the proxy lets in could"
    " administer Headwater. Create a key with `headwater keys create NAME --scope admin`, and send it in the header"
    " `Authorization: Bearer hw_…`; for one browser, `headwater login` makes a link."
)
_WRONG = "The API key is wrong, expired or revoked. `headwater keys list` lists the keys that can be used."


def cookie_name() -> str:
    """The name of the cookie of this request's browser."""
    return SECURE_COOKIE if is_encrypted(request.environ, settings()) else COOKIE


def are_keys_needed() -> bool:
    """Whether a request needs a key.

    Raises:
        DatabaseUnavailableError: nobody knows, because Postgres cannot be reached.
    """
    app = app_context()
    return not came_in_locally(request.environ) or app.callers.keys_exist(app.store)


def caller() -> Caller | None:
    """Who sent the current request; None for a route that is open to everyone."""
    found: Caller | None = g.get("caller")
    return found


def find_scope() -> Scope:
    """The scope that the current request needs; an address that does not exist needs none."""
    return Scope.OPEN if request.endpoint is None else request_facts().scope


def identify() -> None:
    """Find out who sent the current request; `g.caller` stays None if nobody knows.

    Raises:
        UnauthenticatedError: the request has a wrong key.
    """
    g.caller, g.has_wrong_key = None, False
    act_as(ANYONE.actor)
    if find_scope() is Scope.OPEN:
        return
    facts = request_facts()
    is_metrics = facts.takes_metrics_token and settings().metrics_token is not None
    if is_metrics and _has_metrics_token():
        g.caller = Caller(actor=ANYONE.actor, scope=Scope.ADMIN)
        return
    try:
        if not is_metrics and not are_keys_needed() and not find_forwarding_headers(request.environ):
            g.caller = ANYONE
            return
    except DatabaseUnavailableError:
        if not facts.works_without_database:
            raise
        g.caller = _NOBODY
        return
    app, given = app_context(), request.authorization
    if given is not None:
        key = given.token if given.type == "bearer" else None
        g.caller = app.callers.by_key(app.store, key) if key else None
        g.has_wrong_key = g.caller is None
    else:
        g.caller = app.callers.by_session(app.store, request.cookies.get(cookie_name(), ""))
    if g.caller is not None:
        act_as(g.caller.actor)


def admit() -> None:
    """Refuse the current request if its caller may not have this route.

    Raises:
        UnauthenticatedError: nobody knows the caller. ForbiddenError: the caller's scope is not enough.
    """
    needed, who = find_scope(), caller()
    if needed is Scope.OPEN:
        return
    if who is None:
        raise UnauthenticatedError(_WRONG if g.has_wrong_key else check_forwarding() or _MISSING)
    if not who.scope.includes(needed):
        raise ForbiddenError(
            f"This needs a key with the scope {needed}; yours has {who.scope}. `headwater keys create NAME --scope"
            f" {needed}` makes one."
        )


def check_forwarding() -> str | None:
    """What to do if a proxy forwarded the current request while there is no key; None if that is not so.

    Raises:
        DatabaseUnavailableError: nobody knows whether there is a key.
    """
    headers = find_forwarding_headers(request.environ)
    return _FORWARDED.format(", ".join(headers)) if headers and not are_keys_needed() else None


def _has_metrics_token() -> bool:
    """Whether the request has the token for metrics; where a request comes from proves nothing behind a proxy."""
    token, given = settings().metrics_token, request.authorization
    sent = given.token if given is not None and given.type == "bearer" else None
    return bool(token and sent and hmac.compare_digest(token.encode(), sent.encode("utf-8", "surrogatepass")))
