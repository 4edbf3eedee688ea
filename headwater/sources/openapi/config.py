"""The config of an API's description, and recognising its address.

Belongs here: its fields and their rules. Not here: reading the description (`connector`). Guarantee: an accepted config
names one address or one file; it holds no secret.
"""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator, model_validator

from headwater.parsing.file_types import is_openapi_name
from headwater.sources.config_fields import CredentialName, WebAddress
from headwater.sources.connector import AbsolutePath, SourceConfig, located
from headwater.sources.guesses import Address, Guess

_FIELDS = ("operation_id", "method", "path", "tag")


class OpenApiConfig(SourceConfig):
    """Which description, by its address or in a file.

    `link` is a template of the addresses at which people read operations.
    """

    url: WebAddress | None = None
    path: AbsolutePath | None = None
    credential: CredentialName | None = None
    link: str | None = Field(default=None, max_length=1_000)

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative path against `base`."""
        return located(config, "path", base)

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
        if self.credential is not None and self.url is None:
            raise ValueError("credential: can only be used together with url")
        return self


def guess_openapi(address: Address) -> Guess | None:
    """A description by its name, such as `openapi.json`, `swagger.yaml` or `v3/api-docs`."""
    if address.path is not None:
        name, stem = address.path.name, address.path.stem
        if not is_openapi_name(name) or not address.path.is_file():
            return None
        return Guess(
            config={"path": str(address.path)}, words=f"the operations that {name} describes", score=0.9, slug=stem
        )
    url = address.url
    if url is None or url.scheme not in ("http", "https"):
        return None
    if not is_openapi_name(posixpath.basename(url.path)) and not url.path.endswith(("/v2/api-docs", "/v3/api-docs")):
        return None
    message = f"the operations of an API that {url.hostname} describes"
    return Guess(config={"url": address.text}, words=message, score=0.9, slug=f"{url.hostname}-api")
