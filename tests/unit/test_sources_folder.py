"""Folders of files of any kind (SRC-4, SRC-6)."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import InvalidConfigurationError, SourceError
from headwater.sources.connector import (
    Connector,
    FetchedDocument,
    Found,
    UnchangedDocument,
    check_config,
    open_connector,
)
from headwater.sources.globs import matches
from headwater.sources.source_context import SourceContext
from tests.unit.test_sources_git import Repository

LONG_AGO = 1_600_000_000


def write(folder: Path, files: Mapping[str, Any]) -> Path:
    """Write files that have not changed lately."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (LONG_AGO, LONG_AGO))
    return folder


def opened(own: Path, known: Mapping[str, Any] | None = None, **config: Any) -> Connector:
    return open_connector("folder", config, SourceContext(folder=own, known=known or {}))


def fetch(path: Path, **config: Any) -> dict[str, Found]:
    return {item.uri: item for item in opened(path.parent / "own", path=str(path), **config).fetch()}


def texts(found: Mapping[str, Found]) -> dict[str, str]:
    return {uri: item.parse().text for uri, item in found.items() if isinstance(item, FetchedDocument)}


def skipped(connector: Connector) -> dict[str, tuple[str, ...]]:
    list(connector.fetch())
    return {line.message: line.examples for line in connector.skipped.lines()}


def remembered(found: Mapping[str, Found]) -> dict[str, Any]:
    """The known documents of the next sync."""

    class Known:
        def __init__(self, item: FetchedDocument) -> None:
            self.fingerprint, self.validator = item.fingerprint, item.validator

    return {uri: Known(item) for uri, item in found.items() if isinstance(item, FetchedDocument)}


def test_files_are_read_by_their_content(tmp_path: Path) -> None:
    """A name without an ending, or with a wrong one, does not matter; the folder is the category."""
    write(tmp_path / "tree", {"docs/a.md": "# A\n\n[b](b.md)", "LICENSE": "Terms.", "b.docx": "plain words"})
    found = fetch(tmp_path / "tree")
    assert texts(found) == {"LICENSE": "Terms.", "b.docx": "plain words", "docs/a.md": "# A\n\n[b](b.md)"}
    document = found["docs/a.md"]
    assert isinstance(document, FetchedDocument)
    assert (document.parse().category, document.parse().references) == ("docs", ("docs/b.md",))


def test_a_file_that_nobody_reads_is_counted_with_its_type(tmp_path: Path) -> None:
    """By its type, whatever its name is; empty files, lock files, tools and hidden files too."""
    files = {"a.md": "SQLite format 3\x00\x01", "b.bin": b"\x00\x01\x02", "empty.pdf": "", "package-lock.json": "{}",
             ".env": "SECRET=1", "node_modules/x.md": "x", "kept.md": "# Kept"}  # fmt: skip
    connector = opened(tmp_path / "own", path=str(write(tmp_path / "tree", files)))
    assert skipped(connector) == {
        "1 document has no text.": ("empty.pdf",),
        "1 application/octet-stream file: no parser reads this type here.": ("b.bin",),
        "1 application/vnd.sqlite3 file: no parser reads this type here.": ("a.md",),
        "2 files or folders of tools.": ("node_modules", "package-lock.json"),
        "1 hidden file or folder.": (".env",),
    }


def test_an_unchanged_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size, times and inode tell; one whose time is in the future may change unseen, so it is read."""
    tree = write(tmp_path / "tree", {"a.md": "# A", "b.md": "# B", "c.md": "# C"})
    os.utime(tree / "c.md", (time.time() + 3600,) * 2)
    known = remembered(fetch(tree))
    assert [bool(item.validator) for item in known.values()] == [True, True, False]
    write(tree, {"b.md": "# D"})
    read: list[str] = []
    original = Path.open

    def counted(path: Path, *arguments: Any) -> Any:
        read.append(path.name)
        return original(path, *arguments)

    monkeypatch.setattr(Path, "open", counted)
    again = list(opened(tmp_path / "own", known, path=str(tree)).fetch())
    assert [type(item) for item in again] == [UnchangedDocument, FetchedDocument, FetchedDocument]
    assert read == ["b.md", "c.md"]


def test_a_file_that_was_just_written_is_known_by_the_next_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the second sync would write, depending on how busy the machine is; a sync waits for the clock once."""
    tree = write(tmp_path / "tree", dict.fromkeys(("a.md", "b.md", "c.md"), "# A"))
    slept: list[float] = []
    now = [1_700_000_000.3]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr("headwater.sources.trees.time", SimpleNamespace(time=lambda: now[0], sleep=sleep))
    for path in tree.iterdir():
        os.utime(path, (now[0] - 0.01,) * 2)
    known = remembered(fetch(tree))
    assert all(item.validator for item in known.values())
    assert slept == [pytest.approx(0.04, abs=0.001)]
    assert {type(item) for item in opened(tmp_path / "own", known, path=str(tree)).fetch()} == {UnchangedDocument}


