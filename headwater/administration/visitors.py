"""Who a visitor of a widget is: the tokens of visitors, and whether one counts now (INT-2).

Belongs here: signing and checking. Not here: requests (`query_api.widget`), questions
(`headwater.answering.visitor_questions`). Guarantee: a token is signed with the secret of its widget alone, so another
widget's token is worth nothing, and no other part of Headwater takes it; it ends after an hour, and at once if the
widget is disabled or deleted, or its origin is no longer listed.
"""

import re
import secrets

from itsdangerous import BadData, URLSafeTimedSerializer

from headwater.domain.origins import is_allowed
from headwater.domain.widgets import Visitor, Widget
from headwater.errors import ForbiddenError, NotFoundError, SessionExpiredError, UnauthenticatedError
from headwater.store.store import Store

LIFETIME = 3600
"""Seconds for which a token is valid."""
RENEWABLE = 24 * 3600
"""Seconds for which a token, though expired, proves who the visitor was: so an open tab keeps its conversation."""
_ID = re.compile(r"wdg_[a-z0-9]{16}")
_GONE = "This assistant is switched off, or it does not exist."
_ELSEWHERE = "This page may not use the assistant. Its owner can add the page's address to the widget's origins."
_NEEDED = "The session is not valid. Start another one."


def widget_for(store: Store, widget_id: str, origin: str, *, is_ours: bool = False) -> Widget:
    """The widget that a page asks for.

    Args:
        store: the store.
        widget_id: its public id.
        origin: of the page, as its browser says.
        is_ours: the page is one of this API's own, such as the preview.

    Raises:
        NotFoundError: there is no such widget, or it is disabled.
        ForbiddenError: the page's origin is not listed.
    """
    widget = store.widgets.by_id(widget_id) if _ID.fullmatch(widget_id) else None
    if widget is None or not widget.settings.enabled:
        raise NotFoundError(_GONE)
    if not (is_ours or is_allowed(origin, widget.settings.origins)):
        raise ForbiddenError(_ELSEWHERE)
    return widget


def begin_session(widget: Widget, origin: str, former: str = "") -> str:
    """The token of a visitor on a page; with a former token of the same page, the visitor stays the same."""
    visitor = _read(widget, former, origin, RENEWABLE) if former else None
    signed = _signer(widget).dumps({"origin": origin, "visitor": visitor or secrets.token_urlsafe(16)})
    return f"{widget.id}.{signed.decode() if isinstance(signed, bytes) else signed}"


def visitor_of(store: Store, token: str, origin: str, *, is_ours: bool = False) -> Visitor:
    """The visitor with a token, on a page of an origin.

    Raises:
        UnauthenticatedError: the token is no one's, or that of another page. NotFoundError, ForbiddenError: as
            `widget_for`. SessionExpiredError: it is older than an hour.
    """
    widget_id, dot, _ = token.partition(".")
    if not dot or not _ID.fullmatch(widget_id):
        raise UnauthenticatedError(_NEEDED)
    widget = widget_for(store, widget_id, origin, is_ours=is_ours)
    if _read(widget, token, origin, RENEWABLE) is None:
        raise UnauthenticatedError(_NEEDED)
    visitor = _read(widget, token, origin, LIFETIME)
    if visitor is None:
        raise SessionExpiredError
    return Visitor(widget=widget, origin=origin, id=visitor)


def _read(widget: Widget, token: str, origin: str, lifetime: int) -> str | None:
    """The visitor's id; None if the token is wrong, too old, or of another page."""
    widget_id, _, signed = token.partition(".")
    if widget_id != widget.id:
        return None
    try:
        values = _signer(widget).loads(signed, max_age=lifetime)
    except BadData:
        return None
    is_own = isinstance(values, dict) and values.get("origin") == origin
    return str(values["visitor"]) if is_own and "visitor" in values else None


def _signer(widget: Widget) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(widget.secret, salt="widget")
