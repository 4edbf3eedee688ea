"""The sources of a knowledge base as events, for the page that shows them.

Belongs here: which events, and when. Not here: the format (`query_api.sse`), the cards (`templates/source_parts.html`).
Guarantee: a page that connects, or connects again, gets every card once, and then those that change; one stream serves
all sources, no matter who started their syncs.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

from headwater.errors import DatabaseUnavailableError, NotFoundError
from headwater.store.store import Store
from query_api.pages.page_renderer import render_part
from query_api.pages.source_views import SourceView, source_views
from query_api.server.client_disconnect import Client
from query_api.sse import Comment, ServerEvent

_LOOK = 0.25  # seconds between two looks at whether the client is there
_BUSY, _QUIET = 2, 8  # so many of them between two looks at the sources, while a sync runs and while none does


def source_events(store: Store, knowledge_base: str, client: Client) -> Iterator[ServerEvent | Comment | None]:
    """Follow the sources of a knowledge base.

    The events are `source` for each card that is new or changed, `gone` for each that is deleted, `ready` when there
    begins or ceases to be something to ask, and `done` if the knowledge base is deleted.

    Args:
        store: the store of the knowledge base.
        knowledge_base: its slug.
        client: whoever follows; the events end soon after the client has left.
    """
    last_shown: dict[str, str] = {}
    was_ready: bool | None = None
    while True:
        try:
            views = source_views(store, knowledge_base)
        except DatabaseUnavailableError:
            views = []
            yield Comment(text="the database does not answer; waiting")
        except NotFoundError:
            yield ServerEvent(name="done", data="null")
            return
        else:
            yield from _changes(views, last_shown)
            is_ready = any(view.source.document_count for view in views)
            if is_ready != was_ready:
                was_ready = is_ready
                yield ServerEvent(name="ready", data=json.dumps(is_ready))
        yield None
        for _ in range(_BUSY if any(view.is_active for view in views) else _QUIET):
            time.sleep(_LOOK)
            if client.has_left:
                return


def card_of(view: SourceView) -> dict[str, Any]:
    """The data of the event `source`."""
    html = render_part("source_parts.html", "card", view)
    return {"slug": view.source.slug, "state": view.state, "is_active": view.is_active, "html": html}


def _changes(views: list[SourceView], shown: dict[str, str]) -> Iterator[ServerEvent]:
    for view in views:
        card = card_of(view)
        if shown.get(view.source.slug) != card["html"]:
            shown[view.source.slug] = card["html"]
            yield ServerEvent(name="source", data=json.dumps(card))
    for slug in shown.keys() - {view.source.slug for view in views}:
        del shown[slug]
        yield ServerEvent(name="gone", data=json.dumps({"slug": slug}))
