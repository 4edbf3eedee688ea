"""Local git repositories that lead out of HEADWATER_LOCAL_PATHS, or would run something.

Belongs here: what a user who may write to an allowed folder puts there. Not here: honest repositories and addresses
(`tests/unit/test_sources_git.py`). Guarantee: an attack is stopped when the source fails, or when nothing of the
repository outside is in what was read and nothing was run.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import SourceError
from headwater.fetching.git_repository import GitRepository
from headwater.fetching.local_repository import LocalRepository
from headwater.sources.connector import FetchedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.unit.test_sources_git import Repository


@dataclass(frozen=True)
class Ground:
    """An allowed folder with a repository, and one outside with a secret."""

    top: Path
    inside: Repository
    outside: Repository

    @property
    def allowed(self) -> Path:
        """The folder that sources may read."""
        return self.top / "allowed"

    @property
    def git(self) -> Path:
        """The data of the repository inside."""
        return self.inside.folder / ".git"

    @property
    def secret(self) -> Path:
        """The data of the repository outside."""
        return self.outside.folder / ".git"

    @property
    def traces(self) -> Path:
        """A file that whatever was run leaves."""
        return self.top / "ran"

    def fetch(self, path: Path | None = None) -> str:
        """Sync as a source does; returns all that was read."""
        context = SourceContext(folder=self.top / "own", local_paths=(self.allowed,))
        found = list(open_connector("markdown_tree", {"git": str(path or self.inside.folder)}, context).fetch())
        assert not any(isinstance(item, DocumentProblem) for item in found)
        return "\n".join(item.parse().text for item in found if isinstance(item, FetchedDocument))


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """Both repositories, each with a document."""
    inside, outside = Repository(tmp_path / "allowed" / "repo"), Repository(tmp_path / "outside")
    inside.commit({"a.md": "# Known"})
    outside.commit({"secret.md": "# Secret"})
    return Ground(top=tmp_path, inside=inside, outside=outside)


def replace(path: Path, text: str) -> None:
    """Replace a path with a file."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def link(path: Path, target: Path | str) -> None:
    """Replace a path with a link."""
    replace(path, "")
    path.unlink()
    path.symlink_to(target)


def configure(ground: Ground, name: str, value: str) -> None:
    """Set a setting of the repository inside."""
    ground.inside.git("config", name, value)


def head_of_secret(ground: Ground) -> None:
    """Let the repository inside name the commit of the one outside, which it can only borrow."""
    (ground.git / "refs" / "heads" / "trunk").write_text(ground.outside.git("rev-parse", "HEAD") + "\n")


def borrow(ground: Ground, line: str) -> None:
    """Let the repository inside borrow objects."""
    replace(ground.git / "objects" / "info" / "alternates", line)
    head_of_secret(ground)


def chain(ground: Ground, length: int) -> None:
    """Borrow through repositories inside until one borrows from outside."""
    places = [ground.git, *(ground.allowed / f"link{number}" for number in range(length))]
    for here, there in zip(places, [*places[1:], ground.secret], strict=True):
        (here / "objects" / "info").mkdir(parents=True, exist_ok=True)
        (here / "objects" / "info" / "alternates").write_text(f"{there / 'objects'}\n")
    head_of_secret(ground)


def worktree(ground: Ground, common: str) -> None:
    """Make the repository a worktree of another."""
    data = ground.allowed / "data"
    data.mkdir()
    (data / "HEAD").write_text("ref: refs/heads/trunk\n")
    (data / "commondir").write_text(common)
    replace(ground.git, f"gitdir: {data}\n")


def include(ground: Ground, path: str, section: str = "include") -> None:
    """Let the repository's configuration include another file."""
    with (ground.git / "config").open("a") as file:
        file.write(f'\n[{section}]\n\tpath = "{path}"\n')


def include_chain(ground: Ground) -> None:
    """Include a file inside that includes one outside."""
    (ground.allowed / "more").write_text(f"[include]\n\tpath = {ground.secret / 'config'}\n")
    include(ground, str(ground.allowed / "more"))


def borrowed_links(ground: Ground) -> None:
    """Borrow from a store inside whose objects are links to outside."""
    store = ground.allowed / "store"
    store.mkdir()
    for path in (ground.secret / "objects").iterdir():
        (store / path.name).symlink_to(path)
    borrow(ground, f"{store}\n")


