"""The config of a wiki, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`api`). Guarantee: an accepted config names one wiki; it
holds no secret.
"""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from headwater.fetching.credentials import check_credential_name
from headwater.sources.connector import SourceConfig
from headwater.sources.guesses import Address, Guess

_MAIN_PAGES = ("/index.php/Main_Page", "/wiki/Main_Page", "/index.php/Hauptseite", "/wiki/Hauptseite")


class MediaWikiConfig(SourceConfig):
    """Which pages of which wiki.

    `url` is the address of any page of the wiki, or of its `api.php`. `namespaces` are numbers: 0 are articles, 12 help
    pages, 14 categories. More than `pages` pages are refused.
    """

    url: str = Field(max_length=2_000)
    namespaces: tuple[Annotated[int, Field(ge=0, le=10_000)], ...] = Field(default=(0,), min_length=1, max_length=50)
    pages: int = Field(default=10_000, ge=1, le=200_000)
    delay: float = Field(default=0.1, ge=0, le=60, allow_inf_nan=False)
    credential: str | None = None

    @field_validator("url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or not value.isprintable():
            raise ValueError("must be an http:// or https:// address of a page of the wiki, or of its api.php")
        if "@" in parts.netloc:
            raise ValueError("must contain neither a user name nor a password; name a secret with credential")
        return value

    @field_validator("credential")
    @classmethod
    def _is_name(cls, value: str | None) -> str | None:
        return None if value is None else check_credential_name(value)


def guess_mediawiki(address: Address) -> Guess | None:
    """The main page of a wiki by its usual address, or its interface."""
    url = address.url
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        return None
    is_api = url.path.endswith("/api.php")
    if not is_api and not url.path.endswith(_MAIN_PAGES):
        return None
    message = (
        f"all articles of the wiki at {url.hostname}; if it is private, name a bot password with --set credential=NAME"
    )
    return Guess(
        config={"url": address.text}, words=message, score=0.95 if is_api else 0.9, slug=f"{url.hostname}-wiki"
    )
