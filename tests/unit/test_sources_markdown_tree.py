"""Folders of markdown files.

Belongs here: which files of a folder are documents, and what one bad file costs. Not here: git repositories, parsing.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, InvalidConfigurationError, SourceError
from headwater.sources import markdown_tree
from headwater.sources.connector import FetchedDocument, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def fetch(path: Path, *, allowed: tuple[Path, ...] = (), **config: Any) -> list[FetchedDocument | DocumentProblem]:
    context = SourceContext(folder=path.parent / "own", local_paths=allowed)
    found = open_connector("markdown_tree", {"path": str(path), **config}, context).fetch()
    return [item for item in found if not isinstance(item, UnchangedDocument)]


def uris(items: list[FetchedDocument | DocumentProblem]) -> list[str]:
    return [item.uri for item in items if isinstance(item, FetchedDocument)]


def problems(items: list[FetchedDocument | DocumentProblem]) -> dict[str, str]:
    return {item.uri: item.message for item in items if isinstance(item, DocumentProblem)}


def test_every_markdown_file_is_a_document(tree: Path) -> None:
    """Files are named by their path, sorted; the folder is the category (SRC-6)."""
    write(tree, {"b.md": "# B", "a/Deep.MDX": "# Deep", "a/c.markdown": "[d](../b.md)", "notes.rst": "no", "md": "no"})
    found = fetch(tree)
    assert uris(found) == ["a/Deep.MDX", "a/c.markdown", "b.md"]
    parsed = [item.parse() for item in found if isinstance(item, FetchedDocument)]
    assert [document.category for document in parsed] == ["a", "a", ""]
    assert parsed[1].references == ("b.md",)
    assert [document.title for document in parsed] == ["Deep", "c", "B"]


def test_a_fingerprint_tells_the_bytes_apart(tree: Path) -> None:
    """Equal bytes have equal fingerprints; one changed byte changes it."""
    write(tree, {"a.md": "same", "b.md": "same", "c.md": "Same"})
    a, b, c = (item.fingerprint for item in fetch(tree) if isinstance(item, FetchedDocument))
    assert a == b != c


def test_hidden_and_tooling_folders_are_skipped(tree: Path) -> None:
    """Files of git and package managers are not documentation (SRC-6)."""
    names = [".git/a.md", ".hidden.md", "node_modules/x/a.md", "b/.cache/a.md", "venv/a.md", "lib/site-packages/a.md"]
    write(tree, dict.fromkeys([*names, "kept.md"], "# A"))
    assert uris(fetch(tree)) == ["kept.md"]


def test_a_tree_within_a_hidden_folder_is_read(tmp_path: Path) -> None:
    """Only what is below the configured path counts."""
    write(tmp_path / ".hidden" / "docs", {"a.md": "# A"})
    assert uris(fetch(tmp_path / ".hidden" / "docs")) == ["a.md"]


def test_a_single_file_is_a_tree(tree: Path) -> None:
    """A path may name one markdown file; its neighbours are not read, and no other kind of file is."""
    write(tree, {"a.md": "# A", "b.md": "# B", "LICENSE": "Terms."})
    assert uris(fetch(tree / "a.md")) == ["a.md"]
    with pytest.raises(SourceError, match="not a markdown file"):
        fetch(tree / "LICENSE")


def test_links_out_of_the_tree_are_not_followed(tree: Path) -> None:
    """Neither a file nor a folder outside is read through a link; one within the tree is (SEC-1)."""
    write(tree.parent, {"secret/key.md": "secret", "tree/a.md": "# A"})
    (tree / "file.md").symlink_to(tree.parent / "secret/key.md")
    (tree / "folder").symlink_to(tree.parent / "secret")
    (tree / "inside.md").symlink_to("a.md")
    assert uris(fetch(tree)) == ["a.md", "inside.md"]


def test_broken_links_and_circles_cost_themselves_only(tree: Path) -> None:
    """A link that leads nowhere is a problem of its own; the rest is read."""
    write(tree, {"a.md": "# A"})
    (tree / "broken.md").symlink_to("missing.md")
    (tree / "circle.md").symlink_to("circle.md")
    found = fetch(tree)
    assert uris(found) == ["a.md"]
    assert set(problems(found)) == {"broken.md", "circle.md"}


def test_pipes_are_not_waited_for(tree: Path) -> None:
    """Anything except a regular file is a problem of its own (SEC-1)."""
    write(tree, {"a.md": "# A"})
    os.mkfifo(tree / "pipe.md")
    found = fetch(tree)
    assert uris(found) == ["a.md"]
    assert problems(found) == {"pipe.md": "It is not a regular file."}


def test_a_file_that_cannot_be_read_costs_itself_only(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without permission is reported, and the others are read."""
    write(tree, {"a.md": "# A", "b.md": "# B"})
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "a.md":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    found = fetch(tree)
    assert uris(found) == ["b.md"]
    assert problems(found) == {"a.md": "The file cannot be read (Permission denied)."}


