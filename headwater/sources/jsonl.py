"""`jsonl`: a file of ready documents, one JSON object per line (SRC-8).

Belongs here: the source. Not here: the fields of a line (`jsonl_documents`), the origin of such a file. Guarantee: a
bad line does not affect others; while a line cannot be read, no document counts as removed, because the line may be the
missing document.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from headwater.domain.documents import DocumentProblem
from headwater.domain.media_types import MediaType
from headwater.errors import DocumentError, SourceError
from headwater.identity import bytes_fingerprint
from headwater.sources.connector import AbsolutePath, Connector, FetchedDocument, SourceConfig, located
from headwater.sources.guesses import Address, Guess
from headwater.sources.json_lines import json_lines, json_object
from headwater.sources.jsonl_documents import read_document


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
    parser_version = "jsonl-2"
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
            opener = path.open("rb")
        except OSError as error:
            raise SourceError(f"{self.config.path} cannot be read ({error.strerror}).") from error
        with opener as file:
            for line_number, line in json_lines(file):
                try:
                    yield self._document(line)
                except (DocumentError, RecursionError) as error:
                    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                    yield DocumentProblem(uri="", code="DOCUMENT_FAILED", message=f"line {line_number}: {reason}")

    def _document(self, line: bytes) -> FetchedDocument:
        parsed = read_document(json_object(line), self.config.media_type)
        fingerprint = f"{self.config.media_type}:{bytes_fingerprint(line)}"
        return FetchedDocument(uri=parsed.uri, fingerprint=fingerprint, parse=lambda: parsed)
