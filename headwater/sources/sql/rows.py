"""A row as a document.

Belongs here: its key, fingerprint, text, title and address. Not here: reading rows (`connector`). Guarantee: a row is
written and parsed only if it, or what the config makes of it, has changed; what a template does concerns its row alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

from jinja2 import TemplateError

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.identity import content_hash
from headwater.parsing.parser import File
from headwater.parsing.plain_values import plain_value
from headwater.parsing.registry import parse_file, parser_of_type
from headwater.sources.connector import FetchedDocument
from headwater.sources.fetched_files import with_address
from headwater.sources.sql.config import TEMPLATES, SqlConfig

Row = Mapping[str, Any]
_MAX_TEXT_CHARS = 10_000_000  # characters


class Rows:
    """Makes documents of rows, as a config says."""

    def __init__(self, config: SqlConfig) -> None:
        self._config = config
        self._parser = parser_of_type(config.format)
        form = config.model_dump(mode="json", include={"key", "title", "text", "link", "changed", "metadata", "format"})
        self._form = content_hash(form).hex()
        self._text = None if config.text is None else TEMPLATES.from_string(config.text)
        self._link = None if config.link is None else TEMPLATES.from_string(config.link)

    def check_columns(self, columns: Iterable[str]) -> None:
        """Check that a query has the columns that the config names.

        Raises:
            DocumentError: it lacks one; the message names it.
        """
        config, there = self._config, list(columns)
        names = [name for name in (config.key, config.title, config.changed, *config.metadata) if name]
        missing = [name for name in names if name not in there]
        if missing:
            raise DocumentError(f"The query has no column {missing[0]}. Its columns are {', '.join(there)}.")

    def uri(self, row: Row) -> str:
        """The URI of a row: its key.

        Raises:
            DocumentError: it has none.
        """
        key = row[self._config.key]
        text = "" if key is None else str(plain_value(key)).strip()
        if not text:
            raise DocumentError(f"A row has no {self._config.key}. Leave it out of the query, or give it one.")
        return text

    def document(self, uri: str, row: Row) -> FetchedDocument:
        """A row as a document, to be written and parsed if it has changed."""
        values = {name: _to_plain(value) for name, value in row.items()}
        return FetchedDocument(
            uri=uri,
            fingerprint=content_hash(self._form, list(values.items())).hex(),
            parse=partial(self._parse, uri, values),
            parser_version=self._parser.version,
        )

    def _parse(self, uri: str, values: Mapping[str, Any]) -> ParsedDocument:
        """Write the text of a row, and read it as its format says.

        Raises:
            DocumentError: a template fails, or the text is too long.
        """
        try:
            text = self._write_columns(values) if self._text is None else self._text.render(values)
            address = "" if self._link is None else self._link.render(values).strip()
        except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
            raise DocumentError(f"A template fails for this row ({type(error).__name__}: {error}).") from None
        if len(text) > _MAX_TEXT_CHARS:
            raise DocumentError(f"The text of this row has more than {_MAX_TEXT_CHARS:,} characters.")
        title = str(values[self._config.title] or "").strip() if self._config.title else ""
        media_type = f"{self._config.format}; charset=utf-8"
        file = File(content=self._frame(text, title).encode(), uri=uri, media_type=media_type)
        document = parse_file(self._parser, file)
        metadata = {**document.metadata, **self._metadata(values)}
        title = title or document.title or uri
        document = replace(document, original=None, places=None, title=title, metadata=metadata)
        return with_address(document, address) if address else document

    def _write_columns(self, values: Mapping[str, Any]) -> str:
        """All columns, one a paragraph."""
        lines = [(name, value) for name, value in values.items() if value not in (None, "")]
        if self._config.format == "text/html":
            return "".join(f"<p><b>{escape(name)}</b>: {value}</p>" for name, value in lines)
        mark = "**" if self._config.format == "text/markdown" else ""
        return "\n\n".join(f"{mark}{name}{mark}: {value}" for name, value in lines)

    def _frame(self, text: str, title: str) -> str:
        """Markup as a page, so that all of it counts as its content."""
        if self._config.format != "text/html":
            return text
        return f"<!doctype html><title>{escape(title)}</title><main>{text}</main>"

    def _metadata(self, values: Mapping[str, Any]) -> dict[str, Any]:
        metadata = {name: values[name] for name in self._config.metadata if values[name] is not None}
        if self._config.changed and values[self._config.changed] is not None:
            metadata["updated"] = values[self._config.changed]
        return metadata


def _to_plain(value: Any) -> Any:
    """A column's value for a template, and for comparing: bytes are only told by their size."""
    if isinstance(value, bytes | bytearray | memoryview):
        return f"({len(value)} bytes)"
    if isinstance(value, str):
        return value.replace("\x00", "")
    return plain_value(value)
