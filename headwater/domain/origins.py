"""Origins of web pages: scheme, host and port, as browsers send them, and patterns of them (INT-2).

Belongs here: reading what a person pastes, and comparing. Not here: who may use what (`headwater.administration`).
Guarantee: pure; a pattern matches only origins, and no pattern matches every site.
"""

import re
from collections.abc import Iterable

import idna

_FORM = re.compile(r"(https?)://(\*\.)?(\[[0-9a-f:.]+\]|[^\s/?#@:\[\]*]+)(?::(\d{1,5}|\*))?(?:[/?#].*)?")
_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?")
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*")
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
_USUAL = {"http": "80", "https": "443"}
_MAX_PORT = 65_535


def read_origin(text: str) -> str:
    """The origin, or the pattern of origins, that a person pasted; a path behind it is cut off.

    `https://*.example.com` stands for every name below example.com, not for example.com itself; a port `*` stands for
    every port of this machine, as in `http://localhost:*`.

    Raises:
        ValueError: it is none, or a pattern that matches too much.
    """
    lowered = text.strip().lower()
    if lowered in ("*", "http://*", "https://*", "null"):
        raise ValueError("would let every site use the widget. Name the sites, such as https://docs.example.com")
    match = _FORM.fullmatch(lowered)
    if match is None:
        raise ValueError(
            "must be an origin such as https://docs.example.com, https://*.example.com or http://localhost:*"
        )
    scheme, wildcard, host, port = match.groups()
    host = host if host.startswith("[") else _name(host)
    if wildcard and (scheme != "https" or "." not in host or host.replace(".", "").isdigit()):
        raise ValueError("a * must stand before a domain, and with https, as in https://*.example.com")
    if port == "*" and host not in _LOCAL:
        raise ValueError("a port * is for localhost alone, as in http://localhost:*. Name the port")
    if port not in (None, "*") and not 0 < int(port) <= _MAX_PORT:
        raise ValueError("the port must be 1 to 65535")
    port_text = "" if port in (None, _USUAL[scheme]) else f":{port if port == '*' else int(port)}"
    return f"{scheme}://{wildcard or ''}{host}{port_text}"


def is_allowed(origin: str, patterns: Iterable[str]) -> bool:
    """Whether the header `Origin` of a browser names a page that one of these patterns matches."""
    match = _ORIGIN.fullmatch(origin)
    if match is None:
        return False
    scheme, host, port = match.groups()
    return any(origin == pattern or _matches(scheme, host, port or "", pattern) for pattern in patterns)


def _matches(scheme: str, host: str, port: str, pattern: str) -> bool:
    if pattern.startswith("https://*."):
        name, _, pattern_port = pattern.removeprefix("https://*.").partition(":")
        return scheme == "https" and port == pattern_port and host.endswith(f".{name}") and host != f".{name}"
    return pattern.endswith(":*") and f"{scheme}://{host}" == pattern.removesuffix(":*")


def _name(host: str) -> str:
    """A name as browsers send it."""
    try:
        host = host if host.isascii() else idna.encode(host, uts46=True).decode()
    except idna.IDNAError as error:
        raise ValueError("the name of the host is not valid") from error
    if _NAME.fullmatch(host) is None:
        raise ValueError("the name of the host is not valid")
    return host
