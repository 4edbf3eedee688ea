"""A local, bare, shallow copy of one branch of a git repository.

Belongs here: fetching safely, listing and reading blobs. Not here: which files matter. Guarantee: only local
repositories and https addresses that the gate allows are accessed, never a helper program; git connects to the address
that the gate checked; no hook, filter or submodule runs; nothing is checked out, so a repository cannot write a file. A
copy that a killed fetch damaged is made again. Git gets a credential only through its environment: it is in no command
line, file or message.
"""

import configparser
import logging
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from headwater.errors import SourceError, TooLargeError
from headwater.fetching.credentials import Credential
from headwater.fetching.expanding import megabytes
from headwater.fetching.file_bound import file_bound
from headwater.fetching.gate import Gate
from headwater.fetching.git_reach import as_environment, reach
from headwater.fetching.local_repository import LocalRepository
from headwater.private_files import private_folder
from headwater.settings import credential_variable

if TYPE_CHECKING:
    from git import Commit, Repo

_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{))[\w./+@#=,-]{1,200}(?<![./])")
_HEAD = "refs/headwater/head"
_LARGEST = 2_000_000_000
_TIMEOUT = 600  # seconds for one fetch
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "https:file",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_LAZY_FETCH": "1",
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
}
_ARMED = (
    "config", "config.worktree", "commondir", "gitdir", "hooks", "info", "worktrees", "modules",
    "objects/info/alternates", "objects/info/http-alternates",
)  # fmt: skip
_NO_ACCESS = ("Authentication failed", "could not read Username", "error: 403", "error: 401")


@dataclass(frozen=True, kw_only=True, slots=True)
class Blob:
    """A file of a commit; `read` returns its bytes."""

    path: str
    sha: str
    size: int
    read: "partial[bytes]"


def check_url(url: str) -> str:
    """Return the address if fetching from it is allowed.

    Raises:
        ValueError: it is neither https nor a local repository, or contains credentials.
    """
    wrong = "git: must be an https:// address or a local repository"
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError(f"{wrong}: {error}") from error
    if "@" in parts.netloc:
        raise ValueError(
            "git: must contain no user name or password, because a source's address is stored and shown; "
            "name a secret in the environment with `credential`"
        )
    is_local = local_path(url) is not None
    is_https = parts.scheme == "https" and bool(parts.hostname) and not str(parts.hostname).startswith("-")
    # `helper::address` starts a program; an IPv6 address has colons too. A folder's name may contain spaces.
    is_odd = ("::" in url and not is_https) or any(ord(character) < (32 if is_local else 33) for character in url)
    if not (is_local or is_https) or is_odd:
        raise ValueError(wrong)
    return url


def local_path(url: str) -> Path | None:
    """The folder that an address names; None if it is not on this machine."""
    if url.startswith("file:///"):
        return Path(unquote(url.removeprefix("file://")))
    return Path(url) if Path(url).is_absolute() else None


def check_branch(name: str) -> str:
    """Return the name if it can be a branch name.

    Raises:
        ValueError: it cannot.
    """
    if not _BRANCH.fullmatch(name):
        raise ValueError(f"branch: {name!r} is not a valid branch name")
    return name


