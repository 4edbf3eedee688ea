"""`/keys` and `/audit`: who may do what, and who changed what (API-6).

Belongs here: both pages and their forms. Not here: changing keys (`headwater.administration.keys`).
"""

from datetime import UTC, datetime, timedelta

from flask import Blueprint, Response, request

from headwater.administration.keys import create_key, revoke_key, rotate_key
from headwater.domain.access import Scope, ShownKey
from headwater.errors import HeadwaterError, InvalidInputError
from query_api.context import store
from query_api.pages.forms import field, go_to
from query_api.pages.rendering import render
from query_api.routes.key_payloads import AuditPage, KeyPayload

routes = Blueprint("access_page", __name__)
_PAGE = 50  # changes


@routes.get("/keys")
def show_keys() -> Response:
    """List the keys."""
    return _keys()


@routes.post("/keys")
def change() -> Response:
    """Make, rotate or revoke a key, as the pressed button says; a secret is shown on this one page."""
    try:
        made = _changed(field("do"))
    except HeadwaterError as error:
        return _keys(error=error)
    return _keys(made=made) if made else go_to("/keys")


@routes.get("/audit")
def show_audit() -> Response:
    """List changes, newest first."""
    after = request.args.get("after", "")
    before = int(after) if after.isdecimal() and len(after) < 19 else None
    found = store().audit.all(before=before, limit=_PAGE + 1)
    return render("audit.html", page=AuditPage.of(found, _PAGE))


def _changed(action: str) -> ShownKey | None:
    """What a form asks for; returns the key if it has a new secret."""
    if action == "revoke":
        revoke_key(store(), field("id"))
        return None
    if action == "rotate":
        return rotate_key(store(), field("id"))
    chosen = request.form.getlist("knowledge_base")
    scope, days = field("scope"), field("days")
    if scope not in set(Scope) or not (days == "" or (days.isdecimal() and len(days) < 5)):
        raise InvalidInputError("Choose a scope, and a whole number of days or none.")
    ends = datetime.now(UTC) + timedelta(days=int(days)) if days else None
    return create_key(store(), field("name"), Scope(scope), knowledge_bases=chosen or None, expires_at=ends)


def _keys(*, made: ShownKey | None = None, error: HeadwaterError | None = None) -> Response:
    return render(
        "keys.html",
        status=error.http_status if error else 200,
        keys=[KeyPayload.of(key) for key in store().keys.all()],
        knowledge_bases=store().knowledge_bases.all(limit=1_000),
        made=made,
        error=str(error) if error else "",
    )
