"""The connector of kind `codebase` (SRC-5).

Belongs here: a commit's files as documents, limits, what was renamed. Not here: the lists of files (`file_filter`), git
(`headwater.fetching`). Guarantee: a repository beyond the limits is refused before its files are fetched; files that
are unchanged since the last sync are neither fetched nor read; a citation's link shows the lines at the commit at which
its version was read.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from headwater.errors import SourceError, TooLargeError, UnsafeFileError
from headwater.fetching.git_repository import GitRepository
from headwater.fetching.git_tree import FILE_MODES, LINK_MODE, SUBMODULE_MODE, Entry, GitTree, close_on_error
from headwater.fetching.git_urls import (
    Revision,
    check_credential,
    check_revision,
    check_url,
    credential_host,
    local_path,
)
from headwater.parsing.parser import File
from headwater.sources.codebase.codebase_guess import guess_codebase
from headwater.sources.codebase.document import parse_code, parser_of
from headwater.sources.codebase.file_filter import Skip, find_skip, is_safe_path, unreadable
from headwater.sources.codebase.file_urls import Web, file_address, file_form
from headwater.sources.connector import Connector, FetchedDocument, Found, SourceConfig, UnchangedDocument, located
from headwater.sources.globs import Globs, matches
from headwater.sources.guesses import Address, Guess
from headwater.sources.renames import find_renames
from headwater.sources.tree_files import TOO_LONG, is_too_long
from headwater.sources.trees import WITHIN, find_or_problem

if TYPE_CHECKING:
    from git import Commit

_MAX_FILE_BYTES = 10_000_000
_MEGABYTE = 1_000_000


class CodebaseConfig(SourceConfig):
    """Which repository, which of its files, and how much.

    `branch`, `tag` or `commit` names what is read instead of the default branch; `path` is a folder in the repository.
    `include` and `exclude` are patterns of paths below it. `web` names the program that shows a host's repositories, if
    its host is not known. More than `max_files` files, or `max_megabytes` of them, are refused.
    """

    git: str
    branch: str | None = None
    tag: str | None = None
    commit: str | None = None
    path: str = ""
    include: Globs = ()
    exclude: Globs = ()
    credential: str | None = None
    web: Web | None = None
    max_files: Annotated[int, Field(ge=1, le=200_000)] = 20_000
    max_megabytes: Annotated[int, Field(ge=1, le=2_000)] = 500

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative local repository against `base`."""
        return located(config, "git", base)

    @property
    def revision(self) -> Revision:
        """What is read of the repository."""
        return Revision(branch=self.branch, tag=self.tag, commit=self.commit)

    @property
    def root(self) -> str:
        """The folder in the repository; empty for all of it."""
        root = PurePosixPath(self.path).as_posix()
        return "" if root == "." else root

    @model_validator(mode="after")
    def _is_whole(self) -> "CodebaseConfig":
        check_url(self.git)
        check_revision(self.revision)
        check_credential(self.git, self.credential)
        if not WITHIN.fullmatch(self.path):
            raise ValueError("path: must be a folder in the repository, such as src")
        return self


