"""What the connection of a request says: where it came in, from whom, and whether it is encrypted.

Belongs here: addresses. Not here: names (`hosts`), keys (`authentication`). Guarantee: a header counts only if a proxy
that `HEADWATER_TRUSTED_PROXIES` names sent it.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from headwater.settings import Settings
from query_api.guards.hosts import is_loopback

_FORWARDING = re.compile(
    r"forwarded|via|x-forwarded(?:-[a-z-]+)?|x-original-forwarded-for|x-real-ip|x-(?:cluster-|envoy-external-)?client-ip"
    r"|x-envoy-external-address|x-remote-(?:ip|addr)|x-proxyuser-ip|(?:true|fastly|cf|fly)-(?:client|connecting)-ip",
    re.IGNORECASE,
)
"""Headers of proxies: RFC 7239's and RFC 9110's, and those that became usual."""


def came_in_locally(environ: Mapping[str, Any]) -> bool:
    """Whether the client reached this server by a loopback address; a test client has no connection, and did."""
    connection = environ.get("gunicorn.socket") or environ.get("werkzeug.socket")
    if connection is None:
        return True
    try:
        address = connection.getsockname()
    except OSError:  # the client has left
        return False
    return isinstance(address, tuple) and is_loopback(address[0].split("%")[0])


def find_forwarding_headers(environ: Mapping[str, Any]) -> list[str]:
    """The headers of a request by which a proxy says that somebody else sent it."""
    names = [name.removeprefix("HTTP_").replace("_", "-") for name in environ if name.startswith("HTTP_")]
    return select_forwarding_names(names)


def select_forwarding_names(names: Iterable[str]) -> list[str]:
    """Those names of headers that proxies add."""
    return [name.title() for name in names if _FORWARDING.fullmatch(name)]


def client_address(environ: Mapping[str, Any], proxies: Sequence[str]) -> str:
    """The address of a client; behind proxies that are trusted, the last address that they did not add themselves."""
    address = str(environ.get("REMOTE_ADDR", ""))
    forwarded = [hop.strip() for hop in environ.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
    while forwarded and is_one_of(address, proxies):
        address = forwarded.pop()
    return address[:64]


def is_encrypted(environ: Mapping[str, Any], settings: Settings) -> bool:
    """Whether the browser uses https: a trusted proxy says so, or it asks for the public address, which is https."""
    peer = str(environ.get("REMOTE_ADDR", ""))
    if is_one_of(peer, settings.trusted_proxies) and environ.get("HTTP_X_FORWARDED_PROTO") == "https":
        return True
    public = urlsplit(settings.api_url)
    return public.scheme == "https" and environ.get("HTTP_HOST", "").lower() == public.netloc.lower()


def is_one_of(address: str, networks: Sequence[str]) -> bool:
    """Whether an address belongs to one of some networks."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in ipaddress.ip_network(network) for network in networks)
