"""`files`: files that people upload, and single files at a path or an address (SRC-1, SRC-4).

Belongs here: the config of such a source, and its documents. Not here: uploading
(`headwater.administration.uploads`), the formats (`headwater.parsing`). Guarantee: a file that cannot be read does not
affect others; a file whose content is known is not read again; the original of every document is kept.

The URI of an uploaded file is its name, that of a local file its `name` or its file name, that of a remote file its
address.
"""

import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, model_validator

from headwater.domain.closed_model import ClosedModel
from headwater.domain.documents import DocumentProblem, Original, ParsedDocument
from headwater.domain.uploads import upload_name
from headwater.errors import DocumentError, HeadwaterError, InvalidInputError, SourceError
from headwater.identity import bytes_fingerprint
from headwater.parsing.parser import File, Parser
from headwater.parsing.sniffing import media_type_of
from headwater.parsing.registry import parse_file, parser_for
from headwater.sources.connector import (
    AbsolutePath,
    Connector,
    FetchedDocument,
    Found,
    SourceConfig,
    UnchangedDocument,
    located,
)

_SIZE_LIMIT = 100_000_000  # bytes of a local file
_MOST_FILES = 1_000


class FileEntry(ClosedModel):
    """One file that is not uploaded: at a local path."""

    model_config = ConfigDict(frozen=True)

    path: AbsolutePath
    name: str | None = None

    @model_validator(mode="after")
    def _is_named(self) -> "FileEntry":
        try:
            upload_name(self.uri)
        except InvalidInputError as error:
            raise ValueError(str(error)) from error
        return self

    @property
    def uri(self) -> str:
        """The URI of its document."""
        return self.path.name if self.name is None else self.name


class FilesConfig(SourceConfig):
    """The files that are not uploaded."""

    files: tuple[FileEntry, ...] = Field(default=(), max_length=_MOST_FILES)

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve relative paths against `base`."""
        files = config.get("files")
        if not isinstance(files, list | tuple):
            return dict(config)
        return {
            **config,
            "files": [located(one, "path", base) if isinstance(one, Mapping) else one for one in files],
        }


class Files(Connector):
    """Reads uploaded files and single files."""

    kind = "files"
    parser_version = "files-1"
    Config = FilesConfig
    config: FilesConfig

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file: the uploads by name, then the others as the config lists them."""
        for upload in self.context.uploads():
            yield self._found(upload.name, upload.hash, upload.read, upload.media_type)
        for entry in self.config.files:
            yield self._local(entry)

    def _local(self, entry: FileEntry) -> Found:
        try:
            content = _read(self.context.local(entry.path))
        except (OSError, SourceError) as error:
            reason = f"The file cannot be read ({error.strerror})." if isinstance(error, OSError) else str(error)
            return DocumentProblem(uri=entry.uri, code=DocumentError.code, message=reason)
        return self._found(entry.uri, bytes_fingerprint(content), partial(bytes, content), "")

    def _found(self, uri: str, fingerprint: str, read: Callable[[], bytes], media_type: str) -> Found:
        known = self.context.known.get(uri)
        if known is not None and known.fingerprint == fingerprint:
            return UnchangedDocument(uri=uri)
        try:
            file = File(content=read(), uri=uri, media_type=media_type)
            parser = parser_for(file.content, uri, media_type)
        except HeadwaterError as error:  # nothing reads it, or it was deleted meanwhile
            return DocumentProblem(uri=uri, code=DocumentError.code, message=str(error))
        return FetchedDocument(
            uri=uri, fingerprint=fingerprint, parse=partial(_parsed, parser, file), parser_version=parser.version
        )


def _read(path: Path) -> bytes:
    """Read a regular file: reading a pipe would wait, and a device may have no end."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise DocumentError("It is not a regular file.")
    if found.st_size > _SIZE_LIMIT:
        raise DocumentError(f"The file is larger than {_SIZE_LIMIT // 1_000_000} MB.")
    return path.read_bytes()


def _parsed(parser: Parser, file: File) -> ParsedDocument:
    """Parse a file, and keep it as the original even if its text would do: people want to open what they gave."""
    found = parse_file(parser, file)
    if found.original is not None:
        return found
    return replace(found, original=Original(content=file.content, media_type=media_type_of(file.content, file.uri)))
