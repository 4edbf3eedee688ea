"""`/keys`, `/account` and `/audit`: who may do what, who the reader is, and who changed what (API-6).

Belongs here: these pages and their forms. Not here: changing keys (`headwater.administration.keys`).
"""

from datetime import UTC, date, datetime, time, timedelta
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from headwater.administration.callers import ANYONE, ENVIRONMENT
from headwater.administration.keys import create_key, revoke_key, rotate_key
from headwater.domain.access import Scope, ShownKey
from headwater.errors import HeadwaterError, InvalidInputError
from query_api.app_context import api_root, app_context, store
from query_api.guards.authentication import caller
from query_api.guards.route_facts import allow
from query_api.pages.forms import field, go_to
from query_api.pages.login import set_session_cookie
from query_api.pages.page_renderer import render
from query_api.routes.key_payloads import AuditPage, KeyPayload

routes = Blueprint("access_page", __name__)
_PAGE = 50  # changes
_FILTERS = ("who", "what", "target", "from", "to")


@routes.get("/keys")
@allow(Scope.ADMIN, about="server")
def show_keys() -> Response:
    """List the keys."""
    return _keys()


@routes.post("/keys")
@allow(Scope.ADMIN, about="server", body="form")
def change() -> Response:
    """Make, rotate or revoke a key, as the pressed button says; a secret is shown on this one page."""
    is_first = caller() is ANYONE
    try:
        new_key = _change_key(field("do"), is_first=is_first)
    except HeadwaterError as error:
        return _keys(error=error)
    if new_key is None:
        return go_to("/keys")
    page = _keys(made=new_key, is_first=is_first)
    if is_first and (session := app_context().callers.log_in(store(), new_key.text)):
        set_session_cookie(page, session)  # the maker of the first key is not locked out by it
    return page


@routes.get("/account")
@allow(Scope.READ, about="visible")
def show_account() -> Response:
    """Say who the reader is here, and what that allows."""
    who = caller()
    assert who is not None  # noqa: S101 - the route needs a scope
    names = {ENVIRONMENT: "the key of the server's environment"} | {key.id: key.name for key in store().keys.all()}
    visible = None if who.visible is None else store().knowledge_bases.all(limit=1_000)
    return render(
        "account_page.html",
        who=who,
        key_name=names.get(who.key_id or "", ""),
        scopes=[scope.value for scope in Scope if who.scope.includes(scope)],
        is_free=who is ANYONE,
        knowledge_bases=visible,
    )


@routes.get("/audit")
@allow(Scope.ADMIN, about="server")
def show_audit() -> Response:
    """List changes, newest first; of an action, a target, an actor or a time if they are given."""
    after_text = request.args.get("after", "")
    before_id = int(after_text) if after_text.isdecimal() and len(after_text) < 19 else None
    filters = {name: request.args.get(name, "").strip()[:200] for name in _FILTERS}
    try:
        times = {name: _day(filters[name], name, is_end=name == "to") for name in ("from", "to")}
        error = ""
    except HeadwaterError as problem:
        times, error = {"from": None, "to": None}, str(problem)
    entries = store().audit.find(
        who=filters["who"], what=filters["what"], target=filters["target"], since=times["from"], until=times["to"],
        before=before_id, limit=_PAGE + 1,
    )  # fmt: skip
    set_filters = {name: value for name, value in filters.items() if value}
    return render(
        "audit.html",
        status=InvalidInputError.http_status if error else 200,
        page=AuditPage.of(entries, _PAGE),
        names={key.id: key.name for key in store().keys.all()},
        given=filters,
        is_filtered=bool(set_filters),
        actions=store().audit.actions(),
        query=urlencode(set_filters),
        error=error,
    )


def _day(text: str, name: str, *, is_end: bool) -> datetime | None:
    """The beginning of a day (UTC), or its end."""
    if not text:
        return None
    try:
        day = datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        raise InvalidInputError(f"{name}: {text[:40]!r} is no day, such as 2026-11-26.") from None
    return day + timedelta(days=1) if is_end else day


def _change_key(action: str, *, is_first: bool) -> ShownKey | None:
    """What a form asks for; returns the key if it has a new secret. The first key opens everything to its maker."""
    if action == "revoke":
        revoke_key(store(), field("id"))
        return None
    if action == "rotate":
        return rotate_key(store(), field("id"))
    slugs = request.form.getlist("knowledge_base")
    scope, days = field("scope"), field("days")
    if scope not in set(Scope) or not (days == "" or (days.isdecimal() and len(days) < 5)):
        raise InvalidInputError("Choose a scope, and a whole number of days or none.")
    if is_first and (scope != Scope.ADMIN or slugs or days):
        raise InvalidInputError(
            "The first key must be an admin key for all knowledge bases, without an end: otherwise nobody could make"
            " another one. Make it first, then this one."
        )
    ends = datetime.now(UTC) + timedelta(days=int(days)) if days else None
    return create_key(store(), field("name"), Scope(scope), knowledge_bases=slugs or None, expires_at=ends)


def _keys(*, made: ShownKey | None = None, is_first: bool = False, error: HeadwaterError | None = None) -> Response:
    return render(
        "keys.html",
        status=error.http_status if error else 200,
        keys=[KeyPayload.of(key) for key in store().keys.all()],
        knowledge_bases=store().knowledge_bases.all(limit=1_000),
        made=made,
        is_first=is_first,
        login_url=f"{api_root()}/login",
        error=str(error) if error else "",
    )
