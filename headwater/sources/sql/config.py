"""The config of a database's rows, and recognising its address.

Belongs here: its fields and their rules. Not here: connections (`connection`), documents (`rows`). Guarantee: an
accepted config has one statement that reads, and templates that compile; it holds no address with a password.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment
from pydantic import Field, field_validator, model_validator

from headwater.fetching.credentials import check_credential_name
from headwater.sources.connector import AbsolutePath, SourceConfig, located
from headwater.sources.guesses import Address, Guess

_READS = re.compile(r"\s*(?:select|with|values|table)\b", re.IGNORECASE)
_SCHEMES = ("postgresql", "postgres", "mysql", "mariadb", "sqlite")
_FILES = (".sqlite", ".sqlite3", ".db", ".db3")
RowFormat = Literal["text/markdown", "text/plain", "text/html"]

TEMPLATES = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
"""Templates of texts and links: they see the columns of a row, and nothing else."""


class SqlConfig(SourceConfig):
    """Which rows of which database, and the documents that they become.

    `credential` names a secret that is the address of the database; `path` is an SQLite file instead. `key` is the
    column that identifies a row. `title`, `changed` and `metadata` name columns; `text` and `link` are templates over
    the columns of a row. Without `text`, a document lists all columns.
    """

    credential: str | None = None
    path: AbsolutePath | None = None
    query: str = Field(max_length=20_000)
    key: str = Field(min_length=1, max_length=200)
    title: str | None = Field(default=None, max_length=200)
    text: str | None = Field(default=None, max_length=20_000)
    link: str | None = Field(default=None, max_length=2_000)
    changed: str | None = Field(default=None, max_length=200)
    metadata: tuple[str, ...] = Field(default=(), max_length=50)
    format: RowFormat = "text/markdown"
    max_rows: int = Field(default=100_000, ge=1, le=1_000_000)

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative path against `base`."""
        return located(config, "path", base)

    @field_validator("credential")
    @classmethod
    def _is_name(cls, value: str | None) -> str | None:
        return None if value is None else check_credential_name(value)

    @field_validator("query")
    @classmethod
    def _is_one_query(cls, value: str) -> str:
        plain = value.strip().removesuffix(";")
        if not _READS.match(plain) or ";" in plain or "\x00" in plain:
            raise ValueError("must be one statement that begins with SELECT or WITH, without a semicolon in it")
        return plain

    @field_validator("text", "link")
    @classmethod
    def _is_template(cls, value: str | None) -> str | None:
        try:
            TEMPLATES.from_string(value or "")
        except TemplateError as error:
            raise ValueError(f"must be a Jinja template ({error})") from None
        return value

    @model_validator(mode="after")
    def _is_one(self) -> "SqlConfig":
        if (self.credential is None) == (self.path is None):
            raise ValueError(
                "give either a credential, the name of a secret that is the database's address, or the path of an"
                " SQLite file"
            )
        return self


def guess_sql(address: Address) -> Guess | None:
    """A file of SQLite, by its ending, or the address of a database; a query must be given with it."""
    needs = "give its --set query=… and --set key=…"
    if address.path is not None:
        if address.path.suffix.lower() not in _FILES or not address.path.is_file():
            return None
        message = f"the rows of a query to the SQLite database {address.path.name}; {needs}"
        return Guess(config={"path": str(address.path)}, words=message, score=0.9, slug=address.path.stem)
    url = address.url
    if url is None or url.scheme.partition("+")[0].lower() not in _SCHEMES:
        return None
    message = f"the rows of a query to a database; name the secret with its address with --set credential=NAME, {needs}"
    return Guess(config={}, words=message, score=0.9, slug=url.path.strip("/") or str(url.hostname or "database"))
