"""Addresses of git repositories, and what a source wants of one.

Belongs here: which addresses and names of branches, tags and commits are valid. Not here: fetching (`git_repository`).
Guarantee: pure; an address with a secret is refused and not repeated; no name can be an option of git, a range, or a
second refspec.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from headwater.fetching.credentials import check_credential_name

_NAME = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{))[\w./+@#=,-]{1,200}(?<![./])")
_SSH_USER_HOST = r"(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]{0,63})@(?P<host>[A-Za-z0-9][A-Za-z0-9.-]{0,252})"
_SSH_PATH = r"(?P<path>(?!-)[A-Za-z0-9_.~+/-]{1,1000})"
_SSH_URL = re.compile(rf"ssh://{_SSH_USER_HOST}(?::(?P<port>[1-9][0-9]{{0,4}}))?/{_SSH_PATH}")
_SSH_SHORT = re.compile(rf"{_SSH_USER_HOST}:{_SSH_PATH}")
SSH_PORT = 22
_COMMIT = re.compile(r"[0-9a-f]{40}")


def check_url(url: str) -> str:
    """Return the address if fetching from it is allowed.

    Raises:
        ValueError: it is neither https, ssh nor a local repository, or contains credentials.
    """
    wrong = "git: must be an https:// or ssh address or a local repository"
    if ssh_address(url) is not None:
        return url
    try:
        url_parts = urlsplit(url)
    except ValueError as error:
        raise ValueError(f"{wrong}: {error}") from error
    if "@" in url_parts.netloc:
        raise ValueError(
            "git: must contain no user name or password, because a source's address is stored and shown; "
            "name a secret in the environment with `credential`"
        )
    is_local = local_path(url) is not None
    is_https = url_parts.scheme == "https" and bool(url_parts.hostname) and not str(url_parts.hostname).startswith("-")
    # `helper::address` starts a program; an IPv6 address has colons too. A folder's name may contain spaces.
    is_odd = ("::" in url and not is_https) or any(ord(character) < (32 if is_local else 33) for character in url)
    if not (is_local or is_https) or is_odd:
        raise ValueError(wrong)
    return url


@dataclass(frozen=True, kw_only=True, slots=True)
class SshAddress:
    """A repository that is reached over ssh."""

    user: str
    host: str
    port: int
    path: str

    @property
    def netloc(self) -> str:
        """The host, with its port unless it is the usual one."""
        return self.host if self.port == SSH_PORT else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The one form that git gets."""
        return f"ssh://{self.user}@{self.host}:{self.port}/{self.path}"


def ssh_address(url: str) -> SshAddress | None:
    """Read `ssh://git@host/path` or `git@host:path`; None for any other address. It can hold no password."""
    match = _SSH_URL.fullmatch(url) or _SSH_SHORT.fullmatch(url)
    if match is None:
        return None
    port = int(match.groupdict().get("port") or SSH_PORT)
    # In the short form, a path begins at the user's home; hosts of repositories take it from their root.
    return SshAddress(user=match["user"], host=match["host"].lower(), port=port, path=match["path"].lstrip("/"))


def credential_host(url: str) -> str:
    """The host that would get the secret of a source."""
    ssh = ssh_address(url)
    return urlsplit(url).netloc if ssh is None else ssh.netloc


def check_credential(url: str, name: str | None) -> None:
    """Check that a source names a credential where it needs one, and only where one can be sent.

    Raises:
        ValueError: it does not, or the name is not valid.
    """
    if name is None:
        if ssh_address(url) is not None:
            raise ValueError("credential: must name the key for an ssh address; or give the https:// address")
        return
    check_credential_name(name)
    if local_path(url) is not None:
        raise ValueError("credential: can only be used with an https:// or ssh address")


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
    return _check_name("branch", name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Revision:
    """The newest commit of a branch, the commit of a tag, or a commit; without any, that of the default branch."""

    branch: str | None = None
    tag: str | None = None
    commit: str | None = None

    @property
    def ref(self) -> str:
        """What git asks the server for."""
        if self.commit is not None:
            return self.commit
        if self.tag is not None:
            return f"refs/tags/{self.tag}"
        return "HEAD" if self.branch is None else f"refs/heads/{self.branch}"

    @property
    def words(self) -> str:
        """It, for people."""
        descriptions = [
            f"{kind} {name}" for kind in ("commit", "tag", "branch") if (name := getattr(self, kind)) is not None
        ]
        return descriptions[0] if descriptions else "default branch"


DEFAULT_BRANCH = Revision()


def check_revision(revision: Revision) -> Revision:
    """Return a revision if each of its names is valid.

    Raises:
        ValueError: one is not, or there are several.
    """
    if sum(name is not None for name in (revision.branch, revision.tag, revision.commit)) > 1:
        raise ValueError("branch: give only one of branch, tag and commit")
    if revision.branch is not None:
        check_branch(revision.branch)
    if revision.tag is not None:
        _check_name("tag", revision.tag)
    if revision.commit is not None and not _COMMIT.fullmatch(revision.commit):
        raise ValueError(f"commit: {revision.commit[:60]!r} is not the full name of a commit: 40 hexadecimal digits")
    return revision


def _check_name(field: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{field}: {name!r} is not a valid {field} name")
    return name
