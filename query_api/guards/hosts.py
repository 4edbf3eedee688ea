"""Where the API may listen, and which names it answers to (SEC-1).

Belongs here: rules that need no database. Not here: the scope of a route (`route_facts`), who a caller is
(`authentication`), which knowledge bases a caller may see (`visibility`), the form of a request (`request_checks`).
Guarantee: no page of another site can change anything, not even through a name that an attacker points at this machine
(DNS rebinding).
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from headwater.errors import InvalidInputError
from headwater.settings import Settings
from query_api.server.request_reader import RefusedError

WIDGET_API = "/widget/v1"
"""Where visitors of widgets send their requests."""
READING = ("GET", "HEAD", "OPTIONS", "TRACE")
"""The methods that change nothing."""
LOCAL = {"localhost", "127.0.0.1", "::1"}
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?", re.IGNORECASE)
_LOCALLY = (
    "Use localhost in the address. Once there is an API key, other names are accepted too: `headwater keys create`."
)
_BY_ADDRESS = "Use an IP address or a name without a dot, or set HEADWATER_API_URL to the address in use."
_NO_PAGES = (
    "Only pages at the API's own address may change something. Call the API from a program instead, such as your"
    " site's server."
)


def check_host(host: str, has_admin_key: Callable[[], bool]) -> None:
    """Refuse to listen on an address that strangers can reach while nobody could administer the API but with no key.

    Args:
        host: where to listen.
        has_admin_key: says whether a key that may administer everything can be used; asked only off loopback.

    Raises:
        InvalidInputError: the host is not loopback, and there is no such key.
    """
    if not is_loopback(host) and not has_admin_key():
        raise InvalidInputError(
            f"--host {host} is reachable from other machines, and there is no admin key yet. Create one with `headwater"
            " keys create NAME --scope admin`, or set HEADWATER_ADMIN_KEY; or use 127.0.0.1."
        )


@dataclass(frozen=True, kw_only=True)
class Names:
    """The host names that the API accepts.

    Without keys these are this machine's own. With keys, addresses and names without a dot, which no attacker can point
    at this machine, and the public name, which a proxy in front may have replaced.
    """

    public: str
    """The public name and port."""

    @classmethod
    def of(cls, settings: Settings) -> "Names":
        """The names for an app's settings."""
        return cls(public=urlsplit(settings.api_url).netloc.lower())

    def refuse_name(
        self, environ: Mapping[str, str], are_keys_needed: Callable[[], bool], *, is_for_visitors: bool = False
    ) -> RefusedError | None:
        """The refusal of a request for another name; None if it may pass.

        Args:
            environ: WSGI's.
            are_keys_needed: says whether a key protects this server.
            is_for_visitors: the route is for widgets, which pages of other sites use: the one exception from the rules
                for names and for such pages. It may have any name; a request has to come from an origin that a widget
                lists, with a token instead of a key or a cookie.
        """
        given = environ.get("HTTP_HOST")
        if given is None and environ.get("SERVER_PROTOCOL") == "HTTP/1.1":
            return RefusedError(400, "MALFORMED_REQUEST", "The request has no Host header.")
        name = host_name(environ.get("SERVER_NAME", "") if given is None else given)
        target = environ.get("RAW_URI", "/").split("?")[0]
        if name is None or (not target.startswith("/") and "://" in target and _netloc(target) != given):
            return RefusedError(403, "HOST_NOT_ALLOWED", "The request's Host and its target do not name this server.")
        if name in LOCAL or is_for_visitors:
            return None
        if not are_keys_needed():
            return RefusedError(403, "HOST_NOT_ALLOWED", f"The host {name} is not allowed. {_LOCALLY}")
        if name != host_name(self.public) and not cannot_be_rebound(name):
            return RefusedError(403, "HOST_NOT_ALLOWED", f"The host {name} is not allowed. {_BY_ADDRESS}")
        return None

    def refuse_page(self, environ: Mapping[str, str], *, by_cookie: bool = False) -> RefusedError | None:
        """The refusal of a change that a page of another site requests; None if it may pass.

        Browsers say so in either header; programs send neither. With a cookie one of them must say that it is our own
        page, because a browser adds the cookie whoever asks.
        """
        if environ["REQUEST_METHOD"] in READING:
            return None
        site = environ.get("HTTP_SEC_FETCH_SITE")
        origin = environ.get("HTTP_ORIGIN")
        hosts = {environ.get("HTTP_HOST", "").lower(), self.public} - {""}
        is_ours = origin is None or any(is_page_of(origin, host) for host in hosts)
        known = ("same-origin",) if by_cookie else ("same-origin", "none")
        is_same = site.strip().lower() in known if site is not None else origin is not None or not by_cookie
        if not is_same or not is_ours:
            sender = "another site" if is_ours or origin == "null" else str(origin)[:200]
            return RefusedError(403, "ORIGIN_NOT_ALLOWED", f"A page of {sender} sent this request. {_NO_PAGES}")
        return None


def host_name(header: str) -> str | None:
    """The name in a Host header, in lower case and without port and brackets; None if it is malformed."""
    match = _HOST.fullmatch(header)
    return (match.group(1) or match.group(2)).lower() if match else None


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:  # malformed, so it is no server's name
        return ""


def cannot_be_rebound(name: str) -> bool:
    """Whether an attacker cannot point this name at this machine: it is an address, or a name without a dot."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name
    return True


def is_page_of(origin: str, host: str) -> bool:
    """Whether a page's origin is a host; the scheme is not compared, because a proxy may have ended TLS."""
    try:
        parts = urlsplit(origin.strip().lower())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host and not parts.path


def is_loopback(host: str) -> bool:
    """Whether an address, or localhost, can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback
    except ValueError:
        return False
