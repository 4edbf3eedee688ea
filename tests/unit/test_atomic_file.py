"""Files that are written for people."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.administration.atomic_file import write_file
from headwater.errors import InvalidInputError


def test_a_file_is_replaced_only_when_all_is_written(tmp_path: Path) -> None:
    """If writing fails halfway, the old file stays and no other one is left behind."""
    path = tmp_path / "export.jsonl"
    assert write_file(path, [b"old", b"er"]) == 5

    def broken() -> Iterator[bytes]:
        yield b"new"
        raise OSError(28, "No space left on device")

    with pytest.raises(InvalidInputError, match="No space left on device"):
        write_file(path, broken())
    assert path.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    """Root, who may replace it, would otherwise replace /dev/null by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert write_file(pipe, [b"one", b"two"]) == 6
    reader.join(60)
    assert read == [b"onetwo"]
    assert pipe.is_fifo()
