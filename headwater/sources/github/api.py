"""Asking GitHub: JSON, pages, and waiting when a limit is reached.

Belongs here: requests to the interfaces of one server. Not here: limits (`wait_allowance`), what the answers mean
(`issues`, `discussions`). Guarantee: pages lie on the server's own host and below its own address, so a token goes
nowhere else; each answer is bounded, and is JSON or an error.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from headwater.errors import FetchError, FetchRefusedError
from headwater.fetching.http_client import HttpClient, Response
from headwater.fetching.patience import Patience
from headwater.sources.github.wait_allowance import seconds_to_wait

_LIMIT = 30_000_000  # bytes of an answer: a hundred issues of 65,536 characters, as JSON
_NEXT = re.compile(r"<([^<>]{1,4000})>\s*;[^,<]*?\brel=\"?next\"?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """An answer: its status, its JSON if the status is 200, and the address of the next page, empty on the last."""

    status: int
    value: Any
    url: str
    next: str
    validator: str


class Api:
    """The interfaces of one server, through a client that must not repeat requests on its own when told to wait."""

    def __init__(self, client: HttpClient, *, rest: str, graphql: str, patience: Patience) -> None:
        self._client = client
        self._rest = rest
        self._graphql = graphql
        self._patience = patience

    def url(self, path: str) -> str:
        """The address of a path of the REST interface."""
        return f"{self._rest}{path}"

    def get(self, url: str, *, validator: str = "") -> Answer:
        """Fetch an address of the REST interface.

        Raises:
            FetchError: no answer, or none that makes sense. LimitReachedError: it would have to wait too long.
        """
        while True:
            response = self._client.get(url, validator=validator, limit=_LIMIT)
            seconds = seconds_to_wait(response)
            if seconds is None:
                break
            self._patience.wait(seconds, self._host)
        value = _json(response) if response.status == HTTPStatus.OK else None
        following = self._next(response) if response.status == HTTPStatus.OK else ""
        return Answer(
            status=response.status, value=value, url=response.url, next=following, validator=response.validator
        )

    def query(self, text: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a query to the GraphQL interface; returns its data.

        Raises:
            FetchError: no answer, none that makes sense, or an error. LimitReachedError: it would have to wait too
                long.
        """
        content = json.dumps({"query": text, "variables": dict(variables)}).encode()
        while True:
            response = self._client.post_json(self._graphql, content, limit=_LIMIT)
            value = _json(response) if response.status == HTTPStatus.OK else None
            errors = value.get("errors") if isinstance(value, dict) else None
            seconds = seconds_to_wait(response, is_limited="RATE_LIMITED" in _types(errors))
            if seconds is None:
                break
            self._patience.wait(seconds, self._host)
        if response.status != HTTPStatus.OK:
            raise FetchError(f"{self._graphql} answers {response.status}. {advice(response.status)}")
        data = value.get("data") if isinstance(value, dict) else None
        if not isinstance(data, dict):
            kinds = ", ".join(sorted(_types(errors))) or "no data"
            raise FetchError(f"{self._graphql} refuses a query ({kinds[:100]}). Check the repository and the token.")
        return data

    @property
    def _host(self) -> str:
        return urlsplit(self._rest).netloc

    def _next(self, response: Response) -> str:
        """The address of the next page, which must be at the same host."""
        match = _NEXT.search(response.headers.get("link", ""))
        if match is None:
            return ""
        rest_url, there = urlsplit(self._rest), _split(match[1])
        if there is None or (there.scheme, there.netloc) != (rest_url.scheme, rest_url.netloc):
            raise FetchRefusedError(f"{response.url} says that its next page is at another host, which is refused.")
        return match[1]


def advice(status: int) -> str:
    """What to do about a status."""
    if status == HTTPStatus.UNAUTHORIZED:
        return "The server does not accept the token: renew it, and its variable HEADWATER_CREDENTIAL_…."
    if status in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
        return "Check the repository's name; if it is private, name a credential with a token that may read it."
    return "Sync again when it works."


def _split(url: str) -> Any:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _json(response: Response) -> Any:
    if "json" not in response.media_type.partition(";")[0]:
        media_type = response.media_type[:100] or "no type"
        raise FetchError(f"{response.url} answers with {media_type}, not with JSON. Check the server's address.")
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        raise FetchError(f"{response.url} answers with JSON that cannot be read. Sync again later.") from None


def _types(errors: Any) -> set[str]:
    listed = errors if isinstance(errors, list) else []
    return {str(error.get("type", "error")) for error in listed if isinstance(error, Mapping)}
