"""A parser that has been taken over: it calls the kernel as native code does, past everything in Python.

Belongs here: the attacks, each a way out of the parser's process. Not here: who is attacked (`attacked_parent`), tests.
Guarantee: an attack returns what it got; empty means that the kernel refused it.
"""

import ctypes
import errno
import mmap
import os
import platform
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.parser import File, Limits, Parser

SECRET = "tulip-under-the-pump"
_X86 = platform.machine() == "x86_64"
# socket, connect, getpid, ptrace … by the processor
_NUMBERS = (
    {"socket": 41, "connect": 42, "shmget": 29, "kill": 62, "ptrace": 101, "mount": 165, "chroot": 161, "chmod": 90,
     "readv": 310, "setns": 308, "mknod": 133, "bpf": 321, "setrlimit": 160, "keyctl": 250, "handle": 303}
    if _X86
    else {"socket": 198, "connect": 203, "shmget": 194, "kill": 129, "ptrace": 117, "mount": 40, "chroot": 51,
          "chmod": 53, "readv": 270, "setns": 268, "mknod": 33, "bpf": 280, "setrlimit": 164, "keyctl": 219,
          "handle": 264}
)  # fmt: skip
_PIDFD_OPEN, _PIDFD_GETFD, _IO_URING = 434, 438, 425
_NEW_NETWORK, _NEW_USER, _NEW_MOUNTS = 0x40000000, 0x10000000, 0x00020000
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


def _call(number: int, *arguments: object) -> int:
    return int(_LIBC.syscall(ctypes.c_long(number), *arguments))


def _read(path: str) -> bytes:
    number = _LIBC.open(path.encode(), os.O_RDONLY)
    if number < 0:
        return b""
    buffer = ctypes.create_string_buffer(200_000)
    length = _LIBC.read(number, buffer, len(buffer))
    _LIBC.close(number)
    return buffer.raw[: max(length, 0)]


def _unix(path: bytes) -> str:
    number = _LIBC.socket(1, 1, 0)
    address = (1).to_bytes(2, "little") + path
    return "connected" if number >= 0 and _LIBC.connect(number, address, len(address)) == 0 else ""


def _tcp(port: int) -> str:
    number = _LIBC.socket(2, 1, 0)
    address = (2).to_bytes(2, "little") + port.to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
    return "connected" if number >= 0 and _LIBC.connect(number, address, 16) == 0 else ""


def _open(path: str, flags: int = os.O_RDONLY) -> str:
    return "opened" if _LIBC.open(path.encode(), flags, 0o600) >= 0 else ""


def _is_done(result: int) -> str:
    return "done" if result >= 0 else ""


def _enter_network(home: Path, port: int) -> str:
    parent = os.getppid()
    number = _LIBC.open(f"/proc/{parent}/ns/net".encode(), os.O_RDONLY)
    return _tcp(port) if number >= 0 and _LIBC.setns(number, _NEW_NETWORK) == 0 else ""


def _enter_network_by_pidfd(home: Path, port: int) -> str:
    number = _call(_PIDFD_OPEN, os.getppid(), 0)
    return _tcp(port) if number >= 0 and _call(_NUMBERS["setns"], number, _NEW_NETWORK) == 0 else ""


def _all_environments(home: Path, port: int) -> str:
    """By number, because the folder may be closed."""
    parent = os.getppid()
    numbers = {*range(1, 300), *range(max(1, parent - 300), parent + 300)}
    return ", ".join(str(one) for one in numbers if SECRET.encode() in _read(f"/proc/{one}/environ"))


def _parent_memory(home: Path, port: int) -> str:
    word = ctypes.create_string_buffer(8)
    here, there = (ctypes.c_size_t * 2)(ctypes.addressof(word), 8), (ctypes.c_size_t * 2)(8, 8)
    result = _call(_NUMBERS["readv"], os.getppid(), here, 1, there, 1, 0)
    return "allowed" if result >= 0 or ctypes.get_errno() == errno.EFAULT else ""  # nothing is at that address


