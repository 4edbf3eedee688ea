"""The config of a Jira source, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`api`). Guarantee: an accepted config names projects of one
server; it holds no secret; a project's key cannot change the query that it stands in.
"""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from headwater.sources.atlassian_config import AtlassianConfig
from headwater.sources.guesses import Address, Guess

_KEY_PATTERN = re.compile(r"[A-Z][A-Z0-9_]{1,254}", re.ASCII)
_PLACE_PATTERN = re.compile(
    r"(?P<base>.*?)/(?:(?:browse|projects|jira/(?:software|core|servicedesk)(?:/c)?/projects)/(?P<key>[A-Z][A-Z0-9_]+)"
    r"(?:-\d+)?|browse|projects|issues|secure|rest|servicedesk|plugins)(?:/.*)?",
    re.ASCII,
)


def _check_key(value: str) -> str:
    if not _KEY_PATTERN.fullmatch(value):
        raise ValueError("must be the key of a project, such as ENG")
    return value


class JiraConfig(AtlassianConfig):
    """Which projects of which server.

    `url` is the address of any page of it. Without `projects`, the project that this address names is read. `endpoint`
    is the address of the interface, if it is not below `url`. More than `issues` issues are refused.
    """

    projects: tuple[Annotated[str, AfterValidator(_check_key)], ...] = Field(default=(), max_length=200)
    attachments: bool = True
    issues: int = Field(default=50_000, ge=1, le=1_000_000)

    @model_validator(mode="after")
    def _has_projects(self) -> "JiraConfig":
        if not self.keys:
            raise ValueError("projects: name at least one, such as [ENG], or give the address of a project as url")
        return self

    @property
    def web(self) -> str:
        """The address that those of all pages begin with, without a slash at its end."""
        return _split_address(self.url)[0]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the projects."""
        key = _split_address(self.url)[1]
        return self.projects or ((key,) if key else ())


def _split_address(url: str) -> tuple[str, str]:
    """What the addresses of a server begin with, and the key of the project that an address names; empty for none."""
    url_parts = urlsplit(url)
    match = _PLACE_PATTERN.fullmatch(url_parts.path)
    path, key = (match["base"], match["key"] or "") if match else (url_parts.path.rstrip("/"), "")
    path = "" if (url_parts.hostname or "").endswith(".atlassian.net") else path
    return f"{url_parts.scheme}://{url_parts.netloc}{path}", key


def guess_jira(address: Address) -> Guess | None:
    """A project or an issue of Jira Cloud, or one with the usual addresses of Data Center."""
    url = address.url
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        return None
    is_cloud = url.hostname.endswith(".atlassian.net") and not url.path.startswith("/wiki")
    if not is_cloud and not re.search(r"/browse/[A-Z][A-Z0-9_]+(?:-\d+)?/?\Z", url.path, re.ASCII):
        return None
    _, key = _split_address(address.text)
    if not key and not url.path.startswith(("/jira", "/projects", "/issues", "/browse", "/secure")):
        return None
    token = "e-mail:token" if is_cloud else "a personal access token"
    which = f"the issues of the project {key}" if key else "issues; name projects with --set 'projects=[KEY]'"
    words = f"{which} of Jira at {url.hostname}; name a secret ({token}) with --set credential=NAME"
    slug = f"{url.hostname.removesuffix('.atlassian.net')}-{key or 'jira'}"
    return Guess(config={"url": address.text}, words=words, score=0.95 if is_cloud else 0.9, slug=slug)
