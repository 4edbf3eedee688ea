"""A whole installation that may be killed in parts: two Postgres servers, `headwater up`, a model's server on loopback.

Belongs here: starting it, requests to its API that outlast an outage, changing the roles of the servers. Not here: what
is killed (`victims`), what readers see (`readers`). Guarantee: at the end of the block everything has ended, also what
was killed or promoted meanwhile.
"""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg

from bench.throwaway import COMMAND
from headwater.settings import REPOSITORY
from tests.embedding_server import MODEL, EmbeddingServer, Reply, embedding_server
from tests.postgres_server import PASSWORD, ROLE, PostgresServer, postgres_server, replica_of
from tests.support import free_port

SLUG, SOURCE = "kb", "docs"
_LIMIT_SECONDS = 600.0
_FILE = """knowledge_base:
  slug: {slug}
  settings: {{embedding_model: {model}, summary_model: null}}
sources: [{{slug: {source}, kind: markdown_tree, path: {folder}, workers: {workers}}}]
"""


@dataclass
class ReplicatedUp:
    """The installation."""

    home: Path
    environ: dict[str, str]
    first: PostgresServer
    """The server that takes changes."""
    second: PostgresServer
    delay: float = 0.0
    """Seconds that the embedding model takes for a request of several texts."""
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def api(self) -> str:
        """The address of its API."""
        return f"http://127.0.0.1:{self.port}/api/v1"

    def start(self) -> None:
        """Start `headwater up`, and wait until it answers."""
        log = self.home / "up.log"
        before = log.read_bytes().count(b'"api"') if log.exists() else 0
        arguments = ("up", "--port", str(self.port), "--dagster-port", str(free_port()), "--json")
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                [*COMMAND, *arguments], cwd=REPOSITORY, env=self.environ, stdout=out, stderr=out,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        wait_for(lambda: log.read_bytes().count(b'"api"') > before, "headwater up", self.check)

    def check(self) -> None:
        """Raise an error if `headwater up` has ended."""
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"headwater up has ended: {(self.home / 'up.log').read_text(encoding='utf-8')[-3000:]}")

    def run(self, *arguments: str) -> str:
        """Run a command of Headwater; returns what it printed."""
        command = [*COMMAND, *arguments]
        completed = subprocess.run(
            command, cwd=REPOSITORY, env=self.environ, check=False, capture_output=True, text=True
        )
        if completed.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {completed.stderr[-2000:]}{completed.stdout[-2000:]}")
        return completed.stdout

    def start_command(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start a command of Headwater; what it prints goes into a file."""
        with (self.home / "commands.log").open("ab") as out:
            return subprocess.Popen([*COMMAND, *arguments], cwd=REPOSITORY, env=self.environ, stdout=out, stderr=out)

    def send(self, method: str, path: str, body: object = None) -> httpx.Response:
        """Send a request to the API, again and again while it is away."""
        deadline = time.monotonic() + _LIMIT_SECONDS
        while True:
            with suppress(httpx.TransportError):
                response = httpx.request(method, self.api + path, json=body, timeout=60)
                if response.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                    return response
            if time.monotonic() > deadline:
                raise RuntimeError(f"The API does not answer {method} {path}.")
            self.check()
            time.sleep(0.2)

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Look into the database of the first server."""
        with psycopg.connect(self.first.url("kb"), autocommit=True) as connection:
            return connection.execute(statement.encode(), values).fetchall()

    def change_roles(self) -> None:
        """Promote the second server, and make the first, which was killed, its replica."""
        dead, promoted = self.first, self.second
        promoted.run("pg_ctl", "-D", str(promoted.folder / "data"), "-w", "promote")
        self.first, self.second = promoted, dead
        dead.copy(promoted)
        dead.start()

    def end(self) -> None:
        """End all processes of Headwater."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                subprocess.run([*COMMAND, "down"], cwd=REPOSITORY, env=self.environ, check=False, capture_output=True)
                self.process.wait()


@contextmanager
def replicated_up(home: Path, documents: Path, *, workers: int) -> Iterator[ReplicatedUp]:
    """The installation with one source, which was never synced, for the length of a block.

    Args:
        home: an empty folder.
        documents: the folder of the source.
        workers: how many runs may work on the source.
    """
    with embedding_server() as model, postgres_server() as first, replica_of(first) as second:
        hosts = f"postgresql://{ROLE}:{PASSWORD}@127.0.0.1:{first.port},127.0.0.1:{second.port}/kb"
        os.environ.update(OPENAI_API_BASE=f"{model.url}/v1", OPENAI_API_KEY=model.key)
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("HEADWATER_", "DAGSTER_"))}
        environ |= {
            "HEADWATER_HOME": str(home / "home"),
            "HEADWATER_CACHE": str(home / "cache"),
            "HEADWATER_DATABASE_URL": hosts,
            "HEADWATER_READ_DATABASE_URL": f"{hosts}?target_session_attrs=standby",
            "HEADWATER_MODEL_CONCURRENCY": "1",
        }
        up = ReplicatedUp(home=home, environ=environ, first=first, second=second)
        model.otherwise = _pace(model, up)
        (home / "kb.yaml").write_text(describe_knowledge_base(documents, workers))
        try:
            up.start()
            up.run("apply", str(home / "kb.yaml"))
            yield up
        finally:
            up.end()
            for server in (first, second):
                if not server.is_running():
                    server.start()  # its own block stops it


def describe_knowledge_base(documents: Path, workers: int) -> str:
    """The file of the knowledge base."""
    return _FILE.format(slug=SLUG, source=SOURCE, model=MODEL, folder=documents, workers=workers)


def _pace(model: EmbeddingServer, up: ReplicatedUp) -> Callable[[dict[str, Any]], Reply]:
    """A model that is far away: it takes a while, but for questions; it notes no texts, of which there are many."""

    def reply(body: dict[str, Any]) -> Reply:
        model.requests.clear()
        if len(body["input"]) > 1:
            time.sleep(up.delay)
        return model.vectors_of(body, lambda vector: vector.tolist())

    return reply


def wait_for(is_so: Callable[[], bool], what: str, check: Callable[[], None] = lambda: None) -> None:
    """Poll ten times a second.

    Raises:
        RuntimeError: it takes too long.
    """
    deadline = time.monotonic() + _LIMIT_SECONDS
    while not is_so():
        check()
        if time.monotonic() > deadline:
            raise RuntimeError(f"Waited in vain for {what}.")
        time.sleep(0.1)


def load_record(home: Path, name: str) -> psutil.Process | None:
    """A process of `headwater up` by its record."""
    from cli.processes.process_records import read_record

    identity = read_record(home / "processes" / name)
    return psutil.Process(identity.pid) if identity is not None and identity.is_alive else None


def to_json(value: object) -> str:
    """A value on one line."""
    return json.dumps(value, sort_keys=True, default=str)


def empty_folder(folder: Path) -> Path:
    """A folder without anything in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
