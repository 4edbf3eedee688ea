"""What is left when `headwater up` is killed, and who finds and ends it (OPS-4, REL-1)."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.processes import up_file
from cli.processes.development import claim_development, read_development_pid
from cli.processes.process_records import UP, find_remaining_processes, locate_record, read_record, write_record
from cli.processes.service import Service
from cli.processes.shutdown import stop, stop_remaining, stop_services
from headwater.errors import ConflictError
from headwater.process_identity import ProcessIdentity

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(60)",
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home that the environment names; its database is somebody else's."""
    monkeypatch.setenv("HEADWATER_HOME", str(tmp_path))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    (tmp_path / "logs").mkdir()
    return tmp_path


@pytest.fixture
def started(home: Path) -> Iterator[list[Service]]:
    """Two processes of an `up` that no longer runs."""
    services = [
        Service(name, SLEEP, home / "logs" / f"{name}.log", record=locate_record(home, name))
        for name in ("api", "bot-slack")
    ]
    for service in services:
        service.start({})
    yield services
    stop_services(services)


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of somebody else, in a group of its own; its command line says headwater."""
    with subprocess.Popen([*SLEEP, "headwater"], start_new_session=True) as process:
        yield process
        process.kill()


def pids(services: list[Service]) -> list[int]:
    """The processes of services that were started."""
    return [service.process.pid for service in services if service.process is not None]


def test_down_ends_what_a_killed_up_left(home: Path, started: list[Service]) -> None:
    """Each by its record, which then is gone; the second time there is nothing to stop."""
    assert [process.pid for process in find_remaining_processes(home).values()] == pids(started)
    assert stop() == ["api", "bot-slack"]
    assert not any(service.is_running for service in started)
    assert stop() == []
    assert list((home / "processes").iterdir()) == []


def test_a_process_that_ignores_the_signal_is_killed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with those of a running `up`."""
    monkeypatch.setattr("cli.processes.shutdown._GRACE", 0.5)
    log = home / "logs" / "api.log"
    service = Service("api", STUBBORN, log, record=locate_record(home, "api"))
    service.start({})
    while "here" not in log.read_text():
        assert service.is_running
    assert stop_remaining(home) == ["api"]
    assert not service.is_running


def test_dagster_dev_waits_until_they_are_stopped(home: Path, started: list[Service]) -> None:
    """Their daemon would start every scheduled run beside its own."""
    with pytest.raises(ConflictError, match=r"left these running for .*: api \(process .*Run `headwater down`"):
        claim_development(home)
    stop_services(started)
    claim_development(home)
    assert read_development_pid(home) == os.getpid()


def test_children_of_a_process_that_has_ended_are_found(home: Path) -> None:
    """A run of the code server lives on when that is killed; its log, which lies in the home, shows whose it is."""
    command = f"import subprocess, sys; subprocess.Popen({SLEEP!r}); print('here', flush=True)"
    log = home / "logs" / "code-server.log"
    service = Service("code-server", [sys.executable, "-c", command], log, record=locate_record(home, "code-server"))
    service.start({})
    while service.is_running:
        time.sleep(0.01)
    assert service.has_group
    assert list(find_remaining_processes(home)) == ["code-server"]
    assert stop_remaining(home) == ["code-server"]
    assert not service.has_group


def test_a_number_that_another_process_has_now_is_not_touched(home: Path, stranger: "subprocess.Popen[bytes]") -> None:
    """Neither as a process of ours nor as `up`, though it is called headwater; nor one of another container."""
    other = ProcessIdentity.of(stranger.pid)
    assert other is not None
    locate_record(home, "api").write_text(str(ProcessIdentity(other.pid, other.started - 1, other.space)))
    locate_record(home, "code-server").write_text(str(ProcessIdentity(other.pid, other.started, other.space + 1)))
    locate_record(home, "sync-worker").write_text(str(other.pid))
    locate_record(home, UP).write_text(str(ProcessIdentity(other.pid, other.started - 1, other.space)))
    (home / "up.pid").write_text(f"{other.pid}\nhttp://a\nhttp://b\nhttp://c\nhttp://d\n")
    assert up_file.read_pid(home) is None
    assert find_remaining_processes(home) == {}
    assert stop() == []
    assert stranger.poll() is None


def test_a_group_of_strangers_is_not_touched(home: Path) -> None:
    """The number of an ended process of ours was given to another, which has ended too and left a child process."""
    command = f"import subprocess; subprocess.Popen({SLEEP!r})"
    with subprocess.Popen([sys.executable, "-c", command], start_new_session=True) as leader:
        pass
    locate_record(home, "api").write_text(str(ProcessIdentity(leader.pid, 1, ProcessIdentity.own().space)))
    assert find_remaining_processes(home) == {}
    os.killpg(leader.pid, 9)


def test_an_up_that_hangs_is_killed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`down` used to say that it had stopped it, while it ran on."""
    monkeypatch.setattr("cli.processes.shutdown._GRACE", 0.5)
    with subprocess.Popen(STUBBORN, stdout=subprocess.PIPE) as up:
        assert up.stdout is not None
        up.stdout.readline()
        write_record(locate_record(home, UP), up.pid)
        (home / "up.pid").write_text(str(up.pid))
        assert stop() == ["headwater up"]
        assert up.wait(30) == -9
    assert not (home / "up.pid").exists()


def test_the_record_knows_up_itself(home: Path, stranger: "subprocess.Popen[bytes]") -> None:
    """One that runs is found; after its end nothing is recorded."""
    up_file.claim(home)
    known = read_record(locate_record(home, UP))
    assert known == ProcessIdentity.own()
    write_record(locate_record(home, UP), stranger.pid)
    (home / "up.pid").write_text(str(stranger.pid))
    assert up_file.read_pid(home) == stranger.pid
    up_file.release(home)
    assert up_file.read_pid(home) is None
    assert list((home / "processes").iterdir()) == []