class Codebase(Connector):
    """Reads the files of one commit; `skipped` counts what it leaves out."""

    kind = "codebase"
    parser_version = "codebase-1"
    Config = CodebaseConfig
    config: CodebaseConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Git repositories, on known hosts, by their ending, or here."""
        return guess_codebase(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file, by path.

        Raises:
            SourceError: the repository, revision or folder does not exist. TooLargeError: it is beyond a limit.
        """
        self._form = file_form(self.config.git, self.config.web)
        repository = self._repository()
        commit = repository.update(self.config.git, self.config.revision)
        with close_on_error(commit.repo):
            entries = self._entries(commit)
            files = self._choose_files(entries)
            commit = self._complete(repository, commit, files)
        with close_on_error(commit.repo):
            yield from self._fetch_files(repository, commit, entries, files)

    def _fetch_files(
        self, repository: GitRepository, commit: "Commit", entries: Sequence[Entry], files: Sequence[Entry]
    ) -> Iterator[Found]:
        tree = GitTree(commit)
        sizes = tree.sizes(entry.sha for entry in files)
        self._require_size(sizes[entry.sha] for entry in files if entry.sha in sizes)
        changed_files = [entry for entry in files if not self._is_known(entry)]
        gone = self.context.known.keys() - {entry.path for entry in entries}
        renames = find_renames(
            {uri: self.context.known[uri].fingerprint for uri in gone},
            {entry.path: self._fingerprint(entry) for entry in changed_files if entry.path not in self.context.known},
            lambda old, new: tree.find_renames(repository.last_read(commit), old, new),
        )
        self.total = len(files)
        for entry in files:
            if self._is_known(entry):
                yield UnchangedDocument(uri=entry.path)
                continue
            read = partial(
                self._make_item, tree, entry, sizes.get(entry.sha), commit.hexsha, renames.get(entry.path, "")
            )
            item = find_or_problem(entry.path, read)
            if item is not None:
                yield item
        if changed_files or gone:
            repository.keep_read(commit)

    def _repository(self) -> GitRepository:
        local, name = local_path(self.config.git), self.config.credential
        if local is not None:
            self.context.local(local)
        credential = None if name is None else self.context.credential(name, credential_host(self.config.git))
        folder = self.context.folder / "codebase"
        allowed = self.context.local_paths
        return GitRepository(folder, credential, allowed=allowed, gate=self.context.gate, is_partial=True)

    def _entries(self, commit: "Commit") -> list[Entry]:
        entries = GitTree(commit, self.config.root).entries()
        if self.config.root and not entries:
            raise SourceError(
                f"There is no folder {self.config.root} in {self.config.git} at {commit.hexsha[:12]}. Change `path`."
            )
        return entries

    def _choose_files(self, entries: Sequence[Entry]) -> list[Entry]:
        """The files to read, by path; everything else is counted once.

        Raises:
            TooLargeError: they are too many.
        """
        seen: set[Skip] = set()
        files = []
        for entry in entries:
            why = self._find_skip(entry)
            if why is None:
                files.append(entry)
            elif why not in seen:
                seen.add(why)
                self._skip(why)
        if len(files) > self.config.max_files:
            raise TooLargeError(
                f"{self.config.git} has {len(files):,} files to read, but max_files is {self.config.max_files:,}."
                " Nothing was read. Name a folder with `path` or patterns with `include`, or raise max_files."
            )
        return files

    def _find_skip(self, entry: Entry) -> Skip | None:
        if entry.mode == SUBMODULE_MODE:
            return "submodule", entry.path, ""
        if entry.mode == LINK_MODE:
            return "link", entry.path, ""
        path = entry.path.removeprefix(f"{self.config.root}/") if self.config.root else entry.path
        if entry.mode not in FILE_MODES or not is_safe_path(path):
            return None
        if matches(path, self.config.exclude) or (self.config.include and not matches(path, self.config.include)):
            return "unselected", entry.path, ""
        return find_skip(path)

    def _complete(self, repository: GitRepository, commit: "Commit", files: Sequence[Entry]) -> "Commit":
        """Fetch the contents of new and changed files; returns the commit in the copy that has them.

        Raises:
            TooLargeError: they are too large.
        """
        largest = self.config.max_megabytes * _MEGABYTE
        shas = [entry.sha for entry in files if not self._is_known(entry)]
        if repository.complete(commit, shas, largest=largest):
            return commit
        again = repository.update_whole(self.config.git, self.config.revision)
        if again.hexsha != commit.hexsha:
            raise SourceError(f"{self.config.git} changed while it was read. Sync again.")
        return again

    def _require_size(self, sizes: Iterator[int]) -> None:
        total = sum(size for size in sizes if size <= _MAX_FILE_BYTES)
        if total > self.config.max_megabytes * _MEGABYTE:
            raise TooLargeError(
                f"The files to read of {self.config.git} have {total / _MEGABYTE:,.1f} MB, but max_megabytes is"
                f" {self.config.max_megabytes:,}. Nothing was read. Name a folder with `path` or patterns with"
                " `include`, or raise max_megabytes."
            )

    def _is_known(self, entry: Entry) -> bool:
        known_state = self.context.known.get(entry.path)
        return known_state is not None and known_state.fingerprint == self._fingerprint(entry)

    def _fingerprint(self, entry: Entry) -> str:
        # Categories depend on the root, and links on the form.
        return f"{self._form}:{self.config.root}:{entry.sha}"

    def _make_item(self, tree: GitTree, entry: Entry, size: int | None, commit: str, before: str) -> Found | None:
        """Make a document of a file; None if its content is not for reading.

        Raises:
            DocumentError: its name cannot be used.
        """
        if entry.mode not in FILE_MODES or not is_safe_path(entry.path):
            raise UnsafeFileError("The file's name leads elsewhere, or contains a control character.")
        if is_too_long(entry.path):
            raise UnsafeFileError(TOO_LONG)
        if size is None or size > _MAX_FILE_BYTES:
            self._skip(("too_large", entry.path, f"{_MAX_FILE_BYTES // _MEGABYTE} MB"))
            return None
        content = tree.read(entry.sha)
        why = unreadable(content, entry.path)
        if why is not None:
            self._skip(why)
            return None
        parser = parser_of(content, entry.path)
        file = File(content=content, uri=entry.path, root=self.config.root)
        return FetchedDocument(
            uri=entry.path,
            fingerprint=self._fingerprint(entry),
            parse=partial(parse_code, parser, file, file_address(self._form, commit, entry.path)),
            parser_version=parser.version,
            renamed_from=before,
        )

    def _skip(self, why: Skip) -> None:
        reason, what, kind = why
        self.skipped.add(reason, [what.encode("utf-8", "surrogateescape").decode("utf-8", "replace")], kind=kind)