def _parent_descriptors(home: Path, port: int) -> str:
    number = _call(_PIDFD_OPEN, os.getppid(), 0)
    return _is_done(_call(_PIDFD_GETFD, number, 0, 0)) if number >= 0 else ""


def _other_thread(home: Path, port: int) -> str:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(_unix(str(home / "socket").encode())))
    thread.start()
    thread.join()
    return found[0]


def _old_calls(home: Path, port: int) -> str:
    """A socket by the numbers of 32-bit programs, which a filter might not know."""
    if not _X86:
        return ""
    if _call(0x40000000 | _NUMBERS["socket"], 1, 1, 0) >= 0:
        return "x32"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    # push rbx; mov eax, 359 (socket); mov ebx, 1; mov ecx, 1; xor edx, edx; int 0x80; pop rbx; ret
    page.write(bytes.fromhex("53b867010000bb01000000b90100000031d2cd805bc3"))
    code = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    return "i386" if code() >= 0 else ""


def _capabilities(home: Path, port: int) -> str:
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if _LIBC.capset(header, (ctypes.c_uint32 * 6)(*[0xFFFFFFFF, 0xFFFFFFFF, 0] * 2)) == 0:
        return "set"
    state = (ctypes.c_uint32 * 6)()
    _LIBC.capget(header, state)
    return f"kept {list(state)}" if any(state) else ""


def _descriptors(home: Path, port: int) -> str:
    found = []
    for number in range(256):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        if stat.S_ISSOCK(mode) or stat.S_ISDIR(mode):
            found.append(str(number))
    return ", ".join(found)


def _rename_into(home: Path, port: int) -> str:
    Path("mine").write_text("a")
    return "moved" if _LIBC.rename(b"mine", str(home / "theirs").encode()) == 0 else ""


def _mode(home: Path, port: int) -> str:
    _LIBC.chmod(str(home / "secret").encode(), 0o666)
    return "changed" if (home / "secret").stat().st_mode & 0o066 else ""


def _environment(home: Path, port: int) -> str:
    return "found" if SECRET.encode() in _read("/proc/self/environ") or SECRET in str(os.environ) else ""


def _signal_by_file(home: Path, port: int) -> str:
    """Have the kernel send one; of the command, it ignores the upper half."""
    command = 1 << 32 | 8  # F_SETOWN
    return _is_done(_call(72 if _X86 else 25, 0, ctypes.c_long(command), os.getppid()))


def _plant(path: str) -> str:
    found = _open(path, os.O_RDWR | os.O_CREAT)
    _LIBC.unlink(path.encode())
    return found


def _shared_memory(home: Path, port: int) -> str:
    number = _call(_NUMBERS["shmget"], 0x48570001, 4096, 0o1666)
    _LIBC.shmctl(number, 0, None)  # removes it
    return _is_done(number)


def _fork(home: Path, port: int) -> str:
    number = _LIBC.fork()
    if number == 0:
        os._exit(0)
    return _is_done(number)


