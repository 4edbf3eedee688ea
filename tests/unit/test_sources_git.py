"""Markdown in git repositories.

Belongs here: real local repositories, copies that are damaged, addresses that are refused. Not here: folders, parsing.
"""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import InvalidConfigurationError, SourceError, TooLargeError
from headwater.fetching.git_repository import GitRepository
from headwater.fetching.git_urls import Revision, check_branch, check_url, local_path
from headwater.sources import markdown_tree
from headwater.sources.connector import FetchedDocument, UnchangedDocument, check_config, open_connector
from headwater.sources.source_context import SourceContext

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


class Repository:
    """A repository of the test's own: a new one, or a copy that lies there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not folder.exists():
            folder.mkdir(parents=True)
            self.git("init", "--quiet", "--initial-branch=trunk")

    def git(self, *arguments: str) -> str:
        """Run git there; returns what it says."""
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout.strip()

    def commit(self, files: dict[str, str | None]) -> str:
        """Write files, delete those of None, and commit; returns the commit."""
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--message=change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "origin")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The source's own folder."""
    return tmp_path / "own"


def fetch(
    own: Path, git: str | Path, *, allowed: tuple[Path, ...] = (), **config: str
) -> list[FetchedDocument | DocumentProblem]:
    found = open_connector("markdown_tree", {"git": str(git), **config}, SourceContext(folder=own, local_paths=allowed))
    return [item for item in found.fetch() if not isinstance(item, UnchangedDocument)]


def texts(items: list[FetchedDocument | DocumentProblem]) -> dict[str, str]:
    return {item.uri: item.parse().text for item in items if isinstance(item, FetchedDocument)}


# Repositories


def test_the_default_branch_is_read(repository: Repository, own: Path) -> None:
    """Without a branch, what the repository's HEAD names is read, by path within the repository (SRC-6)."""
    repository.commit({"README.md": "# A", "docs/b.mdx": "# B", "code.py": "pass", ".hidden/c.md": "# C"})
    assert texts(fetch(own, repository.folder)) == {"README.md": "# A", "docs/b.mdx": "# B"}


def test_a_file_address_names_the_same_repository(repository: Repository, own: Path) -> None:
    """`file://` and the plain path are two ways to say it; a name may hold spaces and signs."""
    other = Repository(repository.folder.parent / "with space & é%20")
    other.commit({"a.md": "# A"})
    assert texts(fetch(own, other.folder)) == {"a.md": "# A"}
    assert texts(fetch(own, other.folder.as_uri())) == {"a.md": "# A"}


def test_a_named_branch_is_read(repository: Repository, own: Path) -> None:
    """A branch, also one with a slash, is read instead of the default (SRC-6)."""
    repository.commit({"a.md": "trunk"})
    repository.git("switch", "--quiet", "--create", "feature/@x#1")
    repository.commit({"a.md": "feature"})
    repository.git("switch", "--quiet", "trunk")
    assert texts(fetch(own, repository.folder)) == {"a.md": "trunk"}
    assert texts(fetch(own, repository.folder, branch="feature/@x#1")) == {"a.md": "feature"}
    assert texts(fetch(own, repository.folder, branch="trunk")) == {"a.md": "trunk"}


def test_a_branch_that_is_not_there_is_a_source_error(repository: Repository, own: Path) -> None:
    """The message names the repository and the branch, and the next fetch works."""
    repository.commit({"a.md": "# A"})
    with pytest.raises(SourceError, match=r"origin could not be fetched: .*missing"):
        fetch(own, repository.folder, branch="missing")
    assert texts(fetch(own, repository.folder)) == {"a.md": "# A"}


def test_a_path_within_the_repository_is_the_root(repository: Repository, own: Path) -> None:
    """Only what is below it is read; URIs stay those of the repository, categories start at it (SRC-6)."""
    repository.commit({"README.md": "# R", "docs/a/b.md": "[c](/a/c.md) [r](../../README.md)", "docs-2/x.md": "# X"})
    (item,) = fetch(own, repository.folder, path="docs")
    assert isinstance(item, FetchedDocument)
    document = item.parse()
    assert (item.uri, document.category) == ("docs/a/b.md", "a")
    assert document.references == ("docs/a/c.md", "README.md")


def test_a_hidden_root_is_read(repository: Repository, own: Path) -> None:
    """A hidden folder is read if the source names it; hidden files below it are skipped."""
    repository.commit({".github/docs/a.md": "# A", ".github/docs/.x/b.md": "# B"})
    assert texts(fetch(own, repository.folder, path=".github/docs")) == {".github/docs/a.md": "# A"}


