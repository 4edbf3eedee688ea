"""The config of a Cosense project, and recognising its address.

Belongs here: its fields and their rules. Not here: reading the project (`connector`). Guarantee: an accepted config
names one project, or a file that was exported from one; it holds no secret.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import Field, model_validator

from headwater.fetching.credentials import check_credential_name
from headwater.parsing.cosense.project import Project
from headwater.sources.connector import AbsolutePath, SourceConfig, located
from headwater.sources.guesses import Address, Guess

DEFAULT_SITE = "https://scrapbox.io"
_SITES = ("scrapbox.io", "cosen.se")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?", re.ASCII)
_NOT_PROJECTS = ("api", "features", "pricing", "product", "login", "settings", "contact", "case", "terms", "privacy")


class CosenseConfig(SourceConfig):
    """Which project: its name or address, or a file that was exported from it."""

    project: str | None = Field(default=None, max_length=500)
    path: AbsolutePath | None = None
    pages: int = Field(default=10_000, ge=1, le=100_000)
    delay: float = Field(default=0.5, ge=0, le=60, allow_inf_nan=False)
    credential: str | None = None

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative path against `base`."""
        return located(config, "path", base)

    @model_validator(mode="after")
    def _is_one(self) -> "CosenseConfig":
        if (self.project is None) == (self.path is None):
            raise ValueError("give either a project or a path")
        if self.project is not None:
            read_project(self.project)
        if self.credential is not None:
            if self.project is None:
                raise ValueError("credential: can only be used together with project")
            check_credential_name(self.credential)
        return self


def read_project(text: str) -> Project:
    """A project by its name, or by the address of it or of one of its pages.

    Raises:
        ValueError: it is neither.
    """
    if "://" not in text:
        if not _NAME.fullmatch(text):
            raise ValueError("project: must be a project's name, such as help-jp, or its address")
        return Project(site=DEFAULT_SITE, name=text)
    url_parts = urlsplit(text)
    if "@" in url_parts.netloc:
        raise ValueError("project: must not contain a user name or password; name a secret with credential")
    name = unquote(url_parts.path.strip("/").partition("/")[0])
    if url_parts.scheme not in ("http", "https") or not url_parts.hostname or not _NAME.fullmatch(name):
        raise ValueError("project: must be an address such as https://scrapbox.io/help-jp")
    return Project(site=f"{url_parts.scheme}://{url_parts.netloc}", name=name)


def guess_cosense(address: Address) -> Guess | None:
    """A project of scrapbox.io or cosen.se."""
    url = address.url
    if url is None or (url.hostname or "").lower().removeprefix("www.") not in _SITES:
        return None
    try:
        project = read_project(address.text)
    except ValueError:
        return None
    if project.name in _NOT_PROJECTS:
        return None
    config = {"project": f"{project.site}/{project.name}"}
    return Guess(config=config, words=f"the Cosense project {project.name}", score=0.95, slug=project.name)