def linked_objects(ground: Ground) -> None:
    """Link each folder of objects of the repository outside."""
    for path in (ground.secret / "objects").iterdir():
        if not (ground.git / "objects" / path.name).exists():
            (ground.git / "objects" / path.name).symlink_to(path)
    head_of_secret(ground)


def linked_files(ground: Ground) -> None:
    """Link each object of the repository outside."""
    for path in (ground.secret / "objects").rglob("*"):
        if path.is_file():
            target = ground.git / "objects" / path.relative_to(ground.secret / "objects")
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                target.symlink_to(path)
    head_of_secret(ground)


def linked_pack(ground: Ground) -> None:
    """Link a pack of the repository outside."""
    ground.outside.git("repack", "-a", "-d", "-q")
    (ground.git / "objects" / "pack").mkdir(exist_ok=True)
    for path in (ground.secret / "objects" / "pack").iterdir():
        (ground.git / "objects" / "pack" / path.name).symlink_to(path)
    head_of_secret(ground)


def partial_clone(ground: Ground) -> None:
    """Let git fetch what the repository lacks from the one outside."""
    for name, value in (
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", str(ground.outside.folder)),
        ("remote.origin.promisor", "true"),
    ):
        configure(ground, name, value)
    ground.outside.git("config", "uploadpack.allowAnySHA1InWant", "true")
    head_of_secret(ground)


def folder_beside(ground: Ground) -> None:
    """Name a folder that is none, beside which a `.git` file leads outside: git tries more than one name."""
    shutil.rmtree(ground.inside.folder)
    (ground.allowed / "repo.git").write_text(f"gitdir: {ground.secret}\n")


def repository_within(ground: Ground) -> None:
    """Hide a `.git` file in a bare repository."""
    shutil.rmtree(ground.inside.folder)
    ground.outside.git("clone", "-q", "--bare", str(ground.outside.folder), str(ground.inside.folder))
    (ground.inside.folder / ".git").write_text(f"gitdir: {ground.secret}\n")


