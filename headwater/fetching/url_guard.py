"""The gate: whether an address may be fetched (SEC-1).

Belongs here: checking URLs, hosts and ports, and the addresses that a name resolves to. Not here: fetching
(`http_client`, `git_repository`), networks (`networks`). Guarantee: every request that a source causes passes here, and
again at every redirect; who connects uses the addresses that `UrlGuard.addresses` returns and resolves nothing again.

What a source names passes the gate: websites, files by URL, git over https. What only the operator names does not,
because it usually is private on purpose: endpoints of models (`OPENAI_API_BASE`), Postgres, databases whose address is
the secret of a credential, the broker, the store of originals. Of those, a knowledge base can only name a credential or
a model, and neither name can be an address (`credentials.py`, `models_gateway/providers.py`).
"""

import queue
import re
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, urlsplit

from headwater.errors import FetchError, FetchRefusedError
from headwater.fetching.networks import Address, Allowed, extract_address, parse_allowed, read_address, why_not_public
from headwater.settings import Settings

Resolver = Callable[[str], Sequence[str]]
"""Returns the addresses of a host name; raises OSError if there are none."""

SCHEMES = {"http": 80, "https": 443}
_MAX_URL_CHARS = 8_000  # characters
_MAX_HOST_CHARS = 253
_RESOLVE_LIMIT = 10.0  # seconds
_MIN_FREE_PORT = 1024
_OTHER_SERVICES = frozenset(
    (1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080)
)
"""Ports above 1023 that browsers refuse too, because other services could take a request for a command of theirs."""
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)", re.ASCII)
_SAFE = "/%:@!$&'()*+,;=-._~"


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """An address that has the right form: its URL in one spelling without fragment, and where that leads."""

    url: str
    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        """The host, with its port unless it is the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == SCHEMES[self.scheme] else f"{host}:{self.port}"


def system_resolver(host: str) -> Sequence[str]:
    """Resolve a name as the system does."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]


@dataclass(frozen=True, kw_only=True, slots=True)
class UrlGuard:
    """What sources may fetch from other machines; without arguments, from public addresses only."""

    allowed: tuple[Allowed, ...] = ()
    resolver: Resolver = system_resolver
    time_limit: float = 60.0
    """Seconds that one request may take, with its redirects."""
    proxy: str = field(default="", repr=False)
    """The address of a proxy; it resolves names itself, and must refuse those that are not public."""

    @classmethod
    def of(cls, settings: Settings) -> "UrlGuard":
        """The gate that the settings describe.

        Raises:
            InvalidConfigurationError: an entry of HEADWATER_FETCH_ALLOW is wrong.
        """
        return cls(
            allowed=tuple(parse_allowed(entry) for entry in settings.fetch_allow),
            time_limit=settings.fetch_time_limit,
            proxy=settings.fetch_proxy or "",
        )

    def check_url(self, url: str) -> Target:
        """Check the form of a URL, and its port and address, without resolving its name.

        Raises:
            FetchRefusedError: it may not be fetched.
        """
        url_parts = _split(url)
        if url_parts.scheme not in SCHEMES:
            raise FetchRefusedError(
                f"{_make_printable(url)} is refused: only http:// and https:// addresses are fetched."
            )
        if "@" in url_parts.netloc:
            raise FetchRefusedError(
                f"An address at {url_parts.netloc.rpartition('@')[2][:200]} is refused, because it contains a user"
                " name or password. Name a secret of the environment with `credential` instead."
            )
        host, port = _host_and_port(url_parts)
        self.check_host(host, port)
        target = Target(url="", scheme=url_parts.scheme, host=host, port=port)
        query = f"?{quote(url_parts.query, safe=f'{_SAFE}?')}" if url_parts.query else ""
        url = f"{url_parts.scheme}://{target.netloc}{quote(url_parts.path, safe=_SAFE) or '/'}{query}"
        return Target(url=url, scheme=url_parts.scheme, host=host, port=port)

    def check_host(self, host: str, port: int, *, usual: int | None = None) -> None:
        """Check a host's spelling, its port, and its address if it is one, without resolving a name.

        Args:
            host: the name or address, without brackets.
            port: the port.
            usual: the port of a protocol other than http, which only its own client may use.

        Raises:
            FetchRefusedError: nothing may be fetched from there.
        """
        address = read_address(host)
        if address is None:
            _check_name(host)
        else:
            self._check_address(host, address, port)
        if address is not None and str(address) != host:
            raise FetchRefusedError(f"{host} is refused: write the address as {address}.")
        if port != usual and not self._is_port_allowed(host, address, port):
            raise FetchRefusedError(
                f"Port {port} of {host} is refused: sources may read ports 80, 443 and those above 1023 that no other"
                f" service is known to use. If they may read this one, add {host}:{port} to HEADWATER_FETCH_ALLOW."
            )

    def addresses(
        self, host: str, port: int, *, seconds: float = _RESOLVE_LIMIT, usual: int | None = None
    ) -> tuple[str, ...]:
        """Check a host and resolve it once; connect to nothing but these addresses.

        Args:
            host: the name or address, without brackets.
            port: the port.
            seconds: how long resolving the name may take.
            usual: as in `check_host`.

        Raises:
            FetchRefusedError: nothing may be fetched from there. FetchError: the name cannot be resolved.
        """
        self.check_host(host, port, usual=usual)
        if read_address(host) is not None:
            return (host,)
        addresses = _resolve(self.resolver, host, min(seconds, _RESOLVE_LIMIT))
        for text in addresses:
            address = read_address(text.partition("%")[0])
            if address is None:
                raise FetchRefusedError(f"{host} is refused: it resolves to {text!r}, which is not an address.")
            self._check_address(host, address, port)
        return addresses

    def is_named(self, host: str, port: int) -> bool:
        """Whether the operator names this host, or its address, among those that sources may fetch from."""
        address = read_address(host)
        return any(
            entry.names(host, port) or (address is not None and entry.contains(address, port)) for entry in self.allowed
        )

    def is_proxied(self, host: str, port: int) -> bool:
        """Whether the proxy fetches from a host; those that the operator names are reached directly."""
        return bool(self.proxy) and not self.is_named(host, port)

    def _is_port_allowed(self, host: str, address: Address | None, port: int) -> bool:
        is_usual = port in SCHEMES.values() or (_MIN_FREE_PORT <= port <= 65535 and port not in _OTHER_SERVICES)
        return is_usual or any(
            entry.port == port and (entry.names(host, port) or (address is not None and entry.contains(address, port)))
            for entry in self.allowed
        )

    def _check_address(self, host: str, address: Address, port: int) -> None:
        if any(entry.names(host, port) for entry in self.allowed):
            return
        embedded = extract_address(address)
        for candidate in (address,) if embedded is None else (address, embedded):
            kind = why_not_public(candidate)
            if kind and not any(entry.contains(candidate, port) for entry in self.allowed):
                what = "it" if read_address(host) else f"it resolves to {address}, which"
                raise FetchRefusedError(
                    f"{host} is refused: {what} is not public ({kind}). If sources may read it, add {host} to"
                    " HEADWATER_FETCH_ALLOW."
                )


