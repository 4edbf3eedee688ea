"""The config of a website.

Belongs here: its fields and their rules. Not here: reading the site (`connector`). Guarantee: an accepted config names
one http address to begin with; it holds no secret.
"""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from headwater.fetching.credentials import check_credential_name
from headwater.sources.connector import PasswordNames, SourceConfig
from headwater.sources.website.urls import clean_url

Mode = Literal["page", "crawl", "sitemap", "feed"]
_PATTERN_LIMIT = 300
_PATTERNS = 50


class WebsiteConfig(SourceConfig):
    """Which pages."""

    url: str = Field(max_length=2_000)
    mode: Mode | None = None
    """None: a sitemap or feed is known by its content; an address that ends with a slash is crawled; else one page."""
    prefix: str | None = Field(default=None, max_length=2_000)
    depth: int | None = Field(default=None, ge=0, le=1_000)
    pages: int = Field(default=1_000, ge=1, le=100_000)
    delay: float = Field(default=0.5, ge=0, le=60, allow_inf_nan=False)
    include: tuple[str, ...] = Field(default=(), max_length=_PATTERNS)
    exclude: tuple[str, ...] = Field(default=(), max_length=_PATTERNS)
    credential: str | None = None
    passwords: PasswordNames = ()

    @field_validator("url", "prefix")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if "@" in urlsplit(value).netloc:
            raise ValueError("must not contain a user name or password; name a secret with credential")
        if not clean_url(value):
            raise ValueError("must be an address that begins with http:// or https://")
        return value

    @field_validator("include", "exclude")
    @classmethod
    def _are_patterns(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(not pattern or len(pattern) > _PATTERN_LIMIT for pattern in value):
            raise ValueError(f"each pattern must have 1 to {_PATTERN_LIMIT} characters, such as /docs/*")
        return value

    @field_validator("credential")
    @classmethod
    def _is_name(cls, value: str | None) -> str | None:
        return None if value is None else check_credential_name(value)


def guess_mode(url: str) -> Mode:
    """How a site is read if neither its config nor the content at its address says so."""
    return "crawl" if (urlsplit(url).path or "/").endswith("/") else "page"
