"""Running a parser in a process of its own, with limits.

Belongs here: reusing such processes, and sending them files. Not here: their work (`child`), starting them and what
they may do (`headwater.confinement`), the messages (`protocol`). Guarantee: a file that exceeds the limits or ends its
process is that document's error, and the next file gets a fresh process; no process outlives this one, or its request's
cancellation.
"""

import atexit
import os
import signal
import threading
import time

from headwater.confinement.child import RETIRED
from headwater.confinement.process import ConfinedProcess, EndedError, InvalidAnswerError, LateError
from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError, ParserCrashedError, ParserLimitError
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.sandbox.protocol import HEADER_LIMIT, read_answer, request_header
from headwater.processors import count_processors
from headwater.settings import parser_limits

_MODULE = "headwater.parsing.sandbox.child"
_IDLE = 6  # processes that wait: a folder has files of several kinds, and starting one takes half a second


class ParserProcess(ConfinedProcess):
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
        try:
            super().__init__(_MODULE, path, seconds=limits.seconds, megabytes=limits.megabytes)
        except (EndedError, LateError) as error:
            raise DocumentError(
                f"The process of the parser {path} did not start. Check that its libraries are installed, and"
                f" that it can start in {limits.megabytes} MB; if not, raise HEADWATER_PARSER_MEMORY."
            ) from error

    def parse(self, file: File) -> ParsedDocument | None:
        """Read a file; None if the process had retired before.

        Raises:
            DocumentError: the file cannot be read, exceeds the limits, or ended the process.
        """
        deadline = time.monotonic() + self._limits.seconds
        room = self._limits.megabytes * 2**20  # the process itself could not hold more
        try:
            for content in (request_header(file), file.content):
                self.send(content, deadline)
            header, text, original = (self.receive(deadline, limit) for limit in (HEADER_LIMIT, room, room))
            return read_answer(header, text, original, file)
        except LateError:
            raise ParserLimitError(
                f"Reading the file took longer than {self._limits.seconds:g} s, the limit of its parser, so it was"
                " left out. Divide it, or raise HEADWATER_PARSER_SECONDS."
            ) from None
        except EndedError:
            self._raise_crash()
            return None
        except InvalidAnswerError as error:
            raise ParserCrashedError(
                "Its parser gave an answer that is not valid, so it was left out. The file may be an attack on the"
                " parser."
            ) from error

    def _raise_crash(self) -> None:
        status = self.status()
        if status == RETIRED:
            return
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        raise ParserCrashedError(
            f"Reading the file ended the process of its parser ({how}), so it was left out. It may be damaged, or need"
            f" more than {self._limits.megabytes} MB of memory; then divide it, or raise HEADWATER_PARSER_MEMORY."
        )


class _Pool:
    """The idle processes of this process, and how many may work at once: one per processor."""

    def __init__(self) -> None:
        self._size = count_processors()
        self._places = threading.BoundedSemaphore(self._size)
        self._idle: list[ParserProcess] = []
        self._working: set[ParserProcess] = set()
        self._lock = threading.Lock()

    def parse(self, path: str, limits: Limits, file: File) -> ParsedDocument:
        """Read a file with a process of a parser, which is started if none is idle."""
        with self._places:
            idle = self._take(path, limits)
            document = self._ask(idle, file) if idle else None
            if document is None:
                document = self._ask(ParserProcess(path, limits), file)
        if document is None:
            raise ParserCrashedError("Reading the file ended the process of its parser, so it was left out.")
        return document

    def _ask(self, process: ParserProcess, file: File) -> ParsedDocument | None:
        is_reusable = False
        try:
            self._working.add(process)
            document = process.parse(file)
            is_reusable = document is not None
            return document
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
            for process in [
                candidate for candidate in reversed(self._idle) if candidate.key == (path, limits)
            ]:  # the others retire
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


def has_importable_class(parser: Parser) -> bool:
    """Whether a process can import the class of a parser by its name."""
    kind = type(parser)
    return "<" not in kind.__qualname__ and kind.__module__ != "__main__"


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
    if not has_importable_class(parser):
        raise DocumentError(f"The parser {kind.__qualname__} has limits, so its class must be importable by its name.")
    seconds, megabytes = parser_limits()
    used_limits = Limits(seconds=seconds or limits.seconds, megabytes=megabytes or limits.megabytes)
    return _POOL.parse(f"{kind.__module__}:{kind.__qualname__}", used_limits, file)
