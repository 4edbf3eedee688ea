"""Folders for temporary files, and those that killed processes leave (SEC-5)."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from headwater import temporary_folders
from headwater.parsing.parser import Limits
from headwater.parsing.sandbox.pool import ParserProcess
from headwater.process_identity import ProcessIdentity
from headwater.settings import REPOSITORY
from headwater.temporary_folders import brief_folder, remove_abandoned_folders
from query_api.server import gunicorn_settings

_START_A_PARSER = """
import os, signal
from headwater.parsing.sandbox.pool import ParserProcess
from headwater.parsing.parser import Limits
process = ParserProcess("headwater.parsing.csv_tables:CsvParser", Limits(seconds=60, megabytes=1024))
from query_api.server import gunicorn_settings
gunicorn_settings.on_starting(None)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that nobody else uses; this process has not looked at it yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary_folders, "_swept_by", [])
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    return tmp_path


def ended() -> ProcessIdentity:
    """The identity of a process that has ended."""
    with subprocess.Popen(["sleep", "60"]) as process:
        found = ProcessIdentity.of(process.pid)
        process.kill()
    assert found is not None
    return found


def folder_of(owner: ProcessIdentity | str, place: Path, kind: str = "parser") -> Path:
    """A folder as its owner would have made it, with a file in it."""
    made = place / f"headwater-{kind}-{owner}-abcd_123"
    made.mkdir(mode=0o700)
    (made / "file").write_text("text")
    return made


def test_a_process_has_an_identity_that_no_other_process_gets() -> None:
    """The number alone says nothing: the same number with another start is another process."""
    own = ProcessIdentity.own()
    assert own.is_alive
    assert ProcessIdentity.parse(f"{own}\n") == own == ProcessIdentity.of(os.getpid())
    assert not ProcessIdentity(own.pid, own.started - 1, own.space).is_alive
    elsewhere = ProcessIdentity(own.pid, own.started, own.space + 1)
    assert not elsewhere.is_here
    assert ProcessIdentity.parse("4711") is ProcessIdentity.parse("a.b.c") is None


def test_a_process_that_only_waits_to_be_reaped_is_not_alive() -> None:
    """In a container without an init process it may wait for ever."""
    process = subprocess.Popen(["sleep", "60"])
    known = ProcessIdentity.of(process.pid)
    assert known is not None
    assert known.is_alive
    process.kill()
    deadline = time.monotonic() + 30
    while known.is_alive:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert ProcessIdentity.of(process.pid) is None
    process.wait()


def test_folders_of_killed_processes_are_removed_at_the_next_start(place: Path) -> None:
    """Those of the parsers and of the API's counts, which nobody else removes."""
    killed = subprocess.run(
        [sys.executable, "-c", _START_A_PARSER],
        env={**os.environ, "TMPDIR": str(place), "PYTHONPATH": str(REPOSITORY)}, cwd=REPOSITORY,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert sorted(path.name.split("-")[1] for path in place.iterdir()) == ["metrics", "parser"]
    process = ParserProcess("headwater.parsing.csv_tables:CsvParser", Limits(seconds=60, megabytes=1024))
    [left] = place.iterdir()
    assert str(ProcessIdentity.own()) in left.name
    process.end()
    assert list(place.iterdir()) == []


def test_only_our_own_folders_of_ended_processes_are_removed(place: Path) -> None:
    """What a live process uses, what is in another container, and what merely looks alike stays."""
    own, dead = ProcessIdentity.own(), ended()
    gone = [folder_of(dead, place), folder_of(dead, place, "metrics")]
    kept = [
        folder_of(own, place),
        folder_of(ProcessIdentity(dead.pid, dead.started, dead.space + 1), place),
        folder_of("4711", place),
        folder_of(f"{dead}-more", place),
    ]
    outside = place / "outside"
    outside.mkdir()
    (outside / "file").write_text("text")
    link = place / f"headwater-parser-{dead}-link"
    link.symlink_to(outside)
    plain = place / f"headwater-parser-{dead}-plain"
    plain.write_text("text")
    assert remove_abandoned_folders() == 2
    assert not any(folder.exists() for folder in gone)
    assert all((folder / "file").exists() for folder in (*kept, outside))
    assert link.is_symlink()
    assert plain.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_the_folder_of_another_user_stays(place: Path) -> None:
    """Its process may be hidden from this one."""
    other = folder_of(ended(), place)
    os.chown(other, 12345, -1)
    assert remove_abandoned_folders() == 0
    assert other.exists()


def test_a_brief_folder_is_gone_after_its_block() -> None:
    """Only its owner can enter it meanwhile."""
    with brief_folder("dump") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "password").write_text("secret")
    assert not folder.exists()


def test_the_api_removes_its_folder_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its counts belong to the processes that have ended."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    gunicorn_settings.on_starting(None)
    folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    assert folder.is_dir()
    gunicorn_settings.on_exit(None)
    assert not folder.exists()