class GitRepository:
    """The copy in one folder."""

    def __init__(
        self,
        folder: Path,
        credential: Credential | None = None,
        *,
        allowed: Sequence[Path] = (),
        gate: Gate | None = None,
        largest: int = _LARGEST,
    ) -> None:
        self._folder = folder
        self._credential = credential
        self._allowed = allowed  # folders that a local repository may lead to; empty means any
        self._gate = Gate() if gate is None else gate
        self._largest = largest  # bytes of one fetch, compressed

    def update(self, url: str, branch: str | None) -> "Commit":
        """Fetch the newest commit of a branch, or of the default one.

        Raises:
            SourceError: the repository or branch cannot be reached, or not with this credential. FetchRefusedError: the
                gate refuses its host. TooLargeError: it is too large.
        """
        try:
            check_url(url)
            refspec = f"+{'HEAD' if branch is None else 'refs/heads/' + check_branch(branch)}:{_HEAD}"
        except ValueError as error:
            raise SourceError(str(error)) from error
        from git import GitCommandError, InvalidGitRepositoryError

        # It warns about each line of git's output that it cannot parse.
        logging.getLogger("git").setLevel(logging.ERROR)
        local = local_path(url)
        whole = LocalRepository(local, self._allowed) if local is not None and self._allowed else None
        if whole is not None:
            local = whole.folder(_ENVIRONMENT)
        address = url if local is None else local.as_uri()
        reached = reach(self._gate, url) if local is None else {}
        for is_last_try in (False, True):
            try:
                commit = self._fetch(address, refspec, local, reached)
                self._look_again(whole)
                return commit
            except (GitCommandError, InvalidGitRepositoryError, configparser.Error, ValueError, OSError) as error:
                reason = self._hidden(_reason(error))
                if local is None and any(words in reason for words in _NO_ACCESS):
                    # Do not retry: some hosts lock out clients that do. Git's message is not chained: it may contain
                    # anything.
                    raise SourceError(f"{url} could not be fetched: {reason}. {self._advice()}") from None
                is_too_large = self._is_too_large()
                # A killed fetch leaves lock files; a fresh copy is cheap, because it is shallow.
                self._remove()
                if is_too_large:
                    raise TooLargeError(f"{url} is larger than {megabytes(self._largest)}, compressed.") from None
                if is_last_try:
                    raise SourceError(f"{url} could not be fetched: {reason}") from None
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

    def _is_too_large(self) -> bool:
        """Whether the fetch was stopped because it exceeded its bound; git does not say so."""
        files = (self._folder / "objects" / "pack").glob("tmp_*")
        return any(file.stat().st_size >= self._largest for file in files)

    def _hidden(self, text: str) -> str:
        return text if self._credential is None else self._credential.hidden(text)

    def _advice(self) -> str:
        if self._credential is None:
            return "If it is private, set the source's credential."
        return f"Check {credential_variable(self._credential.name)}."

    def _fetch(self, address: str, refspec: str, local: Path | None, reached: Mapping[str, str]) -> "Commit":
        repository = self._open(local)
        remote = repository.remotes[0] if repository.remotes else repository.create_remote("origin", address)
        if next(remote.urls) != address:
            remote.set_url(address)
        with (
            file_bound(self._largest),
            repository.git.custom_environment(**self._configuration(address, local, reached)),
        ):
            remote.fetch(refspec, depth=1, no_tags=True, recurse_submodules="no", kill_after_timeout=_TIMEOUT)
        return repository.commit(_HEAD)

    def _configuration(self, address: str, local: Path | None, reached: Mapping[str, str]) -> dict[str, str]:
        """The environment of a fetch; the credential is sent only with requests for this address."""
        if local is not None and self._allowed:
            # Git must not try a folder near the one that was checked.
            return as_environment({**_CONFIG, "remote.origin.uploadpack": "git-upload-pack --strict"})
        if self._credential is None:
            return as_environment({**_CONFIG, **reached})
        return as_environment(
            {**_CONFIG, **reached, f"http.{address}.extraHeader": f"Authorization: {self._credential.basic}"}
        )

    def _open(self, local: Path | None) -> "Repo":
        from git import Git, Repo

        # Without GIT_DIR, git would look for a repository in the folders above if this one is damaged, and write there,
        # or use the repository whose hook started this process.
        environment = {**_ENVIRONMENT, **as_environment(_CONFIG), "GIT_DIR": str(self._folder.absolute())}
        if local is not None:
            environment["GIT_CONFIG_GLOBAL"] = str(self._trusting(local))
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
        (self._folder / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n", encoding="utf-8")

    def _trusting(self, local: Path) -> Path:
        """A configuration that lets git read a local repository of another user, which the source names.

        The process that serves the repository reads only this file. The allowed protocols prevent programs that the
        repository's own settings could start.
        """
        path = self._folder.with_name(f"{self._folder.name}.gitconfig")
        private_folder(path.parent)
        quoted = str(local).replace("\\", "\\\\").replace('"', '\\"')
        path.write_text(f'[safe]\n\tdirectory = "{quoted}"\n\tdirectory = "{quoted}/.git"\n', encoding="utf-8")
        return path

    def _remove(self) -> None:
        if self._folder.is_dir():
            shutil.rmtree(self._folder, ignore_errors=True)
        else:
            self._folder.unlink(missing_ok=True)

    def files(self, commit: "Commit", root: str) -> Iterator[Blob]:
        """Yield the regular files below a folder of a commit, by path; none if there is no such folder."""
        try:
            tree = commit.tree / root if root else commit.tree
        except KeyError:
            return
        if tree.type == "blob":
            return
        for item in sorted(tree.traverse(), key=lambda entry: str(entry.path)):
            if item.type == "blob" and item.mode in (0o100644, 0o100755, 0o100664):
                path = str(item.path)
                yield Blob(path=path, sha=item.hexsha, size=item.size, read=partial(_read, item))


def _read(item: "object") -> bytes:
    return bytes(item.data_stream.read())  # type: ignore[attr-defined]


def _reason(error: Exception) -> str:
    """Git's message: its first fatal line; the lines after it are general advice."""
    text = str(getattr(error, "stderr", "") or error)
    lines = [line.strip().strip("'") for line in text.splitlines() if line.strip()]
    said = [line for word in ("fatal:", "error:") for line in lines if word in line]
    return (said or lines[-1:] or [type(error).__name__])[0].removeprefix("stderr: '").removeprefix("fatal: ")
