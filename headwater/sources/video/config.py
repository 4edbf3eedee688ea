"""The config of a source of videos.

Belongs here: its fields and their rules. Not here: reading videos (`connector`). Guarantee: an accepted config names
one http address; it holds no secret.
"""

import re

from pydantic import Field, field_validator

from headwater.sources.config_fields import CredentialName, Delay, WebAddress
from headwater.sources.connector import SourceConfig

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}", re.ASCII)
_MAX_LANGUAGES = 10


class VideoConfig(SourceConfig):
    """Which videos, and in which language."""

    url: WebAddress
    languages: tuple[str, ...] = Field(default=(), max_length=_MAX_LANGUAGES)
    """Empty: the video's own language, then English, then any other."""
    videos: int = Field(default=200, ge=1, le=10_000)
    delay: Delay = 1.0
    credential: CredentialName | None = None

    @field_validator("languages")
    @classmethod
    def _are_codes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(_LANGUAGE.fullmatch(tag) for tag in value):
            raise ValueError("each must be the code of a language, such as en, de or pt-BR")
        return value
