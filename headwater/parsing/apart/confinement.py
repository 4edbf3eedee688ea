"""Confining a parser process before it gets a file.

Belongs here: limits on memory, files and time, no network, no programs, the end with its parent. Not here: parsing,
the process's work (`process`). Guarantee: everything that the system allows is in force when `confine` returns;
docs/formats.md says what else is left.

The kernel enforces the limits and the end with the parent, and that there is no network, where a process may have a
network of its own. An audit hook refuses the rest to Python code; native code could get around it.
"""

import ctypes
import fcntl
import os
import resource
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_MEGABYTE = 2**20
_OPEN_FILES = 256
# Reserved addresses beyond the memory: libraries, and what allocators reserve for each thread without using it.
_ADDRESSES = 4 * 2**30
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # of <sched.h>
_NO_NEW_PRIVILEGES = 38  # of <linux/prctl.h>
_REFUSED = (
    "socket.",  # connecting, binding, resolving names
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.forkpty",
    "os.kill",
    "pty.spawn",
    "ftplib.",
    "smtplib.",
    "http.client.",
    "urllib.Request",
)


def confine(*, megabytes: int, lifeline: int) -> None:
    """Confine this process for the rest of its life.

    Args:
        megabytes: memory that it may use.
        lifeline: a file descriptor that its parent holds the other end of.
    """
    _end_with_parent(lifeline)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    with suppress(OSError):  # of all processes, the system should end this one when its memory is used up
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    _leave_network()
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, megabytes * _MEGABYTE)
    _limit(resource.RLIMIT_DATA, megabytes * _MEGABYTE)
    _limit(resource.RLIMIT_AS, megabytes * _MEGABYTE + _ADDRESSES)
    sys.addaudithook(_refuse)


def limit_time(seconds: float) -> None:
    """End this process if it is still at work by then, even if its parent cannot; 0 ends the limit."""
    signal.setitimer(signal.ITIMER_REAL, seconds)  # the default action of SIGALRM ends a process


def peak_megabytes() -> int:
    """The most memory that this process has held; 0 where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024
    return 0


def data_megabytes() -> int:
    """The memory that counts towards the limit now; 0 where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[5]) * resource.getpagesize() // _MEGABYTE
    return 0


def _end_with_parent(lifeline: int) -> None:
    """Let the kernel end this process when the parent's end of the pipe closes, however the parent ends.

    PR_SET_PDEATHSIG would end it as soon as the thread that started it ends.
    """
    with suppress(OSError, AttributeError):
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    watch = select.poll()
    watch.register(lifeline, select.POLLIN)
    if watch.poll(0):  # the parent ended before the kernel was told
        os._exit(1)


def _leave_network() -> None:
    """Move into a network of its own without any interface, if this process may."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        if libc.unshare(_NEW_NETWORK):
            libc.unshare(_NEW_USER | _NEW_NETWORK)


def _limit(kind: int, value: int) -> None:
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(kind)
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bounded, bounded))


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event.startswith(_REFUSED):
        raise PermissionError(f"A parser may not use {event}.")