@pytest.mark.parametrize("path", ["missing", "docs/a.md", "docs/missing"])
def test_a_path_that_is_no_folder_is_a_source_error(repository: Repository, own: Path, path: str) -> None:
    """A mistyped folder must not make every document vanish."""
    repository.commit({"docs/a.md": "# A"})
    with pytest.raises(SourceError, match=f"no folder {path}"):
        fetch(own, repository.folder, path=path)


@pytest.mark.parametrize("path", ["/etc", "..", "docs/../..", "../x", "a\n/../.."])
def test_a_path_out_of_the_repository_is_refused(repository: Repository, path: str) -> None:
    """The folder is one within the repository (SEC-1)."""
    with pytest.raises(InvalidConfigurationError, match="path: must be a folder in the repository"):
        check_config("markdown_tree", {"git": str(repository.folder), "path": path})


def test_changes_renames_and_deletions_are_seen(repository: Repository, own: Path) -> None:
    """Every fetch shows the newest commit; a rename keeps the fingerprint (SRC-6)."""
    repository.commit({"a.md": "# A", "b.md": "# B", "c.md": "# C"})
    before = {item.uri: item for item in fetch(own, repository.folder) if isinstance(item, FetchedDocument)}
    repository.git("mv", "a.md", "moved.md")
    repository.commit({"b.md": None, "c.md": "# C again"})
    after = {item.uri: item for item in fetch(own, repository.folder) if isinstance(item, FetchedDocument)}
    assert list(after) == ["c.md", "moved.md"]
    assert after["moved.md"].fingerprint == before["a.md"].fingerprint
    assert after["c.md"].fingerprint != before["c.md"].fingerprint


def test_a_rewritten_history_is_followed(repository: Repository, own: Path) -> None:
    """A forced push is no obstacle."""
    repository.commit({"a.md": "one"})
    fetch(own, repository.folder)
    (repository.folder / "a.md").write_text("two")
    repository.git("commit", "--quiet", "--all", "--amend", "--message=other")
    assert texts(fetch(own, repository.folder)) == {"a.md": "two"}


def test_unicode_names_are_read(repository: Repository, own: Path) -> None:
    """Any valid name is a URI as it is; one that is not UTF-8 costs its file only."""
    repository.commit({"日本/ü é.md": "# A", os.fsdecode(b"caf\xe9.md"): "# B"})
    found = fetch(own, repository.folder)
    assert texts(found) == {"日本/ü é.md": "# A"}
    bad = [item for item in found if isinstance(item, DocumentProblem)]
    assert [(problem.uri, problem.message) for problem in bad] == [
        ("caf\ufffd.md", "The file's name is not valid UTF-8.")
    ]


def test_links_and_submodules_are_skipped(repository: Repository, own: Path) -> None:
    """Only regular files are documents; nothing a repository points to is fetched (SEC-1)."""
    repository.commit({"a.md": "# A", ".gitmodules": '[submodule "s.md"]\n\tpath = s.md\n\turl = ext::touch hacked\n'})
    (repository.folder / "link.md").symlink_to("/etc/passwd")
    commit = repository.git("rev-parse", "HEAD")
    repository.git("add", "link.md")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},s.md")
    repository.git("commit", "--quiet", "--message=entries")
    assert texts(fetch(own, repository.folder)) == {"a.md": "# A"}


