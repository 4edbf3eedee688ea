"""The console script as people run it: its own processes, its own Postgres (OPS-4, REL-1).

Most of the processes are forked from one that has imported what they import, which takes longer than most commands.
"""

import json
import os
import pty
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil
import psycopg
import pytest
from click.testing import CliRunner, Result

from cli.main import main
from headwater.settings import REPOSITORY, Settings
from headwater.store.server.database_urls import dagster_url, database_url
from tests.support import free_port

FILE = """
knowledge_base:
  slug: pumps
  name: Pumps
  settings: {{embedding_model: builtin/hash}}
sources:
  - {{slug: docs, kind: markdown_tree, path: docs}}
  - {{slug: notes, kind: jsonl, path: {notes}}}
"""

_LIMIT = 120  # seconds; machines are busy
_LINKS = """{assetNodeOrError(assetKey: {path: ["documents"]}) {... on AssetNode {assetMaterializations(limit: 1) {
    metadataEntries {label ... on UrlMetadataEntry {url}}}}}}"""


@dataclass(frozen=True)
class Machine:
    """A machine with nothing on it but the program: a folder, and an environment that knows no database."""

    folder: Path
    environ: dict[str, str]
    warm: str | None = None
    """The socket of a process that has imported what commands import, and forks one for each; None: none is used."""

    def command(self, *arguments: str) -> list[str]:
        """What starts a command in a process of its own."""
        if self.warm is None:
            return [sys.executable, "-m", "cli.main", *arguments]
        return [sys.executable, "-I", "-S", str(REPOSITORY / "tests" / "pages" / "warm.py"), self.warm, *arguments]

    def run(self, *arguments: str, status: int = 0) -> str:
        """Run a command; returns its stdout."""
        done = self.run_with_errors(*arguments)
        assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stdout

    def run_with_errors(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command that may fail."""
        command = self.command(*arguments)
        return subprocess.run(
            command, cwd=self.folder, env=self.environ, capture_output=True, text=True, timeout=_LIMIT
        )

    def json(self, *arguments: str, status: int = 0) -> Any:
        """Run a command with --json; its stdout is one document."""
        return json.loads(self.run(*arguments, "--json", status=status))

    def here(self, *arguments: str, status: int = 0) -> Result:
        """Run a command in this process, which spares the imports where a process of its own is not the point."""
        with patch.dict(os.environ, self.environ, clear=True), chdir(self.folder):
            done = CliRunner().invoke(main, arguments)
        assert done.exit_code == status, (arguments, done.exit_code, done.output, done.exception)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
        assert "Traceback" not in done.stderr
        return done

    def json_here(self, *arguments: str, status: int = 0) -> Any:
        """The same with --json."""
        return json.loads(self.here(*arguments, "--json", status=status).stdout)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start a command and leave it running; it gets the signals that the process gets."""
        command = [sys.executable, "-m", "cli.main", *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=self.environ, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def migrated_home(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """The home of a machine on which only `headwater migrate` has run, to be copied."""
    made = _machine(tmp_path_factory.mktemp("migrated"), cache)
    next(made).here("migrate")
    for taken_down in made:
        raise AssertionError(taken_down)
    return tmp_path_factory.getbasetemp() / "migrated0" / "home"


@pytest.fixture
def machine(tmp_path: Path, cache: Path, migrated_home: Path, warm: str) -> Iterator[Machine]:
    """A machine whose database is made and empty, taken down at the end."""
    subprocess.run(["cp", "-a", migrated_home, tmp_path / "home"], check=True)
    yield from _machine(tmp_path, cache, warm)


@pytest.fixture(scope="module")
def empty_machine(tmp_path_factory: pytest.TempPathFactory, cache: Path, warm: str) -> Iterator[Machine]:
    """A machine that several tests use and none puts anything on."""
    yield from _machine(tmp_path_factory.mktemp("machine"), cache, warm)


def _machine(folder: Path, cache: Path, warm: str | None = None) -> Iterator[Machine]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HEADWATER_", "DAGSTER_"))}
    fresh = Machine(folder, {**kept, "HEADWATER_HOME": str(folder / "home"), "HEADWATER_CACHE": str(cache)}, warm)
    (folder / "kb.yaml").write_text(FILE.format(notes=folder / "notes.jsonl"))
    yield fresh
    fresh.here("down")


def _call(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def _wait(is_so: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + _LIMIT
    while not is_so():
        assert time.monotonic() < deadline, f"{what}: not within {_LIMIT} s"
        time.sleep(0.05)


def _until_ready(url: str) -> Any:
    _wait(lambda: _call(url)["state"] in ("ready", "failed"), "the sync")
    return _call(url)


def _is_answering(url: str) -> bool:
    try:
        _call(url)
    except OSError:
        return False
    return True


def _postmaster(machine: Machine) -> int | None:
    try:
        return int((machine.folder / "home" / "postgres" / "postmaster.pid").read_text().split()[0])
    except (OSError, IndexError, ValueError):  # it is just going, or coming
        return None


def test_from_an_empty_folder_to_a_traced_answer(machine: Machine) -> None:
    """Apply before the documents exist, sync, ask, trace: each command says the same to people and to programs."""
    assert machine.json("apply", "kb.yaml")["created"] == ["docs", "notes"]
    assert machine.json_here("apply", "kb.yaml")["unchanged"] == ["docs", "notes"]
    failed = machine.json_here("sync", "pumps", status=1)
    assert {source["source"]: source["state"] for source in failed["sources"]} == {"docs": "failed", "notes": "failed"}
    assert all("There is no file or folder" in source["errors"][0]["message"] for source in failed["sources"])

    (machine.folder / "docs").mkdir()
    (machine.folder / "docs" / "pump.md").write_text("# Pump\n\nThe pump lifts forty litres of water per minute.\n")
    (machine.folder / "notes.jsonl").write_text(
        '{"uri": "n1", "title": "Keys", "text": "The keys hang in the shed."}\nbad\n'
    )
    synced = machine.json("sync", "pumps")
    by_name = {source["source"]: source for source in synced["sources"]}
    assert (by_name["docs"]["added"], by_name["notes"]["added"]) == (1, 1)
    assert "line 2" in by_name["notes"]["errors"][0]["message"]
    again = machine.json_here("sync", "pumps", "docs")
    assert [(s["source"], s["embedded"], s["rows_written"]) for s in again["sources"]] == [("docs", 0, 0)]

    answer = machine.json_here("ask", "pumps", "How many litres of water does the pump lift per minute?")
    assert answer["citations"][0]["uri"] == "pump.md"
    assert "[1]" in answer["answer"]
    lineage = machine.json_here("trace", answer["id"])
    assert lineage["citations"][0]["run_id"] == synced["run_id"]
    citation = lineage["citations"][0]
    chunk, version = citation["chunk_id"], citation["document_version_id"]
    assert machine.json_here("trace", chunk)["versions"][0]["document_version_id"] == version
    assert machine.json_here("trace", version)["text"].startswith("# Pump")
    past = ("ask", "pumps", "How many litres of water does the pump lift per minute?", "--as-of")
    assert machine.json_here(*past, citation["visible"][0]["published_at"])["citations"][0]["chunk_id"] == chunk
    assert machine.json_here(*past, "2001-02-03", status=1)["error"]["code"] == "NO_DOCUMENTS"
    assert machine.json_here("search", "pumps", "keys shed", "--source", "notes")["passages"][0]["uri"] == "n1"
    status = machine.json_here("status")["knowledge_bases"]
    assert [(s["slug"], s["state"]) for s in status[0]["sources"]] == [("docs", "ready"), ("notes", "ready")]
    assert {check["state"] for check in machine.json_here("doctor")["checks"]} <= {"ok", "warning"}
    for shown in (
        machine.here("status").stdout,
        machine.here("trace", answer["id"]).stdout,
        machine.here("trace", chunk).stdout,
        machine.here("trace", version).stdout,
        machine.here("ask", "pumps", "Who is Ann?").stdout,
    ):
        assert shown.strip()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sync", "nowhere"), "nowhere"),
        (("ask", "nowhere", "Why?"), "nowhere"),
        (("apply", "missing.yaml"), "missing.yaml"),
        (("apply", "bad.yaml"), "bad.yaml:4: sources[0].path"),
        (("trace", "00000000-0000-0000-0000-000000000000"), "no answer"),
        (("ask", "nowhere", "Why?", "--as-of", "yesterday"), "'yesterday' is not a time"),
        (("sync",), "Missing argument 'KNOWLEDGE_BASE'. `headwater status` lists the knowledge bases."),
        (("ask", "Why?"), "Missing argument 'QUESTION'. The knowledge base comes before it; `headwater status` lists"),
        (("search", "why"), "Missing argument 'QUERY'. The knowledge base comes before it"),
        (("up", "--host", "0.0.0.0"), "headwater keys create"),
        (("serve", "--host", "192.0.2.1"), "HEADWATER_ADMIN_KEY"),
    ],
)
def test_wrong_use_says_why_and_exits_with_2(empty_machine: Machine, arguments: tuple[str, ...], words: str) -> None:
    """The message names what is wrong."""
    machine = empty_machine
    (machine.folder / "bad.yaml").write_text(
        "knowledge_base: {slug: a}\nsources:\n  - kind: jsonl\n    path: [1]\n    slug: s\n"
    )
    assert words in machine.here(*arguments, status=2).stderr


def test_wrong_use_is_a_document_too(empty_machine: Machine) -> None:
    """With --json, stdout holds one document whatever went wrong."""
    machine = replace(empty_machine, environ=dict(empty_machine.environ))
    assert machine.json("ask", "nowhere", "Why?", status=2)["error"]["code"] == "NOT_FOUND"
    assert machine.json_here("ask", "nowhere", status=2)["error"]["code"] == "WRONG_USE"
    machine.environ["HEADWATER_HOME"] = "/dev/null/home"
    assert machine.json_here("status", status=1)["error"]["code"] in ("HEADWATER_ERROR", "DATABASE_UNAVAILABLE")
    machine.environ["HEADWATER_DATABASE_URL"] = "postgresql://u:geheim%zz@h/d?nonsense=1"
    said = machine.json_here("status", status=2)["error"]
    assert said["code"] == "INVALID_CONFIGURATION"
    assert "geheim" not in said["message"]


def test_delete_asks_first_and_leaves_a_receipt(machine: Machine) -> None:
    """Without anybody to ask it is wrong use; what is deleted goes with its partition in Dagster, and nothing else."""
    (machine.folder / "docs").mkdir()
    (machine.folder / "docs" / "pump.md").write_text("# Pump\n\nThe pump lifts forty litres of water per minute.\n")
    (machine.folder / "notes.jsonl").write_text('{"uri": "n1", "title": "Keys", "text": "The keys hang in the shed."}')
    machine.here("apply", "kb.yaml")
    machine.here("sync", "pumps")
    assert machine.json("delete", "pumps", status=2)["error"]["code"] == "WRONG_USE"
    assert machine.json_here("delete", "pumps", "none", "--yes", status=2)["error"]["code"] == "NOT_FOUND"
    status, said = _answer(machine, "n", "delete", "pumps", "notes")
    assert (status, "Delete source pumps/notes with 1 document? [y/N]: " in said) == (1, True)
    status, said = _answer(machine, "y", "delete", "pumps", "notes")
    assert status == 0
    assert "Deleted pumps/notes (receipt 1): " in said
    assert machine.json_here("search", "pumps", "keys shed")["passages"][0]["source"] == "docs"
    receipt = machine.json_here("delete", "pumps", "--yes")
    assert (receipt["kind"], receipt["removed"]["documents"]) == ("knowledge_base", 1)
    assert receipt["finished_at"]
    assert machine.json_here("status") == {"knowledge_bases": [], "open_syncs": {}}
    settings = Settings(home=machine.folder / "home", cache=machine.folder)
    with psycopg.connect(dagster_url(database_url(settings)).replace("+psycopg2", "")) as connection:
        assert connection.execute("SELECT partition FROM dynamic_partitions").fetchall() == []


def _answer(machine: Machine, answer: str, *arguments: str) -> tuple[int, str]:
    """Run a command on a terminal and answer its question; returns its status, and what stood there."""
    ours, theirs = pty.openpty()
    command = machine.command(*arguments)
    with subprocess.Popen(
        command, cwd=machine.folder, env=machine.environ, stdin=theirs, stdout=theirs, stderr=theirs
    ) as running:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65_536)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    return running.returncode, shown.decode()


def test_a_terminal_shows_how_far_a_sync_is(machine: Machine) -> None:
    """While it runs, the bar names the stage; stdout stays for the result."""
    (machine.folder / "docs").mkdir()
    (machine.folder / "docs" / "pump.md").write_text("# Pump\n\nThe pump lifts forty litres of water per minute.\n")
    machine.here("apply", "kb.yaml")
    ours, theirs = pty.openpty()
    command = machine.command("sync", "pumps", "docs", "--json")
    stages = (b"reading", b"cutting", b"publishing")
    with psycopg.connect(database_url(Settings(home=machine.folder / "home", cache=machine.folder))) as blocker:
        blocker.execute("LOCK TABLE search_entries IN SHARE ROW EXCLUSIVE MODE")  # until a stage is shown
        with subprocess.Popen(
            command, cwd=machine.folder, env={**machine.environ, "TERM": "xterm"}, stdout=subprocess.PIPE, stderr=theirs
        ) as running:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    part = os.read(ours, 65_536)
                except OSError:  # the other end is closed
                    break
                shown += part
                if any(stage in shown for stage in stages):
                    blocker.rollback()
            assert running.stdout is not None
            assert json.load(running.stdout)["sources"][0]["state"] == "ready"
    os.close(ours)
    assert any(stage in shown for stage in stages)


def test_a_killed_sync_loses_nothing_and_blocks_nobody(machine: Machine) -> None:
    """After kill -9 in the middle, the next sync finishes the work; no half of it was visible meanwhile (REL-1)."""
    (machine.folder / "docs").mkdir()
    for number in range(30):
        body = "\n\n".join(f"Part {part} of machine {number} has valve {part * number}. " * 12 for part in range(6))
        (machine.folder / "docs" / f"{number}.md").write_text(f"# Machine {number}\n\n{body}\n")
    (machine.folder / "notes.jsonl").write_text("")
    machine.here("apply", "kb.yaml")
    address = database_url(Settings(home=machine.folder / "home", cache=machine.folder))
    waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND EXISTS (SELECT FROM documents)"
    with psycopg.connect(address) as blocker, psycopg.connect(address, autocommit=True) as connection:
        blocker.execute("LOCK TABLE search_entries IN SHARE ROW EXCLUSIVE MODE")
        running = machine.start("sync", "pumps", "--json")
        _wait(lambda: connection.execute(waits).fetchone(), "a sync that has read and not yet published")
        assert machine_stage(machine) == "syncing"
        running.send_signal(signal.SIGKILL)
        running.communicate()
    assert machine_stage(machine) == "pending"  # it says so at once, though nobody could write it down
    done = machine.json_here("sync", "pumps")
    source = next(source for source in done["sources"] if source["source"] == "docs")
    assert (source["state"], source["documents"]) == ("ready", 30)
    again = machine.json_here("sync", "pumps")
    assert all((s["rows_written"], s["embedded"]) == (0, 0) for s in again["sources"])
    assert machine.json_here("search", "pumps", "machine 29 valve")["passages"]


@pytest.mark.servers
def test_a_disk_that_is_full_is_named_at_once(machine: Machine, tmp_path: Path) -> None:
    """By the sync that fills it, by the next, and when Postgres cannot start; with room, the next one does the rest."""
    home, saved = tmp_path / "home", tmp_path / "saved"
    home.rename(saved)
    home.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120m", "none", home], capture_output=True).returncode:
        pytest.skip("this user may not mount a small disk")
    try:
        subprocess.run(["cp", "-a", f"{saved}/.", home], check=True)
        (tmp_path / "docs").mkdir()
        (tmp_path / "notes.jsonl").touch()
        chance = random.Random(1)
        for number in range(50):
            (tmp_path / "docs" / f"{number}.md").write_text(f"# Valve {number}\n\n{_text(chance)}")
        machine.here("apply", "kb.yaml")
        _fill(home, but=12 * 2**20)
        _names_the_disk(machine.run_with_errors("sync", "pumps", "docs"), home)
        _fill(home)
        _names_the_disk(machine.run_with_errors("sync", "pumps", "docs"), home)
        machine.here("down")
        _names_the_disk(machine.run_with_errors("sync", "pumps", "docs"), home)
        subprocess.run(["mount", "-o", "remount,size=900m", home], check=True)
        assert machine.json("sync", "pumps", "docs")["sources"][0]["state"] == "ready"
        assert not [
            sync for sync in machine.json_here("syncs", "pumps")["syncs"] if sync["state"] not in ("ready", "failed")
        ]
        machine.here("down")
    finally:
        subprocess.run(["umount", "--lazy", home], check=True)


def _text(chance: random.Random) -> str:
    """Paragraphs of words that no language has."""
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(400)]
    return "\n\n".join(" ".join(chance.choices(words, k=90)) + "." for _ in range(40))


def _fill(folder: Path, *, but: int = 0) -> None:
    """Fill the disk of a folder, but for so many bytes."""
    with suppress(OSError), (folder / f"fill {but}").open("wb", buffering=0) as file:
        while shutil.disk_usage(folder).free > but:
            file.write(bytes(65_536))


def _names_the_disk(done: "subprocess.CompletedProcess[str]", home: Path) -> None:
    assert done.returncode == 1, done
    assert f"The disk of {home}" in done.stdout + done.stderr, done
    assert "unexpected error" not in done.stderr


def machine_stage(machine: Machine) -> str:
    """The state of the source `docs`."""
    sources = machine.json_here("status")["knowledge_bases"][0]["sources"]
    return str(next(source["state"] for source in sources if source["slug"] == "docs"))


@pytest.mark.servers
def test_up_serves_syncs_and_goes_without_a_trace(machine: Machine) -> None:
    """A sync asked for over HTTP is done; what is killed is started again; `down` leaves nothing behind."""
    (machine.folder / "docs").mkdir()
    (machine.folder / "docs" / "pump.md").write_text("# Pump\n\nThe pump lifts forty litres of water per minute.\n")
    (machine.folder / "notes.jsonl").write_text("")
    machine.here("apply", "kb.yaml")
    port, dagster_port = free_port(), free_port()
    up = machine.start("up", "--port", str(port), "--dagster-port", str(dagster_port), "--json")
    assert up.stdout is not None
    urls = json.loads(up.stdout.readline())
    children = psutil.Process(up.pid).children(recursive=True)
    assert len(children) >= 3
    base = f"{urls['api']}/api/v1"
    sync = _call(f"{base}/knowledge-bases/pumps/syncs", {})
    assert _until_ready(f"{base}/syncs/{sync['id']}")["state"] == "ready"
    answer = _call(
        f"{base}/knowledge-bases/pumps/answers", {"question": "How many litres of water does the pump lift?"}
    )
    assert answer["citations"][0]["uri"] == "pump.md"
    lineage = _call(f"{base}/answers/{answer['id']}/lineage")
    assert lineage["citations"][0]["run_url"].startswith(urls["dagster"])
    assert machine.json_here("trace", answer["id"]) == lineage  # the same link from a shell that does not know the port
    assert urllib.request.urlopen(urls["dagster"], timeout=30).status == 200
    entries = _call(f"{urls['dagster']}/graphql", {"query": _LINKS})["data"]["assetNodeOrError"][
        "assetMaterializations"
    ]
    links = {entry["label"]: entry.get("url") for entry in entries[0]["metadataEntries"]}
    assert _call(links["api"])["slug"] in ("docs", "notes")  # from Dagster's partition to the API, whatever its port

    second = machine.here("up", "--port", str(free_port()), "--dagster-port", str(free_port()), status=1)
    assert "runs already" in second.stderr

    code_server = next(child for child in children if child.name() == "code-server")
    code_server.kill()
    sync = _call(f"{base}/knowledge-bases/pumps/syncs", {})
    assert _until_ready(f"{base}/syncs/{sync['id']}")["state"] == "ready"

    postmaster = _postmaster(machine)
    assert postmaster is not None
    psutil.Process(postmaster).kill()
    _wait(lambda: _postmaster(machine) not in (postmaster, None), "another Postgres")
    _wait(lambda: _is_answering(f"{urls['api']}/health/ready"), "the API")

    children = psutil.Process(up.pid).children(recursive=True)
    assert machine.json("down")["stopped"] == ["headwater up", "Postgres"]
    up.communicate(timeout=_LIMIT)
    assert up.returncode == 0
    gone, alive = psutil.wait_procs(children, timeout=_LIMIT)
    assert gone
    assert not alive


@pytest.mark.servers
def test_what_a_killed_up_left_is_named_and_ended(machine: Machine) -> None:
    """`doctor` names it, the next `up` does not start beside it, and `down` ends it; nothing of it listens any more."""
    urls, first = _up_and_killed(machine)
    assert _is_answering(f"{urls['api']}/health/live")
    checks = machine.json_here("doctor")["checks"]
    [found] = [check["detail"] for check in checks if check["name"] == "processes"]
    assert all(f"{child.name()[:15]}" in found for child in first)
    assert "Run `headwater down`" in found

    others, second = _up_and_killed(machine)
    assert not _is_answering(f"{urls['api']}/health/live")
    assert not [child for child in first if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]

    stopped = machine.json_here("down")["stopped"]
    names = ["api", "code-server", "dagster-daemon", "dagster-webserver"]
    assert [name for name in stopped if name != "sync-worker"] == [*names, "Postgres"]
    assert not _is_answering(f"{others['api']}/health/live")
    assert not [child for child in second if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    assert machine.json_here("down")["stopped"] == []


def _up_and_killed(machine: Machine) -> tuple[dict[str, str], list[psutil.Process]]:
    """Start `up` and kill it; returns its addresses, and its processes."""
    up = machine.start("up", "--port", str(free_port()), "--dagster-port", str(free_port()), "--json")
    assert up.stdout is not None
    urls: dict[str, str] = json.loads(up.stdout.readline())
    with urllib.request.urlopen(urls["dagster"]):  # its web server starts at the first visit
        children = psutil.Process(up.pid).children()
    assert len(children) >= 4
    _only_its_owner_reaches_the_code_server(machine, children)
    up.kill()
    up.communicate()
    return urls, children


def _only_its_owner_reaches_the_code_server(machine: Machine, children: list[psutil.Process]) -> None:
    """It listens on a socket in the home, and on no port (SEC-1): whoever reaches it runs code."""
    place = Path(machine.environ["HEADWATER_HOME"], "code-server.sock")
    assert stat.S_ISSOCK(place.stat().st_mode)
    assert place.stat().st_mode & 0o077 == 0
    [code_server] = [child for child in children if child.name() == "code-server"]
    assert [each for each in code_server.net_connections("inet") if each.status == psutil.CONN_LISTEN] == []
