"""First responses to requests with an Idempotency-Key, in Postgres (API-1).

Belongs here: keeping them, finding them, blocking a second request with the same key. Not here: which requests
(`query_api.guards.idempotency`). Guarantee: one request with a key runs at a time; if its process dies, the key is
free.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json

KEPT = timedelta(hours=24)
"""How long a repeat gets the first response."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredResponse:
    """A response, and the hash of the request that it answered."""

    request_hash: bytes
    status: int
    headers: Mapping[str, str]
    body: bytes


class StoredResponseStore:
    """The kept_responses table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def running(self, scope: str, key: str) -> Iterator[bool]:
        """Hold a key for the length of a block; yields false if another request holds it."""
        with self._database.session_lock(f"request:{scope}:{key}") as lock:
            yield lock.is_held

    def get(self, scope: str, key: str) -> StoredResponse | None:
        """Return the first response to a request with this key; None if there is none, or it is too old."""
        since = datetime.now(UTC) - KEPT
        row = self._database.row("kept_response", scope=scope, key=key, since=since)
        return None if row is None else StoredResponse(**row)

    def put(self, scope: str, key: str, response: StoredResponse, *, knowledge_base_id: int | None) -> None:
        """Keep a response; it is deleted with its knowledge base, or a source of it."""
        self._database.run(
            "keep_response",
            scope=scope,
            key=key,
            request_hash=response.request_hash,
            knowledge_base_id=knowledge_base_id,
            status=response.status,
            headers=to_json(dict(response.headers)),
            body=response.body,
        )

    def prune(self) -> int:
        """Delete responses that are too old; returns how many."""
        return self._database.run("delete_old_responses", before=datetime.now(UTC) - KEPT)