def _split(url: str) -> SplitResult:
    if len(url) > _MAX_URL_CHARS:
        raise FetchRefusedError(f"{_make_printable(url)} is refused: it is longer than {_MAX_URL_CHARS:,} characters.")
    if any(ord(character) < 32 or ord(character) == 127 for character in url):
        raise FetchRefusedError(
            f"{_make_printable(url)} is refused: it contains a line break or another control character."
        )
    try:
        url_parts = urlsplit(url)
        url.encode()
    except ValueError as error:
        raise FetchRefusedError(f"{_make_printable(url)} is refused: it is not a valid address ({error}).") from None
    return url_parts


def _host_and_port(parts: SplitResult) -> tuple[str, int]:
    """The host, in lower case and ASCII, and the port."""
    match = re.fullmatch(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(?::([0-9]{1,5}))?", parts.netloc.lower())
    if match is None:
        raise FetchRefusedError(
            f"{_make_printable(parts.netloc)!r} is refused: it is not a host with an optional port."
        )
    host = match[1].strip("[]")
    if match[1].startswith("[") and ":" not in host:
        raise FetchRefusedError(f"[{host}] is refused: it is not an IPv6 address.")
    return _ascii(host), int(match[2] or SCHEMES[parts.scheme])


def _ascii(host: str) -> str:
    """An international name in the form that is resolved.

    Characters that would first have to be mapped to others, such as full-width digits, are refused.
    """
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, strict=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise FetchRefusedError(
            f"{_make_printable(host)!r} is refused: it is not a valid international host name."
        ) from None


def _check_name(host: str) -> None:
    labels = host.split(".")
    if len(host) > _MAX_HOST_CHARS or not all(map(_LABEL.fullmatch, labels)) or _NUMBER.fullmatch(labels[-1]):
        raise FetchRefusedError(
            f"{_make_printable(host)!r} is refused: it is neither a host name nor an address in its usual form. Write"
            " names without a dot at the end, and addresses as four decimal numbers."
        )


def _resolve(resolver: Resolver, host: str, seconds: float) -> tuple[str, ...]:
    """The addresses of a name, each once.

    Resolving cannot be interrupted, so it happens in a thread that nobody waits for longer than `seconds`.
    """
    outcomes: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            outcomes.put(resolver(host))
        except Exception as error:  # noqa: BLE001 - it is raised where somebody waits
            outcomes.put(error)

    threading.Thread(target=resolve, daemon=True).start()
    try:
        outcome = outcomes.get(timeout=max(seconds, 0.0))
    except queue.Empty:
        raise FetchError(f"The name {host} could not be resolved within {seconds:.0f} s. Check DNS.") from None
    if isinstance(outcome, Exception) or not outcome:
        raise FetchError(f"The name {host} could not be resolved ({outcome or 'no addresses'}). Check its spelling.")
    return tuple(dict.fromkeys(outcome))


def _make_printable(text: str) -> str:
    """A text from outside as one printable line."""
    short = text if len(text) <= 200 else f"{text[:200]}…"
    return "".join(character if character.isprintable() else "�" for character in short)