def test_large_files_cost_themselves_only(repository: Repository, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are reported, and not read (SEC-1)."""
    monkeypatch.setattr(markdown_tree, "_SIZE_LIMIT", 10)
    repository.commit({"a.md": "# A", "b.md": "# B" + " " * 20})
    good, bad = fetch(own, repository.folder)
    assert good.uri == "a.md"
    assert isinstance(bad, DocumentProblem)
    assert "larger than" in bad.message


def test_nothing_is_checked_out_and_no_filter_runs(repository: Repository, own: Path) -> None:
    """Attributes of a repository start no program, and its files are never written to disk (SEC-1)."""
    repository.commit({".gitattributes": "* filter=evil\n", "a.md": "# A", "post-checkout": "touch hacked"})
    fetch(own, repository.folder)
    names = {path.name for path in own.rglob("*")}
    assert "a.md" not in names
    assert not any(path.suffix == ".sample" or path.name == "hacked" for path in own.rglob("*"))


def test_an_empty_repository_is_a_source_error(repository: Repository, own: Path) -> None:
    """Without a commit there is nothing to read."""
    with pytest.raises(SourceError, match="could not be fetched"):
        fetch(own, repository.folder)


def test_a_folder_that_is_no_repository_is_a_source_error(tmp_path: Path, own: Path) -> None:
    """The message says what git says."""
    (tmp_path / "plain").mkdir()
    with pytest.raises(SourceError, match=r"could not be fetched: .*not .*a git repository"):
        fetch(own, tmp_path / "plain")


def test_only_allowed_repositories_are_read(repository: Repository, own: Path) -> None:
    """HEADWATER_LOCAL_PATHS holds for repositories too, however the address is written (SEC-1)."""
    repository.commit({"a.md": "# A"})
    allowed = (repository.folder.parent / "elsewhere",)
    dotted = f"file://{allowed[0]}/%2e%2e/origin"
    for address in (str(repository.folder), repository.folder.as_uri(), f"{allowed[0]}/../origin", dotted):
        with pytest.raises(SourceError, match="HEADWATER_LOCAL_PATHS"):
            fetch(own, address, allowed=allowed)
    assert texts(fetch(own, repository.folder, allowed=(repository.folder,))) == {"a.md": "# A"}


# The copy


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to another user")
def test_a_repository_of_another_user_is_read(repository: Repository, own: Path) -> None:
    """A mounted folder has another owner than the process; the source names it, so it is trusted to be read."""
    repository.commit({"a.md": "# A"})
    for path in [repository.folder, *repository.folder.rglob("*")]:
        os.chown(path, 65_534, 65_534)
    assert list(texts(fetch(own, repository.folder))) == ["a.md"]


def test_the_copy_is_shallow_and_bare(repository: Repository, own: Path) -> None:
    """One commit of one branch is kept, without files."""
    for text in ("one", "two", "three"):
        repository.commit({"a.md": text})
    fetch(own, repository.folder)
    copy = own / "repository"
    count = subprocess.run(
        ["git", "-C", str(copy), "rev-list", "--all", "--count"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert count.stdout.strip() == "1"
    assert not (copy / ".git").exists()


@pytest.mark.parametrize(
    "damage", ["lock", "no-objects", "no-head", "empty-head", "empty-folder", "bad-config", "bad-ref", "file"]
)
def test_a_damaged_copy_is_made_anew(repository: Repository, own: Path, damage: str) -> None:
    """Whatever a killed fetch leaves behind, the next one repairs it (REL-1)."""
    repository.commit({"a.md": "one"})
    fetch(own, repository.folder)
    repository.commit({"a.md": "two"})
    copy = own / "repository"
    if damage == "lock":
        (copy / "shallow.lock").touch()
    elif damage == "no-objects":
        shutil.rmtree(copy / "objects")
    elif damage == "no-head":
        (copy / "HEAD").unlink()
    elif damage == "empty-head":
        (copy / "HEAD").write_text("")
    elif damage == "bad-config":
        (copy / "config").write_text("[core\nrepositoryformatversion")
    elif damage == "bad-ref":
        (copy / "refs" / "headwater" / "head").write_text("nonsense\n")
    else:
        shutil.rmtree(copy)
        copy.touch() if damage == "file" else copy.mkdir()
    assert texts(fetch(own, repository.folder)) == {"a.md": "two"}


def test_a_damaged_copy_never_touches_a_repository_around_it(repository: Repository) -> None:
    """A home within a project leaves the project's own repository alone, even when the copy is not recognised."""
    repository.commit({"a.md": "one"})
    project = Repository(repository.folder.parent / "project")
    project.commit({"p.md": "mine"})
    own = project.folder / ".headwater" / "sources" / "1"
    fetch(own, repository.folder)
    (own / "repository" / "HEAD").write_text("")
    before = (project.folder / ".git" / "config").read_text(), project.git("for-each-ref")
    assert texts(fetch(own, repository.folder)) == {"a.md": "one"}
    assert ((project.folder / ".git" / "config").read_text(), project.git("for-each-ref")) == before


def test_another_address_is_fetched_from_into_the_same_copy(repository: Repository, own: Path) -> None:
    """A source whose repository was changed shows the new one's files only."""
    repository.commit({"a.md": "old"})
    other = Repository(repository.folder.parent / "other")
    other.commit({"b.md": "new"})
    assert texts(fetch(own, repository.folder)) == {"a.md": "old"}
    assert texts(fetch(own, other.folder)) == {"b.md": "new"}


def test_the_callers_git_environment_does_not_count(
    repository: Repository, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sync started from a git hook reads the source's copy, not the hook's repository."""
    repository.commit({"a.md": "# A"})
    project = Repository(repository.folder.parent / "project")
    monkeypatch.setenv("GIT_DIR", str(project.folder / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(project.folder / ".git" / "index"))
    assert texts(fetch(own, repository.folder)) == {"a.md": "# A"}
    assert project.git("for-each-ref") == ""


# Addresses and branches


def test_a_repository_that_is_too_large_is_not_fetched(repository: Repository, own: Path) -> None:
    """Git is stopped while it writes; the copy is removed, and the next fetch works (SEC-1)."""
    (repository.folder / "a.bin").write_bytes(os.urandom(300_000))
    repository.commit({"a.md": "# A"})
    with pytest.raises(TooLargeError, match=r"larger than 200,000 bytes"):
        GitRepository(own, largest=200_000).update(str(repository.folder))
    assert not own.exists()
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 200_000
    assert GitRepository(own, largest=400_000).update(str(repository.folder))


HOSTILE_ADDRESSES = [
    "ext::sh -c 'touch hacked'",
    "ext::sh%20-c%20touch%20hacked",
    "fd::17/foo",
    "ssh://-oProxyCommand=touch%20hacked/x",
    "ssh://-oProxyCommand=x@example.org/a.git",
    "ssh://git@-oProxyCommand=x/a.git",
    "ssh://git@example.org/-oProxyCommand=x",
    "ssh://git:password@example.org/a.git",
    "ssh://git@example.org/a;touch hacked",
    "ssh://git@example.org:22x/a.git",
    "-oProxyCommand=x@example.org:a.git",
    "git@-oProxyCommand=x:a.git",
    "git@example.org:-oProxyCommand=x",
    "git@example.org:$(touch hacked)",
    "git@example.org::a",
    "git://example.org/a.git",
    "http://example.org/a.git",
    "ftp://example.org/a.git",
    "--upload-pack=touch hacked",
    "-u",
    "https://user:password@example.org/a.git",
    "https://token@example.org/a.git",
    "https://@example.org/a.git",
    "https://",
    "https:///a.git",
    "https://-oProxyCommand=x/a.git",
    "https://example.org/a.git\n--upload-pack=x",
    "https://example.org/a b.git",
    "https://[broken/a.git",
    "file://example.org/share/a.git",
    "file:/etc/a.git",
    "FILE:///etc/a.git",
    "file:relative",
    "relative/path",
    "/folder\n--upload-pack=x",
    "/ext::sh",
    "",
]


@pytest.mark.attacks
@pytest.mark.parametrize("address", HOSTILE_ADDRESSES)
def test_hostile_addresses_are_refused(address: str, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only https and local repositories pass, without credentials; nothing is started for any other (SEC-1)."""
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a program was started"))
    with pytest.raises(InvalidConfigurationError, match="git: must"):
        check_config("markdown_tree", {"git": address})
    with pytest.raises(SourceError, match="git: must"):
        GitRepository(own).update(address)
    assert not own.exists()


def test_a_password_is_not_repeated() -> None:
    """The message that refuses an address with credentials does not show them (SEC-1)."""
    with pytest.raises(ValueError, match="password") as caught:
        check_url("https://user:hunter2@example.org/a.git")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("https://example.org/a/b.git", None),
        ("https://example.org:8443/a", None),
        ("/srv/git/a.git", "/srv/git/a.git"),
        ("/srv/my docs", "/srv/my docs"),
        ("file:///srv/my%20docs", "/srv/my docs"),
    ],
)
def test_good_addresses_pass(address: str, local: str | None) -> None:
    """They are returned as they are, and local ones name their folder."""
    assert check_url(address) == address
    assert local_path(address) == (None if local is None else Path(local))


