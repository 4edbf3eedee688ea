"""The HTTP API as bots use it.

Belongs here: requests, streams of events, and telling an API that is away from one that refuses. Not here: waiting for
it (`event_answer`), platforms. Guarantee: every failure is an `ApiUnreachableError` or an `ApiProblemError`; the key is
in a header and in no message.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from headwater.domain.bots import BotPlatform
from headwater.domain.conversations import Vote
from integrations.chat_platform import BotEvent, Received
from integrations.errors import ApiProblemError, ApiUnreachableError, StoppedError

_TIMEOUT = httpx.Timeout(15.0)  # seconds; a stream says something every five
_MAX_STREAMS = 64
_AWAY = ("DATABASE_UNAVAILABLE",)  # codes that pass by themselves
_RETRY_AFTER = 2.0  # seconds, if a refusal that passes does not say


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamEvent:
    """One event of an answer; `id` is 0 if it has none."""

    id: int
    name: str
    data: Any


@dataclass(frozen=True, kw_only=True)
class Stream:
    """An answer being made: where to follow it, and its events."""

    location: str
    events: Iterator[StreamEvent]


class Api:
    """The API at an address."""

    def __init__(self, url: str, key: str = "", *, platform: BotPlatform, holder: UUID) -> None:
        """Connect to nothing yet.

        Args:
            url: the address, such as `http://127.0.0.1:8080`.
            key: the API key; empty for none.
            platform: the platform of the bot.
            holder: the id of this process, by which the API knows who answers what.
        """
        bearer = {"Authorization": f"Bearer {key}"} if key else {}
        limits = httpx.Limits(max_connections=_MAX_STREAMS, max_keepalive_connections=8, keepalive_expiry=3.0)
        self._client = httpx.Client(base_url=url, headers=bearer, timeout=_TIMEOUT, limits=limits, trust_env=False)
        self._bot = f"/api/v1/bots/{platform}"
        self._platform = platform
        self._holder = str(holder)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def claim(self, message: Received) -> tuple[str, BotEvent | None]:
        """Claim a message; returns the outcome, with the event if it is `claimed`."""
        same = ("id", "workspace", "channel", "thread", "message", "question", "is_mention")
        body = {**{name: getattr(message, name) for name in same}, "holder": self._holder}
        reply = self._json("POST", f"{self._bot}/events", body)
        return reply["outcome"], BotEvent.of(reply["event"]) if reply["event"] else None

    def take(self, *, has_started: bool) -> list[BotEvent]:
        """Get the events that wait for this process."""
        reply = self._json("POST", f"{self._bot}/events/take", {"holder": self._holder, "has_started": has_started})
        return [BotEvent.of(event) for event in reply["events"]]

    def note(self, event: BotEvent, **change: Any) -> None:
        """Note what was done for an event; nothing happens if it was deleted with its knowledge base.

        Raises:
            StoppedError: another process answers it now.
        """
        path = f"{self._bot}/events/{quote(event.id, safe='')}"
        try:
            self._json("PATCH", path, {"holder": self._holder, **change})
        except ApiProblemError as error:
            if error.name == "CONFLICT":
                raise StoppedError from error
            if error.name != "NOT_FOUND":
                raise

    def channels(self) -> list[dict[str, Any]]:
        """The channels of this platform that are configured."""
        reply = self._json("GET", "/api/v1/bots/channels")
        return [channel for channel in reply["channels"] if channel["platform"] == self._platform]

    def vote(self, answer_id: UUID, vote: Vote) -> None:
        """Vote on an answer."""
        self._json("PUT", f"/api/v1/answers/{answer_id}/feedback", {"vote": vote})

    @contextmanager
    def ask(self, event: BotEvent, attempt: int) -> Iterator[Stream]:
        """Ask, and follow the answer; the same attempt gets the same answer, also in another process."""
        body = {"question": event.question, "history": list(event.history), "stream": True}
        same = hashlib.sha256(json.dumps([event.id, attempt, body]).encode()).hexdigest()
        path = f"/api/v1/knowledge-bases/{quote(event.knowledge_base or '', safe='')}/answers"
        with self._stream("POST", path, json=body, headers={"Idempotency-Key": f"bot-{same}"}) as stream:
            yield stream

    @contextmanager
    def follow(self, location: str, last: int) -> Iterator[Stream]:
        """Follow an answer from the event after `last`."""
        headers = {"Last-Event-ID": str(last)} if last else {}
        with self._stream("GET", location, headers=headers) as stream:
            yield stream

    @contextmanager
    def _stream(self, method: str, path: str, **request: Any) -> Iterator[Stream]:
        try:
            with self._client.stream(method, path, **request) as response:
                if response.status_code != httpx.codes.OK:
                    response.read()
                    raise _problem(response)
                yield Stream(location=response.headers.get("Location", path), events=_events(response))
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise ApiUnreachableError from error

    def _json(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            response = self._client.request(method, path, json=body)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise ApiUnreachableError from error
        if not response.is_success:
            raise _problem(response)
        try:
            data: dict[str, Any] = response.json()
        except ValueError as error:  # a page of a proxy, with status 200
            raise ApiUnreachableError from error
        return data


def problem_of(data: Mapping[str, Any], status: int = 500, retry_after: float | None = None) -> ApiProblemError:
    """The error that a problem document describes."""
    detail = str(data.get("detail") or "The question could not be answered.")
    return ApiProblemError(str(data.get("code") or "HEADWATER_ERROR"), detail, status=status, retry_after=retry_after)


def _problem(response: httpx.Response) -> ApiProblemError | ApiUnreachableError:
    """A response without a code is from a proxy before an API that is away."""
    try:
        data = response.json()
    except ValueError:
        data = None
    code = data.get("code") if isinstance(data, dict) else None
    if code in _AWAY or (code is None and response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR):
        return ApiUnreachableError()
    retry_after = response.headers.get("Retry-After", "")
    is_passing = response.status_code == httpx.codes.TOO_MANY_REQUESTS or code == "REQUEST_STILL_RUNNING"
    wait = (float(retry_after) if retry_after.isdecimal() else _RETRY_AFTER) if is_passing else None
    problem = data if isinstance(data, dict) else {"detail": f"The API answered with status {response.status_code}."}
    return problem_of(problem, response.status_code, wait)


def _events(response: httpx.Response) -> Iterator[StreamEvent]:
    """The events of a stream; blocks end at blank lines, whatever else the data contains."""
    remainder = b""
    for chunk in response.iter_bytes():
        *blocks, remainder = (remainder + chunk).split(b"\n\n")
        for block in blocks:
            fields = dict(line.split(b": ", 1) for line in block.split(b"\n") if b": " in line)
            if b"event" in fields:
                event_id = int(fields.get(b"id", b"0"))
                yield StreamEvent(id=event_id, name=fields[b"event"].decode(), data=json.loads(fields[b"data"]))
            else:
                yield StreamEvent(id=0, name="ping", data=None)  # so that who reads looks at the time
