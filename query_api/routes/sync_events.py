"""A sync's progress as events.

Belongs here: the events of a sync, and their end. Not here: the format (`query_api.sse`), the shape of a sync
(`sync_payloads`). Guarantee: a stream survives outages of the database and the workers, and ends when its key is
revoked; a client that reconnects gets the current state.
"""

import time
from collections.abc import Iterator

from flask import Response

from headwater.errors import DatabaseUnavailableError, NotFoundError, UnauthenticatedError
from headwater.store.store import Store
from query_api.answer_access import Check
from query_api.routes.sync_payloads import OVER, SyncPayload
from query_api.sse import Comment, Pause, ServerEvent, Step, Streams

_INTERVAL = 0.5  # seconds between checks
_streams = Streams(200)


def sync_events(store: Store, check: Check, sync_id: int) -> Response:
    """Stream a sync until it ends.

    Events are named `progress` and, the last one, `done`; `data` is the sync as `GET /api/v1/syncs/{id}` shows it.

    Raises:
        NotFoundError: there is no such sync.
    """
    store.syncs.get(sync_id)
    return _streams.respond(_progress(store, check, sync_id))


def _progress(store: Store, check: Check, sync_id: int) -> Iterator[Step]:
    last, since = "", time.monotonic()
    while True:
        try:
            check.look()
            payload = check.shared.get(("sync", sync_id), lambda: SyncPayload.of(store.syncs.get(sync_id)), since=since)
        except DatabaseUnavailableError:
            yield Comment(text="the database does not answer; waiting")
            yield Pause(_INTERVAL)
            since = time.monotonic()
            continue
        except UnauthenticatedError:
            return
        except NotFoundError:
            yield ServerEvent(name="done", data="null")  # deleted with its knowledge base
            return
        data = payload.model_dump_json(exclude={"waiting"})
        is_over = payload.state in OVER
        if data != last or is_over:
            last = data
            yield ServerEvent(name="done" if is_over else "progress", data=payload.model_dump_json())
        if is_over:
            return
        yield Pause(_INTERVAL)
        since = time.monotonic() - _INTERVAL / 2  # somebody may have looked
