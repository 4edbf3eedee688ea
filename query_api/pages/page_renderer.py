"""Rendering a template as a page.

Belongs here: the template environment, its filters, and the headers of a page. Not here: any page's content.
Guarantee: values are escaped unless a template says otherwise; nothing that a page holds can run a script, load from
another host or be framed; a page is never kept by a cache, nor listed by a search engine; a page that is open to
strangers does not lead them to others.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import quote

from babel.dates import format_date, format_datetime, format_timedelta
from flask import Response, current_app, make_response, request, url_for
from jinja2 import Environment, PackageLoader, StrictUndefined

from headwater import __version__
from headwater.domain.access import Scope
from query_api.app_context import settings
from query_api.guards.authentication import caller, find_scope
from query_api.guards.route_facts import facts_of
from query_api.pages.catalogue import (
    LANGUAGES,
    N_,
    SYNC_ORIGINS,
    SYNC_STATES,
    count_words,
    decimal,
    group_digits,
    reader_language,
    script_words,
    translate,
    translate_plural,
    trust_words,
)
from query_api.pages.navigation import tabs
from query_api.pages.static_files import static_url

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; "
            "object-src 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        "X-Robots-Tag": "noindex, nofollow",  # no page is for search engines, least of all one that was shared
        "Referrer-Policy": "same-origin",  # without a referrer, browsers send forms with `Origin: null`
    }
)
"""The headers that every page has, beside those of every response."""
_UNITS = ("bytes", "kB", "MB", "GB")


def render(template: str, /, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any) -> Response:
    """Make a page.

    Args:
        template: the template's name in `templates`.
        status: the HTTP status.
        headers: headers that only this page has.
        values: what the template shows; a value that it needs and does not get is an error.
    """
    response = make_response(_environment().get_template(template).render(_shared_values() | values), status)
    response.headers.update({**HEADERS, **(headers or {})})
    response.content_type = "text/html; charset=utf-8"
    return response


def render_part(template: str, macro: str, /, *arguments: Any) -> str:
    """Render one macro of a template, for a part of a page that changes while it is open.

    Args:
        template: the template's name.
        macro: the macro in it.
        arguments: its arguments.
    """
    module = _environment().get_template(template).make_module(_shared_values())
    return str(getattr(module, macro)(*arguments))


def may_use(endpoint: str) -> bool:
    """Whether the reader's scope includes a route."""
    who = caller()
    return who is not None and who.scope.includes(facts_of(current_app, endpoint).scope)


def is_administrator() -> bool:
    """Whether the reader may do everything, and so may open the Dagster UI."""
    who = caller()
    return who is not None and who.scope is Scope.ADMIN and who.visible is None


def _shared_values() -> dict[str, Any]:
    """What every page shows; it needs no database, so that the pages of errors can have it."""
    who = caller()
    return {
        "dagster_url": settings().dagster_url,
        "release": __version__,
        "theme": theme if (theme := request.cookies.get("headwater_theme")) in ("light", "dark") else "auto",
        "language": reader_language(),
        "languages": LANGUAGES,
        "script_words": script_words(reader_language()),
        "here": request.path,
        "here_url": _here_url(),
        "is_for_strangers": request.endpoint is not None and find_scope() is Scope.OPEN,
        "is_logged_in": who is not None and who.actor.kind == "session",
        "is_admin": is_administrator(),
        "may": may_use,
    }


def _here_url() -> str:
    """The address of this page below the server, encoded: it stands in the page, whatever somebody typed."""
    query = quote(request.query_string, safe="=&%+") if request.method == "GET" else ""
    return quote(request.path) + (f"?{query}" if query else "")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("query_api.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(translate, translate_plural, newstyle=True)  # type: ignore[attr-defined]
    environment.globals.update(static=static_url, url_for=url_for, tabs=tabs, counted=count_words)
    environment.filters.update(
        ago=ago,
        size=size,
        iso=iso,
        number=group_digits,
        dollars=dollars,
        moment=moment,
        month=month,
        words=words,
        span=span,
        translated=translate,
        trust=trust_words,
        sync_state=lambda state: translate(SYNC_STATES.get(state, state)),
        sync_origin=lambda origin: translate(SYNC_ORIGINS.get(origin, origin)),
    )
    return environment


def dollars(amount: float) -> str:
    """An amount in US dollars: in cents, but below a dollar with four decimals, since answers cost less than a cent."""
    places = 2 if amount >= 1 or amount == 0 else 4
    return f"${group_digits(float(f'{amount:.2f}'))}" if amount >= 1000 else f"${decimal(f'{amount:.{places}f}')}"


def size(count: int) -> str:
    """A number of bytes for people."""
    value, unit = float(count), 0
    while value >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{decimal(f'{value:.1f}')} {_UNITS[unit]}" if unit and value < 10 else f"{value:.0f} {_UNITS[unit]}"


def iso(moment: datetime) -> str:
    """A time for the attribute `datetime`, in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def moment(time: datetime) -> str:
    """A time for people, in UTC, such as `24 Nov 2026, 09:05 UTC`."""
    return f"{format_datetime(time.astimezone(UTC), 'd MMM y, HH:mm', locale=reader_language())} UTC"


def month(day: date) -> str:
    """A month for people, such as `November 2026`."""
    return format_date(day, "LLLL y", locale=reader_language())


def span(start: datetime, end: datetime) -> str:
    """How long something took, such as `0.4 s`, `12 s` or `3 min 5 s`."""
    seconds = (end - start).total_seconds()
    if seconds < 60:
        return f"{decimal(f'{seconds:.1f}')} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, remaining_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {remaining_seconds} s"


def words(value: Any) -> str:
    """A value of metadata for people: a list by its parts, yes or no for a truth."""
    if isinstance(value, bool):
        return translate(N_("yes")) if value else translate(N_("no"))
    return ", ".join(map(words, value)) if isinstance(value, list | tuple) else str(value)


def ago(moment: datetime, now: datetime | None = None) -> str:
    """How long ago a time was, in its largest unit; scripts keep it up to date."""
    seconds = int(((now or datetime.now(UTC)) - moment).total_seconds())
    units: tuple[tuple[int, Literal["day", "hour", "minute"]], ...] = (
        (86_400, "day"), (3_600, "hour"), (60, "minute"),
    )  # fmt: skip
    for length, unit in units:
        if abs(seconds) >= length:
            past = timedelta(seconds=-(seconds // length if seconds > 0 else -(-seconds // length)) * length)
            return format_timedelta(past, granularity=unit, threshold=1e9, add_direction=True, locale=reader_language())
    return translate(N_("just now")) if seconds >= 0 else translate(N_("in a moment"))