def test_a_file_that_is_too_large_costs_itself_only(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not even read (SEC-1)."""
    monkeypatch.setattr(markdown_tree, "_SIZE_LIMIT", 10)
    write(tree, {"a.md": "# A", "b.md": "# B" + " " * 20})
    found = fetch(tree)
    assert uris(found) == ["a.md"]
    assert "larger than" in problems(found)["b.md"]


def test_binary_files_are_document_errors(tree: Path) -> None:
    """The file is named and fingerprinted; reading it says that it is no text."""
    (tree / "a.md").write_bytes(b"\x89PNG\x00")
    (item,) = fetch(tree)
    assert isinstance(item, FetchedDocument)
    with pytest.raises(DocumentError, match="not text"):
        item.parse()


def test_a_name_that_is_not_utf_8_costs_its_file_only(tree: Path) -> None:
    """The problem names it in characters that can be shown and stored."""
    write(tree, {"a.md": "# A"})
    Path(os.fsdecode(os.fsencode(tree) + b"/caf\xe9.md")).write_text("# B")
    found = fetch(tree)
    assert uris(found) == ["a.md"]
    assert problems(found) == {"caf\ufffd.md": "The file's name is not valid UTF-8."}


def test_unicode_names_are_read(tree: Path) -> None:
    """Any valid name is a URI as it is."""
    write(tree, {"日本/ü é.md": "# A"})
    assert uris(fetch(tree)) == ["日本/ü é.md"]


def test_a_folder_that_cannot_be_listed_is_a_source_error(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that is not complete must not make documents vanish."""
    write(tree, {"a.md": "# A", "b/c.md": "# C"})
    listed = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("/b"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SourceError, match="/b cannot be read"):
        fetch(tree)


@pytest.mark.parametrize("name", ["missing", "missing/deeper", "a\x00b"])
def test_a_path_that_is_not_there_is_a_source_error(tree: Path, name: str) -> None:
    """The message names the path, whatever is wrong with it."""
    with pytest.raises(SourceError, match=r"There is no file or folder|cannot be reached"):
        fetch(tree / name)


def test_an_empty_folder_has_no_documents(tree: Path) -> None:
    """Nothing there is nothing found, not an error."""
    assert fetch(tree) == []


def test_only_allowed_folders_are_read(tree: Path) -> None:
    """With HEADWATER_LOCAL_PATHS, a path outside is refused, also through a link or `..` (SEC-1)."""
    write(tree.parent, {"tree/a.md": "# A", "secret/b.md": "# B", "tree-2/c.md": "# C"})
    (tree / "link").symlink_to(tree.parent / "secret")
    assert uris(fetch(tree, allowed=(tree,))) == ["a.md"]
    assert uris(fetch(tree, allowed=(tree.parent / "other", tree.parent))) == ["a.md"]
    for path in (tree.parent / "secret", tree / "link", tree / ".." / "secret", tree.parent / "tree-2", tree.parent):
        with pytest.raises(SourceError, match="HEADWATER_LOCAL_PATHS"):
            fetch(path, allowed=(tree,))


def test_a_path_is_needed(tree: Path) -> None:
    """Without path and git there is nothing to read; a branch belongs to git."""
    context = SourceContext(folder=tree)
    with pytest.raises(InvalidConfigurationError, match="path: give a folder"):
        open_connector("markdown_tree", {}, context)
    with pytest.raises(InvalidConfigurationError, match="branch: can only be used together with git"):
        open_connector("markdown_tree", {"path": str(tree), "branch": "main"}, context)
