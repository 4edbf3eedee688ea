"""The config of a source of videos.

Belongs here: its fields and their rules. Not here: reading videos (`connector`). Guarantee: an accepted config names
one http address; it holds no secret.
"""

import re
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from headwater.fetching.credentials import check_credential_name
from headwater.sources.connector import SourceConfig

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}", re.ASCII)
_MAX_LANGUAGES = 10


class VideoConfig(SourceConfig):
    """Which videos, and in which language."""

    url: str = Field(max_length=2_000)
    languages: tuple[str, ...] = Field(default=(), max_length=_MAX_LANGUAGES)
    """Empty: the video's own language, then English, then any other."""
    videos: int = Field(default=200, ge=1, le=10_000)
    delay: float = Field(default=1.0, ge=0, le=60, allow_inf_nan=False)
    credential: str | None = None

    @field_validator("url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if "@" in parts.netloc:
            raise ValueError("must not contain a user name or password; name a secret with credential")
        if parts.scheme not in ("http", "https") or not parts.hostname or not value.isprintable() or " " in value:
            raise ValueError("must be an address that begins with http:// or https://")
        return value

    @field_validator("languages")
    @classmethod
    def _are_codes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(_LANGUAGE.fullmatch(tag) for tag in value):
            raise ValueError("each must be the code of a language, such as en, de or pt-BR")
        return value

    @field_validator("credential")
    @classmethod
    def _is_name(cls, value: str | None) -> str | None:
        return None if value is None else check_credential_name(value)
