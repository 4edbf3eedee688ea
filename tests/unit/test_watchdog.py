"""A sync's limits hold against native code that never returns (REL-1)."""

import os
import signal
import subprocess
import sys
import time

import pytest

from headwater.settings import REPOSITORY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the timers are tried on Linux")
_SCRIPT = """
import ctypes, itertools, re, sys
from types import SimpleNamespace
from headwater.errors import DocumentError
from headwater.syncing import interruption, watchdog

watchdog._HUNG_SECONDS = interruption._GRACE = 1.0
kind, reason = sys.argv[1:]
limit = {"time": 1.0, "document": 10.0, "cancel": 0.0}[reason]
store = SimpleNamespace(workers=SimpleNamespace(is_cancelled=lambda _: reason == "cancel"))
watch = interruption.Watch(store, SimpleNamespace(lock=None, share=None), limit)

def hang():
    if kind == "pattern":
        re.match("(a+)+$", "a" * 60 + "b")
    elif kind == "native":
        sum(itertools.repeat(1))
    else:
        lock = ctypes.create_string_buffer(64)
        for _ in range(2):
            ctypes.CDLL(None).pthread_mutex_lock(lock)

try:
    with watch.watch(lambda: None):
        watch.document(hang)
except (interruption.Interruption, DocumentError) as error:
    print(type(error).__name__, error)
"""


def run(kind: str, reason: str) -> "subprocess.CompletedProcess[str]":
    """Let a document hang in a process of its own."""
    command = [sys.executable, "-c", _SCRIPT, kind, reason]
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ, check=False)


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        # The document's own limit, a tenth of it, is reached first, and is reported if the watch comes by in time.
        (
            "time",
            ("Interruption The sync of this source took longer than 1 s", "DocumentError It took longer than 0.1"),
        ),
        ("cancel", ("Interruption cancelled",)),
        ("document", ("DocumentError It took longer than 1.0 s, a tenth",)),
    ],
)
def test_a_pattern_that_never_ends_is_interrupted(reason: str, outcome: tuple[str, ...]) -> None:
    """By the time limit of its source, of its document, and by a cancellation."""
    completed = run("pattern", reason)
    assert completed.stdout.startswith(outcome), completed.stderr


@pytest.mark.parametrize("kind", ["native", "lock"])
def test_native_code_that_minds_no_signal_ends_the_process(kind: str) -> None:
    """Whether it holds the interpreter or not; the log shows where it hung."""
    completed = run(kind, "time")
    assert completed.returncode == -signal.SIGPROF
    assert "in hang" in completed.stderr
    assert "_look" not in completed.stderr  # a thread that goes on, so that its stack cannot be written safely
    assert completed.stdout == ""


_QUIET = """
import signal, time
from headwater.syncing import watchdog

watchdog._HUNG_SECONDS = 0.5
with watchdog.watchdog():
    print("ready", flush=True)
    until = time.process_time() + 2
    while time.process_time() < until:
        pass
print(signal.getitimer(signal.ITIMER_PROF), signal.getsignal(signal.SIGVTALRM))
until = time.process_time() + 0.3
while time.process_time() < until:
    pass
"""


def test_work_that_takes_long_or_is_stopped_goes_on() -> None:
    """Neither long work in Python nor a stop by the shell counts as hanging; afterwards nothing is armed."""
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen([sys.executable, "-c", _QUIET], stdout=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        process.send_signal(signal.SIGCONT)
        assert process.stdout.read().startswith("(0.0, 0.0) 0")
    assert process.returncode == 0
