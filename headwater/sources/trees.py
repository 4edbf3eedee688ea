"""Trees of files, on disk or in a git repository: what `markdown_tree` and `folder` share.

Belongs here: where the tree is, its files one by one, and what is wrong with one. Not here: which files are documents
(`tree_files`), git (`headwater.fetching`), what is read of a file (the connectors). Guarantee: a file that cannot be
read does not affect others; only regular files are read.

Without `git`, `path` is a folder (or one file) and URIs are relative to it. With `git` (https, ssh, or a local
repository), `path` is a folder in the repository, `branch` names a branch other than the default, and URIs are relative
to the repository. `credential` names the secret for a private repository.
"""

import os
import posixpath
import re
import stat
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import model_validator

from headwater.domain.documents import DocumentProblem
from headwater.domain.pictures import is_picture
from headwater.domain.skips import Reason
from headwater.errors import DocumentError, SourceError
from headwater.fetching.git_repository import GitRepository
from headwater.fetching.git_tree import Blob, GitTree, close_on_error
from headwater.fetching.git_urls import (
    Revision,
    check_branch,
    check_credential,
    check_url,
    credential_host,
    local_path,
)
from headwater.sources.connector import Connector, Found, SourceConfig, absolute, located
from headwater.sources.tree_files import TOO_LONG, choose_files, is_too_long, walk

if TYPE_CHECKING:
    from git import Commit

WITHIN = re.compile(r"(?!/)(?!(?:.*/)?\.\.(?:/|\Z))[^\x00]*", re.DOTALL)
# Seconds after which a file system's clock tells a second change apart: of a usual one, and of one that keeps whole
# seconds, such as FAT.
_TICK, _COARSE_TICK = 0.05, 2.0
_MAX_TICKS = 2  # that one sync waits: what is written during the sync is read again by the next one


class TreeConfig(SourceConfig):
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
    def _is_whole(self) -> "TreeConfig":
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
        check_credential(self.git, self.credential)
        if self.path is not None and not WITHIN.fullmatch(self.path.as_posix()):
            raise ValueError("path: must be a folder in the repository, such as docs")
        return self


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeFile:
    """A file of a tree.

    `root` is the folder where categories start, as a part of `uri`. `stamp` changes whenever the content does, and is
    known without reading it; empty if it could miss a change. `fingerprint` is empty if only reading tells it.
    """

    uri: str
    root: str
    size: int
    stamp: str
    fingerprint: str
    read: Callable[[], bytes]
    begin: Callable[[int], bytes]
    """Reads at least so many of the first bytes, or all."""


