"""The HTTP client of sources: one request at a time, polite and bounded.

Belongs here: requests, redirects, retries, conditional requests. Not here: which addresses are allowed (`url_guard`),
secrets (`credentials`), robots.txt. Guarantee: every address passes the gate, also after a redirect; a credential is
sent only to its own host; time, size, redirects and retries are bounded. It keeps no cookies itself.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin, urlsplit

from headwater import __version__
from headwater.errors import FetchError, FetchRefusedError, TooLargeError
from headwater.fetching.credentials import HostCredential
from headwater.fetching.decompression import ENCODINGS, Decompressor, megabytes
from headwater.fetching.http_request import HttpRequest, RedirectedError
from headwater.fetching.politeness import Politeness
from headwater.fetching.url_guard import Target, UrlGuard
from headwater.fetching.validators import conditions, validator_of

if TYPE_CHECKING:
    import httpx

    from headwater.fetching.transport import GuardedTransport, RequestLimits

LIMIT = 50_000_000
"""Bytes of a response, if the caller names no other limit."""
USER_AGENT = f"Headwater/{__version__}"
_MAX_REDIRECTS = 10
_REDIRECTS = (301, 302, 303, 307, 308)
_ERROR_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_ERROR_LIMIT = 64_000  # bytes of the page that explains an error; the rest is cut
_OWN_HEADERS = ("host", "content-length", "transfer-encoding", "connection", "accept-encoding")
_FOR_ONE_HOST = ("authorization", "cookie")


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """What a server answered.

    `url` is the address after redirects, without fragment. The names of `headers` are in lower case. `media_type` is
    `Content-Type`, with its parameters. `validator` is the ETag and the date of the last change, for the next request;
    empty if the server sends neither. With status 304 there is no content, because the validator still holds. The
    content of an error page, status 400 and above, is cut at 64 kB.
    """

    url: str
    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    media_type: str
    validator: str


class HttpClient:
    """Fetches addresses for one source; to be closed, and used by one thread at a time."""

    def __init__(
        self, gate: UrlGuard, *, credential: HostCredential | None = None, politeness: Politeness | None = None
    ) -> None:
        self._gate = gate
        self._credential = credential
        self._politeness = politeness or Politeness()
        self._opened: tuple[GuardedTransport, RequestLimits] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; the next request opens new ones."""
        connection, self._opened = self._opened, None
        if connection is not None:
            connection[0].close()

    def get(self, url: str, *, validator: str = "", limit: int = LIMIT) -> Response:
        """Fetch an address.

        Args:
            url: an address with http or https.
            validator: that of an earlier response; if it still holds, the status is 304.
            limit: how many bytes the content may have, decompressed.

        Returns:
            What `send` returns.

        Raises:
            FetchRefusedError: as `send` does. FetchError: the same. TooLargeError: the same.
        """
        response = self.send(url, HttpRequest(headers=conditions(validator)), limit=limit)
        is_kept = response.status == 304 and not response.validator
        return replace(response, validator=validator) if is_kept else response

    def post_json(self, url: str, content: bytes, *, limit: int = LIMIT) -> Response:
        """Send JSON that asks for something, such as a query in GraphQL; a redirect is refused.

        Args:
            url: an address with http or https.
            content: the JSON. The server must be able to get it twice without harm, because the request may be
                repeated.
            limit: how many bytes the answer may have, decompressed.

        Raises:
            FetchRefusedError: as `send` does. FetchError: the same; also for a redirect. TooLargeError: the same.
        """
        headers = {"Content-Type": "application/json"}
        message = HttpRequest(method="POST", headers=headers, content=content, is_redirected=False)
        return self.send(url, message, limit=limit)

    def send(self, url: str, message: HttpRequest, *, limit: int = LIMIT) -> Response:
        """Send a request, which must change nothing at its server, because it may be repeated.

        Args:
            url: an address with http or https.
            message: the request.
            limit: how many bytes the content may have, decompressed.

        Returns:
            The server's answer, also with a status such as 404 or 500. Responses 429 and 503, and failed connections,
            are tried again before: when the server says, or up to twice. So are those of a service that fails.

        Raises:
            FetchRefusedError: the gate refuses the address or one that it redirects to. FetchError: no answer, or none
                that makes sense. TooLargeError: the content exceeds the limit.
        """
        attempt = 1
        while True:
            is_fresh = self._opened is None
            try:
                response = self._follow(self._gate.check_url(url), message, limit)
            except _ConnectionFailedError as error:
                if not is_fresh:
                    continue  # the server may have closed a connection that was kept; that is no failed try
                if not self._politeness.wait_before_retry(attempt):
                    raise FetchError(str(error)) from None
            else:
                retry_after = response.headers.get("retry-after", "")
                host = urlsplit(response.url).netloc
                if not self._politeness.wait_after(response.status, attempt, host, retry_after):
                    return response
            attempt += 1

    def _follow(self, first: Target, message: HttpRequest, limit: int) -> Response:
        """Fetch an address, following redirects."""
        _, bounds = self._open()
        bounds.begin(self._gate.time_limit)
        here, is_home = first, True
        for _ in range(_MAX_REDIRECTS + 1):
            is_home = is_home and here.netloc == first.netloc
            bounds.extend(self._politeness.wait_for(here.host))
            try:
                response, location = self._exchange(here, message, limit, is_home=is_home)
            except FetchRefusedError as error:
                raise (error if here is first else _redirect_error(first, error)) from None
            if location is None:
                return response
            if not message.is_redirected:
                raise RedirectedError(
                    f"{first.url} redirects the request, which is not followed here. Use its final address."
                )
            if message.method == "POST" and response.status in (301, 302, 303):
                message = replace(message, method="GET", content=None)
            try:
                here = self._gate.check_url(urljoin(here.url, location))
            except (FetchRefusedError, ValueError) as error:
                raise _redirect_error(first, error) from None
        raise FetchError(f"{first.url} was redirected more than {_MAX_REDIRECTS} times. Use its final address.")

    def _exchange(
        self, target: Target, message: HttpRequest, limit: int, *, is_home: bool
    ) -> tuple[Response, str | None]:
        """One request and its response, or where it redirects to."""
        with self._send(target, message, self._headers(target, message, is_home=is_home)) as (http_response, bounds):
            if message.cookies is not None:
                message.cookies.note(target.url, http_response.headers.get_list("set-cookie"))
            location = http_response.headers.get("location") if http_response.status_code in _REDIRECTS else None
            read = _explanation if http_response.status_code >= 400 else _content
            is_unread = location is not None or _is_unread(http_response, message)
            content = b"" if is_unread else read(http_response, bounds, limit)
        response = Response(
            url=target.url,
            status=http_response.status_code,
            headers=dict(http_response.headers),
            content=content,
            media_type=http_response.headers.get("content-type", "").strip(),
            validator=validator_of(http_response.headers),
        )
        return response, location

    @contextmanager
    def _send(
        self, target: Target, message: HttpRequest, headers: Mapping[str, str]
    ) -> "Iterator[tuple[httpx.Response, RequestLimits]]":
        """Send a request; whatever ends the block early also closes the connections."""
        import httpx

        transport, bounds = self._open()
        bounds.expect_head()
        try:
            request = httpx.Request(message.method, target.url, headers=dict(headers), content=message.content)
            response = transport.handle_request(request)
            try:
                yield response, bounds
            finally:
                response.close()
                self._politeness.note(target.host)
        except httpx.TimeoutException as error:
            self.close()
            if isinstance(error, httpx.ConnectTimeout):
                raise _ConnectionFailedError(
                    f"{target.url} could not be fetched: no connection in time. Try again later."
                ) from None
            raise FetchError(self._too_slow(target)) from None
        except httpx.TransportError as error:
            self.close()
            reason = _ERROR_NUMBER.sub("", self._redact(str(error) or type(error).__name__))[:300]
            why = f"{target.url} could not be fetched: {reason.rstrip('.')}. Check the address, or try again later."
            is_final = "CERTIFICATE" in reason.upper() or isinstance(error, httpx.UnsupportedProtocol)
            raise (FetchError if is_final else _ConnectionFailedError)(why) from None
        except FetchRefusedError:
            self.close()
            raise
        except (FetchError, TooLargeError) as error:
            self.close()
            reason = str(error)
            raise type(error)(f"{target.url} could not be fetched: {reason[0].lower()}{reason[1:]}") from None
        except BaseException:
            self.close()
            raise

    def _too_slow(self, target: Target) -> str:
        return (
            f"{target.url} could not be fetched within {self._gate.time_limit:.0f} s. Try again later, or raise"
            " HEADWATER_FETCH_TIME_LIMIT."
        )

    def _redact(self, text: str) -> str:
        return text if self._credential is None else self._credential.hidden(text)

    def _headers(self, target: Target, message: HttpRequest, *, is_home: bool) -> dict[str, str]:
        unsent = _OWN_HEADERS if is_home else (*_OWN_HEADERS, *_FOR_ONE_HOST)
        own_headers = {name.title(): value for name, value in message.headers.items() if name.lower() not in unsent}
        headers = {"User-Agent": USER_AGENT, "Accept": "*/*", **own_headers, "Accept-Encoding": ENCODINGS}
        cookies = "" if message.cookies is None else message.cookies.to_header(target.url)
        if cookies:
            headers["Cookie"] = cookies
        if self._credential is not None and is_home and self._credential.is_for(target.netloc):
            if target.scheme != "https" and not self._gate.is_named(target.host, target.port):
                raise FetchRefusedError(
                    f"{target.url} is refused: the credential {self._credential.name} would be sent without encryption."
                    " Use https, or add the host to HEADWATER_FETCH_ALLOW."
                )
            headers |= self._credential.headers
        return headers

    def _open(self) -> "tuple[GuardedTransport, RequestLimits]":
        if self._opened is None:
            from headwater.fetching.transport import GuardedTransport, RequestLimits

            bounds = RequestLimits()
            self._opened = GuardedTransport(self._gate, bounds), bounds
        return self._opened