BAD_BRANCHES = [
    "-b",
    "--upload-pack=touch hacked",
    ".x",
    "a..b",
    "a//b",
    "a@{1}",
    "a b",
    "a:b",
    "a~1",
    "a^",
    "a?",
    "a*",
    "a[",
    "a\\b",
]


@pytest.mark.parametrize("branch", [*BAD_BRANCHES, "", "/a", "a/", "a.", "main\n", "a\x00b", "x" * 201, "a;b", "$(x)"])
def test_what_cannot_be_a_branch_is_refused(
    branch: str, repository: Repository, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A branch is never an option, a range or a second refspec (SEC-1)."""
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a program was started"))
    with pytest.raises(InvalidConfigurationError, match=r"branch: .* is not a valid branch name"):
        check_config("markdown_tree", {"git": str(repository.folder), "branch": branch})
    with pytest.raises(SourceError, match="is not a valid branch name"):
        GitRepository(own).update(str(repository.folder), Revision(branch=branch))


@pytest.mark.parametrize(
    "branch", ["main", "feature/x", "release-1.2", "ü", "a_b", "dependabot/npm/@types/node-1", "fix#12"]
)
def test_branch_names_pass(branch: str) -> None:
    """Ordinary names are returned as they are."""
    assert check_branch(branch) == branch