def test_a_file_that_is_written_all_the_time_is_read_by_every_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may change again within a step of the clock, and no sync waits for it for long."""
    tree = write(tmp_path / "tree", {"a.md": "# A"})
    slept: list[float] = []

    def written_meanwhile(seconds: float) -> None:
        slept.append(seconds)
        os.utime(tree / "a.md")

    monkeypatch.setattr("headwater.sources.trees.time", SimpleNamespace(time=time.time, sleep=written_meanwhile))
    os.utime(tree / "a.md")
    (item,) = fetch(tree).values()
    assert isinstance(item, FetchedDocument)
    assert item.validator == ""
    assert sum(slept) <= 0.1


def test_the_patterns_choose(tmp_path: Path) -> None:
    """Includes and excludes match names at any depth, or paths; what they leave out is counted."""
    tree = write(
        tmp_path / "tree", dict.fromkeys(["a.md", "a.txt", "docs/b.md", "docs/old/c.md", "x/drafts/d.md"], "x")
    )
    assert list(fetch(tree, include=["*.md"], exclude=["drafts", "docs/old/"])) == ["a.md", "docs/b.md"]
    connector = opened(tmp_path / "own", path=str(tree), include=["docs"])
    assert skipped(connector) == {"3 files that the source's patterns leave out.": ("a.md", "a.txt", "x/drafts/d.md")}


@pytest.mark.parametrize(
    ("pattern", "path", "is_matched"),
    [
        ("*.md", "a/b/c.md", True),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/x/a.md", False),
        ("docs/**/*.md", "docs/a.md", True),
        ("docs/**/*.md", "docs/x/y/a.md", True),
        ("docs/**", "docs/x/y/a.md", True),
        ("docs/**", "other/docs/a.md", False),
        ("/docs", "docs/a.md", True),
        ("/a.md", "x/a.md", False),
        ("**/old/*", "x/old/a.md", True),
        ("old", "x/older/a.md", False),
        ("a[", "a[", True),
        ("*a" * 60, "a" * 1_000 + "b", False),
    ],
)
def test_a_pattern_matches_paths(pattern: str, path: str, *, is_matched: bool) -> None:
    """As people know them from git; a hostile pattern takes no longer than another."""
    assert matches(path, [pattern]) == is_matched


@pytest.mark.parametrize(
    "config",
    [
        {"include": [""]},
        {"exclude": ["../x"]},
        {"passwords": ["not a name!"]},
        {"max_megabytes": 0},
        {"branch": "main"},
    ],
)
def test_wrong_fields_are_refused(tmp_path: Path, config: dict[str, Any]) -> None:
    """When the source is created, not in its sync."""
    with pytest.raises(InvalidConfigurationError):
        check_config("folder", {"path": str(tmp_path), **config})


def test_a_file_that_is_too_large_is_reported(tmp_path: Path) -> None:
    """Text has a limit, and the source may set another; the others are read."""
    tree = write(tmp_path / "tree", {"a.md": "a" * 1_000_001, "b.md": "# B", "c.bin": b"\x00" * 1_000_001})
    found = fetch(tree, max_megabytes=1)
    problem = found["a.md"]
    assert isinstance(problem, DocumentProblem)
    assert problem.message == "The file is larger than 1 MB."
    assert "c.bin" not in found
    assert texts(found) == {"b.md": "# B"}


def test_a_single_file_is_a_folder(tmp_path: Path) -> None:
    """A path may name one file."""
    tree = write(tmp_path / "tree", {"a.md": "# A", "b.md": "# B"})
    assert list(fetch(tree / "a.md")) == ["a.md"]
    with pytest.raises(SourceError, match="include or exclude"):
        fetch(tree / "a.md", exclude=["*.md"])


def test_passwords_are_tried_and_need_no_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The source names credentials; a parser gets their secrets (SRC-14)."""
    tree = write(tmp_path / "tree", {"a.md": "# A"})
    monkeypatch.setenv("HEADWATER_CREDENTIAL_FILES", "opensesame")
    connector = opened(tmp_path / "own", path=str(tree), passwords=["files"])
    (found,) = connector.fetch()
    assert isinstance(found, FetchedDocument)
    assert "opensesame" not in repr(found)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_FILES_HOST", "example.org")
    with pytest.raises(SourceError, match=r"is for example\.org, but this needs a secret without a host"):
        list(connector.fetch())
    monkeypatch.delenv("HEADWATER_CREDENTIAL_FILES")
    with pytest.raises(SourceError, match="Set HEADWATER_CREDENTIAL_FILES to its secret"):
        list(connector.fetch())


def test_a_folder_in_git_is_read_at_its_commit(tmp_path: Path) -> None:
    """Files of all kinds; an unchanged one is known by its hash, without reading."""
    repository = Repository(tmp_path / "origin")
    repository.commit({"docs/a.md": "# A", "docs/NOTES": "words", "docs/x.bin": "\x00\x01", "b.md": "# B"})
    connector = opened(tmp_path / "own", git=str(repository.folder), path="docs")
    found = {item.uri: item for item in connector.fetch()}
    assert texts(found) == {"docs/NOTES": "words", "docs/a.md": "# A"}
    repository.commit({"docs/a.md": "# Changed"})
    again = opened(tmp_path / "own", remembered(found), git=str(repository.folder), path="docs").fetch()
    assert [type(item) for item in again] == [UnchangedDocument, FetchedDocument]
