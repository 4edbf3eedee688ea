"""Work in native code that holds the interpreter, so that no thread can tell it to stop.

Belongs here: making way for the threads that watch, and ending the process if nothing else helps. Not here: deciding
that work must stop (`interruption`). Guarantee: while one thread of Python works, the others run twice a second of
processor time; if that is impossible for a minute, the process ends, and its log shows where it hung.

A regular expression holds the interpreter as long as it searches, but it lets a signal's handler run. A library of C
may not even do that; then only the kernel can end it. Both timers count processor time, so that they mean no harm to a
process that was stopped or that waits.
"""

import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_WAY = 0.5  # seconds of processor time
_HUNG_SECONDS = 60.0
_PULSE = 0.5  # seconds; meanwhile each processor may use as much for this process
_STANDARD_ERROR = 2


@contextmanager
def watchdog() -> Iterator[None]:
    """Watch the main thread, which calls this, for the length of a block."""
    ended = threading.Event()
    previous = signal.signal(signal.SIGVTALRM, _make_way)
    # The stack of this thread alone: others may end while theirs are written, which crashes. Then the default action
    # follows: the end.
    faulthandler.register(signal.SIGPROF, file=_STANDARD_ERROR, all_threads=False, chain=True)
    pulse = threading.Thread(target=_feed, args=(ended,), daemon=True)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, _WAY, _WAY)
        pulse.start()
        yield
    finally:
        ended.set()
        pulse.join()
        for timer in (signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
            signal.setitimer(timer, 0)
        faulthandler.unregister(signal.SIGPROF)
        signal.signal(signal.SIGVTALRM, previous)


def end_process() -> None:
    """End this process, whatever its main thread does; its standard error shows what that is."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGPROF)


def _make_way(*_: object) -> None:
    """Running any code of Python is enough: before it goes on, a thread that waits has its turn."""


def _feed(ended: threading.Event) -> None:
    """Put off the end of the process, again and again."""
    # A timer's signal goes to whichever thread takes it, and this one hangs nowhere.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})
    allowance = _HUNG_SECONDS + _PULSE * (os.cpu_count() or 1)
    while True:
        signal.setitimer(signal.ITIMER_PROF, allowance)
        if ended.wait(_PULSE):
            return
