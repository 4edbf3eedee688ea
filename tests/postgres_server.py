"""A Postgres as people have it elsewhere: reached over TCP, with an ordinary role, a pool before it, a replica behind.

Belongs here: starting the real programs; the pool's is Debian's, the others come with the embedded Postgres. Not here:
what is tested with them. Guarantee: everything is stopped, and its folder removed, at the end of a block.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from headwater.store.server import embedded_access
from tests.support import free_port

ROLE, PASSWORD = "tenant", "tenant-secret"
_SETTINGS = (
    "fsync = off", "shared_buffers = 32MB", "max_wal_senders = 4", "unix_socket_directories = ''",
    "listen_addresses = '127.0.0.1'", "hot_standby_feedback = on",
)  # fmt: skip
_RULES = f"""
host all postgres 127.0.0.1/32 trust
host replication postgres 127.0.0.1/32 trust
host all {ROLE} 127.0.0.1/32 scram-sha-256
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PostgresServer:
    """One server, or a replica of one."""

    programs: Path
    account: pwd.struct_passwd | None
    folder: Path
    port: int

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        """The address of a database."""
        password = f":{PASSWORD}" if user == ROLE else ""
        return f"postgresql://{user}{password}@127.0.0.1:{self.port}/{database}"

    def run(self, program: str, *options: str) -> None:
        """Run one of Postgres's programs as the server's user."""
        user = self.account.pw_uid if self.account else None
        command = [str(self.programs / program), *options]
        with (self.folder / f"{program}.out").open("ab") as out:
            subprocess.run(command, check=True, user=user, cwd=self.folder, stdout=out, stderr=out)

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        log = self.folder / "log"
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-t", "60", "-l", str(log), "start")

    def stop(self) -> None:
        """Stop it at once, as a machine that is switched off."""
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")

    def processes(self) -> list[psutil.Process]:
        """Its processes, the first one first; none if it has ended."""
        file = self.folder / "data" / "postmaster.pid"
        try:
            postmaster = psutil.Process(int(file.read_text().split()[0]))
            is_ours = postmaster.name().startswith("postgres") and postmaster.status() != psutil.STATUS_ZOMBIE
            return [postmaster, *postmaster.children()] if is_ours else []
        except (OSError, ValueError, IndexError, psutil.Error):
            return []

    def is_running(self) -> bool:
        """Whether it runs."""
        return bool(self.processes())

    def kill(self) -> None:
        """Kill all its processes at once."""
        processes = self.processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(processes, timeout=60)

    def copy(self, first: "PostgresServer") -> None:
        """Become a streaming replica of a running server, by pg_basebackup; what was there before is removed."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        target = ["-D", str(self.folder / "data"), "-R", "-X", "stream", "-c", "fast", "--no-sync"]
        self.run("pg_basebackup", "-d", first.url(), *target)
        _configure(self)

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """Run statements as the administrator."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server with an ordinary role, which owns the databases `kb` and `kb_dagster` and may create none."""
    with _folder() as folder:
        account = embedded_access.account(folder)
        programs = embedded_access.programs_for(account)
        server = PostgresServer(programs=programs, account=account, folder=folder, port=free_port())
        server.run("initdb", "-D", str(folder / "data"), "--username=postgres", "--encoding=utf8", "--auth=trust", "-N")
        _configure(server)
        (folder / "data" / "pg_hba.conf").write_text(_RULES)
        server.start()
        try:
            server.execute(
                f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '{PASSWORD}'",
                f"CREATE DATABASE kb OWNER {ROLE}",
                f"CREATE DATABASE kb_dagster OWNER {ROLE}",
            )
            server.execute("CREATE EXTENSION vector", database="kb")
            yield server
        finally:
            server.stop()


@contextmanager
def replica_of(first: PostgresServer) -> Iterator[PostgresServer]:
    """A streaming replica of a running server, made by pg_basebackup."""
    with _folder(first.account) as folder:
        replica = PostgresServer(programs=first.programs, account=first.account, folder=folder, port=free_port())
        replica.copy(first)
        replica.start()
        try:
            yield replica
        finally:
            replica.stop()


@contextmanager
def pgbouncer(server: PostgresServer) -> Iterator[str]:
    """A pool in transaction mode before a server, which insists on TLS; yields the address of `kb` through it."""
    with _folder(server.account) as folder:
        port, key, certificate = free_port(), folder / "server.key", folder / "server.crt"
        request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
        subprocess.run([*request, *names], check=True, capture_output=True)
        (folder / "users.txt").write_text(f'"{ROLE}" "{PASSWORD}"\n')
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\n* = host=127.0.0.1 port={server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {folder}/users.txt\n"
            "pool_mode = transaction\ndefault_pool_size = 6\nclient_tls_sslmode = require\n"
            f"client_tls_key_file = {key}\nclient_tls_cert_file = {certificate}\n"
        )
        if server.account:
            for path in folder.iterdir():
                os.chown(path, server.account.pw_uid, server.account.pw_gid)
        user = server.account.pw_uid if server.account else None
        with (folder / "out").open("wb") as out:
            process = subprocess.Popen(
                [shutil.which("pgbouncer") or "/usr/sbin/pgbouncer", str(folder / "pgbouncer.ini")],
                user=user, group=user and server.account and server.account.pw_gid, stdout=out, stderr=out,
            )  # fmt: skip
        try:
            tls = f"sslmode=verify-full&sslrootcert={certificate}"
            url = f"postgresql://{ROLE}:{PASSWORD}@127.0.0.1:{port}/kb?{tls}"
            _wait_until_reachable(url, folder / "out")
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def has_pgbouncer() -> bool:
    """Whether PgBouncer is installed here."""
    return shutil.which("pgbouncer") is not None or Path("/usr/sbin/pgbouncer").exists()


def _wait_until_reachable(url: str, log: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise AssertionError(log.read_text()) from error
            time.sleep(0.05)
        else:
            return


def _configure(server: PostgresServer) -> None:
    with (server.folder / "data" / "postgresql.conf").open("a") as file:
        file.write("\n".join((*_SETTINGS, f"port = {server.port}", "")))


@contextmanager
def _folder(account: pwd.struct_passwd | None = None) -> Iterator[Path]:
    """A folder that the server's user can reach, in memory if there is any."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        prefix="headwater-tests-", dir=memory if memory.is_dir() else None, ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        owner = account or embedded_access.account(folder.parent / "none")
        if owner:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        yield folder
