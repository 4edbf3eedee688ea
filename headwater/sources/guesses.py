"""Addresses that people give, and what a connector makes of one.

Belongs here: an address as it was given, and a guess. Not here: guessing (the connectors), choosing among guesses
(`source_kind`). Guarantee: nothing is fetched, and nothing is read except a local path's own kind.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SSH = re.compile(r"ssh://|[\w.-]+@[\w.-]+:", re.IGNORECASE)
_HOST = re.compile(r"(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}(?::\d+)?(?:/|\Z)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """A path or an address that a person gave.

    `path` is absolute, and None for an address elsewhere; `url` is None for a path.
    """

    text: str
    path: Path | None = None
    url: SplitResult | None = None

    @classmethod
    def of(cls, text: str, base: Path | None = None) -> "Address":
        """Read an address; without a scheme, it is one if nothing local has that name.

        Args:
            text: what the person gave.
            base: the folder where relative paths start; without it, a path must be absolute.

        Raises:
            ValueError: it is neither a path nor an address.
        """
        text = text.strip()
        if not text or not text.isprintable():
            raise ValueError("must be a path or begin with https://")
        if text.lower().startswith("file:"):
            raise ValueError("must not begin with file:; give the path itself, if you mean a folder or file here")
        if _SSH.match(text):
            raise ValueError(
                "is for ssh, which needs a key: write it into the knowledge base file with its credential, or give the"
                " https:// address of the repository"
            )
        if _SCHEME.match(text):
            return cls(text=text, url=_without_user(urlsplit(text)))
        path = Path(text).expanduser()
        path = path if base is None else base / path
        if path.is_absolute() and (path.exists() or not _HOST.match(text)):
            return cls(text=text, path=path.resolve())
        if _HOST.match(text):
            return cls(text=f"https://{text}", url=_without_user(urlsplit(f"https://{text}")))
        raise ValueError("must be an absolute path or begin with https://")


@dataclass(frozen=True, kw_only=True, slots=True)
class Guess:
    """How a connector would read an address.

    `words` describe it after "It is", such as "a folder of files". The guess with the highest `score` is taken; 0.5 is
    a connector that reads this sort of address in general, 0.9 one that recognised something of its own. `slug` is a
    name for the source, of which what is no letter or digit is replaced.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    words: str
    score: float
    slug: str


def _without_user(url: SplitResult) -> SplitResult:
    if "@" in url.netloc:
        raise ValueError("must contain no user name or password, because it is stored and shown; name a credential")
    return url
