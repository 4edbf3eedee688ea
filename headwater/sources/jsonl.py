"""`jsonl`: a file of ready documents, one JSON object per line (SRC-8).

Belongs here: the fields of a line. Not here: the origin of such a file. Guarantee: a bad line does not affect others;
while a line cannot be read, no document counts as removed, because the line may be the missing document.

A line has `uri` and `text`, and may have `title`, `page` (a whole number: then each page is a separate document, and
its URI ends in `#page=N`) and `metadata` (an object; you can filter by its `category` and `language`). Texts are
plain text unless the source sets another `media_type`: markdown, or a programming language.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.domain.media_types import MediaType
from headwater.domain.places import PlaceKind, Places
from headwater.errors import DocumentError, SourceError
from headwater.identity import bytes_fingerprint
from headwater.parsing.plain_values import plain_value
from headwater.sources.connector import AbsolutePath, Connector, FetchedDocument, SourceConfig, located
from headwater.sources.guesses import Address, Guess

_DIGITS = 1_000
_LINES = Places(kind=PlaceKind.LINE)  # lines of the text in the JSON, because nothing else of the original is known
_LINE_LIMIT = 20_000_000


class JsonLinesConfig(SourceConfig):
    """The file, and the type of its texts."""

    path: AbsolutePath
    media_type: MediaType = "text/plain"

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative path against `base`."""
        return located(config, "path", base)


class JsonLines(Connector):
    """Reads a JSONL file."""

    kind = "jsonl"
    parser_version = "jsonl-1"
    Config = JsonLinesConfig
    config: JsonLinesConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Local files whose names end in `.jsonl` or `.ndjson`."""
        path = address.path
        if path is None or path.suffix.lower() not in (".jsonl", ".ndjson") or not path.is_file():
            return None
        return Guess(config={"path": str(path)}, words="a file with a document per line", score=0.9, slug=path.stem)

    def fetch(self) -> Iterator[FetchedDocument | DocumentProblem]:
        """Yield a document per line.

        Raises:
            SourceError: the file does not exist, is not a regular file, or cannot be read.
        """
        path = self.context.local(self.config.path)
        if not path.is_file():
            raise SourceError(f"{self.config.path} is not a regular file; a jsonl source reads one file.")
        try:
            opened = path.open("rb")
        except OSError as error:
            raise SourceError(f"{self.config.path} cannot be read ({error.strerror}).") from error
        with opened as file:
            for number, raw in enumerate(_lines(file), start=1):
                line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                if not line.strip():
                    continue
                try:
                    yield self._document(line)
                except (DocumentError, ValueError, RecursionError) as error:
                    message = f"line {number}: {_reason(error)}"
                    yield DocumentProblem(uri="", code="DOCUMENT_FAILED", message=message)

    def _document(self, line: bytes) -> FetchedDocument:
        if len(line) > _LINE_LIMIT:
            raise DocumentError(f"longer than {_LINE_LIMIT // 1_000_000} MB")
        values = _loaded(line.decode())
        if not isinstance(values, dict):
            raise DocumentError("a line must be a JSON object")
        uri, text, page = values.get("uri"), values.get("text"), values.get("page")
        if not isinstance(uri, str) or not uri.strip():
            raise DocumentError("uri must be a string that is not empty")
        if "\x00" in uri or not _is_utf8(uri):
            raise DocumentError("uri must contain neither NUL nor half a surrogate pair, which cannot be stored")
        if not isinstance(text, str):
            raise DocumentError("text must be a string")
        if page is not None and (isinstance(page, bool) or not isinstance(page, int)):
            raise DocumentError("page must be a whole number")
        full = uri if page is None else f"{uri}#page={page}"
        parsed = self._parsed(full, text, page, values)
        fingerprint = f"{self.config.media_type}:{bytes_fingerprint(line)}"
        return FetchedDocument(uri=full, fingerprint=fingerprint, parse=lambda: parsed)

    def _parsed(self, uri: str, text: str, page: int | None, values: dict[str, Any]) -> ParsedDocument:
        metadata, title = values.get("metadata") or {}, values.get("title") or ""
        if not isinstance(metadata, dict):
            raise DocumentError("metadata must be an object")
        if not isinstance(title, str):
            raise DocumentError("title must be a string")
        return ParsedDocument(
            uri=uri,
            title=title.strip(),
            text=text.replace("\r\n", "\n").replace("\r", "\n"),
            media_type=self.config.media_type,
            category=_text(metadata.get("category")).strip("/"),
            language=_text(metadata.get("language")),
            metadata=plain_value(metadata if page is None else {**metadata, "page": page}),
            places=_LINES if page is None else Places.of(PlaceKind.PAGE, [(0, page)]),
        )


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number with more digits than Python reads stays a text
        return json.loads(line, parse_int=_integer)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _DIGITS else digits


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines; a line longer than the limit is cut just after it, so that it is reported but not held in memory."""
    while line := file.readline(_LINE_LIMIT + 1):
        yield line
        while len(line) > _LINE_LIMIT and not line.endswith(b"\n"):
            line = file.readline(_LINE_LIMIT + 1)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"the line is not JSON: {error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)
