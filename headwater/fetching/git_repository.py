"""A local, bare, shallow copy of one commit of a git repository.

Belongs here: fetching safely. Not here: listing and reading (`git_tree`), which files matter. Guarantee: only local
repositories and addresses that the gate allows are accessed, over https or ssh; git connects to the address that the
gate checked; no hook, filter or submodule runs; nothing is checked out, so a repository cannot write a file. A
copy that a killed fetch damaged is made again. Git gets a credential only through its environment: it is in no command
line, file or message.

A partial copy has the commit and its trees, and the contents of those files alone that `complete` was asked for. A
server that cannot send a part sends all files of the commit.
"""

import configparser
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import SourceError, TooLargeError
from headwater.fetching.credentials import Credential
from headwater.fetching.decompression import megabytes
from headwater.fetching.file_size_limit import file_bound
from headwater.fetching.git_errors import NO_ACCESS, explain_error, reason_of
from headwater.fetching.git_transport import as_environment, reach, ssh_environment
from headwater.fetching.git_tree import GitTree, close_on_error
from headwater.fetching.git_urls import (
    DEFAULT_BRANCH,
    Revision,
    check_revision,
    check_url,
    local_path,
    ssh_address,
)
from headwater.fetching.local_repository import LocalRepository
from headwater.fetching.url_guard import UrlGuard
from headwater.private_files import private_folder
from headwater.settings import credential_variable

if TYPE_CHECKING:
    from git import Commit, Repo

_HEAD = "refs/headwater/head"
_READ = "refs/headwater/read"  # the tree that was read last
_MAX_BYTES = 2_000_000_000
_FETCH = ("--no-tags", "--no-write-fetch-head", "--recurse-submodules=no")
_TIMEOUT = 600  # seconds for one fetch
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "https:file",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOC_LIMIT": "600m",  # of one allocation: a few bytes may describe an object of any size
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TRACE_REDACT": "1",
    "NO_PROXY": "",
    "no_proxy": "",
    "LC_ALL": "C",
}
_CONFIG = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "http.followRedirects": "false",  # nor alternates on another host, which would get the credential
    "http.lowSpeedLimit": "1000",  # bytes a second; slower than this for `lowSpeedTime` seconds, a fetch ends
    "http.lowSpeedTime": "30",
    "http.proxy": "",  # none, whatever the environment says
    "transfer.bundleURI": "false",
    "fetch.unpackLimit": "1",  # one file per fetch, whose size is bounded
    "core.bigFileThreshold": "32m",  # larger files are never held in memory as a whole
}
_NO_CLEANING = {"gc.auto": "0", "maintenance.auto": "false"}  # it would need the contents that are not here
_PARTIAL = {
    "remote.origin.promisor": "true",
    "remote.origin.partialclonefilter": "blob:none",
    "fetch.negotiationAlgorithm": "noop",  # contents are asked for by name
}
_MAX_PACKS = 80  # files of a partial copy: each fetch adds one or two
_ARMED = (
    "config", "config.worktree", "commondir", "gitdir", "hooks", "info", "worktrees", "modules",
    "objects/info/alternates", "objects/info/http-alternates",
)  # fmt: skip


