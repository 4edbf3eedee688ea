"""Which addresses are public, and which others the operator allows.

Belongs here: the networks that are not public, and the entries of HEADWATER_FETCH_ALLOW. Not here: names and their
resolution (`url_guard`). Guarantee: an address that contains another one, such as an IPv4 address inside an IPv6
address, is public only if both are.

The networks are those of the IANA registries of special-purpose addresses. Python's `is_global` is not used, because
its answers differ between patch releases.
"""

import re
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from headwater.errors import InvalidConfigurationError

Address = IPv4Address | IPv6Address

_KINDS = {
    "loopback": ("127.0.0.0/8", "::1/128"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
    "carrier-grade NAT": ("100.64.0.0/10",),
    "multicast": ("224.0.0.0/4", "ff00::/8"),
    "IPv4-mapped": ("::ffff:0:0/96", "::/96"),
    "NAT64": ("64:ff9b::/96", "64:ff9b:1::/48"),
    "6to4": ("2002::/16", "192.88.99.0/24"),
    "Teredo": ("2001::/32",),
    "documentation": ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    "cloud platform": ("168.63.129.16/32",),  # Azure's, public in form only
    "reserved": ("0.0.0.0/8", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "2001::/23"),
}
_PUBLIC_IPV6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_PORT = re.compile(r"\[?(?P<host>[^\]]*?)\]?(?::(?P<port>[0-9]{1,5}))?")
_NAME = re.compile(r"(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowed:
    """One entry of HEADWATER_FETCH_ALLOW: a name, or a network; with a port or for every usual port."""

    name: str = ""
    network: IPv4Network | IPv6Network | None = None
    port: int | None = None

    def names(self, host: str, port: int) -> bool:
        """Whether it allows a host by its name."""
        if not self.name or self.port not in (None, port):
            return False
        return host.endswith(self.name[1:]) if self.name.startswith("*.") else host == self.name

    def contains(self, address: Address, port: int) -> bool:
        """Whether it allows an address."""
        return self.network is not None and address in self.network and self.port in (None, port)


def parse_allowed(entry: str) -> Allowed:
    """Read one entry of HEADWATER_FETCH_ALLOW.

    Raises:
        InvalidConfigurationError: it is neither a name nor an address nor a network.
    """
    text = entry.strip().lower()
    is_bare_ipv6 = text.count(":") > 1 and not text.startswith("[")
    match = None if is_bare_ipv6 else _PORT.fullmatch(text)
    host, port = (match["host"], match["port"]) if match else (text, None)
    port_number = None if port is None else int(port)
    try:
        return Allowed(network=ip_network(host), port=port_number)
    except ValueError:
        is_number = host.replace(".", "").replace("/", "").isdecimal()
        if is_number or not _NAME.fullmatch(host) or (port_number is not None and port_number > 65535):
            raise InvalidConfigurationError(
                f"HEADWATER_FETCH_ALLOW contains {entry!r}, but each entry must be a host name, an address or a"
                " network, such as wiki.example.com, *.example.com, 10.0.0.0/8 or 127.0.0.1:8080."
            ) from None
    return Allowed(name=host, port=port_number)


def why_not_public(address: Address) -> str:
    """The kind of network that makes an address not public, such as `private`; empty if the address is public."""
    for kind, networks in _networks():
        if any(address in network for network in networks):
            return kind
    return "" if isinstance(address, IPv4Address) or address in _PUBLIC_IPV6 else "reserved"


def extract_address(address: Address) -> Address | None:
    """The IPv4 address that an IPv6 address leads to, if it does."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped is not None or address.sixtofour is not None:
        return address.ipv4_mapped or address.sixtofour
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None


def read_address(text: str) -> Address | None:
    """An address in its usual spelling; None for anything else."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return None if isinstance(address, IPv6Address) and address.scope_id else address


@cache
def _networks() -> tuple[tuple[str, tuple[IPv4Network | IPv6Network, ...]], ...]:
    return tuple((kind, tuple(map(ip_network, networks))) for kind, networks in _KINDS.items())
