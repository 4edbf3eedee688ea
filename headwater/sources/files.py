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
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, model_validator

from headwater.domain.closed_model import ClosedModel
from headwater.domain.documents import DocumentProblem
from headwater.domain.uploads import upload_name
from headwater.errors import DocumentError, FetchError, HeadwaterError, InvalidInputError, SourceError
from headwater.fetching.credentials import check_credential_name
from headwater.identity import bytes_fingerprint
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from headwater.sources.connector import (
    AbsolutePath,
    Connector,
    FetchedDocument,
    Found,
    PasswordNames,
    SourceConfig,
    UnchangedDocument,
    located,
)
from headwater.sources.fetched_files import parse_fetched
from headwater.sources.guesses import Address, Guess
from headwater.sources.page_guesses import guess_file

_SIZE_LIMIT = 100_000_000  # bytes of a file that is not uploaded
_MAX_FILES = 1_000
_MAX_URL_CHARS = 2_000  # characters


class FileEntry(ClosedModel):
    """One file that is not uploaded: at a local path, or at an address."""

    model_config = ConfigDict(frozen=True)

    path: AbsolutePath | None = None
    name: str | None = None
    url: str | None = None
    credential: str | None = None

    @model_validator(mode="after")
    def _is_one_file(self) -> "FileEntry":
        if (self.path is None) == (self.url is None):
            raise ValueError("give either a path or a url")
        if self.url is not None and self.name is not None:
            raise ValueError("name: can only be used together with path")
        if self.credential is not None:
            if self.url is None:
                raise ValueError("credential: can only be used together with url")
            check_credential_name(self.credential)
        if self.url is not None:
            _check_address(self.url)
            return self
        try:
            upload_name(self.uri)
        except InvalidInputError as error:
            raise ValueError(f"name: {error}") from error
        return self

    @property
    def uri(self) -> str:
        """The URI of its document."""
        return self.url or self.name or (self.path.name if self.path else "")


def _check_address(url: str) -> None:
    """Check what is stored; whether it may be fetched, the gate decides in each sync."""
    url_parts = urlsplit(url)  # a ValueError says what is wrong
    if (
        url_parts.scheme not in ("http", "https")
        or not url_parts.hostname
        or not url.isprintable()
        or len(url) > _MAX_URL_CHARS
    ):
        raise ValueError(f"url: must be an http:// or https:// address of at most {_MAX_URL_CHARS:,} characters")
    if "@" in url_parts.netloc:
        raise ValueError("url: must contain neither a user name nor a password; name a secret with credential")


class FilesConfig(SourceConfig):
    """The files that are not uploaded, and names of credentials that are tried on encrypted files."""

    files: tuple[FileEntry, ...] = Field(default=(), max_length=_MAX_FILES)
    passwords: PasswordNames = ()

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve relative paths against `base`."""
        files = config.get("files")
        if not isinstance(files, list | tuple):
            return dict(config)
        return {
            **config,
            "files": [located(file, "path", base) if isinstance(file, Mapping) else file for file in files],
        }


class Files(Connector):
    """Reads uploaded files and single files."""

    kind = "files"
    parser_version = "files-1"
    Config = FilesConfig
    removes_on_request = True
    config: FilesConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """A single file on a server."""
        return guess_file(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file: the uploads by name, then the others as the config lists them.

        Raises:
            SourceError: a password is not in the environment, or it is for a host.
        """
        self._passwords = tuple(self.context.password(name) for name in self.config.passwords)
        for upload in self.context.uploads():
            yield self._make_item(upload.name, upload.hash, upload.read, upload.media_type)
        for entry in self.config.files:
            yield self._remote(entry, entry.url) if entry.url is not None else self._local(entry)

    def _remote(self, entry: FileEntry, url: str) -> Found:
        known_state = self.context.known.get(url)
        try:
            with self.context.http(credential=entry.credential, address=url) as client:
                answer = client.get(url, validator=known_state.validator if known_state else "", limit=_SIZE_LIMIT)
        except SourceError as error:
            return DocumentProblem(uri=url, code=error.code, message=str(error))
        if answer.status == HTTPStatus.NOT_MODIFIED and known_state is not None:
            return UnchangedDocument(uri=url)
        if answer.status != HTTPStatus.OK:
            message = f"{url} answered {answer.status}. Change it in the source, or sync again when it works."
            return DocumentProblem(uri=url, code=FetchError.code, message=message)
        read = partial(bytes, answer.content)
        item = self._make_item(url, bytes_fingerprint(answer.content), read, answer.media_type)
        return replace(item, validator=answer.validator) if isinstance(item, FetchedDocument) else item

    def _local(self, entry: FileEntry) -> Found:
        try:
            content = _read(self.context.local(entry.path or Path()))
        except (OSError, SourceError) as error:
            reason = f"The file cannot be read ({error.strerror})." if isinstance(error, OSError) else str(error)
            return DocumentProblem(uri=entry.uri, code=DocumentError.code, message=reason)
        return self._make_item(entry.uri, bytes_fingerprint(content), partial(bytes, content), "")

    def _make_item(self, uri: str, fingerprint: str, read: Callable[[], bytes], media_type: str) -> Found:
        known_state = self.context.known.get(uri)
        if known_state is not None and known_state.fingerprint == fingerprint:
            return UnchangedDocument(uri=uri)
        try:
            file = File(content=read(), uri=uri, media_type=media_type, passwords=self._passwords)
            if not file.content:
                raise DocumentError("The file is empty.")
            parser = parser_for(file.content, uri, media_type)
        except HeadwaterError as error:  # nothing reads it, or it was deleted meanwhile
            return DocumentProblem(uri=uri, code=DocumentError.code, message=str(error))
        return FetchedDocument(
            uri=uri, fingerprint=fingerprint, parse=partial(parse_fetched, parser, file), parser_version=parser.version
        )


def _read(path: Path) -> bytes:
    """Read a regular file: reading a pipe would wait, and a device may have no end."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError("It is not a regular file.")
    if status.st_size > _SIZE_LIMIT:
        raise DocumentError(f"The file is larger than {_SIZE_LIMIT // 1_000_000} MB.")
    return path.read_bytes()
