"""Repositories of code on their way through syncs (SRC-5).

Belongs here: what syncs write for a commit's changes, links, renamed documents, servers that send a part or all. Not
here: which files are read (`tests/unit/test_sources_codebase.py`), attacks (`tests/probe/test_codebases.py`).
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.fetching.networks import parse_allowed
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.connector import FetchedDocument, open_connector
from headwater.sources.source_context import SourceContext
from headwater.syncing.identities import Identities
from tests.git_server import GitServer, git_server, make_certificate
from tests.support import Headwater
from tests.unit.test_sources_codebase import kinds
from tests.unit.test_sources_git import ENVIRONMENT, Repository

FILES, COMMITS = 350, 30
_NEEDS_OPENSSL = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")
_LINE = re.compile(r"(?P<commit>[0-9a-f]{12}):(?P<path>.+):(?P<line>\d+)")


def module(number: int, round_number: int) -> str:
    """A file with two functions."""
    return (
        f'"""Module {number}."""\n\n\ndef lift_{number}(water):\n    """Lift the water of pump {number}."""\n'
        f"    return water * {round_number}\n\n\ndef drain_{number}(water):\n    return water - {number}\n"
    )


def generate(repository: Repository) -> None:
    """Write the files over some commits; each commit also changes ten of those before."""
    lines: list[bytes] = []
    for commit in range(COMMITS):
        here = range(commit * FILES // COMMITS, (commit + 1) * FILES // COMMITS)
        touched = [*here, *(number for number in range(here.start) if number % COMMITS == commit)][: len(here) + 10]
        lines.append(b"commit refs/heads/trunk\ncommitter t <t@e> %d +0000\ndata 1\nc\n" % (1_700_000_000 + commit))
        for number in touched:
            text = module(number, commit).encode()
            lines.append(b"M 100644 inline pkg%d/mod%d.py\ndata %d\n%s\n" % (number % 7, number, len(text), text))
    command = ["git", "-C", str(repository.folder), "fast-import", "--quiet"]
    subprocess.run(command, env=ENVIRONMENT, input=b"".join(lines), check=True)
    repository.git("reset", "--quiet", "--hard")


def codebase(headwater: Callable[..., Headwater], repository: Repository, **config: object) -> Headwater:
    """A knowledge base whose only source reads a repository."""
    kb = headwater()
    found = {"git": str(repository.folder), **config}
    kb.store.sources.update(kb.source(), kind="codebase", config=found, settings=SourceSettings())
    return kb


def test_a_commit_touches_what_it_changed(headwater: Callable[..., Headwater], tmp_path: Path) -> None:
    """Of 350 files, an edit, a rename and a deletion touch three documents, and links show the lines (SRC-5, DOC-1)."""
    repository = Repository(tmp_path / "origin")
    generate(repository)
    first = repository.git("rev-parse", "HEAD")
    assert repository.git("rev-list", "--count", "HEAD") == str(COMMITS)
    kb = codebase(headwater, repository)
    assert kb.sync()["docs"].added == FILES
    before = kb.content()
    assert kb.sync()["docs"].unchanged == FILES
    assert kb.content() == before

    repository.git("mv", "pkg1/mod8.py", "pkg2/moved.py")
    edited = "# A new first line.\n" + module(15, 1)
    second = repository.commit(
        {"pkg1/mod15.py": edited, "pkg2/mod9.py": None, "pkg2/moved.py": module(8, 0) + "\n# x\n"}
    )
    done = kb.sync()["docs"]
    assert (done.added, done.changed, done.removed, done.unchanged) == (0, 2, 1, FILES - 3)
    touched = "SELECT id FROM document_versions WHERE sequence > 1 ORDER BY id"
    assert len(kb.query(touched)) == 2

    (renamed,) = kb.query("SELECT id, uri FROM documents WHERE uri = 'pkg2/moved.py'")
    versions = kb.query("SELECT title FROM document_versions WHERE document_id = %s ORDER BY sequence", renamed["id"])
    assert [version["title"] for version in versions] == ["pkg1/mod8.py", "pkg2/moved.py"]
    for name, path, commit in (
        ("drain_15", "pkg1/mod15.py", second),
        ("lift_8", "pkg2/moved.py", second),
        ("drain_300", "pkg6/mod300.py", first),
    ):
        shown(kb, repository, name, path, commit)
    assert not [passage for passage in kb.search("drain_9", top_k=5) if passage.uri == "pkg2/mod9.py"]


def shown(kb: Headwater, repository: Repository, name: str, path: str, commit: str) -> None:
    """Check that a function is the first hit, and that its link names its lines at a commit."""
    passage = kb.search(name, top_k=3)[0]
    assert passage.uri == path
    place = passage.place
    found = _LINE.fullmatch(link_to(passage.uri, place) or "")
    assert found is not None
    assert place is not None
    assert (found["commit"], found["path"]) == (commit[:12], path)
    lines = repository.git("show", f"{found['commit']}:{path}").split("\n")
    cited = lines[int(place.first) - 1 : int(place.last)]
    assert int(found["line"]) == place.first
    assert "\n".join(cited).strip() == passage.text.strip()


def test_a_file_that_takes_the_old_name_is_another_document(
    headwater: Callable[..., Headwater], tmp_path: Path
) -> None:
    """After a rename, a new file of the old name has its own history; a rename back joins neither."""
    repository = Repository(tmp_path / "origin")
    repository.commit({"a.py": module(1, 1), "z.py": module(2, 2)})
    kb = codebase(headwater, repository)
    kb.sync()
    documents = "SELECT uri, id FROM documents WHERE removed_at IS NULL ORDER BY uri"
    old = {row["uri"]: row["id"] for row in kb.query(documents)}
    repository.git("mv", "a.py", "b.py")
    repository.commit({})
    assert kb.sync()["docs"].changed == 1
    repository.commit({"a.py": module(3, 3)})
    assert kb.sync()["docs"].added == 1
    new = {row["uri"]: row["id"] for row in kb.query(documents)}
    assert (new["b.py"], new["z.py"]) == (old["a.py"], old["z.py"])
    assert new["a.py"] not in old.values()
    repository.git("rm", "--quiet", "a.py")
    repository.git("mv", "b.py", "a.py")
    repository.commit({})
    done = kb.sync()["docs"]
    assert (done.changed, done.removed) == (1, 1)
    assert {row["uri"]: row["id"] for row in kb.query(documents)} == {"a.py": new["a.py"], "z.py": new["z.py"]}
    before = kb.content()
    kb.sync()
    assert kb.content() == before


def test_a_rename_that_cannot_be_is_none() -> None:
    """A connector that is wrong about a rename never makes two documents one."""
    identities = Identities(1, {})
    first, second = identities.new_id("a.py"), identities.new_id("a.py")
    assert first != second
    item = FetchedDocument(uri="b.py", fingerprint="1", parse=lambda: pytest.fail("read"), renamed_from="never.py")
    assert identities.old(item, set()) is None


def test_a_commit_that_cannot_be_reached_keeps_the_documents(
    headwater: Callable[..., Headwater], tmp_path: Path
) -> None:
    """A deleted branch fails the source with a message, and search finds what it found."""
    repository = Repository(tmp_path / "origin")
    repository.commit({"a.py": module(1, 1)})
    repository.git("branch", "work")
    kb = codebase(headwater, repository, branch="work")
    kb.sync()
    repository.git("branch", "--delete", "--force", "work")
    assert "has no branch work (any more)" in (kb.sync()["docs"].errors[0].message)
    assert [passage.uri for passage in kb.search("lift_1")] == ["a.py"]


# Servers


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitServer]:
    """A host with one repository, `origin`, that has a file to read and one that is not for reading."""
    repository = Repository(tmp_path / "host" / "origin")
    repository.commit({"a.py": "a = 1\n", "data.bin": "x" * 1_000})
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("GIT_SSL_CAINFO", str(certificate))
    with git_server(tmp_path / "host", certificate) as server:
        yield server


@_NEEDS_OPENSSL
@pytest.mark.parametrize(("can_filter", "is_old", "blobs"), [(True, False, 1), (True, True, 2), (False, False, 2)])
def test_a_server_sends_as_little_as_it_can(
    host: GitServer, tmp_path: Path, can_filter: bool, is_old: bool, blobs: int
) -> None:
    """One that sends files by name sends only those; one that cannot sends the commit, and its files are the same."""
    Repository.git(_at(host.folder / "origin"), "config", "uploadpack.allowFilter", str(can_filter).lower())
    host.is_old = is_old
    context = SourceContext(folder=tmp_path / "own", gate=UrlGuard(allowed=(parse_allowed("127.0.0.1"),)))
    found = list(open_connector("codebase", {"git": f"{host.url}/origin"}, context).fetch())
    assert [item.uri for item in found] == ["a.py"]
    assert kinds(tmp_path / "own") == {"commit": 1, "tree": 1, "blob": blobs}


def _at(folder: Path) -> Repository:
    """A repository that is there."""
    found = Repository.__new__(Repository)
    found.folder = folder
    return found
