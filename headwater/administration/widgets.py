"""Making, changing and deleting widgets of web sites (INT-2).

Belongs here: the checks, and the line of HTML for a site. Not here: rows (`headwater.store.access.widgets`), visitors
(`visitors`). Guarantee: a change counts from the next request of a visitor on, in every process.
"""

import re
import secrets
from collections.abc import Mapping
from html import escape
from typing import Any

from pydantic import ValidationError

from headwater.administration.audit_trail import audit_transaction
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.widgets import Widget, WidgetSettings
from headwater.domain.wrong_fields import SLUG, path_of, wrong_fields
from headwater.errors import InvalidInputError
from headwater.store.store import Store

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_MAX_WIDGETS = 100


def create_widget(store: Store, knowledge_base: str, slug: str, settings: Mapping[str, Any]) -> Widget:
    """Make a widget.

    Args:
        store: the store.
        knowledge_base: the slug of the one that it answers from.
        slug: its name among the widgets of the knowledge base.
        settings: values for `WidgetSettings`; `origins` is needed.

    Raises:
        InvalidInputError: a value is wrong. NotFoundError: there is no such knowledge base.
        AlreadyExistsError: the knowledge base has a widget with this slug.
    """
    owner = store.knowledge_bases.get(knowledge_base)
    if not re.fullmatch(SLUG, slug):
        raise InvalidInputError(
            f"{slug[:80]!r} cannot be the name of a widget. Use lower-case letters, digits and hyphens."
        )
    checked = check_widget(settings)
    with audit_transaction(store) as note:
        if len(store.widgets.all(owner.slug)) >= _MAX_WIDGETS:
            raise InvalidInputError(f"{owner.slug} has {_MAX_WIDGETS} widgets already. Delete one.")
        widget = _add(store, owner, slug, checked)
        note("widget.create", widget.key, id=widget.id, origins=list(checked.origins))
    return widget


def change_widget(store: Store, knowledge_base: str, slug: str, changes: Mapping[str, Any]) -> Widget:
    """Change some settings of a widget; those that are not given stay.

    Raises:
        InvalidInputError: a value is wrong. NotFoundError: there is no such widget.
    """
    with audit_transaction(store) as note:
        widget = store.widgets.get(knowledge_base, slug)
        old_settings = widget.settings.model_dump(mode="json")
        checked = check_widget({**old_settings, **changes})
        if store.widgets.update(widget, checked):
            new_settings = checked.model_dump(mode="json")
            note(
                "widget.change",
                widget.key,
                **{name: new_settings[name] for name in new_settings if new_settings[name] != old_settings[name]},
            )
        return store.widgets.get(knowledge_base, slug)


def delete_widget(store: Store, knowledge_base: str, slug: str) -> Widget:
    """Delete a widget; its visitors' tokens end at once, and the answers stay. Returns what it was.

    Raises:
        NotFoundError: there is no such widget.
    """
    with audit_transaction(store) as note:
        widget = store.widgets.get(knowledge_base, slug)
        store.widgets.remove(widget)
        note("widget.delete", widget.key, id=widget.id)
    return widget


def apply_widgets(
    store: Store, knowledge_base: str, wanted: Mapping[str, WidgetSettings], *, prune: bool
) -> dict[str, str]:
    """Make the widgets of a knowledge base match a file, within the transaction of the caller.

    Args:
        store: the store.
        knowledge_base: its slug.
        wanted: settings by slug.
        prune: delete the others.

    Returns:
        `created`, `changed`, `unchanged`, `deleted` or `unlisted`, by slug.
    """
    existing = {widget.slug: widget for widget in store.widgets.all(knowledge_base)}
    outcomes = {}
    for slug, settings in wanted.items():
        widget = existing.pop(slug, None)
        if widget is None:
            _add(store, store.knowledge_bases.get(knowledge_base), slug, settings)
        outcomes[slug] = (
            "created" if widget is None else "changed" if store.widgets.update(widget, settings) else "unchanged"
        )
    for slug, widget in existing.items():
        if prune:
            store.widgets.remove(widget)
        outcomes[slug] = "deleted" if prune else "unlisted"
    return outcomes


def check_widget(values: Mapping[str, Any]) -> WidgetSettings:
    """The settings of a widget.

    Raises:
        InvalidInputError: a value is wrong; the message names the field.
    """
    if not values.get("origins"):
        raise InvalidInputError("The widget needs at least one site that may use it, such as https://docs.example.com.")
    try:
        return WidgetSettings.model_validate(values)
    except ValidationError as error:
        first = wrong_fields(error)[0]
        raise InvalidInputError(f"{path_of(first.place) or 'widget'}: {first.message}") from error


def snippet(widget: Widget, api_url: str) -> str:
    """The line of HTML that shows a widget on a site.

    Args:
        widget: the widget.
        api_url: the address of this API, as the site's visitors reach it.
    """
    address = escape(f"{api_url.rstrip('/')}/widget.js")
    return f'<script async src="{address}" data-headwater-widget="{escape(widget.id)}"></script>'


def policy(api_url: str) -> str:
    """The sources that a site with a content security policy adds for its widget."""
    return f"script-src {api_url.rstrip('/')}; connect-src {api_url.rstrip('/')}"


def _add(store: Store, owner: KnowledgeBase, slug: str, settings: WidgetSettings) -> Widget:
    widget_id = "wdg_" + "".join(secrets.choice(_ALPHABET) for _ in range(16))
    return store.widgets.add(owner, slug, settings, widget_id=widget_id, secret=secrets.token_bytes(32))
