"""The config of a GitLab source, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`api`). Guarantee: an accepted config names a project or a
group of one server; it holds no secret.
"""

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field, model_validator

from headwater.sources.config_fields import CredentialName, Delay, WebAddress
from headwater.sources.connector import SourceConfig
from headwater.sources.guesses import Address, Guess

Kind = Literal["issues", "merge_requests", "wiki"]
PATH_PATTERN = re.compile(r"[A-Za-z0-9_.][\w.-]{0,254}(?:/[A-Za-z0-9_.][\w.-]{0,254}){0,24}", re.ASCII)
_PAGES = ("issues", "work_items", "merge_requests", "wikis", "boards", "milestones")
_GUESSED_PATTERN = re.compile(rf"/(?:groups/)?[^/].*?/-/(?P<page>{'|'.join(_PAGES)})(?:/.*)?")
_DOTS = frozenset({".", ".."})
_WORDS = {"merge_requests": "merge requests", "wikis": "wiki pages"}


class GitLabConfig(SourceConfig):
    """Which project or group of which server.

    `url` is the address of any page of it. `server` is needed only if GitLab is below a path of its host. Without
    `read`, issues and merge requests are read, and the wiki of a project. More than `items` issues or merge requests
    are refused.
    """

    url: WebAddress
    server: WebAddress | None = None
    read: tuple[Kind, ...] = Field(default=(), max_length=3)
    confidential: bool = False
    attachments: bool = True
    items: int = Field(default=50_000, ge=1, le=1_000_000)
    delay: Delay = 0.05
    credential: CredentialName | None = None

    @model_validator(mode="after")
    def _has_path(self) -> "GitLabConfig":
        if self.server is not None and not f"{self.url}/".startswith(f"{self.web}/"):
            raise ValueError("server: url must begin with it")
        if not self.paths:
            raise ValueError("url: must be the address of a project or a group, such as https://gitlab.com/mill/pumps")
        return self

    @property
    def web(self) -> str:
        """The address that those of all pages begin with, without a slash at its end."""
        if self.server is not None:
            return self.server.rstrip("/")
        address = urlsplit(self.url)
        return f"{address.scheme}://{address.netloc}"

    @property
    def api(self) -> str:
        """The address that those of all requests begin with."""
        return f"{self.web}/api/v4"

    @property
    def path(self) -> str:
        """The likeliest of its paths."""
        return self.paths[0]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that the project or group may have, the likeliest first.

        `/mill/pumps/issues` may be a project called issues, or the list of issues of `mill/pumps` as older releases of
        GitLab write its address.
        """
        paths = _find_paths(urlsplit(self.url).path.removeprefix(urlsplit(self.web).path))
        return tuple(path for path in paths if PATH_PATTERN.fullmatch(path) and not _DOTS & set(path.split("/")))


def _find_paths(path: str) -> Iterator[str]:
    place, separator, _ = unquote(path).partition("/-/")
    names = place.strip("/").removeprefix("groups/").removesuffix(".git").split("/")
    yield "/".join(names)
    for end in range(len(names) - 1, 0, -1):
        if not separator and names[end] in _PAGES:
            yield "/".join(names[:end])


def guess_gitlab(address: Address) -> Guess | None:
    """The issues, merge requests or wiki of a project or group, by the address of such a page."""
    url = address.url
    match = None if url is None else _GUESSED_PATTERN.fullmatch(url.path)
    if url is None or match is None or url.scheme not in ("http", "https") or not url.hostname:
        return None
    path = next(_find_paths(url.path))
    kind = {"merge_requests": "merge_requests", "wikis": "wiki"}.get(match["page"], "issues")
    words = (
        f"all {_WORDS.get(match['page'], 'issues')} of {path} in GitLab at {url.hostname}; name a secret (an access"
        " token with the scope read_api) with --set credential=NAME"
    )
    slug = f"{path.rpartition('/')[2]}-{kind.replace('_', '-')}"
    return Guess(config={"url": address.text, "read": [kind]}, words=words, score=0.9, slug=slug)
