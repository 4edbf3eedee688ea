"""Access tokens: secrets that a server gives for an hour in exchange for that of a source.

Belongs here: asking for one, asking for another before it ends, sending it. Not here: what is offered for it (the
connectors), secrets of the environment (`headwater.fetching.credentials`). Guarantee: the source's secret goes to the
host that it is for, the token only to that of the interface; neither is stored, and no message holds one.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit

from headwater.errors import FetchError, SourceError
from headwater.fetching.credentials import HostCredential
from headwater.fetching.http_client import HttpClient, Response
from headwater.fetching.http_request import HttpRequest
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.sources.json_api import text_member
from headwater.sources.source_context import SourceContext

_MAX_ANSWER_BYTES = 100_000
_USUAL_SECONDS = 3_600
_DAY_SECONDS = 86_400
_SPARE_SECONDS = 300
"""A token is replaced so long before it ends."""
_BUSY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
_CODE_PATTERN = re.compile(r"[a-z_]{1,60}", re.ASCII)
_TOKEN_PATTERN = re.compile(r"[\x21-\x7e]{1,20000}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenExchange:
    """How to get a token: `form` computes what is posted to `url`; `credential` is the name of the secret in it."""

    credential: str
    url: str
    form: Callable[[], Mapping[str, str]]


class TokenClient:
    """A client for the interface at one address, with a token that it renews; to be closed."""

    def __init__(
        self,
        context: SourceContext,
        exchange: TokenExchange,
        *,
        address: str,
        delay: float = 0.0,
        busy: tuple[int, ...] = BUSY_OR_FAILING,
    ) -> None:
        """Create it; `busy` has the statuses after which it repeats a request itself, as in `SourceContext.http`."""
        self._context = context
        self._exchange = exchange
        self._host = urlsplit(address).netloc
        self._delay = delay
        self._busy = busy
        self._client: HttpClient | None = None
        self._valid_until = 0.0

    def close(self) -> None:
        """Close all connections, and forget the token."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def send(self, url: str, message: HttpRequest, *, limit: int) -> Response:
        """Send a request as `HttpClient` does; if the token is refused, it is replaced once.

        Raises:
            SourceError: no token is given for the secret. FetchError: as `HttpClient` does. TooLargeError: the same.
        """
        is_fresh = self._client is None or time.time() > self._valid_until
        client = self._renew() if self._client is None or is_fresh else self._client
        response = client.send(url, message, limit=limit)
        if response.status != HTTPStatus.UNAUTHORIZED or is_fresh:
            return response
        return self._renew().send(url, message, limit=limit)

    def _renew(self) -> HttpClient:
        self.close()
        token, seconds = self._ask()
        host_credential = HostCredential(
            name=self._exchange.credential, host=self._host, headers={"Authorization": f"Bearer {token}"}
        )
        self._client = self._context.http(token=host_credential, delay=self._delay, busy=self._busy)
        self._valid_until = time.time() + seconds - _SPARE_SECONDS
        return self._client

    def _ask(self) -> tuple[str, float]:
        """A token, and how many seconds it is valid.

        Raises:
            SourceError: none is given for the secret. FetchError: none can be had now, or its address is refused.
        """
        exchange = self._exchange
        self._context.secure_credential(exchange.credential, exchange.url)  # which must be encrypted
        message = HttpRequest(
            method="POST",
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            content=urlencode(dict(exchange.form())).encode(),
            is_redirected=False,
        )
        with self._context.http(busy=BUSY_OR_FAILING) as client:
            response = client.send(exchange.url, message, limit=_MAX_ANSWER_BYTES)
        value = _read_object(response.content)
        token = value.get("access_token")
        if response.status == HTTPStatus.OK and isinstance(token, str) and _TOKEN_PATTERN.fullmatch(token):
            seconds = value.get("expires_in")
            return token, seconds if isinstance(seconds, int) and 0 < seconds <= _DAY_SECONDS else _USUAL_SECONDS
        code = text_member(value, "error")
        reason = f"{response.status} {code}" if _CODE_PATTERN.fullmatch(code) else str(response.status)
        advice = "What was read is kept, and nothing was removed."
        is_refused = HTTPStatus.BAD_REQUEST <= response.status < HTTPStatus.INTERNAL_SERVER_ERROR
        if is_refused and response.status not in _BUSY:
            raise SourceError(
                f"{exchange.url} does not accept the credential {exchange.credential} ({reason}): it is wrong or no"
                " longer valid, or of another client or tenant. Renew it, and check these names and this machine's"
                f" clock. {advice}"
            )
        raise FetchError(f"{exchange.url} gives no token ({reason}). {advice} Sync again later.")


def _read_object(content: bytes) -> Mapping[str, object]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