class TreeConnector(Connector):
    """Reads a tree of files; `skipped` counts the files it leaves out."""

    config: TreeConfig

    @abstractmethod
    def choose(self, path: str) -> tuple[Reason, str] | None:
        """Why a file is not read, by its path: the reason and its kind; None if it is."""

    @abstractmethod
    def found(self, file: TreeFile) -> Found | None:
        """Make a document of a file; None if it is left out, and counted.

        Raises:
            DocumentError: it cannot be read.
            OSError: it cannot be read.
        """

    @abstractmethod
    def refusal(self, path: Path) -> str:
        """The message for a source that names a single file which is not read."""

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file, by path; pictures last, since reading one takes as long as a hundred texts.

        Raises:
            SourceError: the folder, repository or branch does not exist.
        """
        if self.config.git is not None:
            yield from self._fetch_git(self.config.git)
        else:
            yield from self._fetch_folder(self.context.local(self.config.path or Path()))

    def _fetch_folder(self, root: Path) -> Iterator[Found]:
        if root.is_file() and self.choose(root.name) is not None:
            raise SourceError(self.refusal(root))
        problems: list[DocumentProblem] = []
        files = [root] if root.is_file() else walk(root, self.skipped, problems, self.choose)
        folder = root.parent if root.is_file() else root
        self.total = len(files) + len(problems)
        yield from problems
        clock = _Clock()
        for path in sorted(files, key=lambda path: is_picture(path.name)):
            uri = path.relative_to(folder).as_posix()
            yield from self._each(uri, partial(_local, path, uri, clock))

    def _fetch_git(self, url: str) -> Iterator[Found]:
        local = local_path(url)
        if local is not None:
            self.context.local(local)
        name = self.config.credential
        credential = None if name is None else self.context.credential(name, credential_host(url))
        allowed = self.context.local_paths
        clone = self.context.folder / "repository"
        repository = GitRepository(clone, credential, allowed=allowed, gate=self.context.gate)
        commit = repository.update(url, Revision(branch=self.config.branch))
        with close_on_error(commit.repo):
            yield from self._fetch_commit(url, commit)

    def _fetch_commit(self, url: str, commit: "Commit") -> Iterator[Found]:
        root = "" if self.config.path in (None, Path()) else Path(self.config.path or "").as_posix()
        blobs = list(GitTree(commit, root).files())
        if root and not blobs:
            raise SourceError(f"There is no folder {root} in {url} at {commit.hexsha[:12]}.")
        blobs_by_path = {posixpath.relpath(blob.path, root or "."): blob for blob in blobs}
        blobs = [blobs_by_path[path] for path in choose_files(iter(blobs_by_path), self.skipped, self.choose)]
        self.total = len(blobs)
        for blob in sorted(blobs, key=lambda blob: is_picture(blob.path)):
            yield from self._each(blob.path, partial(_blob, blob, root))

    def _each(self, uri: str, opened: Callable[[], TreeFile]) -> Iterator[Found]:
        item = find_or_problem(uri, lambda: self.found(opened()))
        if item is not None:
            yield item


def find_or_problem(uri: str, find: Callable[[], Found | None]) -> Found | None:
    """What `find` returns for a file, or the problem of a file that cannot be read or has an invalid name."""
    try:
        uri.encode()
        return find()
    except (OSError, DocumentError, UnicodeEncodeError) as error:
        code = error.code if isinstance(error, DocumentError) else DocumentError.code
        return DocumentProblem(uri=_readable(uri), code=code, message=_reason(error))


def check_size(size: int, largest: int) -> None:
    """Refuse a file that is too large.

    Raises:
        DocumentError: it is.
    """
    if size > largest:
        raise DocumentError(f"The file is larger than {largest / 1_000_000:g} MB.")


class _Clock:
    """Waits until a file that was just written could not change again and look the same.

    So the first sync stores the stamp of a file however young it is, and the second one writes nothing.
    """

    def __init__(self) -> None:
        self._waited = 0.0

    def stat(self, path: Path) -> tuple[os.stat_result, bool]:
        """What the file system says of a file, and whether that changes with its content from now on."""
        status = path.stat()
        is_coarse = status.st_mtime_ns % 1_000_000_000 == status.st_ctime_ns % 1_000_000_000 == 0
        tick = _COARSE_TICK if is_coarse else _TICK
        missing = status.st_mtime + tick - time.time()
        if 0 < missing <= tick and self._waited + missing <= _MAX_TICKS * tick:  # not if its time is in the future
            time.sleep(missing)
            self._waited += missing
            status = path.stat()
        is_settled = status.st_mtime + tick <= time.time()
        return status, is_settled


def _local(path: Path, uri: str, clock: _Clock) -> TreeFile:
    """A regular file: reading a pipe would wait, and a device may have no end."""
    status, is_settled = clock.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError("It is not a regular file.")
    stamp = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}" if is_settled else ""
    return TreeFile(
        uri=uri,
        root="",
        size=status.st_size,
        stamp=stamp,
        fingerprint="",
        read=path.read_bytes,
        begin=partial(_begin, path),
    )


def _begin(path: Path, length: int) -> bytes:
    with path.open("rb") as file:
        return file.read(length)


def _blob(blob: Blob, root: str) -> TreeFile:
    if is_too_long(blob.path):
        raise DocumentError(TOO_LONG)
    # Categories and links depend on the root of the tree, so it is part of the fingerprint.
    fingerprint = f"{root}:{blob.sha}"
    return TreeFile(
        uri=blob.path, root=root, size=blob.size, stamp=fingerprint, fingerprint=fingerprint, read=blob.read,
        begin=lambda _: blob.read(),
    )  # fmt: skip


def _readable(uri: str) -> str:
    """A file name that is not valid UTF-8, or not one line, in a form that can be shown and stored."""
    text = uri.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(character if character.isprintable() else "�" for character in text)


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "The file's name is not valid UTF-8."
    return f"The file cannot be read ({error.strerror})." if isinstance(error, OSError) else str(error)