ATTACKS: dict[str, Callable[[Path, int], str]] = {
    "network of the parent": _enter_network,
    "network of the parent by pidfd": _enter_network_by_pidfd,
    "tcp": lambda _, port: _tcp(port),
    "udp": lambda _, __: _is_done(_LIBC.socket(2, 2, 0)),
    "netlink": lambda _, __: _is_done(_LIBC.socket(16, 3, 0)),
    "packets": lambda _, __: _is_done(_LIBC.socket(17, 3, 0x300)),
    "unix socket": lambda home, _: _unix(str(home / "socket").encode()),
    "abstract socket": lambda home, _: _unix(b"\0" + str(home).encode()),
    "unix socket in a thread": _other_thread,
    "socket pair": lambda _, __: _is_done(_LIBC.socketpair(1, 1, 0, (ctypes.c_int * 2)())),
    "calls of other machines": _old_calls,
    "io_uring": lambda _, __: _is_done(_call(_IO_URING, 8, ctypes.create_string_buffer(120))),
    "own environment": _environment,
    "environment of the parent": lambda _, __: (
        "read" if SECRET.encode() in _read(f"/proc/{os.getppid()}/environ") else ""
    ),
    "environment of any process": _all_environments,
    "memory of the parent": lambda _, __: _open(f"/proc/{os.getppid()}/mem"),
    "memory of the parent by call": _parent_memory,
    "descriptors of the parent": _parent_descriptors,
    "files of the parent": lambda home, _: _open(f"/proc/{os.getppid()}/root{home}/secret"),
    "folder of the parent": lambda _, __: _open(f"/proc/{os.getppid()}/cwd"),
    "trace the parent": lambda _, __: _is_done(_call(_NUMBERS["ptrace"], 0x4206, os.getppid(), 0, 0)),
    "signal the parent": lambda _, __: _is_done(_LIBC.kill(os.getppid(), 0)),
    "signal by a file": _signal_by_file,
    "signal everybody": lambda _, __: _is_done(_LIBC.kill(-1, 0)),
    "inherited descriptors": _descriptors,
    "read a secret": lambda home, _: _open(str(home / "secret")),
    "list the home": lambda home, _: _open(str(home), os.O_RDONLY | os.O_DIRECTORY),
    "read the user's keys": lambda _, __: _open("/etc/shadow") or _open("/etc/passwd"),
    "write to the home": lambda home, _: _open(str(home / "planted"), os.O_WRONLY | os.O_CREAT),
    "change the mode of a secret": _mode,
    "move a file into the home": _rename_into,
    "link a secret": lambda home, _: "linked" if _LIBC.link(str(home / "secret").encode(), b"linked") == 0 else "",
    "plant a file in /tmp": lambda _, __: _plant(f"/tmp/headwater-{os.getpid()}"),
    "shared memory": _shared_memory,
    "shared memory by name": lambda _, __: _plant(f"/dev/shm/headwater-{os.getpid()}"),
    "fork": _fork,
    "run a program": lambda _, __: "ran" if _LIBC.system(b"exit 7") >> 8 == 7 else "",
    "a device": lambda _, __: _is_done(_LIBC.mknod(b"disk", 0o060600, 0x800)),
    "a mount": lambda _, __: _is_done(_LIBC.mount(b"none", b".", b"tmpfs", 0, None)),
    "another root": lambda _, __: _is_done(_LIBC.chroot(b".")),
    "a user namespace": lambda _, __: _is_done(_LIBC.unshare(_NEW_USER)),
    "a mount namespace": lambda _, __: _is_done(_LIBC.unshare(_NEW_MOUNTS)),
    "capabilities": _capabilities,
    "root again": lambda _, __: _is_done(_LIBC.setresuid(0, 0, 0)),
    "new privileges": lambda _, __: "set" if _LIBC.prctl(39, 0, 0, 0, 0) != 1 else "",
    "higher limits": lambda _, __: _is_done(_LIBC.setrlimit(9, (ctypes.c_size_t * 2)(2**40, 2**40))),
    "kernel programs": lambda _, __: _is_done(_call(_NUMBERS["bpf"], 0, ctypes.create_string_buffer(120), 120)),
    "keys of the kernel": lambda _, __: _is_done(_call(_NUMBERS["keyctl"], 0, -3, 0)),
}


class TakenOver(Parser):
    """Runs the attack that its file names: `NAME|HOME|PORT`."""

    media_types: ClassVar[tuple[str, ...]] = ("application/x-taken-over",)
    suffixes: ClassVar[tuple[str, ...]] = (".taken-over",)
    version: ClassVar[str] = "taken-over-1"
    limits: ClassVar[Limits | None] = Limits(seconds=20, megabytes=128)

    def parse(self, file: File) -> ParsedDocument:
        """Attack."""
        name, home, port = file.content.decode().split("|")
        return ParsedDocument(uri=file.uri, title=name, text=ATTACKS[name](Path(home), int(port)))
