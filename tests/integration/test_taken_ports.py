"""What `headwater up` says when its ports are taken."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.serving import make_server

from cli.processes import supervisor
from cli.processes.api_server import check_port
from headwater.errors import ConflictError, InvalidInputError
from headwater.settings import Settings
from query_api.app import create_app
from tests.support import free_port


@pytest.fixture
def taken() -> Iterator[int]:
    """A port at which something else listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home that the environment names; nothing runs for it, and no database is there."""
    monkeypatch.setenv("HEADWATER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    return tmp_path / "home"


def up(port: int, dagster_port: int) -> None:
    """What the command does."""
    supervisor.run(host="127.0.0.1", port=port, dagster_port=dagster_port, as_json=True)


def test_up_that_runs_already_is_known_before_its_ports_are_looked_at(home: Path, taken: int) -> None:
    """Its own instance is named with its addresses, not the port that it holds."""
    command = [sys.executable, "-c", "import time; print('started', flush=True); time.sleep(60)", "headwater up"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()  # until then, Linux may not have its command line yet
        home.mkdir(mode=0o700)
        urls = ["http://a", "http://b", f"http://127.0.0.1:{taken}", "http://127.0.0.1:3000"]
        (home / "up.pid").write_text("\n".join([str(running.pid), *urls]), encoding="utf-8")
        try:
            with pytest.raises(ConflictError) as caught:
                up(taken, taken)
        finally:
            running.kill()
    message = str(caught.value)
    assert f"runs already for {home} (process {running.pid}): the API is at http://127.0.0.1:{taken}" in message
    assert "`headwater down` stops it" in message
    assert "--port and --dagster-port" in message


@pytest.mark.parametrize("option", ["--port", "--dagster-port"])
def test_a_taken_port_names_the_option_that_chooses_another(home: Path, taken: int, option: str) -> None:
    """That of the API and that of the Dagster UI; the home is left as if nothing had been tried."""
    free = free_port()
    with pytest.raises(InvalidInputError) as caught:
        up(*((taken, free) if option == "--port" else (free, taken)))
    assert str(caught.value) == f"Port {taken} on 127.0.0.1 is taken. Choose another with {option}."
    assert not (home / "up.pid").exists()


def test_nobody_takes_the_port_of_the_ui_after_it_was_looked_at(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is held from then on, while the database and the modules load, and given back if `up` does not start."""
    port = free_port()

    def interfere(_: str) -> None:
        with pytest.raises(OSError, match="in use"):
            socket.create_server(("127.0.0.1", port))
        raise ConflictError("The database is away.")

    monkeypatch.setattr(supervisor, "migrate", interfere)
    with pytest.raises(ConflictError, match="is away"):
        up(free_port(), port)
    socket.create_server(("127.0.0.1", port)).close()


def test_another_headwater_on_the_port_is_told_apart(tmp_path: Path) -> None:
    """Whoever runs two sees which of his programs has the port."""
    server = make_server("127.0.0.1", 0, create_app(Settings(home=tmp_path, cache=tmp_path)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        with pytest.raises(InvalidInputError, match=r"is taken by another Headwater\. Choose another with --port"):
            check_port("127.0.0.1", server.port)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