class GitRepository:
    """The copy in one folder."""

    def __init__(
        self,
        folder: Path,
        credential: Credential | None = None,
        *,
        allowed: Sequence[Path] = (),
        gate: UrlGuard | None = None,
        largest: int = _MAX_BYTES,
        is_partial: bool = False,
    ) -> None:
        self._folder = folder
        self._credential = credential
        self._allowed = allowed  # folders that a local repository may lead to; empty means any
        self._gate = UrlGuard() if gate is None else gate
        self._largest = largest  # bytes of one fetch, compressed
        self._is_partial = is_partial
        self._own: Mapping[str, str] = {}  # how ssh is run, for an address of ssh
        self._reached: tuple[str, Path | None, Mapping[str, str]] = ("", None, {})  # by the last fetch

    def update(self, url: str, revision: Revision = DEFAULT_BRANCH) -> "Commit":
        """Fetch a commit, without its history.

        Raises:
            SourceError: the repository or revision cannot be reached, or not with this credential. FetchRefusedError:
                the gate refuses its host. TooLargeError: it is too large.
        """
        try:
            check_url(url)
            check_revision(revision)
        except ValueError as error:
            raise SourceError(str(error)) from error
        from git import GitCommandError, InvalidGitRepositoryError

        local = local_path(url)
        local_repository = LocalRepository(local, self._allowed) if local is not None and self._allowed else None
        if local_repository is not None:
            local = local_repository.folder(_ENVIRONMENT)
        ssh = ssh_address(url)
        address = local.as_uri() if local is not None else url if ssh is None else ssh.url
        reached = reach(self._gate, url) if local is None and ssh is None else {}
        self._own = {} if ssh is None else ssh_environment(self._gate, ssh, self._credential)
        for is_last_try in (False, True):
            try:
                commit = self._fetch(address, revision, local, reached)
                with close_on_error(commit.repo):
                    self._look_again(local_repository)
                self._reached = (address, local, reached)
                return commit
            except (GitCommandError, InvalidGitRepositoryError, configparser.Error, ValueError, OSError) as error:
                reason = self._redact(reason_of(error))
                if local is None and any(words in reason for words in NO_ACCESS):
                    # Do not retry: some hosts lock out clients that do. Git's message is not chained: it may contain
                    # anything.
                    raise SourceError(f"{url} could not be fetched: {reason}. {self._advice()}") from None
                is_too_large = self._is_too_large(self._largest)
                # A killed fetch leaves lock files; a fresh copy is cheap, because it is shallow.
                self._remove()
                if is_too_large:
                    raise TooLargeError(f"{url} is larger than {megabytes(self._largest)}, compressed.") from None
                if is_last_try:
                    raise SourceError(f"{url} could not be fetched: {explain_error(reason, revision)}") from None
        raise AssertionError("the loop returns or raises")

    def _look_again(self, whole: LocalRepository | None) -> None:
        """Refuse the fetched data if the repository has meanwhile changed to lead elsewhere.

        Raises:
            SourceError: it has; the copy is removed.
        """
        try:
            _ = whole is None or whole.folder(_ENVIRONMENT)
        except SourceError:
            self._remove()
            raise

    def _is_too_large(self, largest: int) -> bool:
        """Whether the fetch was stopped because it exceeded its bound; git does not say so."""
        files = (self._folder / "objects" / "pack").glob("tmp_*")
        return any(file.stat().st_size >= largest for file in files)

    def _redact(self, text: str) -> str:
        return text if self._credential is None else self._credential.hidden(text)

    def _advice(self) -> str:
        if self._credential is None:
            return "If it is private, set the source's credential."
        if self._own:
            return f"Check the key that {credential_variable(self._credential.name)} names, and known_hosts."
        return f"Check {credential_variable(self._credential.name)}."

    def _fetch(self, address: str, revision: Revision, local: Path | None, reached: Mapping[str, str]) -> "Commit":
        repository = self._open(local)
        with close_on_error(repository):
            remote = repository.remotes[0] if repository.remotes else repository.create_remote("origin", address)
            if next(remote.urls) != address:
                remote.set_url(address)
            options = [*_FETCH, "--depth=1", *(["--filter=blob:none"] if self._is_partial else [])]
            settings = self._configuration(address, local, reached)
            with self._limit_git(repository, settings, self._largest):
                repository.git.fetch(*options, "--", "origin", f"+{revision.ref}:{_HEAD}", kill_after_timeout=_TIMEOUT)
            self._write_config()  # so that no later command fetches what a partial copy lacks
            return repository.commit(_HEAD)

    def update_whole(self, url: str, revision: Revision = DEFAULT_BRANCH) -> "Commit":
        """Fetch a commit with all its files, as `update` does for a copy that is not partial."""
        self._remove()
        self._is_partial = False
        return self.update(url, revision)

    def complete(self, commit: "Commit", shas: Iterable[str], *, largest: int) -> bool:
        """Fetch the contents of files that the copy lacks.

        Args:
            commit: the result of `update`.
            shas: the hashes of the contents.
            largest: how many bytes the fetch may take, compressed.

        Returns:
            Whether they are all there now; a server may refuse to send them by name.

        Raises:
            TooLargeError: they are too large.
        """
        from git import GitCommandError

        tree, wanted_shas = GitTree(commit), set(shas)
        missing = wanted_shas and wanted_shas - tree.sizes(wanted_shas).keys()
        if not missing:
            return True
        address, local, reached = self._reached
        settings = self._configuration(address, local, {**reached, **_PARTIAL, "remote.origin.url": address})
        with tempfile.TemporaryFile() as names, self._limit_git(commit.repo, settings, largest):
            names.write("".join(f"{sha}\n" for sha in sorted(missing)).encode())
            names.seek(0)
            try:
                options = [*_FETCH, "--filter=blob:none", "--stdin"]
                commit.repo.git.fetch(*options, "--", "origin", istream=names, kill_after_timeout=_TIMEOUT)
            except GitCommandError:
                if self._is_too_large(largest):
                    self._remove()
                    raise TooLargeError(f"The files to read are larger than {megabytes(largest)}.") from None
                return False
            finally:
                self._write_config()
        return not missing - tree.sizes(missing).keys()

    def last_read(self, commit: "Commit") -> str | None:
        """The tree that `keep_read` recorded last, None without one."""
        sha = commit.repo.git.for_each_ref(_READ, format="%(objectname)")
        return str(sha) or None

    def keep_read(self, commit: "Commit") -> None:
        """Record that a commit's files were read, so that the next sync can tell what was renamed since."""
        commit.repo.git.update_ref(_READ, commit.tree.hexsha)

    def _limit_git(
        self, repository: "Repo", settings: Mapping[str, str], largest: int
    ) -> AbstractContextManager[ExitStack]:
        """A block in which git has these settings, and writes no larger file."""
        with ExitStack() as stack:
            stack.enter_context(file_bound(largest))
            stack.enter_context(repository.git.custom_environment(**settings))
            return stack.pop_all()

    def _configuration(self, address: str, local: Path | None, reached: Mapping[str, str]) -> dict[str, str]:
        """The environment of a fetch; the credential is sent only with requests for this address."""
        settings = {**_CONFIG, **(_NO_CLEANING if self._is_partial else {}), **reached}
        if local is not None and self._allowed:
            # Git must not try a folder near the one that was checked.
            settings["remote.origin.uploadpack"] = "git-upload-pack --strict"
        elif self._credential is not None and not self._own:
            settings[f"http.{address}.extraHeader"] = f"Authorization: {self._credential.basic}"
        return {**as_environment(settings), **self._own}

    def _open(self, local: Path | None) -> "Repo":
        from git import Git, Repo

        # Without GIT_DIR, git would look for a repository in the folders above if this one is damaged, and write there,
        # or use the repository whose hook started this process.
        environment = {**_ENVIRONMENT, **as_environment(_CONFIG), "GIT_DIR": str(self._folder.absolute())}
        if self._is_partial and len(list((self._folder / "objects" / "pack").glob("*.pack"))) > _MAX_PACKS:
            self._remove()  # a fresh one needs the trees and what has changed, and no more
        if local is not None:
            environment["GIT_CONFIG_GLOBAL"] = str(self._write_trust_config(local))
        if not self._folder.exists():
            private_folder(self._folder)
            git = Git(str(self._folder))
            git.update_environment(**environment)
            git.init("--bare", "--quiet", "--template=")
        self._disarm()
        repository = Repo(self._folder)
        repository.git.update_environment(**environment)
        return repository

    def _disarm(self) -> None:
        """Remove everything from our copy that could make git run or read something else; it may come from a backup."""
        for name in _ARMED:
            path = self._folder / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        self._write_config()

    def _write_config(self) -> None:
        (self._folder / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n", encoding="utf-8")

    def _write_trust_config(self, local: Path) -> Path:
        """A configuration that lets git read a local repository of another user, which the source names.

        The process that serves the repository reads only this file. The allowed protocols prevent programs that the
        repository's own settings could start.
        """
        path = self._folder.with_name(f"{self._folder.name}.gitconfig")
        private_folder(path.parent)
        quoted = str(local).replace("\\", "\\\\").replace('"', '\\"')
        text = f'[safe]\n\tdirectory = "{quoted}"\n\tdirectory = "{quoted}/.git"\n'
        # It may send a part of its files, and files by name.
        path.write_text(f"{text}[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n", encoding="utf-8")
        return path

    def _remove(self) -> None:
        if self._folder.is_dir():
            shutil.rmtree(self._folder, ignore_errors=True)
        else:
            self._folder.unlink(missing_ok=True)
