"""Repositories that attack whoever reads them as a codebase.

Belongs here: hostile trees, contents, settings and servers of a repository that anyone may name. Not here: repositories
that lead out of a folder (`test_git_paths`), honest ones (`tests/unit/test_sources_codebase.py`). Guarantee: an attack
is stopped when nothing was run, nothing outside was read, and the rest of the repository is read or the source fails
with a message.
"""

import shutil
import struct
import subprocess
import zlib
from hashlib import sha1
from pathlib import Path

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import HeadwaterError, InvalidConfigurationError, SourceError, TooLargeError
from headwater.fetching.networks import parse_allowed
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.connector import Connector, FetchedDocument, check_config, open_connector
from headwater.sources.source_context import SourceContext
from tests.git_server import git_server, make_certificate
from tests.unit.test_sources_git import BAD_BRANCHES, ENVIRONMENT, HOSTILE_ADDRESSES, Repository

_NEEDS_OPENSSL = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with one honest file."""
    found = Repository(tmp_path / "origin")
    found.commit({"good.py": "good = 1\n"})
    return found


def opened(tmp_path: Path, git: str, **config: object) -> Connector:
    gate = UrlGuard(allowed=(parse_allowed("127.0.0.1"),))
    return open_connector("codebase", {"git": git, **config}, SourceContext(folder=tmp_path / "own", gate=gate))


def written(repository: Repository, kind: str, content: bytes) -> str:
    """Write an object as it is, valid or not."""
    command = ["git", "-C", str(repository.folder), "hash-object", "-w", "-t", kind, "--literally", "--stdin"]
    return (
        subprocess.run(command, env=ENVIRONMENT, input=content, capture_output=True, check=True).stdout.decode().strip()
    )


def tree(repository: Repository, *entries: tuple[bytes, bytes, str]) -> str:
    """Write a tree with any names."""
    return written(
        repository, "tree", b"".join(mode + b" " + name + b"\0" + bytes.fromhex(sha) for mode, name, sha in entries)
    )


def point_at(repository: Repository, sha: str) -> None:
    """Let the default branch have one commit with a tree."""
    commit = repository.git("commit-tree", sha, "-m", "hostile")
    repository.git("update-ref", "refs/heads/trunk", commit)


@pytest.mark.parametrize("field", ["branch", "tag", "commit"])
@pytest.mark.parametrize("name", ["-u", *BAD_BRANCHES])
def test_names_are_never_options(field: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No name of a branch, tag or commit reaches git as an option, a range or a second refspec (SEC-1)."""
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a program was started"))
    with pytest.raises(InvalidConfigurationError, match=field):
        check_config("codebase", {"git": "https://example.org/a", field: name})


