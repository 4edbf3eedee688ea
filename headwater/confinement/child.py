"""A confined process, as it sees itself: confining itself before it gets anything from outside, and its frames.

Belongs here: limits on memory, files and time, no network, no rights, the end with its parent; requests and answers as
frames. Not here: their meaning, its parent's side (`process`), which files and system calls are allowed
(`permissions`). Guarantee: everything that the system allows is in force when `enter` returns; docs/formats.md says
what else is left.

The kernel enforces all of it, native code included, where it can. The audit hook, which only Python code minds, is for
systems that cannot, and it says what was refused.
"""

import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

LENGTH = 8
"""Bytes of a frame's length."""
READY = b"ready"
"""What a process says once it can take a request."""
RETIRED = 75
"""The exit status of a process that ended because it was no longer asked."""
_MEGABYTE = 2**20
_OPEN_FILES = 256
# Reserved addresses beyond the memory: libraries, and what allocators reserve for each thread without using it.
_ADDRESSES = 4 * 2**30
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # of <sched.h>
_SET_SECCOMP, _DROP_CAPABILITY, _NO_NEW_PRIVILEGES = 22, 24, 38  # of <linux/prctl.h>
_FILTER = 2  # SECCOMP_MODE_FILTER of <linux/seccomp.h>
_RESTRICT_SELF = 446  # landlock_restrict_self, on every processor
_CAPABILITIES = 0x20080522  # the version of <linux/capability.h> that has 64 of them
_NOBODY = 65_534
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


_OWN_STATE: dict[str, int] = {}
"""Open files of /proc, which cannot be opened afterwards."""


class Pipes:
    """The frames that a process gets and sends."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests, self._answers = requests, answers

    def ready(self) -> None:
        """Tell the parent that a request may come, and what it should compile for the next process."""
        _write(self._answers, READY)
        self.write(json.dumps(_list_uncompiled_files()).encode())

    def is_asked(self, seconds: float) -> bool:
        """Wait for a request; false if none comes within so many seconds, or the parent has gone."""
        watch = select.poll()
        watch.register(self._requests, select.POLLIN)
        events = watch.poll(seconds * 1000)
        return bool(events) and bool(events[0][1] & select.POLLIN)

    def read(self) -> bytes:
        """Read a frame; the process ends if its parent has gone."""
        return bytes(_read(self._requests, int.from_bytes(_read(self._requests, LENGTH), "big")))

    def write(self, content: bytes) -> None:
        """Send a frame."""
        _write(self._answers, len(content).to_bytes(LENGTH, "big"))
        _write(self._answers, content)


def enter(megabytes: int, arguments: Sequence[str]) -> Pipes:
    """Confine this process for the rest of its life. It must have no other thread yet.

    The first frame that comes is the filter of system calls.

    Args:
        megabytes: memory that it may use.
        arguments: the last ones of the command line: two file descriptors, that of a pipe whose other end its parent
            holds, and that of the files that it may open, or -1; and whether another user could import our packages.
    """
    pipes = Pipes(0, os.dup(1))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)  # what a library prints must not become part of an answer
    os.close(nothing)
    lifeline, rules, is_open = int(arguments[0]), int(arguments[1]), arguments[2] == "True"
    _end_with_parent(lifeline)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    with suppress(OSError):  # of all processes, the system should end this one when its memory is used up
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    for name in ("status", "statm"):
        with suppress(OSError):
            _OWN_STATE[name] = os.open(f"/proc/self/{name}", os.O_RDONLY)
    _limit_resources(megabytes)
    calls = pipes.read()
    if sys.platform == "linux":
        _confine(rules, calls, is_open=is_open)
    sys.addaudithook(_refuse)
    return pipes


def limit_time(seconds: float) -> None:
    """End this process if it is still at work by then, even if its parent cannot; 0 ends the limit."""
    signal.setitimer(signal.ITIMER_REAL, seconds)  # the default action of SIGALRM ends a process


def peak_megabytes() -> int:
    """The most memory that this process has held; 0 where the system does not say."""
    with suppress(ValueError, IndexError):
        return int(_own_state("status").partition("VmHWM:")[2].split()[0]) // 1024
    return 0


def data_megabytes() -> int:
    """The memory that counts towards the limit now; 0 where the system does not say."""
    with suppress(ValueError, IndexError):
        return int(_own_state("statm").split()[5]) * resource.getpagesize() // _MEGABYTE
    return 0


def _own_state(name: str) -> str:
    return os.pread(_OWN_STATE[name], 8_192, 0).decode("ascii") if name in _OWN_STATE else ""


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


def _limit_resources(megabytes: int) -> None:
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, megabytes * _MEGABYTE)
    _limit(resource.RLIMIT_DATA, megabytes * _MEGABYTE)
    _limit(resource.RLIMIT_AS, megabytes * _MEGABYTE + _ADDRESSES)


def _confine(rules: int, calls: bytes, *, is_open: bool) -> None:
    """Give up what the kernel lets a process give up; a call that it does not know fails, and the next one is made."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _leave_network(libc)
    _give_up_rights(libc, is_open=is_open)
    if rules >= 0:
        libc.syscall(_RESTRICT_SELF, rules, 0)
        os.close(rules)
    if calls:
        _filter_calls(libc, calls)


def _leave_network(libc: ctypes.CDLL) -> None:
    """Move into a network of its own without any interface, if this process may.

    A user namespace also takes away the right to look into processes outside it.
    """
    if libc.unshare(_NEW_NETWORK):
        libc.unshare(_NEW_USER | _NEW_NETWORK)


def _give_up_rights(libc: ctypes.CDLL, *, is_open: bool) -> None:
    """Give up every capability for good, and root's identity, if another user can import our packages.

    Root without capabilities cannot look into a process that has some.
    """
    for capability in range(64):
        libc.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)
    if os.geteuid() == 0 and is_open:
        with suppress(OSError):  # in a container that has no such user
            os.chown(Path.cwd(), _NOBODY, _NOBODY)
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    libc.capset((ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)())


def _filter_calls(libc: ctypes.CDLL, calls: bytes) -> None:
    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(Program(len(calls) // 8, calls)), 0, 0)


def _limit(kind: int, value: int) -> None:
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(kind)
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bounded, bounded))


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event.startswith(_REFUSED):
        raise PermissionError(f"A parser may not use {event}.")


def _list_uncompiled_files() -> list[str]:
    """The files of modules that were compiled for this process alone, because it may not write beside them."""
    specs = [getattr(module, "__spec__", None) for module in list(sys.modules.values())]
    return [spec.origin for spec in specs if spec and spec.origin and spec.cached and not _is_seen(spec.cached)]


def _read(number: int, length: int) -> bytearray:
    content = bytearray()
    while len(content) < length:
        block = os.read(number, min(length - len(content), _MEGABYTE))
        if not block:
            os._exit(RETIRED)
        content += block
    return content


def _write(number: int, content: bytes) -> None:
    unwritten = memoryview(content)
    while unwritten:
        unwritten = unwritten[os.write(number, unwritten) :]


def _is_seen(path: str) -> bool:
    """Whether a file exists, as far as this process may look: a folder of compiled modules may be its owner's alone."""
    try:
        return Path(path).exists()
    except PermissionError:
        return False
