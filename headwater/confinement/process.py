"""A confined process, as its parent sees it.

Belongs here: starting and ending it, its pipes and frames. Not here: what it does and what its frames mean, its own
side (`child`), what it may do (`permissions`). Guarantee: no such process outlives this one; it inherits no open file
and no variable of our environment that could be a secret; waiting for it ends at the deadline.

A frame is its length in eight bytes, then its bytes.
"""

import json
import os
import py_compile
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from headwater.confinement.child import LENGTH, READY
from headwater.confinement.permissions import call_filter, file_rules, is_open_to_all
from headwater.settings import plain_environment
from headwater.temporary_folders import make_temporary_folder

_START_SECONDS = 60.0  # importing a library from a cold disk takes seconds
_BLOCK = 2**20
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}  # each takes memory


class LateError(Exception):
    """A process did not answer in time."""


class EndedError(Exception):
    """A process closed its pipes."""


class InvalidAnswerError(Exception):
    """An answer that no such process gives; it may have been taken over."""


class ConfinedProcess:
    """A process that runs a module of ours, and gives it frames."""

    def __init__(self, module: str, path: str, *, seconds: float, megabytes: int) -> None:
        """Start it, and wait until it is ready.

        Args:
            module: what it runs, with `child.enter`.
            path: the class that the module works with, such as `package.module:Class`; its package may be imported.
            seconds: passed to the module.
            megabytes: the memory that it may use.

        Raises:
            LateError: it did not start in time. EndedError: it ended at once.
        """
        self._folder = str(make_temporary_folder("parser"))
        lifeline, self._lifeline = os.pipe()
        rules = file_rules(self._folder, ("headwater", path.partition(".")[0]))
        passed = (lifeline, rules.fileno()) if rules else (lifeline,)
        arguments = [path, seconds, megabytes, lifeline, rules.fileno() if rules else -1, is_open_to_all()]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *map(str, arguments)],
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
            deadline = time.monotonic() + _START_SECONDS
            self.send(call_filter(), deadline)
            self._receive(len(READY), deadline)
            compile_modules(json.loads(self.receive(deadline, _BLOCK)))
        except BaseException:
            self.end()
            raise

    def send(self, content: bytes, deadline: float) -> None:
        """Send a frame.

        Raises:
            LateError: it was not taken by the deadline. EndedError: nobody takes it.
        """
        for block in (len(content).to_bytes(LENGTH, "big"), content):
            remaining = memoryview(block)
            while remaining:
                self._wait(self._requests, select.POLLOUT, deadline)
                try:
                    remaining = remaining[os.write(self._requests, remaining[:_BLOCK]) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    raise EndedError from None

    def receive(self, deadline: float, limit: int) -> bytes:
        """Receive a frame.

        Args:
            deadline: by when, as `time.monotonic` counts.
            limit: how many bytes it may have.

        Raises:
            LateError: it did not come in time. EndedError: none comes. InvalidAnswerError: it is too long.
        """
        length = int.from_bytes(self._receive(LENGTH, deadline), "big")
        if length > limit:
            raise InvalidAnswerError("length")
        return self._receive(length, deadline)

    def status(self) -> int:
        """How it ended, as `subprocess` counts; 0 if it has not."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=5)
        return 0

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

    def _receive(self, length: int, deadline: float) -> bytes:
        content = bytearray()
        while len(content) < length:
            self._wait(self._answers, select.POLLIN, deadline)
            block = os.read(self._answers, min(length - len(content), _BLOCK))
            if not block:
                raise EndedError
            content += block
        return bytes(content)

    @staticmethod
    def _wait(number: int, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(number, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise LateError


def compile_modules(files: Sequence[str]) -> None:
    """Write the compiled form of modules, as Python does; a process that did this itself could change our code."""
    for file in () if sys.dont_write_bytecode else files:
        compiled = Path(cache_from_source(file))
        folder = compiled.parent
        if not compiled.exists() and os.access(folder if folder.exists() else folder.parent, os.W_OK):
            with suppress(OSError):
                py_compile.compile(file, quiet=2)


def _environment(folder: str) -> dict[str, str]:
    """The variables of a process: those that cannot be secrets, and where to import from."""
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path if entry)
    return {**plain_environment(), **_ONE_THREAD, "PYTHONPATH": path, "TMPDIR": folder, "HOME": folder}
