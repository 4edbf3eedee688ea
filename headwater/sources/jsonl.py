"""`jsonl`: a file of ready documents, one JSON object a line (SRC-8).

Belongs here: what a line may say. Not here: where such a file comes from. Guarantee: a bad line costs that line;
while one cannot be read, nothing counts as vanished, since it may be the line that is missed.

A line has `uri` and `text`, and may have `title`, `page` (a whole number: then each page is a document of its own,
its URI ended by `#page=N`) and `metadata` (an object; its `category` and `language` can be filtered by). Texts are
plain unless the source says `media_type: text/markdown`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from headwater.errors import DocumentError, SourceError
from headwater.identity import bytes_fingerprint
from headwater.models import DocumentProblem, ParsedDocument
from headwater.sources.connector import FetchedDocument, SourceConfig, SourceContext, located

MediaType = Literal["text/markdown", "text/plain"]


class JsonLinesConfig(SourceConfig):
    """Where the file is, and what its texts are."""

    path: Path
    media_type: MediaType = "text/plain"

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Take a relative path from `base`."""
        return located(config, "path", base)


class JsonLines:
    """Reads a JSONL file."""

    kind: ClassVar[str] = "jsonl"
    parser_version: ClassVar[str] = "jsonl-1"
    Config: ClassVar[type[SourceConfig]] = JsonLinesConfig

    def __init__(self, config: JsonLinesConfig, context: SourceContext) -> None:
        self._config = config
        self._context = context

    def fetch(self) -> Iterator[FetchedDocument | DocumentProblem]:
        """Yield a document per line.

        Raises:
            SourceError: the file is not there, or is a folder.
        """
        path = self._context.local(self._config.path)
        if path.is_dir():
            raise SourceError(f"{self._config.path} is a folder; a jsonl source reads one file.")
        with path.open("rb") as lines:
            for number, raw in enumerate(lines, start=1):
                line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                if not line.strip():
                    continue
                try:
                    yield self._document(line)
                except (DocumentError, ValueError, RecursionError) as error:
                    message = f"line {number}: {_reason(error)}"
                    yield DocumentProblem(uri="", code="DOCUMENT_FAILED", message=message)

    def _document(self, line: bytes) -> FetchedDocument:
        values = json.loads(line)
        if not isinstance(values, dict):
            raise DocumentError("a line must be a JSON object")
        uri, text, page = values.get("uri"), values.get("text"), values.get("page")
        if not isinstance(uri, str) or not uri.strip():
            raise DocumentError("uri must be a text that is not empty")
        if not isinstance(text, str):
            raise DocumentError("text must be a text")
        if page is not None and (isinstance(page, bool) or not isinstance(page, int)):
            raise DocumentError("page must be a whole number")
        full = uri if page is None else f"{uri}#page={page}"
        parsed = self._parsed(full, text, page, values)
        fingerprint = f"{self._config.media_type}:{bytes_fingerprint(line)}"
        return FetchedDocument(uri=full, fingerprint=fingerprint, parse=lambda: parsed)

    def _parsed(self, uri: str, text: str, page: int | None, values: dict[str, Any]) -> ParsedDocument:
        metadata, title = values.get("metadata") or {}, values.get("title") or ""
        if not isinstance(metadata, dict):
            raise DocumentError("metadata must be an object")
        if not isinstance(title, str):
            raise DocumentError("title must be a text")
        return ParsedDocument(
            uri=uri,
            title=title.strip(),
            text=text.replace("\r\n", "\n").replace("\r", "\n"),
            media_type=self._config.media_type,
            category=_text(metadata.get("category")).strip("/"),
            language=_text(metadata.get("language")),
            metadata=metadata if page is None else {**metadata, "page": page},
        )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return str(error) or "nested too deeply"