@pytest.mark.parametrize("address", HOSTILE_ADDRESSES)
def test_addresses_are_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs, other protocols, options and credentials in an address; a secret is not repeated (SEC-1, SRC-14)."""
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a program was started"))
    with pytest.raises(InvalidConfigurationError, match="git: must") as caught:
        check_config("codebase", {"git": address})
    assert "password@" not in str(caught.value)


@pytest.mark.parametrize("place", ["plain", "file", "above"])
def test_folders_that_are_not_allowed_stay_closed(repository: Repository, tmp_path: Path, place: str) -> None:
    """A local repository outside HEADWATER_LOCAL_PATHS is refused, however its address is written (SEC-1)."""
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    forms = {"plain": str(repository.folder), "file": repository.folder.as_uri(), "above": f"{allowed}/../origin"}
    context = SourceContext(folder=tmp_path / "own", local_paths=(allowed,))
    with pytest.raises(SourceError, match="outside the folders in HEADWATER_LOCAL_PATHS"):
        list(open_connector("codebase", {"git": forms[place]}, context).fetch())


SETTINGS = (
    "core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.pager", "core.editor", "core.askPass",
    "credential.helper", "uploadpack.packObjectsHook", "filter.evil.smudge", "filter.evil.process",
    "filter.lfs.process",
    "diff.external", "diff.evil.textconv", "diff.evil.command", "protocol.ext.allow", "gpg.program", "alias.fetch",
    "alias.ls-tree", "lfs.url", "remote.origin.uploadpack", "submodule.m.update",
)  # fmt: skip


def test_settings_hooks_and_attributes_start_nothing(repository: Repository, tmp_path: Path) -> None:
    """Programs named by the repository's own settings, hooks, attributes, LFS and submodules do not run (SEC-1)."""
    ran = tmp_path / "ran"
    text = "".join(f"line_{number} = 1\n" for number in range(30))
    first = repository.commit({
        ".gitattributes": "* filter=evil diff=evil\n*.py filter=lfs\n",
        ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:1/\n",
        ".gitmodules": f'[submodule "m"]\n\tpath = m\n\turl = ext::sh -c "touch {ran}"\n',
        "old.py": text,
    })  # fmt: skip
    repository.git("mv", "old.py", "new.py")
    second = repository.commit({"new.py": f"{text}more = 1\n"})
    for name in SETTINGS:
        repository.git("config", name, f"!touch {ran}" if name == "submodule.m.update" else f"touch {ran}; true")
    for name in ("post-checkout", "post-merge", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        hook = repository.folder / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
        hook.chmod(0o755)
    branch = repository.folder / ".git" / "refs" / "heads" / "trunk"
    for commit, names in ((first, {"good.py", "old.py"}), (second, {"good.py", "new.py"})):
        branch.write_text(f"{commit}\n")
        assert {item.uri for item in opened(tmp_path, str(repository.folder)).fetch()} == names
    assert not ran.exists()


NAMES = (
    b"..", b"../../out.py", b"/etc/out.py", b".git/config.py", b"a/.GIT/x.py", b"new\nline.py", b"tab\t.py",
    b"esc\x1b[2J.py", b"bell\x07.py", b"a//b.py", b"./a.py", b"sub/../../up.py", b"line\xe2\x80\xa8end.py",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_lead_nowhere(repository: Repository, tmp_path: Path, name: bytes) -> None:
    """A tree may hold any name: it costs its file alone, and nothing is written under it (SEC-1)."""
    good = written(repository, "blob", b"good = 1\n")
    evil = written(repository, "blob", b"evil = 1\n")
    if name == b"..":
        inner = tree(repository, (b"100644", b"out.py", evil))
        point_at(repository, tree(repository, (b"40000", b"..", inner), (b"100644", b"good.py", good)))
    else:
        point_at(repository, tree(repository, (b"100644", name, evil), (b"100644", b"good.py", good)))
    found = list(opened(tmp_path, str(repository.folder)).fetch())
    assert [item.uri for item in found if isinstance(item, FetchedDocument)] == ["good.py"]
    problems = [item for item in found if isinstance(item, DocumentProblem)]
    assert all(problem.code == "UNSAFE_FILE" and "\x1b" not in problem.uri for problem in problems)
    assert not list(tmp_path.rglob("out.py"))


def test_a_name_that_is_not_utf_8_costs_its_file(repository: Repository, tmp_path: Path) -> None:
    """It is shown with a sign in its place."""
    blob = written(repository, "blob", b"x = 1\n")
    point_at(repository, tree(repository, (b"100644", b"b\xff.py", blob), (b"100644", b"good.py", blob)))
    problem, good = opened(tmp_path, str(repository.folder)).fetch()
    assert isinstance(problem, DocumentProblem)
    assert (problem.uri, problem.message) == ("b�.py", "The file's name is not valid UTF-8.")
    assert good.uri == "good.py"


def test_two_files_of_one_name_are_one_document(repository: Repository, tmp_path: Path) -> None:
    """Both are passed on under the same URI, of which a sync takes the first."""
    first, second = written(repository, "blob", b"x = 1\n"), written(repository, "blob", b"x = 2\n")
    point_at(repository, tree(repository, (b"100644", b"a.py", first), (b"100644", b"a.py", second)))
    assert [item.uri for item in opened(tmp_path, str(repository.folder)).fetch()] == ["a.py", "a.py"]


def test_links_out_of_the_tree_are_not_followed(repository: Repository, tmp_path: Path) -> None:
    """A link is its target's name, and that is not read (SEC-1)."""
    for number, target in enumerate(("/etc/passwd", "../../secret.py", ".git/config")):
        (repository.folder / f"link{number}.py").symlink_to(target)
    repository.commit({})
    assert [item.uri for item in opened(tmp_path, str(repository.folder)).fetch()] == ["good.py"]


def test_a_tree_of_trees_is_not_listed_to_its_end(repository: Repository, tmp_path: Path) -> None:
    """Twelve small trees, each of which holds the next one ten times, name a million million files (SEC-1)."""
    inner = tree(
        repository, *((b"100644", b"%d.py" % number, written(repository, "blob", b"x\n")) for number in range(10))
    )
    for _ in range(11):
        inner = tree(repository, *((b"40000", b"%d" % number, inner) for number in range(10)))
    point_at(repository, inner)
    with pytest.raises(TooLargeError, match="lists more than a million files"):
        list(opened(tmp_path, str(repository.folder)).fetch())


def test_a_few_bytes_that_are_a_large_file_stay_packed(repository: Repository, tmp_path: Path) -> None:
    """A blob of zeros is left out by its size, which is known without unpacking it (SEC-1)."""
    repository.commit({"zeros.py": "\0" * 50_000_000})
    assert [item.uri for item in opened(tmp_path, str(repository.folder)).fetch()] == ["good.py"]


def test_a_delta_that_makes_a_huge_file_is_refused(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A delta may repeat its base for ever; git stops at the bound on its memory (SEC-1)."""
    sha = delta_bomb(repository, times=500)
    point_at(repository, tree(repository, (b"100644", b"bomb.py", sha)))
    assert int(repository.git("cat-file", "-s", sha)) == 500 * 65_536
    monkeypatch.setitem(environment(), "GIT_ALLOC_LIMIT", "20m")
    with pytest.raises(SourceError, match=r"could not be fetched: .*(attempting to allocate|repository corruption)"):
        list(opened(tmp_path, str(repository.folder)).fetch())
    monkeypatch.setitem(environment(), "GIT_ALLOC_LIMIT", "600m")
    source = opened(tmp_path, str(repository.folder))
    assert list(source.fetch()) == []
    assert [line.message for line in source.skipped.lines()] == ["1 file over 10 MB."]


@_NEEDS_OPENSSL
@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_redirect_to_a_private_address_is_not_followed(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Whichever request it answers, those for single files too: nothing arrives there (SEC-1)."""
    repository.git("config", "uploadpack.allowFilter", "true")
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("GIT_SSL_CAINFO", str(certificate))
    with git_server(tmp_path, certificate) as host, git_server(tmp_path, certificate) as private:
        host.redirect, host.redirect_after = private.url, after
        with pytest.raises(HeadwaterError, match="could not be fetched"):
            list(opened(tmp_path, f"{host.url}/origin").fetch())
        assert private.authorizations == []


@_NEEDS_OPENSSL
def test_a_host_that_is_not_public_is_refused(tmp_path: Path) -> None:
    """Without a word of the operator, nothing is fetched from this machine or its network (SEC-1)."""
    for host in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "0x7f.1"):
        context = SourceContext(folder=tmp_path / "own", gate=UrlGuard())
        with pytest.raises(HeadwaterError, match="is refused"):
            list(open_connector("codebase", {"git": f"https://{host}/o/r"}, context).fetch())


def environment() -> dict[str, str]:
    """The environment of git, as the copy gives it."""
    from headwater.fetching import git_repository

    return git_repository._ENVIRONMENT


def delta_bomb(repository: Repository, times: int) -> str:
    """Pack a small blob and a delta that repeats it; returns the hash of what the delta makes."""
    base = b"x" * 65_536
    result = sha1(b"blob %d\0" % (len(base) * times), usedforsecurity=False)
    for _ in range(times):
        result.update(base)
    copy_all = b"\x80"  # offset 0, and a size of 0, which means 65,536
    delta = _size(len(base)) + _size(len(base) * times) + copy_all * times
    first = _head(3, len(base)) + zlib.compress(base)
    base_id = sha1(b"blob %d\0" % len(base) + base, usedforsecurity=False).digest()
    second = _head(7, len(delta)) + base_id + zlib.compress(delta)
    pack = b"PACK" + struct.pack(">II", 2, 2) + first + second
    pack += sha1(pack, usedforsecurity=False).digest()
    command = ["git", "-C", str(repository.folder), "index-pack", "--stdin"]
    subprocess.run(command, env=ENVIRONMENT, input=pack, capture_output=True, check=True)
    return result.hexdigest()


def _size(number: int) -> bytes:
    """A number as deltas have it: seven bits a byte, the lowest first."""
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _head(kind: int, size: int) -> bytes:
    """The type and size before an object in a pack."""
    first, rest = kind << 4 | size & 15, size >> 4
    return bytes([first | 128]) + _size(rest) if rest else bytes([first])
