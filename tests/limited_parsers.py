"""Parsers with limits, which a parser process can import by name.

Belongs here: parsers that do what a hostile file makes a library do. Not here: tests. Guarantee: importing this module
imports no test.
"""

import ctypes
import fcntl
import os
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from headwater.domain.documents import Original, ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.errors import UnsafeFileError
from headwater.parsing.parser import File, Limits, Parser


def _open() -> list[int]:
    """The open files beside the standard ones."""
    found = []
    for number in range(3, 256):
        with suppress(OSError):
            os.fstat(number)
            found.append(number)
    return found


class Obedient(Parser):
    """Does what its file says, and returns what came of it."""

    media_types: ClassVar[tuple[str, ...]] = ("application/x-obedient",)
    suffixes: ClassVar[tuple[str, ...]] = (".obedient",)
    version: ClassVar[str] = "obedient-1"
    limits: ClassVar[Limits | None] = Limits(seconds=20, megabytes=128)
    keeps_original = True
    _prepared = 0

    def prepare(self) -> None:
        """Count the calls."""
        self._prepared += 1

    def parse(self, file: File) -> ParsedDocument:
        """Run the method that the file names."""
        name, _, argument = file.content.decode().partition(" ")
        found = getattr(self, name)(argument, file)
        return found if isinstance(found, ParsedDocument) else ParsedDocument(uri=file.uri, title=name, text=str(found))

    def echo(self, argument: str, file: File) -> ParsedDocument:
        """Return every field."""
        return ParsedDocument(
            uri="another", title=argument, text=f"{argument} \ud800 €", media_type="text/plain", category=file.root,
            language="de", metadata={"type": file.media_type, "deep": [1, {"a": None}]}, references=("b", "c"),
            notes=file.passwords, places=Places.of(PlaceKind.SHEET, [(0, "One"), (2, "Zwei")]),
            original=Original(content=b"other", media_type="application/x-other") if argument == "other" else None,
        )  # fmt: skip

    def pid(self, _: str, __: File) -> int:
        """Tell which process this is."""
        return os.getpid()

    def prepared(self, _: str, __: File) -> int:
        """Tell how often `prepare` was called."""
        return self._prepared

    def hang(self, _: str, __: File) -> None:
        """Never return, and hold the interpreter's lock as a regular expression does."""
        Path("hanging").touch()
        ctypes.PyDLL(None).sleep(600)

    def wait(self, seconds: str, _: File) -> int:
        """Return after a while."""
        time.sleep(float(seconds))
        return os.getpid()

    def fill(self, megabytes: str, _: File) -> int:
        """Use memory."""
        return len(bytearray(int(megabytes) * 2**20))

    def keep(self, megabytes: str, _: File) -> int:
        """Use memory and do not give it back."""
        self._kept = bytearray(int(megabytes) * 2**20)
        return os.getpid()

    def fill_natively(self, megabytes: str, _: File) -> None:
        """Use memory as a C library does, and crash as it does."""
        pointer = ctypes.CDLL(None).calloc(int(megabytes), 2**20)
        ctypes.memset(pointer, 1, 1)

    def crash(self, _: str, __: File) -> None:
        """Read memory that is not there."""
        ctypes.string_at(8)

    def leave(self, status: str, _: File) -> None:
        """End the process."""
        os._exit(int(status))

    def refuse(self, argument: str, _: File) -> None:
        """Refuse the file."""
        raise UnsafeFileError(f"No: {argument}")

    def stumble(self, _: str, __: File) -> None:
        """Raise what a library raises for a damaged file."""
        raise KeyError("rId7")

    def descend(self, _: str, __: File) -> None:
        """Recurse without an end."""
        self.descend("", __)

    def speak(self, _: str, __: File) -> str:
        """Print, as a library does."""
        os.write(1, b"noise")
        return "quiet"

    def forge(self, header: str, _: File) -> None:
        """Answer on its own, like code that took the process over."""
        (answers,) = [number for number in _open() if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY]
        for content in (header.encode(), b"abc", b""):
            os.write(answers, len(content).to_bytes(8, "big") + content)
        time.sleep(600)

    def environment(self, _: str, __: File) -> str:
        """Return what the process inherited."""
        opened = [os.readlink(f"/proc/self/fd/{number}") for number in _open()]  # noqa: PTH115
        return "\n".join([*(f"{name}={value}" for name, value in os.environ.items()), str(Path.cwd()), *opened])

    def connect(self, port: str, _: File) -> str:
        """Open a connection."""
        with socket.create_connection(("127.0.0.1", int(port)), timeout=5):
            return "connected"

    def connect_natively(self, port: str, _: File) -> str:
        """Open a connection past Python."""
        libc = ctypes.CDLL(None, use_errno=True)
        number = libc.socket(2, 1, 0)
        address = (2).to_bytes(2, "little") + int(port).to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
        return "connected" if libc.connect(number, address, 16) == 0 else "refused"

    def run(self, command: str, _: File) -> str:
        """Run a program."""
        return subprocess.run([command], check=True, capture_output=True, text=True).stdout


class Unprepared(Obedient):
    """Lacks its library."""

    media_types: ClassVar[tuple[str, ...]] = ("application/x-unprepared",)

    def prepare(self) -> None:
        """Fail as an import does."""
        raise ModuleNotFoundError("No module named 'nothing'")
