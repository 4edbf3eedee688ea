"""`markdown_tree`: a folder of markdown, MDX and text files, on disk or in a git repository (SRC-6).

Belongs here: the config of such a source, and its documents. Not here: which files are documents (`tree_files`), git
(`headwater.fetching`), markdown (`headwater.parsing`). Guarantee: a file that cannot be read does not affect others.

Without `git`, `path` is a folder (or one file) and URIs are relative to it. With `git` (https, or a local repository),
`path` is a folder in the repository, `branch` names a branch other than the default, and URIs are relative to the
repository. `credential` names the secret for a private https repository.
"""

import posixpath
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import model_validator

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, SourceError
from headwater.fetching.credentials import check_credential_name
from headwater.fetching.git_repository import Blob, GitRepository, check_branch, check_url, local_path
from headwater.identity import bytes_fingerprint
from headwater.parsing.markdown import PARSER_VERSION
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file, parser_of_name
from headwater.sources.connector import Connector, FetchedDocument, SourceConfig, absolute, located
from headwater.sources.tree_files import SUFFIXES, TOO_LONG, chosen, is_document, is_too_long, walk

_SIZE_LIMIT = 10_000_000
_WITHIN = re.compile(r"(?!/)(?!(?:.*/)?\.\.(?:/|\Z))[^\x00]*", re.DOTALL)


class MarkdownTreeConfig(SourceConfig):
    """Which tree."""

    path: Path | None = None
    git: str | None = None
    branch: str | None = None
    credential: str | None = None

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative folder or local repository against `base`; a path in a repository stays as it is."""
        field = "path" if config.get("git") is None else "git"
        return located(config, field, base)

    @model_validator(mode="after")
    def _is_whole(self) -> "MarkdownTreeConfig":
        if self.git is None:
            if self.path is None:
                raise ValueError("path: give a folder, or set git to the repository's address")
            if self.branch is not None:
                raise ValueError("branch: can only be used together with git")
            if self.credential is not None:
                raise ValueError("credential: can only be used together with git")
            try:
                absolute(self.path)
            except ValueError as error:
                raise ValueError(f"path: {error}") from error
            return self
        check_url(self.git)
        if self.branch is not None:
            check_branch(self.branch)
        if self.credential is not None:
            check_credential_name(self.credential)
            if local_path(self.git) is not None:
                raise ValueError("credential: can only be used with an https:// address")
        if self.path is not None and not _WITHIN.fullmatch(self.path.as_posix()):
            raise ValueError("path: must be a folder in the repository, such as docs")
        return self


class MarkdownTree(Connector):
    """Reads a tree of markdown and text files; `skipped` counts the files it leaves out."""

    kind = "markdown_tree"
    parser_version = PARSER_VERSION
    Config = MarkdownTreeConfig
    config: MarkdownTreeConfig

    def fetch(self) -> Iterator[FetchedDocument | DocumentProblem]:
        """Yield a document per file, by path.

        Raises:
            SourceError: the folder, repository or branch does not exist.
        """
        if self.config.git is not None:
            yield from self._fetch_git(self.config.git)
        else:
            yield from self._fetch_folder(self.context.local(self.config.path or Path()))

    def _fetch_folder(self, root: Path) -> Iterator[FetchedDocument | DocumentProblem]:
        if root.is_file() and not is_document(root.name):
            raise SourceError(f"{root} is not a markdown file; their names end in {', '.join(SUFFIXES)}.")
        problems: list[DocumentProblem] = []
        files = [root] if root.is_file() else walk(root, self.skipped, problems)
        folder = root.parent if root.is_file() else root
        self.total = len(files) + len(problems)
        yield from problems
        for path in files:
            uri = path.relative_to(folder).as_posix()
            try:
                content = _read(path)
                uri.encode()
                found = _fetched(uri, bytes_fingerprint(content), partial(bytes, content), "")
            except (OSError, DocumentError, UnicodeEncodeError) as error:
                yield DocumentProblem(uri=_readable(uri), code="DOCUMENT_FAILED", message=_reason(error))
                continue
            yield found

    def _fetch_git(self, url: str) -> Iterator[FetchedDocument | DocumentProblem]:
        local = local_path(url)
        if local is not None:
            self.context.local(local)
        name = self.config.credential
        credential = None if name is None else self.context.credential(name, urlsplit(url).netloc)
        allowed = self.context.local_paths
        own = self.context.folder / "repository"
        repository = GitRepository(own, credential, allowed=allowed, gate=self.context.gate)
        commit = repository.update(url, self.config.branch)
        root = "" if self.config.path in (None, Path()) else Path(self.config.path or "").as_posix()
        blobs = list(repository.files(commit, root))
        if root and not blobs:
            raise SourceError(f"There is no folder {root} in {url} at {commit.hexsha[:12]}.")
        below = {posixpath.relpath(blob.path, root or "."): blob for blob in blobs}
        blobs = [below[path] for path in chosen(iter(below), self.skipped)]
        self.total = len(blobs)
        for blob in blobs:
            try:
                _check_blob(blob)
                blob.path.encode()
                # Categories and links depend on the root of the tree, so it is part of the fingerprint.
                found = _fetched(blob.path, f"{root}:{blob.sha}", blob.read, root)
            except (DocumentError, UnicodeEncodeError) as error:
                yield DocumentProblem(uri=_readable(blob.path), code="DOCUMENT_FAILED", message=_reason(error))
                continue
            yield found


def _read(path: Path) -> bytes:
    """Read a regular file: reading a pipe would wait, and a device may have no end."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise DocumentError("It is not a regular file.")
    _check_size(found.st_size)
    return path.read_bytes()


def _check_blob(blob: Blob) -> None:
    _check_size(blob.size)
    if is_too_long(blob.path):
        raise DocumentError(TOO_LONG)


def _check_size(size: int) -> None:
    if size > _SIZE_LIMIT:
        raise DocumentError(f"The file is larger than {_SIZE_LIMIT // 1_000_000} MB.")


def _readable(uri: str) -> str:
    """A file name that is not valid UTF-8, in a form that can be shown and stored."""
    return uri.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _fetched(uri: str, fingerprint: str, read: Callable[[], bytes], root: str) -> FetchedDocument:
    parser = parser_of_name(uri)
    return FetchedDocument(
        uri=uri,
        fingerprint=fingerprint,
        parse=lambda: parse_file(parser, File(content=read(), uri=uri, root=root)),
        parser_version=parser.version,
    )


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "The file's name is not valid UTF-8."
    return f"The file cannot be read ({error.strerror})." if isinstance(error, OSError) else str(error)
