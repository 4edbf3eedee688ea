"""Reading only the rows of a dump, as text.

Belongs here: making pg_restore print a dump, and taking the rows from that. Not here: where they go
(`dump_restore`). Guarantee: nothing in a dump is executed; anything except rows and numbers of sequences is refused by
name; a small dump cannot become an endless text.
"""

import os
import pwd
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, cast

from headwater.store.server.dumps import BackupError
from headwater.store.server.embedded_access import account, programs, programs_for

_BLOCK = 1 << 20  # bytes
_STATEMENT = 1 << 16  # bytes that a line outside rows may have
_EXPANSION, _ALLOWANCE = 200, 64 << 20  # bytes of text for each byte of a dump, and for an empty one
_NAME = r'(?:[a-z_][a-z0-9_]*|"[a-z_][a-z0-9_]*")'
_COPY = re.compile(rf"COPY ({_NAME})\.({_NAME}) \(({_NAME}(?:, {_NAME})*)\) FROM stdin;")
_SEQUENCE = re.compile(rf"SELECT pg_catalog\.setval\('({_NAME})\.({_NAME})', (\d{{1,18}}), (true|false)\);")
_HARMLESS = re.compile(
    r"|--.*|SET [a-z_]+ = [\w'.-]+;|SELECT pg_catalog\.set_config\('search_path', '', false\);|\\(un)?restrict \w+"
)


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows of one table; `blocks` must be read before the next item."""

    schema: str
    table: str
    columns: list[str]
    blocks: Iterator[tuple[bytes, int]]
    """Text in COPY format, and how many rows end in it."""


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """The current number of a sequence."""

    schema: str
    name: str
    value: int
    is_called: bool


@contextmanager
def dump_text(dump: BinaryIO, tell: Callable[[int], object]) -> Iterator[IO[bytes]]:
    """Make pg_restore print the data of a dump; it accesses no database, and as root it runs as another user.

    Raises:
        BackupError: it is not a dump, or cannot be read.
    """
    runs_as = _reader()
    identity: dict[str, Any] = {}
    if runs_as:
        identity = {"user": runs_as.pw_uid, "group": runs_as.pw_gid, "extra_groups": []}
    command = [str(programs_for(runs_as) / "pg_restore"), "--format=custom", "--data-only", "--file=-"]
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd="/",
                env={"PATH": os.defpath, "LC_ALL": "C"}, **identity,
            )  # fmt: skip
        except OSError as error:
            raise BackupError(f"pg_restore cannot be run ({error.strerror}).") from error
        stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        feeder = threading.Thread(target=_feed, args=(dump, stdin, tell))
        feeder.start()
        try:
            yield stdout
        except BaseException:
            process.kill()
            raise
        finally:
            stdout.close()
            process.wait()
            feeder.join()
        if process.returncode:
            errors.seek(0)
            error_lines = errors.read().decode("utf-8", "replace").strip().splitlines()
            words = [line for line in error_lines if "error" in line] or [f"pg_restore ended with {process.returncode}"]
            raise BackupError(f"{words[0]}. Nothing was restored.")


def _reader() -> pwd.struct_passwd | None:
    """The user who reads a dump: for root a user who owns nothing, because a stranger may have written the dump."""
    if os.geteuid() != 0:
        return None
    with suppress(KeyError):
        return pwd.getpwnam("nobody")
    return account(programs())


def _feed(dump: BinaryIO, target: IO[bytes], tell: Callable[[int], object]) -> None:
    byte_count = 0
    with suppress(BrokenPipeError), target:  # it ended early, and says why
        while block := dump.read(_BLOCK):
            target.write(block)
            byte_count += len(block)
            tell(byte_count)


def items(text: IO[bytes], size: int) -> Iterator[Rows | Sequence]:
    """Take rows and sequences from the output of pg_restore.

    Args:
        text: the output.
        size: the bytes of the dump.

    Raises:
        BackupError: it contains something else, or too much.
    """
    source = _Bounded(text, _EXPANSION * size + _ALLOWANCE)
    while raw := source.line(_STATEMENT):
        line = raw.rstrip(b"\n").decode("utf-8", "replace")
        if match := _COPY.fullmatch(line):
            schema, table, columns = (field.replace('"', "") for field in match.groups())
            yield Rows(schema=schema, table=table, columns=columns.split(", "), blocks=_rows(source, table))
        elif match := _SEQUENCE.fullmatch(line):
            schema, name, value, is_called = (field.replace('"', "") for field in match.groups())
            yield Sequence(schema=schema, name=name, value=int(value), is_called=is_called == "true")
        elif not _HARMLESS.fullmatch(line):
            raise BackupError(
                f"The dump holds something other than rows: {line[:80]!r}. Nothing was restored. Headwater's backups"
                " hold nothing of that kind, so do not use this file."
            )


class _Bounded:
    """A text that is read only up to a limit."""

    def __init__(self, text: IO[bytes], limit: int) -> None:
        self._text = text
        self._left = limit

    def line(self, most: int) -> bytes:
        """Read a line, or the beginning of a longer one."""
        line = self._text.readline(most)
        self._left -= len(line)
        if self._left < 0:
            raise BackupError(f"The dump grows to more than {_EXPANSION} times its size. Nothing was restored.")
        return line


def _rows(source: _Bounded, table: str) -> Iterator[tuple[bytes, int]]:
    block, count, is_start = bytearray(), 0, True
    while True:
        line = source.line(_BLOCK)
        if not line:
            raise BackupError(f"The dump ends within the rows of {table}. Nothing was restored.")
        if is_start and line == b"\\.\n":
            break
        is_start = line.endswith(b"\n")
        count += is_start
        block += line
        if len(block) >= _BLOCK:
            yield bytes(block), count
            block, count = bytearray(), 0
    yield bytes(block), count
