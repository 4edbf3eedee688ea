"""Connections to checked addresses, under httpx.

Belongs here: connecting to the addresses that the gate returns, and the bounds on time and bytes of one request. Not
here: requests (`http_client`). Guarantee: the name is resolved once per connection, and the connection goes to an
address that was checked, while `Host` and TLS keep the name; no read or write lasts beyond the request's end.
"""

import ssl
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

import httpcore
import httpx

from headwater.errors import FetchError, TooLargeError
from headwater.fetching.url_guard import SCHEMES, UrlGuard

_CONNECT_LIMIT = 10.0  # seconds for one address
_HEAD_LIMIT = 256_000  # bytes: the status, every header field, and interim responses
_IDLE_LIMIT = 15.0  # seconds that an unused connection stays open


class RequestLimits:
    """What the current request may still take; one request at a time."""

    def __init__(self) -> None:
        self._end = 0.0
        self._seconds = 0.0
        self._bytes = 0

    def begin(self, seconds: float) -> None:
        """Begin a request: the time counts from now on."""
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def extend(self, seconds: float) -> None:
        """Leave out the time that we waited on purpose."""
        self._end += seconds

    def expect_head(self) -> None:
        """Bound the bytes of a response up to its body."""
        self._bytes = _HEAD_LIMIT

    def expect_body(self, limit: int) -> None:
        """Bound the bytes of a response's body, as they are sent: framing takes some, compression saves more."""
        self._bytes = 2 * limit + _HEAD_LIMIT

    def left(self) -> float:
        """The seconds that are left.

        Raises:
            FetchError: none.
        """
        seconds_left = self._end - time.monotonic()
        if seconds_left <= 0:
            raise FetchError(
                f"The server took longer than {self._seconds:.0f} s. Try again later, or raise"
                " HEADWATER_FETCH_TIME_LIMIT."
            )
        return seconds_left

    def count(self, size: int) -> None:
        """Count received bytes.

        Raises:
            TooLargeError: there were too many.
        """
        self._bytes -= size
        if self._bytes < 0:
            raise TooLargeError("The server sent more than a response of this size needs.")


class GuardedTransport(httpx.BaseTransport):
    """Sends requests of httpx over connections that the gate allows, or through the gate's proxy."""

    def __init__(self, gate: UrlGuard, bounds: RequestLimits) -> None:
        self._gate = gate
        self._direct = _Transport(_Checked(gate, bounds))
        self._proxied = _Transport(_Direct(bounds), httpx.Proxy(gate.proxy)) if gate.proxy else None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request."""
        port = request.url.port or SCHEMES[request.url.scheme]
        host = request.url.raw_host.decode("ascii")
        if self._proxied is not None and self._gate.is_proxied(host, port):
            return self._proxied.handle_request(request)
        return self._direct.handle_request(request)

    def close(self) -> None:
        """Close all connections."""
        for transport in filter(None, (self._direct, self._proxied)):
            transport.close()


class _Transport(httpx.HTTPTransport):
    """A transport of httpx whose connections a given backend makes."""

    def __init__(self, backend: httpcore.NetworkBackend, proxy: httpx.Proxy | None = None) -> None:
        context = tls_context()
        super().__init__(verify=context, trust_env=False)
        options: dict[str, Any] = {
            "ssl_context": context,
            "max_connections": 8,
            "max_keepalive_connections": 4,
            "keepalive_expiry": _IDLE_LIMIT,
            "network_backend": backend,
        }
        if proxy is None:
            self._pool = httpcore.ConnectionPool(**options)
        else:
            self._pool = httpcore.HTTPProxy(str(proxy.url), proxy_auth=proxy.raw_auth, **options)


class _Direct(httpcore.NetworkBackend):
    """Connects without asking the gate: to the proxy."""

    def __init__(self, bounds: RequestLimits) -> None:
        self._bounds = bounds
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the bounds decide
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        seconds = min(_CONNECT_LIMIT, self._bounds.left())
        stream = self._inner.connect_tcp(host, port, seconds, local_address, socket_options)
        return _Stream(stream, self._bounds)


class _Checked(_Direct):
    """Connects to the addresses that the gate returns for a host, in their order."""

    def __init__(self, gate: UrlGuard, bounds: RequestLimits) -> None:
        super().__init__(bounds)
        self._gate = gate

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._gate.addresses(host, port, seconds=self._bounds.left())
        for address in addresses[:-1]:
            try:
                return super().connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return super().connect_tcp(addresses[-1], port, timeout, local_address, socket_options)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, bounds: RequestLimits) -> None:
        self._inner = inner
        self._bounds = bounds

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the bounds decide
        data = self._inner.read(max_bytes, self._bounds.left())
        self._bounds.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the bounds decide
        self._inner.write(buffer, self._bounds.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - the bounds decide
    ) -> httpcore.NetworkStream:
        stream = self._inner.start_tls(ssl_context, server_hostname, self._bounds.left())
        return _Stream(stream, self._bounds)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


@cache
def tls_context() -> ssl.SSLContext:
    """Trust the certificates that come with httpx and those of the system, or SSL_CERT_FILE's."""
    context = httpx.create_ssl_context(trust_env=True)
    context.load_default_certs()
    return context
