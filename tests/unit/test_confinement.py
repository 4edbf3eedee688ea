"""What a confined process may read of the folders that Python imports from (SEC-1)."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from landlockpy import AccessFS

from headwater.confinement import permissions


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    permissions._paths.cache_clear()
    yield
    permissions._paths.cache_clear()


def test_of_a_checkout_only_the_code_is_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the home in it, nor secrets, nor an archive; their names can be listed."""
    names = ["package/__init__.py", "module.py", "other.dist-info/RECORD"]
    for name in (*names, ".env", ".headwater/key", "notes/a.md", "backup.zip", ".git/config"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = {path.name for path, access in permissions._paths() if path.parent == tmp_path and access & 4}
    assert found == {"package", "module.py", "other.dist-info"}
    assert [access for path, access in permissions._paths() if path == tmp_path] == [AccessFS.READ_DIR]


def test_of_a_folder_of_packages_everything_is_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages have libraries and data in folders of any name."""
    (tmp_path / "numpy.libs").mkdir()
    (tmp_path / "numpy-2.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert [access for path, access in permissions._paths() if path == tmp_path] == [permissions._READ]
