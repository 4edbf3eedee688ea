"""A backup is restored whole or not at all, and only its owner can read it (OPS-5)."""

import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from cli.backup.archive import ArchiveReader, ArchiveWriter
from cli.backup.backup import back_up, restore
from headwater.errors import InvalidInputError
from tests.conftest import with_database
from tests.support import Headwater

Make = Callable[..., Headwater]


def _without(file: Path, left_out: str) -> Path:
    """A copy of a backup that lacks a member, and does not list it."""
    other = file.with_name(f"without_{left_out}")
    with closing(ArchiveReader(file)) as reader, other.open("w+b") as out:
        archive = ArchiveWriter(out)
        for name in reader.manifest["members"]:
            if name != left_out:
                with archive.member(name) as member:
                    member.write(reader.open(name).read())
        archive.finish({name: value for name, value in reader.manifest.items() if name != "members"})
    return other


def test_a_backup_without_one_of_its_members_is_refused(
    headwater: Make, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If any member is missing, the backup is refused before the others are used."""
    headwater(files={"a.md": "# A\n\nThe pump lifts water."})
    file = tmp_path / "backup.tar"
    back_up(file, force=False)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with closing(ArchiveReader(file)) as reader:
        members = list(reader.manifest["members"])
    assert len(members) >= 3
    monkeypatch.setenv("HEADWATER_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", with_database(server, "never_made"))
    for name in members:
        with pytest.raises(InvalidInputError, match="not a complete backup"):
            restore(_without(file, name))
    assert not (tmp_path / "elsewhere").exists()
    with psycopg.connect(server) as connection:
        made = connection.execute("SELECT 1 FROM pg_database WHERE datname LIKE 'never_made%'").fetchall()
    assert made == []
