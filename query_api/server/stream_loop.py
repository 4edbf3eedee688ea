"""The loop that writes streams: a stream that waits costs a socket, not a thread.

Belongs here: when the next lines of a stream are taken, and writing them. Not here: the lines (`query_api.sse`), the
rest of a response (`gunicorn_worker`). Guarantee: however many streams there are, a few threads serve them; a client
that does not read keeps nobody waiting, and nothing is taken for it until it has read what came before.

Each round takes what is new of every stream. The more a round costs, the longer is the time to the next one, so a crowd
of readers gets larger pieces less often instead of taking the processor from searches.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from query_api.server.client_connection import Wire
from query_api.sse import Pause

THREADS = 8
"""Beside the loop's own: so many streams may wait for the database at once."""
_MIN_ROUND_SECONDS, _MAX_ROUND_SECONDS = 0.02, 0.5
_SHARE = 9  # times the processor time of a round until the next one: a tenth of one processor
_BATCH = 8  # streams that a thread takes at once: one that waits for the database holds up the others
_MAX_BYTES = 65_536  # of one stream in one round
_STALLED_SECONDS = 60.0  # in which a client reads nothing although data is waiting
_MAX_SECONDS = 3_660.0  # a stream ends itself after an hour; a client that reads too slowly would never see it
_log = logging.getLogger("headwater.api")


class _Reader:
    """A client of a stream."""

    def __init__(self, wire: Wire, on_end: Callable[[bool], object]) -> None:
        assert wire.stream is not None  # noqa: S101 - who adds it has looked
        self.wire, self.on_end = wire, on_end
        self.lines = wire.stream.lines
        self.pause = Pause(0)
        self.began = self.due = self.read = time.monotonic()
        self.is_busy = False

    def is_due(self, now: float) -> bool:
        """Whether there may be something to do."""
        return not self.is_busy and (now >= self.due or bool(self.wire.unsent) or self.pause.is_over())

    def advance(self) -> bool | None:
        """Write what is new; None if the stream goes on, else whether it was written to its end.

        Raises:
            OSError: the client has left, or does not read.
        """
        self._flush()
        size, now = 0, time.monotonic()
        blocks: list[bytes] = []
        while not self.wire.unsent and size < _MAX_BYTES:
            line = next(self.lines, None)
            if isinstance(line, str):
                blocks.append(line.encode())
                size += len(blocks[-1])
                continue
            if blocks:
                self.wire.send_stream(b"".join(blocks))
            if line is None:
                self.wire.send_stream(b"")
                return True
            self.pause, self.due = line, now + line.seconds
            return None
        if blocks:
            self.wire.send_stream(b"".join(blocks))
        return None

    def _flush(self) -> None:
        """Write what is left.

        Raises:
            OSError: the client has left, or has read nothing for too long.
        """
        waiting, now = len(self.wire.unsent), time.monotonic()
        self.wire.flush()
        if not waiting or len(self.wire.unsent) < waiting:
            self.read = now
        if now - self.read > _STALLED_SECONDS or now - self.began > _MAX_SECONDS:
            raise ConnectionResetError("the client does not read")


class StreamLoop:
    """The streams that a worker's threads have left to it."""

    def __init__(self) -> None:
        self._readers: set[_Reader] = set()
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None  # a worker begins it after its fork
        self._is_running = False
        self._spent = 0.0  # seconds of the processor since the last round

    def __len__(self) -> int:
        return len(self._readers)

    def add(self, wire: Wire, on_end: Callable[[bool], object]) -> None:
        """Take over a socket with a stream.

        Args:
            wire: the socket; its `stream` is closed here.
            on_end: called in any thread with whether the stream was written to its end.
        """
        reader = _Reader(wire, on_end)
        with self._lock:
            self._readers.add(reader)
            if not self._is_running:
                self._is_running = True
                self._pool = self._pool or ThreadPoolExecutor(THREADS, "streams")
                threading.Thread(target=self._run, name="streams", daemon=True).start()

    def _run(self) -> None:
        """Give every reader a turn again and again; ends when there are none."""
        while readers := self._take_readers():
            began, now = time.thread_time(), time.monotonic()
            due = [reader for reader in readers if self._is_due(reader, now)]
            for reader in due:
                reader.is_busy = True
            try:
                for start in range(0, len(due), _BATCH):
                    self._pool.submit(self._advance, due[start : start + _BATCH])  # type: ignore[union-attr]
            except RuntimeError:  # the process ends
                return
            spent, self._spent = self._spent + time.thread_time() - began, 0.0
            time.sleep(min(max(_MIN_ROUND_SECONDS, _SHARE * spent), _MAX_ROUND_SECONDS))

    def _is_due(self, reader: _Reader, now: float) -> bool:
        try:
            return reader.is_due(now)
        except Exception:  # noqa: BLE001 - the other streams go on
            _log.exception("a stream broke off")
            reader.is_busy = True
            self._end(reader, is_whole=False)
            return False

    def _take_readers(self) -> list[_Reader]:
        with self._lock:
            self._is_running = bool(self._readers)
            return list(self._readers)

    def _advance(self, readers: Sequence[_Reader]) -> None:
        began = time.thread_time()
        for reader in readers:
            try:
                is_whole = reader.advance()
            except OSError:
                is_whole = False
            except Exception:  # noqa: BLE001 - the other streams go on
                _log.exception("a stream broke off")
                is_whole = False
            if is_whole is None:
                reader.is_busy = False
            else:
                self._end(reader, is_whole=is_whole)  # it stays busy: the loop may have listed it before
        self._spent += time.thread_time() - began

    def _end(self, reader: _Reader, *, is_whole: bool) -> None:
        with self._lock:
            self._readers.discard(reader)
        stream, reader.wire.stream = reader.wire.stream, None
        try:
            if stream is not None:
                stream.close()
        except Exception:  # noqa: BLE001 - the connection goes on
            _log.exception("a stream was not closed")
        try:
            reader.on_end(is_whole)
        except Exception:  # noqa: BLE001 - the other streams go on
            _log.exception("the end of a stream was not handled")