def _redirect_error(first: Target, error: Exception) -> FetchRefusedError:
    return FetchRefusedError(f"{first.url} redirects to an address that is refused. {error}")


def _is_unread(response: "httpx.Response", message: HttpRequest) -> bool:
    media_type: str = response.headers.get("content-type", "")
    return message.method == "HEAD" or media_type.strip().lower().startswith(message.unread or ("\0",))


class _ConnectionFailedError(Exception):
    """The connection failed; it may work at the next try."""


def _content(response: "httpx.Response", bounds: "RequestLimits", limit: int) -> bytes:
    if response.status_code in (204, 304):
        return b""
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > limit:
        raise TooLargeError(f"It is larger than {megabytes(limit)}.")
    bounds.expect_body(limit)
    expander = Decompressor(_find_encoding(response), limit)
    for block in response.iter_raw():
        expander.feed(block)
    return expander.content()


def _explanation(response: "httpx.Response", bounds: "RequestLimits", limit: int) -> bytes:
    """The page that explains an error, as far as it can be read: only the status matters."""
    import httpx

    bounds.expect_body(_ERROR_LIMIT)
    expander = None
    try:
        expander = Decompressor(_find_encoding(response), min(limit, _ERROR_LIMIT))
        for block in response.iter_raw():
            expander.feed(block)
    except (FetchError, TooLargeError, httpx.TransportError):
        pass  # the status is the error; its words, as far as they came, only explain it
    return b"" if expander is None else expander.begun()


def _find_encoding(response: "httpx.Response") -> str:
    encoding: str = response.headers.get("content-encoding", "")
    return encoding.strip().lower()
