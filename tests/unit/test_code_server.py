"""Where the code server listens: only the owner of the home may run code with it (SEC-1)."""

import socket
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from cli.processes.code_server import choose_socket, command, is_listening, remove_place


def test_it_listens_on_a_socket_in_the_home(tmp_path: Path) -> None:
    """So there is no port, and the home itself keeps others out."""
    place = choose_socket(tmp_path)
    assert place == tmp_path / "code-server.sock"
    assert command(place=str(place), host="127.0.0.1", port=4000)[-2:] == ["--socket", str(place)]
    assert not is_listening(place)
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(place))
        listener.listen()
        assert is_listening(place)
    remove_place(place, tmp_path)
    assert place.exists()  # the home is nothing that it may remove


@pytest.mark.parametrize("name", ["a" * 80, "50%", "a#b", "a?b", "a,b", "ä" * 45])
def test_a_home_whose_path_no_socket_can_have(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long path does not fit, and grpc reads some characters as part of a URI: another private folder has it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    home = tmp_path / name
    place = choose_socket(home)
    assert place.parent.parent == tmp_path
    assert place.parent.stat().st_mode & 0o777 == 0o700
    remove_place(place, home)
    assert not place.parent.exists()


def test_in_a_container_it_listens_on_an_address() -> None:
    """Others reach it over the network of the containers."""
    assert command(place=None, host="0.0.0.0", port=4000)[-4:] == ["-h", "0.0.0.0", "-p", "4000"]
