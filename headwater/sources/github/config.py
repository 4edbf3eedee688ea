"""The config of a GitHub source, and the addresses of its server.

Belongs here: its fields and their rules, where the interfaces of a server are, recognising addresses. Not here: asking
(`api`). Guarantee: an accepted config names one repository of one server, or one file; it holds no secret.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from headwater.sources.config_fields import CredentialName
from headwater.sources.connector import AbsolutePath, SourceConfig, located
from headwater.sources.github.threads import Kind
from headwater.sources.guesses import Address, Guess

_REPOSITORY = re.compile(r"(?!.*/\.{1,2}\Z)[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}", re.ASCII)
_SERVER = re.compile(r"https?://[a-z0-9.-]+(?::\d{1,5})?", re.ASCII)
_ADDRESS = re.compile(r"/(?P<name>[\w.-]+/[\w.-]+)/(?P<part>issues|pulls|pull|discussions)(?:/.*)?", re.ASCII)
_PARTS: Mapping[str, tuple[Kind, str]] = {
    "issues": ("issues", "issues"),
    "pulls": ("pull_requests", "pull requests"),
    "pull": ("pull_requests", "pull requests"),
    "discussions": ("discussions", "discussions"),
}


class GitHubConfig(SourceConfig):
    """Which repository of which server, or which file; and which kinds of threads."""

    repository: str | None = None
    server: str = "https://github.com"
    read: tuple[Kind, ...] = Field(default=(), max_length=3)
    """Empty: issues, and discussions too if there is a credential."""
    credential: CredentialName | None = None
    path: AbsolutePath | None = None

    @field_validator("repository")
    @classmethod
    def _is_repository(cls, value: str | None) -> str | None:
        if value is not None and not _REPOSITORY.fullmatch(value):
            raise ValueError("must be an owner and a name, such as pallets/flask")
        return value

    @field_validator("server")
    @classmethod
    def _is_server(cls, value: str) -> str:
        plain = value.lower().rstrip("/")
        if not _SERVER.fullmatch(plain):
            raise ValueError("must be the address of a server without a path, such as https://github.example.com")
        return plain

    @model_validator(mode="after")
    def _is_one(self) -> "GitHubConfig":
        if (self.repository is None) == (self.path is None):
            raise ValueError("give either a repository or the path of an export")
        if self.path is not None and (self.credential is not None or self.read):
            raise ValueError("credential and read can only be used together with repository")
        if "discussions" in self.read and self.credential is None:
            raise ValueError("read: discussions need a credential, because GitHub lists them to nobody else")
        return self

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative path against `base`."""
        return located(config, "path", base)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that are read."""
        return self.read or (("issues",) if self.credential is None else ("issues", "discussions"))

    @property
    def rest(self) -> str:
        """The address of the server's REST interface; GitHub's own servers have a host for it."""
        return self._own_api or f"{self.server}/api/v3"

    @property
    def graphql(self) -> str:
        """The address of the server's GraphQL interface."""
        return f"{self._own_api or f'{self.server}/api'}/graphql"

    @property
    def _own_api(self) -> str:
        url_parts = urlsplit(self.server)
        is_own = url_parts.netloc == "github.com" or url_parts.netloc.endswith(".ghe.com")
        return f"{url_parts.scheme}://api.{url_parts.netloc}" if is_own else ""


def guess_github(address: Address) -> Guess | None:
    """The issues, pull requests or discussions of a repository on github.com, by an address."""
    url = address.url
    match = None if url is None else _ADDRESS.fullmatch(url.path.rstrip("/"))
    if url is None or match is None or url.hostname not in ("github.com", "www.github.com"):
        return None
    if not _REPOSITORY.fullmatch(match["name"]):
        return None
    kind, words = _PARTS[match["part"]]
    is_one = match["part"] == "pull" or url.path.rstrip("/").rpartition("/")[2].isdecimal()
    told = f"all {words} of {match['name']}" + (", not only this one" if is_one else "")
    return Guess(
        config={"repository": match["name"], "read": [kind]},
        words=told,
        score=0.9,
        slug=f"{match['name'].partition('/')[2]}-{words.replace(' ', '-')}",
    )
