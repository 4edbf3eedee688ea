"""What the Linux kernel lets a confined process do: the files it may read, and its system calls.

Belongs here: the two lists, and making rules of them before the process starts. Not here: putting them in force
(`child`), limits of time and memory. Guarantee: what is not listed is denied; a file of Headwater's home, of its
user or of another process is not listed, nor is anything that reaches another process.

They are made by the parent, once for the system calls, because importing the libraries would slow each start down.
"""

import errno
import mimetypes
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from landlockpy import AccessFS, LandlockError, Ruleset, Scope
from seccompy import Action, CmpOp, Filter, UnsupportedError

_READ = AccessFS.READ_FILE | AccessFS.READ_DIR
_WRITE = (
    _READ | AccessFS.WRITE_FILE | AccessFS.TRUNCATE | AccessFS.MAKE_REG | AccessFS.MAKE_DIR | AccessFS.REMOVE_FILE
    | AccessFS.REMOVE_DIR | AccessFS.REFER
)  # fmt: skip
# Beside Python and its packages: libraries of the system, how it spells time and text, and its processors.
_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    *mimetypes.knownfiles, "/etc/fonts", "/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/sys/devices/system",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory", "/dev/zero", "/dev/random", "/dev/urandom",
)  # fmt: skip
_IMPORTED = (".py", ".so", ".dist-info", ".egg-info")
_CALLS = (
    # files, of which Landlock and the permissions of their owner decide
    "open", "openat", "openat2", "creat", "close", "close_range", "read", "pread64", "readv", "preadv", "preadv2",
    "write", "pwrite64", "writev", "pwritev", "pwritev2", "lseek", "stat", "fstat", "lstat", "newfstatat", "statx",
    "statfs", "fstatfs", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents", "getdents64",
    "getcwd", "chdir", "fchdir", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat",
    "renameat2", "truncate", "ftruncate", "fallocate", "fadvise64", "readahead", "fsync", "fdatasync", "flock",
    "fcntl", "ioctl", "dup", "dup2", "dup3", "pipe", "pipe2", "sendfile", "copy_file_range", "splice", "umask",
    "memfd_create",
    # memory
    "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "msync", "mincore", "mlock", "munlock",
    "get_mempolicy", "membarrier",
    # threads, and their signals
    "futex", "futex_waitv", "set_robust_list", "get_robust_list", "set_tid_address", "rseq", "arch_prctl", "prctl",
    "gettid", "sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler",
    "sched_get_priority_max", "sched_get_priority_min", "getcpu", "getpriority", "rt_sigaction", "rt_sigprocmask",
    "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend", "sigaltstack", "pause", "restart_syscall",
    "exit", "exit_group",
    # waiting and time
    "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait",
    "epoll_pwait", "eventfd", "eventfd2", "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres",
    "gettimeofday", "time", "times", "getitimer", "setitimer", "alarm",
    # what it is, and where
    "getpid", "getppid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid", "getgid", "getegid", "getresuid",
    "getresgid", "getgroups", "getrlimit", "getrusage", "sysinfo", "uname", "getrandom", "capget",
)  # fmt: skip
_SIGNALS = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX of <fcntl.h>: a signal for another process, by a file
_THREAD = 0x00010000  # CLONE_THREAD of <sched.h>


@cache
def call_filter() -> bytes:
    """The system calls that are allowed, as a program for seccomp; empty where the libraries know none.

    It is a list of what libraries that read files need. Everything else fails as if this kernel did not have it:
    sockets, programs, other processes, namespaces, mounts, shared memory, permissions of files. glibc starts a thread
    with `clone` if `clone3`, whose flags no filter can see, does not exist.
    """
    allowed = Filter(Action.ERRNO | errno.ENOSYS)
    try:
        for command in _SIGNALS:  # of a number the kernel takes the lower half
            allowed.errno("fcntl", errno.EPERM, args=[(1, CmpOp.MASKED_EQ, command, 0xFFFFFFFF)])
        for name in _CALLS:
            with suppress(ValueError):  # this processor does not have it
                allowed.allow(name)
        allowed.allow("clone", args=[(0, CmpOp.MASKED_EQ, _THREAD, _THREAD)])
        allowed.allow("prlimit64", args={2: 0})  # asking for a limit, not setting one
        return allowed.program
    except UnsupportedError:
        return b""


def file_rules(folder: str, packages: Sequence[str]) -> Ruleset | None:
    """The files that a process may read, and the folder that it may write to; None where the kernel has no Landlock.

    Args:
        folder: the process's working folder.
        packages: imported packages that it imports too, wherever they are installed.
    """
    try:
        rules = Ruleset(scoped=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL)
    except (LandlockError, OSError):
        return None
    rules.allow_path(folder, _WRITE)
    rules.allow_path(os.devnull, AccessFS.READ_FILE | AccessFS.WRITE_FILE)
    for path, access in (*_paths(), *((path, _READ) for name in packages for path in _folders(name))):
        with suppress(LandlockError, OSError):  # a link to nothing
            rules.allow_path(path, access if path.is_dir() else AccessFS.READ_FILE)
    return rules


def is_open_to_all() -> bool:
    """Whether a user without any rights could import what we import."""
    folders = {path.resolve() for path, _ in _paths() if path.is_dir()} | {Path(__file__).resolve().parent}
    around = {parent for folder in folders for parent in folder.parents}
    with suppress(OSError):
        return all(folder.stat().st_mode & 0o005 == 0o005 for folder in folders) and all(
            folder.stat().st_mode & 0o001 for folder in around
        )
    return False


@cache
def _paths() -> tuple[tuple[Path, AccessFS], ...]:
    """What every process may read."""
    installed = [Path(path) for path in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)]
    rules = [(Path(path), _READ) for path in (*_SYSTEM, *installed) if Path(path).exists()]
    for entry in filter(None, sys.path):
        path = Path(entry).resolve()
        if path.exists() and not any(path.is_relative_to(root.resolve()) for root in installed):
            rules += _importable(path)
    return tuple(rules)


def _importable(path: Path) -> Iterator[tuple[Path, AccessFS]]:
    """What can be imported from a folder: all of it, or only the code, as the home or a `.env` may stand beside it."""
    is_checkout = (path / "pyproject.toml").exists() or (path / ".git").exists()
    is_whole = path.is_file() or (not is_checkout and next(path.glob("*.dist-info"), None) is not None)
    yield path, _READ if is_whole else AccessFS.READ_DIR
    for child in () if is_whole else path.iterdir():
        if child.suffix in _IMPORTED or _is_package(child):
            yield child, _READ


def _is_package(folder: Path) -> bool:
    """Whether a folder is a package; one of somebody else, which cannot be looked into, is none."""
    try:
        return (folder / "__init__.py").exists()
    except PermissionError:
        return False


def _folders(package: str) -> list[Path]:
    module = sys.modules.get(package)
    file = getattr(module, "__file__", None)
    return [Path(path) for path in getattr(module, "__path__", [file] if file else [])]
