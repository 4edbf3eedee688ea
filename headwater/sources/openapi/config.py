"""The config of an API's description, and recognising its address.

Belongs here: its fields and their rules. Not here: reading the description (`connector`). Guarantee: an accepted config
names one address or one file; it holds no secret.
"""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from headwater.fetching.credentials import check_credential_name
from headwater.sources.connector import AbsolutePath, SourceConfig, located
from headwater.sources.guesses import Address, Guess

_NAME = re.compile(r"(?:[\w.-]*[._-])?(?:openapi|swagger|api-docs)(?:[._-][\w.-]*)?", re.IGNORECASE | re.ASCII)
_ENDINGS = (".json", ".yaml", ".yml")
_FIELDS = ("operation_id", "method", "path", "tag")


class OpenApiConfig(SourceConfig):
    """Which description, by its address or in a file.

    `link` is a template of the addresses at which people read operations.
    """

    url: str | None = Field(default=None, max_length=2_000)
    path: AbsolutePath | None = None
    credential: str | None = None
    link: str | None = Field(default=None, max_length=1_000)

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative path against `base`."""
        return located(config, "path", base)

    @field_validator("url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "https://a")
        if parts.scheme not in ("http", "https") or not parts.hostname or not (value or "").isprintable():
            raise ValueError("must be an http:// or https:// address")
        if "@" in parts.netloc:
            raise ValueError("must contain neither a user name nor a password; name a secret with credential")
        return value

    @field_validator("link")
    @classmethod
    def _is_template(cls, value: str | None) -> str | None:
        names = re.findall(r"\{([^{}]*)\}", value or "{path}")
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("must be an address, such as https://api.example.com/docs#operation/{operation_id}")
        if not names or not set(names) <= set(_FIELDS):
            raise ValueError(f"must contain one of {', '.join(f'{{{name}}}' for name in _FIELDS)}, and nothing else")
        return value

    @model_validator(mode="after")
    def _is_one(self) -> "OpenApiConfig":
        if (self.url is None) == (self.path is None):
            raise ValueError("give either a url or a path")
        if self.credential is not None:
            if self.url is None:
                raise ValueError("credential: can only be used together with url")
            check_credential_name(self.credential)
        return self


def guess_openapi(address: Address) -> Guess | None:
    """A description by its name, such as `openapi.json`, `swagger.yaml` or `v3/api-docs`."""
    if address.path is not None:
        name, stem = address.path.name, address.path.stem
        if not _NAME.fullmatch(stem) or not name.lower().endswith(_ENDINGS) or not address.path.is_file():
            return None
        return Guess(
            config={"path": str(address.path)}, words=f"the operations that {name} describes", score=0.9, slug=stem
        )
    url = address.url
    if url is None or url.scheme not in ("http", "https"):
        return None
    stem, ending = posixpath.splitext(posixpath.basename(url.path))
    is_named = ending.lower() in _ENDINGS and _NAME.fullmatch(stem)
    if not is_named and not url.path.endswith(("/v2/api-docs", "/v3/api-docs")):
        return None
    message = f"the operations of an API that {url.hostname} describes"
    return Guess(config={"url": address.text}, words=message, score=0.9, slug=f"{url.hostname}-api")
