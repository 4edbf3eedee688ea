"""Telling that a disk is full from other errors (REL-1)."""

import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest

from headwater import full_disk
from headwater.errors import DatabaseUnavailableError, DiskFullError, SourceError
from headwater.full_disk import explain_by_full_disk
from headwater.store.server import embedded_postgres
from headwater.store.server.database import unavailable

NO_SPACE = OSError(errno.ENOSPC, "No space left on device", "/data/work/page.html")


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets how many bytes are free on every disk."""

    def set_free(count: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=count, total=2_000_000_000))

    return set_free


def caused(error: Exception, cause: Exception) -> Exception:
    """An error that came from another."""
    error.__cause__ = cause
    return error


def test_a_file_that_does_not_fit_names_its_folder(free: Callable[[int], None], tmp_path: Path) -> None:
    """Also when it is the cause of another error; the message has how much is free."""
    free(3_000_000)
    for error in (NO_SPACE, caused(SourceError("It could not be read."), NO_SPACE)):
        found = explain_by_full_disk(error, tmp_path, is_embedded=False)
        assert found is not None
        assert str(found).startswith("The disk of /data/work is full: 3 MB of 2.0 GB are free. Free some space")
        assert (found.code, found.http_status) == ("DISK_FULL", 507)


@pytest.mark.parametrize(
    "error",
    [
        psycopg.errors.DiskFull("could not extend file"),
        psycopg.OperationalError("connection failed: FATAL:  could not write init file: No space left on device"),
        DiskFullError(),
    ],
)
def test_a_server_that_has_no_room(error: Exception, free: Callable[[int], None], tmp_path: Path) -> None:
    """The embedded one is on the disk of the home; where another keeps its data, nobody knows here."""
    free(0)
    assert isinstance(unavailable(error), DiskFullError)
    wrapped = caused(DatabaseUnavailableError("Postgres did not answer."), error)
    assert f"The disk of {tmp_path} is full" in str(explain_by_full_disk(wrapped, tmp_path, is_embedded=True))
    elsewhere = str(explain_by_full_disk(wrapped, tmp_path, is_embedded=False))
    assert elsewhere.startswith("The disk of the Postgres server is full")


def test_a_server_that_is_gone_is_blamed_on_its_full_disk_alone(free: Callable[[int], None], tmp_path: Path) -> None:
    """Postgres ends when it cannot write its log; then nothing but the disk itself says why."""
    gone = DatabaseUnavailableError("Postgres did not answer.")
    free(1_000_000)
    assert explain_by_full_disk(gone, tmp_path, is_embedded=True) is not None
    assert explain_by_full_disk(gone, tmp_path, is_embedded=False) is None
    assert explain_by_full_disk(ValueError("odd"), tmp_path, is_embedded=True) is None
    assert explain_by_full_disk(psycopg.errors.UniqueViolation("taken"), tmp_path, is_embedded=True) is None
    free(1_000_000_000)
    assert explain_by_full_disk(gone, tmp_path, is_embedded=True) is None
    assert not isinstance(unavailable(psycopg.OperationalError("the server closed the connection")), DiskFullError)


def test_an_embedded_postgres_that_cannot_start_names_the_disk(
    free: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own tool says only that it could not start the server."""

    def fails(_: Path, _deadline: float) -> str:
        raise OSError("pg_ctl: could not start server")

    monkeypatch.setattr(embedded_postgres, "_start", fails)
    free(1_000_000)
    with pytest.raises(DiskFullError, match=f"The disk of {tmp_path / 'postgres'} is full"):
        embedded_postgres.start(tmp_path / "postgres")
    free(1_000_000_000)
    with pytest.raises(DatabaseUnavailableError, match="its log is"):
        embedded_postgres.start(tmp_path / "postgres")


def test_what_cannot_be_looked_at_is_not_full(tmp_path: Path) -> None:
    """A folder that does not exist has no disk."""
    assert not full_disk.is_full(tmp_path / "none")
    assert str(full_disk.disk_full_error(tmp_path / "none")).startswith(f"The disk of {tmp_path / 'none'} is full.")
