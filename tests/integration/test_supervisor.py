"""What `headwater up` does with a process that keeps dying."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.processes.service import Service
from cli.processes.shutdown import end_services, stop_services
from cli.processes.supervisor import _services, _start, _watch
from cli.processes.sync_client import SOCKET
from headwater.errors import DiskFullError
from headwater.settings import Settings
from headwater.store.server import embedded_postgres

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


class Looks(threading.Event):
    """Ends the watch after a number of looks, without the second between them."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.left = number

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - its base has it
        """Do not wait."""
        self.left -= 1
        return self.left < 0


@pytest.fixture
def supervised(server: str, tmp_path: Path) -> Settings:
    """Settings with a Postgres that is somebody else's to start."""
    return Settings(home=tmp_path, cache=tmp_path, database_url=server)


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Service]:
    """A process that stays."""
    service = Service("api", SLEEP, tmp_path / "api.log")
    service.start({})
    yield service
    stop_services([service])


def dead(tmp_path: Path, *, is_optional: bool) -> Service:
    """A process that was started as often as one may be, and died each time."""
    service = Service("sync-worker", ["false"], tmp_path / "dead.log", is_optional=is_optional)
    service.process = subprocess.Popen(["true"], start_new_session=True)
    service.process.wait()
    service.started = [time.monotonic()] * 5
    return service


def test_everything_goes_on_without_an_optional_process(
    supervised: Settings, tmp_path: Path, api: Service, capfd: pytest.CaptureFixture[str]
) -> None:
    """A sync worker that cannot run is said once and left alone: commands sync in their own process."""
    worker = dead(tmp_path, is_optional=True)
    assert _watch([api, worker], {}, supervised, Looks(3)) == 0
    assert api.is_running
    assert not worker.has_group
    assert capfd.readouterr().err.count("continuing without it") == 1


def test_a_process_that_is_needed_and_keeps_dying_ends_it_all(
    supervised: Settings, tmp_path: Path, api: Service
) -> None:
    """The exit status says so."""
    assert _watch([api, dead(tmp_path, is_optional=False)], {}, supervised, Looks(3)) == 1


def test_a_postgres_that_cannot_start_is_said_once(
    tmp_path: Path, api: Service, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its disk may be full for hours; every second tries again in silence."""
    tried: list[Path] = []

    def fails(folder: Path, *, recovery: float) -> str:
        tried.append(folder)
        raise DiskFullError

    monkeypatch.setattr(embedded_postgres, "is_running", lambda _: False)
    monkeypatch.setattr(embedded_postgres, "start", fails)
    assert _watch([api], {}, Settings(home=tmp_path, cache=tmp_path), Looks(3)) == 0
    assert len(tried) == 3
    said = capfd.readouterr().err
    assert said.count("Postgres died; restarting it") == said.count("is full") == 1


def test_whatever_lies_where_the_socket_should_be_the_processes_end(tmp_path: Path, api: Service) -> None:
    """A folder there cannot be removed as a file can, and every process used to stay behind."""
    (tmp_path / SOCKET).mkdir()
    end_services(tmp_path, [api])
    assert not api.has_group


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no sync worker")
def test_what_is_optional(supervised: Settings) -> None:
    """The sync worker and Dagster's UI. Without the API, the daemon or the code server nothing useful is left."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        services = _services(supervised, supervised.home / "code-server.sock", "127.0.0.1", 1, listener)
    optional = [service for service in services if service.is_optional]
    assert [service.name for service in optional] == ["dagster-webserver", "sync-worker"]
    assert all(service.is_awaiting for service in optional)  # each starts at the first connection
    for service in optional:
        service.refuse_connections()


def test_nothing_is_started_once_it_shall_stop(supervised: Settings, api: Service) -> None:
    """A Ctrl-C during the start ends it there."""
    stopping = threading.Event()
    stopping.set()
    later = Service("sync-worker", SLEEP, supervised.home / "later.log", is_optional=True)
    _start([api, later], {}, supervised.home / "code-server.sock", "http://127.0.0.1:1", stopping)
    assert later.process is None
    assert len(api.started) == 1


@pytest.fixture
def ui(tmp_path: Path) -> Iterator[Service]:
    """A process that greets whoever connects, one after the other, and dies after each."""
    code = (
        "import socket, sys\n"
        "connection, _ = socket.socket(fileno=int(sys.argv[1])).accept()\n"
        "connection.sendall(b'hello')\n"
    )
    listener = socket.create_server(("127.0.0.1", 0))
    service = Service("ui", [sys.executable, "-c", code, str(listener.fileno())], tmp_path / "ui.log")
    service.listener, service.is_optional = listener, True
    yield service
    stop_services([service])
    service.refuse_connections()


def _visit(address: tuple[str, int]) -> bytes:
    with socket.create_connection(address, timeout=60) as connection:
        return connection.recv(5)


def test_a_process_is_started_by_its_first_visitor(supervised: Settings, ui: Service) -> None:
    """Whose connection waits until it serves. When it dies, the next one is started without a visit."""
    assert ui.listener is not None
    address = ui.listener.getsockname()
    assert _watch([ui], {}, supervised, Looks(20)) == 0
    assert ui.process is None
    stopping = threading.Event()
    watch = threading.Thread(target=_watch, args=([ui], {}, supervised, stopping))
    watch.start()
    try:
        assert [_visit(address), _visit(address)] == [b"hello", b"hello"]
        assert len(ui.started) >= 2
    finally:
        stopping.set()
        watch.join()


def test_a_process_that_cannot_run_lets_no_visitor_wait(supervised: Settings, ui: Service, tmp_path: Path) -> None:
    """Their connections are refused, and everything else goes on."""
    assert ui.listener is not None
    address = ui.listener.getsockname()
    worn = dead(tmp_path, is_optional=True)
    worn.listener, ui.listener = ui.listener, None
    assert _watch([worn], {}, supervised, Looks(1)) == 0
    with pytest.raises(ConnectionRefusedError):
        _visit(address)
