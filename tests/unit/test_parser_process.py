"""Parsers with limits run in a process of their own, and a hostile file costs only itself."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from headwater.confinement import permissions
from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.errors import DocumentError, ParserCrashedError, ParserLimitError, UnsafeFileError
from headwater.parsing.parser import File, Limits
from headwater.parsing.registry import parse_file
from headwater.parsing.sandbox.pool import ParserProcess
from headwater.processors import count_processors
from headwater.settings import REPOSITORY, parser_limits
from tests.limited_parsers import Obedient, Unprepared

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are the Linux kernel's")


def ask(order: str, **fields: object) -> ParsedDocument:
    """Have the parser do something."""
    return parse_file(Obedient(), File(content=order.encode(), uri="a/b.obedient", **fields))  # type: ignore[arg-type]


def test_every_field_comes_back() -> None:
    """The document is the parser's, but for the URI, which is that of the file."""
    found = ask("echo hey", root="a", media_type="application/x-obedient; charset=x", passwords=("p", "ä"))
    assert found == ParsedDocument(
        uri="a/b.obedient", title="hey", text="hey \ud800 €", media_type="text/plain", category="a", language="de",
        metadata={"type": "application/x-obedient; charset=x", "deep": [1, {"a": None}]}, references=("b", "c"),
        notes=("p", "ä"), places=Places.of(PlaceKind.SHEET, [(0, "One"), (2, "Zwei")]), original=found.original,
    )  # fmt: skip
    assert found.original is not None
    assert (found.original.content, found.original.media_type) == (b"echo hey", "application/x-obedient")
    other = ask("echo other").original
    assert other is not None
    assert (other.content, other.media_type) == (b"other", "application/x-other")


def test_a_process_is_used_again() -> None:
    """Files are read by one process, which prepares its parser once; what a library prints is no answer."""
    first = ask("pid").text
    assert first != str(os.getpid())
    assert ask("speak").text == "quiet"
    assert ask("prepared").text == "1"
    with pytest.raises(UnsafeFileError, match=r"^No: never$"):
        ask("refuse never")
    assert ask("echo " + "x" * 5_000_000).title == "x" * 5_000_000  # more than pipes hold
    assert ask("pid").text == first


def test_a_process_that_keeps_much_memory_is_replaced() -> None:
    """The limit is that of one file, whatever the files before it left behind."""
    first = ask("pid").text
    assert ask("keep 10").text == first
    assert ask("keep 70").text == first
    assert ask("keep 70").text != first


@pytest.mark.parametrize(
    ("order", "kind", "message"),
    [
        ("fill 500", ParserLimitError, "more than 128 MB of memory.*HEADWATER_PARSER_MEMORY"),
        ("fill_natively 500", ParserCrashedError, "SIGSEGV.*128 MB.*HEADWATER_PARSER_MEMORY"),
        ("crash", ParserCrashedError, "SIGSEGV"),
        ("leave 3", ParserCrashedError, "exit status 3"),
        ("leave 75", ParserCrashedError, "ended the process"),
        ("forge {}", ParserCrashedError, "not valid"),
        ('forge {"error": {"code": "FENCED", "message": ""}}', ParserCrashedError, "not valid"),
        ("forge " + "[" * 100_000, ParserCrashedError, "not valid"),
    ],
)
def test_a_file_costs_only_itself(order: str, kind: type[DocumentError], message: str) -> None:
    """Its error says what happened and what to do, and the next file gets a fresh process (SEC-1)."""
    before = ask("pid").text
    with pytest.raises(kind, match=message):
        ask(order)
    assert not psutil.pid_exists(int(before))
    assert ask("pid").text != before


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("stumble", r"^The file is damaged, or not of its type \(KeyError: 'rId7'\)\.$"),
        ("descend", "nested too deeply"),
        ("run true", "PermissionError"),
    ],
)
def test_an_error_of_the_parser_keeps_the_process(order: str, message: str) -> None:
    """Any exception is the document's error, without a stack trace."""
    before = ask("pid").text
    with pytest.raises(DocumentError, match=message) as caught:
        ask(order)
    assert caught.value.code == "DOCUMENT_FAILED"
    assert ask("pid").text == before


