"""Repositories over ssh (SRC-5, SRC-14).

Belongs here: what git hands to ssh, for a private repository and for hosts that are refused. Not here: addresses that
are no repository (`unit/test_sources_git`). Guarantee: a program in the place of ssh is given what ssh would be given,
and speaks git's protocol.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from headwater.domain.places import PlaceKind
from headwater.errors import HeadwaterError, SourceError
from headwater.fetching.networks import parse_allowed
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.connector import FetchedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.unit.test_sources_git import Repository

_SSH = """#!{python}
import json, os, subprocess, sys
seen = {{"words": sys.argv[1:], "agent": os.environ.get("SSH_AUTH_SOCK", "")}}
open({log!r}, "w").write(json.dumps(seen))
if {refusal!r}:
    sys.exit({refusal!r})
sys.exit(subprocess.call(["sh", "-c", sys.argv[-1]], env={{"PATH": os.environ["PATH"]}}))
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with a file."""
    found = Repository(tmp_path / "origin")
    found.commit({"a.py": "a = 1\n"})
    return found


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a key, and the credential that names it."""
    path = tmp_path / "key"
    path.write_text("a private key")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DEPLOY", str(path))
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DEPLOY_HOST", "127.0.0.1:2222")
    return path


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: str = "") -> Path:
    """Put a program in the place of ssh; returns the file that says what it was given."""
    log, folder = tmp_path / "seen.json", tmp_path / "bin"
    folder.mkdir()
    (folder / "ssh").write_text(_SSH.format(python=sys.executable, log=str(log), refusal=refusal))
    (folder / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return log


def fetch(tmp_path: Path, git: str, *, allowed: str = "127.0.0.1:2222", proxy: str = "") -> list[FetchedDocument]:
    gate = UrlGuard(allowed=(parse_allowed(allowed),), proxy=proxy)
    context = SourceContext(folder=tmp_path / "own", gate=gate)
    found = open_connector("codebase", {"git": git, "credential": "deploy"}, context).fetch()
    return [item for item in found if isinstance(item, FetchedDocument)]


def test_ssh_gets_one_key_and_a_checked_address(
    repository: Repository, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks for the host's recorded key, and knows no agent, no other key and no configuration (SRC-14, SEC-1)."""
    monkeypatch.setenv("GIT_SSH_COMMAND", "false")
    monkeypatch.setenv("GIT_SSH", "false")
    seen = stand_in(tmp_path, monkeypatch)
    (found,) = fetch(tmp_path, f"ssh://git@127.0.0.1:2222{repository.folder}")
    document = found.parse()
    assert (document.uri, document.text) == ("a.py", "a = 1\n")
    assert document.places is not None
    assert document.places.kind == PlaceKind.LINE
    words = json.loads(seen.read_text())["words"]
    assert words[:2] == ["-F", "/dev/null"]
    for option in (
        "StrictHostKeyChecking=yes", "BatchMode=yes", "IdentitiesOnly=yes", "IdentityAgent=none", "ProxyCommand=none",
        "HostName=127.0.0.1", "HostKeyAlias=[127.0.0.1]:2222", f"IdentityFile={key}", "PermitLocalCommand=no",
    ):  # fmt: skip
        assert f"-o{option}" in words
    assert words[-2] == "git@127.0.0.1"
    kept = [path.read_bytes() for path in (tmp_path / "own").rglob("*") if path.is_file()]
    assert not any(str(key).encode() in content for content in kept)


@pytest.mark.parametrize(
    ("git", "allowed", "proxy", "message"),
    [
        ("git@10.0.0.1:o/r.git", "10.0.0.2", "", "not for 10.0.0.1"),
        ("ssh://git@127.0.0.1:2222/o/r", "10.0.0.2", "", "is not public"),
        ("ssh://git@127.0.0.1:2222/o/r", "10.0.0.2", "http://proxy.example.com:3128", "is not public"),
    ],
)
def test_hosts_are_refused_before_ssh_starts(
    key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: str, allowed: str, proxy: str, message: str
) -> None:
    """The gate and the credential's host decide, as for https (SEC-1)."""
    seen = stand_in(tmp_path, monkeypatch)
    with pytest.raises(HeadwaterError, match=message):
        fetch(tmp_path, git, allowed=allowed, proxy=proxy)
    assert not seen.exists()


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        (
            "git@127.0.0.1: Permission denied (publickey).",
            "Permission denied .*Check the key that HEADWATER_CREDENTIAL",
        ),
        ("Host key verification failed.", "Host key verification failed.*and known_hosts"),
    ],
)
def test_what_ssh_says_is_passed_on(
    key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: str, message: str
) -> None:
    """A wrong key and an unknown host name what to check, and not the key's file."""
    stand_in(tmp_path, monkeypatch, refusal)
    with pytest.raises(SourceError, match=message) as caught:
        fetch(tmp_path, "ssh://git@127.0.0.1:2222/o/r")
    assert str(key) not in str(caught.value)


def test_a_credential_that_is_no_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token cannot be used over ssh; it is not repeated."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DEPLOY", "ghp_token")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DEPLOY_HOST", "127.0.0.1:2222")
    with pytest.raises(SourceError, match="must be the absolute path of a private key's file") as caught:
        fetch(tmp_path, "ssh://git@127.0.0.1:2222/o/r")
    assert "ghp_token" not in str(caught.value)
