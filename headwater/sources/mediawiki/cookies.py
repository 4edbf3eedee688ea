"""The cookies of a session, for one host.

Belongs here: keeping what a wiki sets when somebody logs in. Not here: logging in (`api`). Guarantee: they are sent to
the host that set them alone, by the same scheme, and are forgotten with the sync.
"""

from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit


class HostCookies:
    """Cookies of one host."""

    def __init__(self, url: str) -> None:
        self._origin = urlsplit(url)[:2]
        self._values: dict[str, str] = {}

    def to_header(self, url: str) -> str:
        """The value of the `Cookie` header for an address; empty for another host."""
        if urlsplit(url)[:2] != self._origin:
            return ""
        return "; ".join(f"{name}={value}" for name, value in self._values.items())

    def note(self, url: str, received: Sequence[str]) -> None:
        """Note the values of the `Set-Cookie` headers that an address answered with."""
        if urlsplit(url)[:2] != self._origin:
            return
        for header in received:
            try:
                cookies = SimpleCookie(header)
            except CookieError:
                continue
            for name, morsel in cookies.items():
                if morsel["max-age"] == "0" or morsel.value in ("", "deleted"):
                    self._values.pop(name, None)
                elif len(self._values) < 50:
                    self._values[name] = morsel.coded_value