def test_a_parser_that_cannot_start_says_why() -> None:
    """A library that is not installed is named in the error of each file."""
    with pytest.raises(DocumentError, match=r"Unprepared cannot start \(ModuleNotFoundError: .*'nothing'\)\. Install"):
        parse_file(Unprepared(), File(content=b"", uri="a"))


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that takes too long is ended, even inside native code; the limits are settings."""
    monkeypatch.setenv("HEADWATER_PARSER_SECONDS", "1")
    monkeypatch.setenv("HEADWATER_PARSER_MEMORY", "100")
    assert parser_limits() == (1, 100)
    began = time.monotonic()
    with pytest.raises(ParserLimitError, match=r"longer than 1 s.*HEADWATER_PARSER_SECONDS"):
        ask("hang")
    assert time.monotonic() - began >= 1
    monkeypatch.setenv("HEADWATER_PARSER_SECONDS", "60")  # a busy machine may need more than one to fill the memory
    with pytest.raises(ParserLimitError, match="100 MB"):
        ask("fill 110")


def test_it_inherits_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable that could be a secret, no database address, no open file or socket; a folder of its own (SEC-1)."""
    monkeypatch.setenv("HEADWATER_DATABASE_URL", "postgresql://user:hidden@db/x")
    monkeypatch.setenv("OPENAI_API_KEY", "hidden")
    monkeypatch.setenv("HEADWATER_PARSER_SECONDS", "19")  # a fresh process
    with socket.socket() as listening:
        os.set_inheritable(listening.fileno(), True)
        found = ask("environment").text
    assert "hidden" not in found
    assert "socket:" not in found
    assert "headwater-parser-" in found
    assert "HEADWATER" not in found


def test_its_modules_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its parent, because it may write nothing; else each start would compile everything again."""
    (tmp_path / "compiled_once").mkdir()
    (tmp_path / "compiled_once" / "__init__.py").write_text("from tests.limited_parsers import Obedient as Once\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    permissions._paths.cache_clear()
    process = ParserProcess("compiled_once:Once", Limits(seconds=120, megabytes=128))
    permissions._paths.cache_clear()
    process.end()
    assert len(list(tmp_path.rglob("*.pyc"))) == 1


@pytest.mark.parametrize("order", ["connect", "connect_natively"])
def test_it_has_no_network(order: str) -> None:
    """Python code cannot open a connection; native code cannot where the kernel gives it a network of its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        try:
            found = ask(f"{order} {server.getsockname()[1]}").text
        except DocumentError as error:
            found = str(error)
    if found == "connected" and subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode:
        pytest.skip("this system gives no process a network of its own")
    assert found == "refused" or "may not use socket" in found


def test_threads_have_a_process_each() -> None:
    """As many work at once as there are processors."""
    count = count_processors()
    with ThreadPoolExecutor(2 * count) as threads:
        found = list(threads.map(lambda _: ask("wait 0.1").text, range(2 * count)))
    assert 1 <= len(set(found)) <= count


def test_a_process_outlives_the_thread_that_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parent's death signal would come when that thread ends."""
    monkeypatch.setenv("HEADWATER_PARSER_SECONDS", "18")  # a fresh process
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(ask("pid").text))
    thread.start()
    thread.join()
    assert ask("pid").text == found[0]


_PARENT = """
import sys, threading
from headwater.parsing.sandbox.pool import ParserProcess
from headwater.parsing.parser import File, Limits
from headwater.parsing.registry import parse_file
from tests.limited_parsers import Obedient
ask = lambda order: parse_file(Obedient(), File(content=order.encode(), uri="a")).text
print(ask("pid"), flush=True)
ask(sys.argv[1])
input()
"""


@pytest.mark.parametrize("order", ["echo idle", "hang"])
def test_killing_the_parent_ends_its_processes(order: str) -> None:
    """Whether they work or wait."""
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, order], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    ) as parent:  # fmt: skip
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        while order == "hang" and not (Path(child.cwd()) / "hanging").exists():
            time.sleep(0.05)
        parent.send_signal(signal.SIGKILL)
    child.wait(timeout=60)


class _Cancelled(BaseException):
    """The sync was cancelled."""


def test_cancelling_ends_the_process() -> None:
    """An interruption of the thread that waits leaves nothing behind."""

    def interrupt(*_: object) -> None:
        raise _Cancelled

    child = psutil.Process(int(ask("pid").text))
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(_Cancelled):
            ask("hang")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert not child.is_running()


def test_a_fork_starts_its_own(tmp_path: Path) -> None:
    """It does not share the pipes of the process that it is a fork of."""
    before = ask("pid").text
    told = tmp_path / "pid"
    pid = os.fork()
    if pid == 0:
        try:
            told.write_text(ask("pid").text)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert told.read_text() != before
    assert ask("pid").text == before
