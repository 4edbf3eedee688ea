"""Requests that differ from a plain GET.

Belongs here: a request's method, headers, content and cookies. Not here: sending it (`http_client`). Guarantee: values
only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from headwater.errors import FetchError


class Cookies(Protocol):
    """Cookies that a caller keeps for the length of its work."""

    def to_header(self, url: str) -> str:
        """The value of the `Cookie` header for an address; empty for none."""
        ...

    def note(self, url: str, received: Sequence[str]) -> None:
        """Note the values of the `Set-Cookie` headers that an address answered with."""
        ...


class RedirectedError(FetchError):
    """A server redirects a request that must not be redirected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpRequest:
    """A request as a library wants it sent.

    `headers` replace those of the client, except for what belongs to the connection; those with secrets are not sent
    to another host after a redirect. The content of an answer whose media type begins with one of `unread` is not
    read.
    """

    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    content: bytes | None = field(default=None, repr=False)
    cookies: Cookies | None = None
    unread: tuple[str, ...] = ()
    is_redirected: bool = True
    """Whether a redirect is followed; if not, it is an error."""
