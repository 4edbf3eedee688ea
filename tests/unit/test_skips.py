"""What a sync leaves out, in words."""

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Skips, is_worth_a_look
from headwater.sources.tree_files import walk


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("words", encoding="utf-8")


def test_a_tree_counts_what_is_not_read(tmp_path: Path) -> None:
    """By reason, and by type where no parser reads it; text files are documents (SRC-6)."""
    root = tmp_path / "tree"
    write(root, "a.md", "b.txt", "c.rst", "d/e.rst", "f.png", ".git/x", ".g/y.md", "node_modules/z.md")
    write(root, "requirements.txt", "h.md")
    write(tmp_path, "out.md")
    (root / "link.md").symlink_to(tmp_path / "out.md")
    skips, problems = Skips(), list[DocumentProblem]()
    assert [path.name for path in walk(root, skips, problems)] == ["a.md", "b.txt", "h.md"]
    assert [(line.reason, line.message, line.examples) for line in skips.lines()] == [
        ("no_parser", "2 .rst files: no parser reads this type here.", ("c.rst", "d/e.rst")),
        ("no_parser", "1 .png file: no parser reads this type here.", ("f.png",)),
        ("outside", "1 link leads out of the folder.", ("link.md",)),
        ("tool", "2 files or folders of tools.", ("node_modules", "requirements.txt")),
        ("hidden", "2 hidden files or folders.", (".g", ".git")),
    ]
    worth = [is_worth_a_look(line) for line in skips.lines()]
    assert worth == [True, False, False, False, False]


def test_a_document_with_the_uri_of_another_counts_as_such() -> None:
    """It is left out, but it could be read."""
    skips = Skips()
    skips.add_problem(DocumentProblem(uri="a.md", code="DUPLICATE_URI", message="Several documents have this URI."))
    (line,) = skips.lines()
    assert (line.reason, line.message) == (
        "duplicate",
        "1 document was left out, because another has the same URI. Give each document its own.",
    )
    assert is_worth_a_look(line)


@pytest.fixture
def too_deep(tmp_path: Path) -> Iterator[Path]:
    """A folder with fifteen hundred within each other, gone afterwards: pytest cannot delete what is so deep."""
    write(tmp_path, "near.md")
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("far.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    yield tmp_path
    subprocess.run(["rm", "-rf", str(tmp_path / "deep")], check=True)


@pytest.mark.parametrize("code", [errno.ENAMETOOLONG, errno.ELOOP])
def test_a_folder_that_cannot_be_listed_is_named_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Since its documents are not known, its name ends with a stroke: what is below it has not vanished."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "near.md").write_text("# Near")
    scandir = os.scandir

    def failing(path: Path) -> object:
        if path.name == "deep":
            raise OSError(code, os.strerror(code), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", failing)
    problems: list[DocumentProblem] = []
    assert [path.name for path in walk(tmp_path, Skips(), problems)] == ["near.md"]
    assert [problem.uri for problem in problems] == ["deep/"]


def test_a_folder_that_is_too_deep_costs_itself(too_deep: Path) -> None:
    """It is a problem of its own; its neighbours are read."""
    problems = list[DocumentProblem]()
    assert [path.name for path in walk(too_deep, Skips(), problems)] == ["near.md"]
    assert [problem.message for problem in problems] == [
        "Its path is longer than 2,000 bytes. Move it to a less deeply nested folder."
    ]


def test_equal_problems_are_one_line() -> None:
    """Numbers in a message do not tell problems apart."""
    skips = Skips()
    for number in range(30):
        skips.add_problem(DocumentProblem(uri="", code="DOCUMENT_FAILED", message=f"line {number}: bad at {number}"))
    assert [line.message for line in skips.lines()] == ["30 documents could not be read: bad at …"]
