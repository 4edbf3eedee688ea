"""Which folders are read and removed: names that merely begin alike are others (SEC-1)."""

from pathlib import Path

import pytest

from headwater.errors import SourceError
from headwater.settings import Settings
from headwater.sources.connector import FetchedDocument, open_connector
from headwater.sources.source_context import SourceContext
from headwater.syncing.source_folders import source_numbers_of_folders


def _context(base: Path, *allowed: Path) -> SourceContext:
    return SourceContext(folder=base / "own", local_paths=allowed)


def test_only_what_lies_in_an_allowed_folder_is_read(tmp_path: Path) -> None:
    """Neither its neighbour of a longer name, nor what a link or `..` leads to."""
    for name in ("docs", "docs-private", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "docs" / "link").symlink_to(tmp_path / "other")
    context = _context(tmp_path, tmp_path / "docs")
    assert context.local(tmp_path / "docs") == tmp_path / "docs"
    for path in ("docs-private", "other", "docs/link", "docs/../other", "."):
        with pytest.raises(SourceError, match="HEADWATER_LOCAL_PATHS"):
            context.local(tmp_path / path)


def test_a_link_into_a_folder_of_a_longer_name_is_not_followed(tmp_path: Path) -> None:
    """A tree's links are followed within the tree only."""
    for name in ("tree", "tree-private"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# {name}")
    (tmp_path / "tree" / "b.md").symlink_to(tmp_path / "tree-private" / "a.md")
    (tmp_path / "tree" / "c.md").symlink_to(tmp_path / "tree" / "a.md")
    found = list(open_connector("markdown_tree", {"path": str(tmp_path / "tree")}, _context(tmp_path)).fetch())
    assert [item.uri for item in found if isinstance(item, FetchedDocument)] == ["a.md", "c.md"]


def test_only_folders_named_by_a_number_are_a_sources(tmp_path: Path) -> None:
    """A folder that someone else put there is never taken for one of ours, and so never removed."""
    settings = Settings(home=tmp_path, cache=tmp_path)
    for name in ("1", "22", "3-backup", "old4", "5.tar"):
        (tmp_path / "sources" / name).mkdir(parents=True)
    assert source_numbers_of_folders(settings) == {1, 22}
