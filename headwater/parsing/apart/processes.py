"""Running a parser in a process of its own, with limits.

Belongs here: starting such processes, reusing and ending them, and sending them files. Not here: their work
(`process`), what they may do (`confinement`), the messages (`wire`). Guarantee: a file that exceeds the limits
or ends its process is that document's error, and the next file gets a fresh process; no process outlives this one, or
its request's cancellation; it gets no variable of our environment that could be a secret.
"""

import atexit
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError, ParserCrashedError, ParserLimitError
from headwater.parsing.apart.permissions import call_filter, file_rules, is_open_to_all
from headwater.parsing.apart.wire import (
    HEADER_LIMIT,
    LENGTH,
    READY,
    RETIRED,
    InvalidAnswerError,
    frame,
    read_answer,
    request_header,
)
from headwater.parsing.parser import File, Limits, Parser
from headwater.settings import parser_limits, plain_environment

_START_SECONDS = 60.0  # importing a library from a cold disk takes seconds
_BLOCK = 2**20
_IDLE = 6  # processes that wait: a folder has files of several kinds, and starting one takes half a second
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}  # each takes memory


class _LateError(Exception):
    """A process did not answer in time."""


class _EndedError(Exception):
    """A process closed its pipes."""


class ParserProcess:
    """A process that reads files with one parser, one file at a time."""

    def __init__(self, path: str, limits: Limits) -> None:
        """Start it.

        Args:
            path: the parser's class, as `process.load` takes it.
            limits: what one file may take.

        Raises:
            DocumentError: it did not start.
        """
        self.key = (path, limits)
        self._limits = limits
        self._folder = tempfile.mkdtemp(prefix="headwater-parser-")
        lifeline, self._lifeline = os.pipe()
        rules = file_rules(self._folder, ("headwater", path.partition(".")[0]))
        passed = (lifeline, rules.fileno()) if rules else (lifeline,)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "headwater.parsing.apart.process", path, str(limits.seconds),
                 str(limits.megabytes), str(lifeline), str(rules.fileno() if rules else -1), str(is_open_to_all())],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
                cwd=self._folder, env=_environment(self._folder), pass_fds=passed, start_new_session=True,
            )  # fmt: skip
        except BaseException:
            os.close(self._lifeline)
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        finally:
            os.close(lifeline)
            if rules:
                rules.close()
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101 - as above
        self._requests, self._answers = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._requests, False)
        try:
            self._begin()
        except BaseException:
            self.end()
            raise

    def _begin(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        try:
            for content in (frame(call_filter()), call_filter()):
                self._send(content, deadline)
            self._receive(len(READY), deadline)
        except (_EndedError, _LateError) as error:
            raise DocumentError(
                f"The process of the parser {self.key[0]} did not start. Check that its libraries are installed, and"
                f" that it can start in {self._limits.megabytes} MB; if not, raise HEADWATER_PARSER_MEMORY."
            ) from error

    def parse(self, file: File) -> ParsedDocument | None:
        """Read a file; None if the process had retired before.

        Raises:
            DocumentError: the file cannot be read, exceeds the limits, or ended the process.
        """
        deadline = time.monotonic() + self._limits.seconds
        header = request_header(file)
        try:
            for content in (frame(header), header, frame(file.content), file.content):
                self._send(content, deadline)
            frames = [self._frame(deadline, HEADER_LIMIT), *(self._frame(deadline, self._room) for _ in range(2))]
            return read_answer(frames[0], frames[1], frames[2], file)
        except _LateError:
            raise ParserLimitError(
                f"Reading the file took longer than {self._limits.seconds:g} s, the limit of its parser, so it was"
                " left out. Divide it, or raise HEADWATER_PARSER_SECONDS."
            ) from None
        except _EndedError:
            self._raise_crash()
            return None
        except InvalidAnswerError as error:
            raise ParserCrashedError(
                "Its parser gave an answer that is not valid, so it was left out. The file may be an attack on the"
                " parser."
            ) from error

    @property
    def _room(self) -> int:
        return self._limits.megabytes * 2**20  # the process itself could not hold more

    def _raise_crash(self) -> None:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = 0
        if status == RETIRED:
            return
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        raise ParserCrashedError(
            f"Reading the file ended the process of its parser ({how}), so it was left out. It may be damaged, or need"
            f" more than {self._limits.megabytes} MB of memory; then divide it, or raise HEADWATER_PARSER_MEMORY."
        )

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def end(self) -> None:
        """End it at once, and remove its folder."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        self.forget()
        shutil.rmtree(self._folder, ignore_errors=True)

    def forget(self) -> None:
        """Close this side of its pipes; without another holder, that ends it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def _send(self, content: bytes, deadline: float) -> None:
        left = memoryview(content)
        while left:
            self._wait(self._requests, select.POLLOUT, deadline)
            try:
                left = left[os.write(self._requests, left[:_BLOCK]) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise _EndedError from None

    def _frame(self, deadline: float, limit: int) -> bytes:
        length = int.from_bytes(self._receive(LENGTH, deadline), "big")
        if length > limit:
            raise InvalidAnswerError("length")
        return self._receive(length, deadline)

    def _receive(self, length: int, deadline: float) -> bytes:
        content = bytearray()
        while len(content) < length:
            self._wait(self._answers, select.POLLIN, deadline)
            part = os.read(self._answers, min(length - len(content), _BLOCK))
            if not part:
                raise _EndedError
            content += part
        return bytes(content)

    @staticmethod
    def _wait(number: int, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(number, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise _LateError


class _Pool:
    """The idle processes of this process, and how many may work at once: one per processor."""

    def __init__(self) -> None:
        self._size = os.cpu_count() or 1
        self._places = threading.BoundedSemaphore(self._size)
        self._idle: list[ParserProcess] = []
        self._working: set[ParserProcess] = set()
        self._lock = threading.Lock()

    def parse(self, path: str, limits: Limits, file: File) -> ParsedDocument:
        """Read a file with a process of a parser, which is started if none is idle."""
        with self._places:
            idle = self._take(path, limits)
            found = self._asked(idle, file) if idle else None
            if found is None:
                found = self._asked(ParserProcess(path, limits), file)
        if found is None:
            raise ParserCrashedError("Reading the file ended the process of its parser, so it was left out.")
        return found

    def _asked(self, process: ParserProcess, file: File) -> ParsedDocument | None:
        is_reusable = False
        try:
            self._working.add(process)
            found = process.parse(file)
            is_reusable = found is not None
            return found
        except (ParserLimitError, ParserCrashedError):
            raise
        except DocumentError:
            is_reusable = True
            raise
        finally:  # an interruption of the sync comes here too
            self._working.discard(process)
            if is_reusable:
                self._keep(process)
            else:
                process.end()

    def _take(self, path: str, limits: Limits) -> ParserProcess | None:
        with self._lock:
            for process in [one for one in reversed(self._idle) if one.key == (path, limits)]:  # the others retire
                self._idle.remove(process)
                if process.is_alive():
                    return process
                process.end()
        return None

    def _keep(self, process: ParserProcess) -> None:
        with self._lock:
            self._idle.append(process)
            oldest = self._idle.pop(0) if len(self._idle) > max(_IDLE, self._size) else None
        if oldest:
            oldest.end()

    def end(self) -> None:
        """End the idle processes."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            process.end()

    def forget(self) -> None:
        """Leave the processes to the process that this one is a fork of."""
        for process in (*self._idle, *self._working):
            process.forget()
        self.__init__()  # type: ignore[misc]  # the lock may be held by a thread that the fork does not have


_POOL = _Pool()
atexit.register(_POOL.end)
os.register_at_fork(after_in_child=_POOL.forget)


def parse_apart(parser: Parser, limits: Limits, file: File) -> ParsedDocument:
    """Read a file in a process of its own.

    Args:
        parser: its parser, whose class can be imported by name.
        limits: the parser's; HEADWATER_PARSER_SECONDS and HEADWATER_PARSER_MEMORY replace them.
        file: the file.

    Raises:
        DocumentError: it cannot be read; `PARSER_LIMIT` or `PARSER_CRASHED` if it is too much for the parser.
    """
    kind = type(parser)
    if "<" in kind.__qualname__ or kind.__module__ == "__main__":
        raise DocumentError(f"The parser {kind.__qualname__} has limits, so its class must be importable by its name.")
    seconds, megabytes = parser_limits()
    chosen = Limits(seconds=seconds or limits.seconds, megabytes=megabytes or limits.megabytes)
    return _POOL.parse(f"{kind.__module__}:{kind.__qualname__}", chosen, file)


def _environment(folder: str) -> dict[str, str]:
    """The variables of a process: those that cannot be secrets, and where to import from."""
    path = os.pathsep.join(str(Path(part).absolute()) for part in sys.path if part)
    return {**plain_environment(), **_ONE_THREAD, "PYTHONPATH": path, "TMPDIR": folder, "HOME": folder}
