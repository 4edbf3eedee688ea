"""A sync's progress as server-sent events.

Belongs here: the stream's form, and when it ends. Not here: what a sync looks like (`payloads`). Guarantee: a stream
outlives the database and the workers: whoever lost it connects again and is sent how things stand; streams leave
threads for everyone else.
"""

import threading
import time
from collections.abc import Iterator

from flask import Response

from headwater.errors import DatabaseUnavailableError, NotFoundError
from headwater.store.store import Store
from query_api.routes.sync_payloads import OVER, SyncPayload

_INTERVAL = 0.5  # seconds between looks
_KEEP_ALIVE = 15.0  # seconds of silence that a proxy may not stand
_LONGEST = 3600.0  # seconds; the client connects again
_RETRY = 2000  # milliseconds after which it does
_slots = threading.BoundedSemaphore(16)  # streams that may stay open, each in a thread of the server


def sync_events(store: Store, sync_id: int) -> Response:
    """Stream a sync until it is over.

    Events are named `progress` and, the last one, `done`; `data` is the sync as `GET /api/v1/syncs/{id}` shows it.
    While too many streams are open, a further one says how things stand and ends, so its client asks again by and by.

    Raises:
        NotFoundError: there is no such sync.
    """
    store.syncs.get(sync_id)
    response = Response(_events(store, sync_id), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # a proxy in front must not collect them
    return response


def _events(store: Store, sync_id: int) -> Iterator[str]:
    yield f"retry: {_RETRY}\n\n"
    stays = _slots.acquire(blocking=False)
    try:
        for event in _progress(store, sync_id):
            yield event
            if not stays:
                return
    finally:
        if stays:
            _slots.release()


def _progress(store: Store, sync_id: int) -> Iterator[str]:
    started = said = time.monotonic()
    last = ""
    while time.monotonic() - started < _LONGEST:
        try:
            payload = SyncPayload.of(store.syncs.get(sync_id))
        except DatabaseUnavailableError:
            yield ": the database does not answer; waiting\n\n"
            time.sleep(_INTERVAL)
            continue
        except NotFoundError:
            yield "event: done\ndata: null\n\n"  # deleted with its knowledge base
            return
        data = payload.model_dump_json(exclude={"waiting"})
        is_over = payload.state in OVER
        if data != last or is_over:
            last, said = data, time.monotonic()
            yield f"event: {'done' if is_over else 'progress'}\ndata: {payload.model_dump_json()}\n\n"
        elif time.monotonic() - said > _KEEP_ALIVE:
            said = time.monotonic()
            yield ": still here\n\n"
        if is_over:
            return
        time.sleep(_INTERVAL)
