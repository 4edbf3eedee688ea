"""The turns of a conversation as events, for the pages that show it.

Belongs here: which events, and when. Not here: the format (`query_api.sse`), the text of an answer that grows
(`query_api.routes.answer_events`), the page (`chat`). Guarantee: an open page learns within seconds that an answer on
it is stale, and that another page has asked.
"""

import json
import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from headwater.domain.conversations import TurnState
from headwater.errors import DatabaseUnavailableError
from headwater.store.store import Store
from query_api.pages.page_renderer import render_part
from query_api.server.client_disconnect import Client
from query_api.sse import Comment, ServerEvent

_LOOKED_AT = 40  # turns, the last ones
_PAUSE = 0.25  # seconds between two looks at whether the client is there
_PAUSES = 8  # between two looks at the turns


def conversation_events(
    store: Store, slug: str, conversation_id: UUID, client: Client
) -> Iterator[ServerEvent | Comment | None]:
    """Follow a conversation: `turns` has the turns that were asked last, at the beginning and after each change.

    Args:
        store: the store of the conversation.
        slug: its knowledge base.
        conversation_id: the conversation.
        client: whoever follows; the events end soon after the client has left.
    """
    last = ""
    while True:
        try:
            states = store.conversations.turn_states(conversation_id, limit=_LOOKED_AT)
        except DatabaseUnavailableError:
            yield Comment(text="the database does not answer; waiting")
        else:
            data = json.dumps([_fields(slug, state) for state in states])
            yield ServerEvent(name="turns", data=data) if data != last else None
            last = data
        for _ in range(_PAUSES):
            time.sleep(_PAUSE)
            if client.has_left:
                return


def _fields(slug: str, turn: TurnState) -> dict[str, Any]:
    return {
        "id": str(turn.id),
        "parent": str(turn.parent_id) if turn.parent_id else "",
        "state": turn.state,
        "stale": render_part("turn.html", "stale", slug, turn.id, turn.stale) if turn.stale else "",
    }
