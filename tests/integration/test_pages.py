"""The pages do what they say: their commands run from top to bottom, and print what is shown.

Belongs here: running every page, and that a page which lies is noticed. Not here: how (`tests.pages`). Guarantee: the
real commands, each page in a folder, a home and a Postgres of its own, as a reader has them.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from headwater.settings import REPOSITORY, Settings
from tests.conftest import roomy_folder
from tests.pages.comparing import Comparison
from tests.pages.reading import Block, read_page
from tests.pages.shell import Shell, shell
from tests.support import free_port

PAGES = [
    path
    for path in sorted(path for folder in (".", "docs", "examples") for path in (REPOSITORY / folder).glob("*.md"))
    if any(block.language == "sh" or block.is_output for block in read_page(path))
]
_REASONS = {
    "it needs Docker",
    "it needs Kubernetes",
    "it needs a server",
    "it needs a key",
    "it makes a key, and then the other examples would need one",
    "a new installation has no changes",
    "it runs until Ctrl-C",
    "it takes minutes",
    "it installs packages",
    "it runs the tests",
    "it is a part of a file",
    "it needs the clone beside the project",
    "it is an example of another system",
    "the files are yours",
    "no document of this handbook is missing",
}

_SERVES = re.compile(r"^headwater (up|serve)\b", re.MULTILINE)
_FROM_NOTHING = {"README.md", "getting-started.md"}
"""Pages that begin where there is no home; the others begin with an empty one, or with what `notes.sh` makes."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Beside the folders of a page: where the knowledge base that many pages begin with is kept, once it is made."""
    with roomy_folder(tmp_path_factory) as folder:
        yield folder / "kept"


@pytest.fixture
def place(kept: Path) -> Iterator[Path]:
    """The folder that a page works below, the same for each, since a source's folder is a part of what is kept."""
    folder = kept.parent / "page"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def migrate_home(place: Path, kept: Path, warm: str) -> Callable[[], None]:
    """Gives a page a home on which only `headwater migrate` has run; the first time, that is done.

    It takes longer than most commands of a page.
    """

    def migrate() -> None:
        home, empty = place / "home", kept.parent / "empty"
        if not empty.exists():
            kept_variables = {name: value for name, value in os.environ.items() if not name.startswith("DAGSTER_")}
            environ = {**kept_variables, "HEADWATER_HOME": str(home)}
            for command in ("migrate", "down"):
                call = [sys.executable, "-I", "-S", str(REPOSITORY / "tests/pages/warm.py"), warm, command]
                subprocess.run(call, cwd=place, env=environ, check=True, stdout=subprocess.DEVNULL)
            home.rename(empty)
        subprocess.run(["cp", "-a", empty, home], check=True)

    return migrate


def _run(block: Block, bash: Shell, compared: Comparison, printed: str, folder: Path) -> str:
    """Do what a block stands for; returns what its commands printed."""
    if block.rule == "not run":
        return printed
    if block.rule == "file":
        path = folder / block.text
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.body, encoding="utf-8")
    if block.rule == "run":
        printed = _commands(block.text, bash, compared, may_fail=block.is_output)
    if block.is_output:
        different = compared.difference(block.body, printed)
        assert different is None, f"line {block.line}: {different}"
    elif block.language == "sh":
        printed = _commands(block.body, bash, compared)
    return printed


def _has_commands(page: Sequence[Block]) -> bool:
    """Whether a page runs the command."""
    run = [block for block in page if block.language == "sh" and block.rule != "not run"]
    return any("headwater " in block.body for block in run)


def _pages() -> Iterator[Any]:
    """The pages; those that start servers are marked."""
    for path in PAGES:
        serves = any(
            block.language == "sh" and block.rule != "not run" and _SERVES.search(f"{block.text}\n{block.body}")
            for block in read_page(path)
        )
        yield pytest.param(path, marks=pytest.mark.servers if serves else ())


def _commands(text: str, bash: Shell, compared: Comparison, *, may_fail: bool = False) -> str:
    status, printed = bash.run(compared.command(text))
    assert status == 0 or may_fail, f"{text}\nexit status {status}\n{printed}"
    return printed


@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", list(_pages()), ids=lambda path: path.name)
def test_a_page_does_what_it_says(
    path: Path, place: Path, kept: Path, warm: str, migrate_home: Callable[[], None]
) -> None:
    """Its commands succeed one after the other, and the outputs that it shows are theirs (UX-1)."""
    page = read_page(path)
    if path.name not in _FROM_NOTHING and _has_commands(page) and not any("notes.sh" in block.text for block in page):
        migrate_home()
    port, dagster_port = free_port(), free_port()
    folder = place / "work"
    folder.mkdir()
    (folder / ".venv").symlink_to(sys.prefix)
    environment = {
        "HOME": str(place / "people"),
        "HEADWATER_CACHE": str(Settings.from_env().cache),
        "HEADWATER_HOME": str(place / "home"),
        "PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "API_PORT": str(port),
        "DAGSTER_PORT": str(dagster_port),
        "VENV": sys.prefix,
        "WARM": warm,
        "KEPT": str(kept),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    places = {
        "127.0.0.1:8080": f"127.0.0.1:{port}",
        "127.0.0.1:3000": f"127.0.0.1:{dagster_port}",
        "/srv/headwater": environment["HEADWATER_HOME"],
        "/srv/cache": environment["HEADWATER_CACHE"],
        "/srv/handbook": str(folder),
    }
    compared, printed = Comparison(places), ""
    with shell(folder, environment) as opened:
        for block in page:
            printed = _run(block, opened, compared, printed, folder)


def test_every_block_is_run_or_says_why_not() -> None:
    """Commands, and outputs that follow no command; the reasons are these few."""
    blocks = [block for path in PAGES for block in read_page(path)]
    left = [block for block in blocks if block.rule == "not run"]
    assert {block.text for block in left} <= _REASONS
    assert all(block.is_output or block.rule for block in blocks if block.language == "text")
    run = [block for block in blocks if block.language == "sh" and block.rule != "not run"]
    assert len(run) > 30
    assert sum(block.is_output for block in blocks) > 20


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("3 documents", "2 documents"),
        ("score 0.52", "score 0.53"),
        ("a\nb", "a"),
        ("Applied …\nb", "Applied 1\nc"),
        ("notes created.", "notes created. Done."),
    ],
)
def test_a_page_that_shows_something_else_is_noticed(shown: str, printed: str) -> None:
    """Of what is no id, time or place, one character suffices."""
    assert Comparison({}).difference(shown, printed)


def test_an_id_of_the_page_stands_for_one_of_the_run() -> None:
    """Wherever it is shown and in the commands after that; times and durations may differ."""
    page, run = (f"{digit * 8}-0000-0000-0000-000000000000" for digit in "ab")
    compared = Comparison({"127.0.0.1:8080": "127.0.0.1:4711"})
    assert compared.difference(f"{page} took 12 ms\n…", f"{run} took 3.5 ms\nand\nmore") is None
    assert compared.command(f"curl 127.0.0.1:8080/{page}") == f"curl 127.0.0.1:4711/{run}"
    assert compared.difference(page, page)
    assert re.search("stands for", compared.difference(f"{page}", f"{'c' * 8}-0000-0000-0000-000000000000") or "")