Step = Callable[[Ground], None]
ATTACKS: dict[str, Step | list[Step]] = {
    ".git file": lambda g: replace(g.git, f"gitdir: {g.secret}\n"),
    ".git file, relative": lambda g: replace(g.git, "gitdir: ../../outside/.git\n"),
    ".git file, without an end": lambda g: replace(g.git, f"gitdir: {g.secret}"),
    ".git file, by a link": [
        lambda g: link(g.allowed / "way", g.secret),
        lambda g: replace(g.git, f"gitdir: {g.allowed}/way\n"),
    ],
    ".git file that is a link": [
        lambda g: replace(g.top / "named", f"gitdir: {g.secret}\n"),
        lambda g: link(g.git, g.top / "named"),
    ],
    ".git link": lambda g: link(g.git, g.secret),
    ".git link, relative": lambda g: link(g.git, "../../outside/.git"),
    ".git link to a link": [lambda g: link(g.allowed / "way", g.secret), lambda g: link(g.git, g.allowed / "way")],
    ".git in a circle": lambda g: link(g.git, g.git),
    "repository link": lambda g: link(g.inside.folder, g.outside.folder),
    ".git file beside": folder_beside,
    ".git file within": repository_within,
    "commondir": lambda g: worktree(g, f"{g.secret}\n"),
    "commondir, relative": lambda g: worktree(g, "../../outside/.git\n"),
    "commondir, by a link": [lambda g: link(g.allowed / "way", g.secret), lambda g: worktree(g, "../way\n")],
    "commondir in a repository": lambda g: replace(g.git / "commondir", f"{g.secret}\n"),
    "commondir that is a link": [
        lambda g: replace(g.top / "named", f"{g.secret}\n"),
        lambda g: link(g.git / "commondir", g.top / "named"),
    ],
    "alternates": lambda g: borrow(g, f"{g.secret}/objects\n"),
    "alternates, relative": lambda g: borrow(g, "../../../../outside/.git/objects\n"),
    "alternates, quoted": lambda g: borrow(g, f'"{g.secret}/\\157bjects"\n'),
    "alternates, after a comment": lambda g: borrow(g, f"# {g.allowed}\n\n{g.secret}/objects\n"),
    "alternates, by a link": [
        lambda g: link(g.allowed / "way", g.secret / "objects"),
        lambda g: borrow(g, f"{g.allowed}/way\n"),
    ],
    "alternates, without an end": lambda g: borrow(g, f"{g.secret}/objects"),
    "alternates that are a link": [
        lambda g: replace(g.top / "named", f"{g.secret}/objects\n"),
        lambda g: link(g.git / "objects/info/alternates", g.top / "named"),
        head_of_secret,
    ],
    "alternates of alternates": lambda g: chain(g, 1),
    "alternates in a row": lambda g: chain(g, 4),
    "alternates in a long row": lambda g: chain(g, 12),
    "alternates of links": borrowed_links,
    "objects link": [lambda g: link(g.git / "objects", g.secret / "objects"), head_of_secret],
    "links to folders of objects": linked_objects,
    "links to objects": linked_files,
    "link to a pack": linked_pack,
    "refs link": [lambda g: borrow(g, f"{g.secret}/objects\n"), lambda g: link(g.git / "refs", g.secret / "refs")],
    "HEAD link": lambda g: link(g.git / "HEAD", g.secret / "HEAD"),
    "HEAD link to a file": lambda g: link(g.git / "HEAD", "/etc/passwd"),
    "packed-refs link": lambda g: link(g.git / "packed-refs", "/etc/passwd"),
    "shallow link": lambda g: link(g.git / "shallow", "/etc/passwd"),
    "config link": lambda g: link(g.git / "config", g.secret / "config"),
    "info link": lambda g: link(g.git / "info", g.secret / "info"),
    "branch link": lambda g: link(g.git / "refs/heads/trunk", g.secret / "refs/heads/trunk"),
    "include": lambda g: include(g, str(g.secret / "config")),
    "include, relative": lambda g: include(g, "../../../outside/.git/config"),
    "include of home": lambda g: include(g, "~/.gitconfig"),
    "include of a file": lambda g: include(g, "/etc/passwd"),
    "include if": lambda g: include(g, str(g.secret / "config"), f'includeIf "gitdir:{g.allowed}/"'),
    "include of an include": include_chain,
    "include of itself": lambda g: include(g, str(g.git / "config")),
    "include of a worktree": [
        lambda g: configure(g, "extensions.worktreeConfig", "true"),
        lambda g: replace(g.git / "config.worktree", f"[include]\n\tpath = {g.secret}/config\n"),
    ],
    "partial clone": partial_clone,
    "pipe as HEAD": [lambda g: (g.git / "HEAD").unlink(), lambda g: os.mkfifo(g.git / "HEAD")],
    "pipe as packed-refs": lambda g: os.mkfifo(g.git / "packed-refs"),
    "broken config": lambda g: replace(g.git / "config", "[core\n"),
    "broken alternates": lambda g: replace(g.git / "objects/info/alternates", '"\\x'),
    "endless alternates": lambda g: replace(g.git / "objects/info/alternates", "x" * 2_000_000),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_repository_that_leads_elsewhere_is_refused(ground: Ground, name: str) -> None:
    """The source fails with words that say why; nothing of what lies outside was copied."""
    attack = ATTACKS[name]
    for step in attack if isinstance(attack, list) else [attack]:
        step(ground)
    with pytest.raises(SourceError) as caught:
        ground.fetch()
    assert str(ground.inside.folder) in str(caught.value)
    objects = ground.top / "own" / "repository" / "objects"
    head = ground.outside.git("rev-parse", "HEAD")
    assert not (objects / head[:2] / head[2:]).exists()


def run_by(ground: Ground) -> str:
    """A program that leaves a trace."""
    script = ground.allowed / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {ground.traces}\nexit 0\n")
    script.chmod(0o755)
    return str(script)


SETTINGS = [
    "core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand", "core.pager", "core.editor",
    "core.askPass", "uploadpack.packObjectsHook", "credential.helper", "diff.external", "gpg.program", "alias.fetch",
    "filter.x.smudge", "filter.x.process", "merge.x.driver", "remote.origin.uploadpack", "remote.origin.vcs",
    "protocol.ext.allow", "url.ext::sh.insteadOf", "sequence.editor", "trace2.eventTarget", "core.worktree",
]  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_a_repository_runs_nothing(ground: Ground, name: str) -> None:
    """Only the repository's content is read, and no program that it names is started."""
    configure(ground, name, run_by(ground))
    assert ground.fetch() == "# Known"
    assert not ground.traces.exists()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_our_own_copy_runs_nothing(ground: Ground, name: str) -> None:
    """The copy may come from a backup that an attacker has changed."""
    assert ground.fetch() == "# Known"
    copy = ground.top / "own" / "repository"
    ground.inside.git("--git-dir", str(copy), "config", name, run_by(ground))
    ground.inside.git("--git-dir", str(copy), "config", "include.path", str(ground.secret / "config"))
    ground.inside.commit({"a.md": "# New"})
    assert ground.fetch() == "# New"
    assert not ground.traces.exists()
    assert "ran" not in (copy / "config").read_text()


@pytest.mark.parametrize("hook", ["pre-receive", "update", "post-update", "reference-transaction", "post-checkout",
                                  "pre-auto-gc", "fsmonitor-watchman", "proc-receive", "post-rewrite"])  # fmt: skip
@pytest.mark.parametrize("where", ["repository", "copy"])
def test_a_hook_is_not_run(ground: Ground, hook: str, where: str) -> None:
    """Neither one of the repository that is read, nor one in our copy of it."""
    ground.fetch()
    folder = (ground.git if where == "repository" else ground.top / "own" / "repository") / "hooks"
    folder.mkdir(exist_ok=True)
    shutil.copy(run_by(ground), folder / hook)
    ground.inside.commit({"a.md": "# New"})
    ground.traces.unlink(missing_ok=True)  # the commit may have run it
    assert ground.fetch() == "# New"
    assert not ground.traces.exists()


@pytest.mark.parametrize("name", ["commondir", "objects/info/alternates", "gitdir"])
def test_our_own_copy_borrows_from_nobody(ground: Ground, name: str) -> None:
    """Files that a backup brought into the copy do not lead out of it."""
    ground.fetch()
    copy = ground.top / "own" / "repository"
    replace(copy / name, f"{ground.secret}{'/objects' if 'objects' in name else ''}\n")
    assert ground.fetch() == "# Known"
    assert not (copy / name).exists()


def test_a_repository_that_changes_while_it_is_read_is_refused(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """The repository is checked again after the fetch, and the copy is removed."""
    inner = GitRepository._fetch

    def changed(self: GitRepository, *arguments: object) -> object:
        borrow(ground, f"{ground.secret}/objects\n")
        return inner(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(GitRepository, "_fetch", changed)
    with pytest.raises(SourceError, match="alternates"):
        ground.fetch()
    assert not (ground.top / "own" / "repository").exists()


@pytest.mark.parametrize("path", ["../outside", "repo/../../outside", "repo/.git/../../../outside"])
def test_a_path_that_climbs_out_is_refused(ground: Ground, path: str) -> None:
    """By where it leads, not by how it begins."""
    with pytest.raises(SourceError, match="outside the folders"):
        ground.fetch(ground.allowed / path)


def test_a_worktree_and_borrowed_objects_inside_are_read(ground: Ground) -> None:
    """Worktrees, links and shared objects are fine as long as all of them are in allowed folders."""
    ground.inside.git("worktree", "add", "-q", str(ground.allowed / "tree"))
    assert ground.fetch(ground.allowed / "tree") == "# Known"
    ground.inside.git("clone", "-q", "--shared", str(ground.inside.folder), str(ground.allowed / "shared"))
    assert ground.fetch(ground.allowed / "shared") == "# Known"
    (ground.allowed / "way").symlink_to(ground.git)
    replace(ground.allowed / "shared" / ".git", f"gitdir: {ground.allowed}/way\n")
    assert ground.fetch(ground.allowed / "shared") == "# Known"
    (ground.allowed / "more").write_text("[user]\n\tname = x\n")
    include(ground, str(ground.allowed / "more"))
    assert ground.fetch() == "# Known"


def test_a_folder_that_is_no_repository_is_said(ground: Ground) -> None:
    """In words, before git is asked."""
    (ground.allowed / "plain").mkdir()
    with pytest.raises(SourceError, match="is not a git repository"):
        LocalRepository(ground.allowed / "plain", [ground.allowed]).folder({})
