"""Documents are published as they come: none waits for a slower one (REL-1, SRC-10)."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import islice
from pathlib import Path

import pytest

from headwater.chunking.chunker import ChunkedDocument, cut_document
from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import DocumentError, ModelUnavailableError, SourceError
from headwater.sources.connector import FetchedDocument
from headwater.sources.markdown_tree import MarkdownTree
from headwater.store.work import workers
from headwater.syncing import batches, chunks, embeddings, flow, source_job
from headwater.syncing import publisher as publishing
from tests.standing_clock import StandingClock
from tests.support import Headwater

Make = Callable[..., Headwater]
FILES = {f"{n}.md": f"# Pump {n}\n\nPump {n} lifts water.\n" for n in range(6)}

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Portions of two documents."""
    for module in (flow, chunks, embeddings, publishing):
        monkeypatch.setattr(module, "WINDOW", 2)
    monkeypatch.setattr(batches, "_BATCH", 2)


def _hanging(monkeypatch: pytest.MonkeyPatch, uri: str) -> None:
    """Parsing one document takes for ever, and nothing else takes any time."""
    made, clock = FetchedDocument.__init__, StandingClock(monkeypatch)

    def slow() -> ParsedDocument:
        clock.hang()
        raise AssertionError

    def hanging(document: FetchedDocument, **values: object) -> None:
        made(document, **{**values, "parse": slow if values["uri"] == uri else values["parse"]})  # type: ignore[arg-type]

    monkeypatch.setattr(FetchedDocument, "__init__", hanging)


def test_a_document_that_hangs_costs_itself_only(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its neighbours, before and after it, are published by the same sync, and its error says why it was left out."""
    kb = headwater(files=FILES)
    _hanging(monkeypatch, "3.md")
    monkeypatch.setenv("HEADWATER_SOURCE_TIME_LIMIT", "20")
    done = kb.sync()["docs"]
    assert (done.state, done.documents_failed) == ("ready", 1)
    assert done.errors[0].uri == "3.md"
    assert "longer than 2.0 s" in done.errors[0].message
    assert {passage.uri for passage in kb.search("pump lifts water")} == {f"{n}.md" for n in (0, 1, 2, 4, 5)}


@pytest.mark.usefixtures("portions")
def test_a_time_limit_leaves_what_was_done_by_then(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents before the one at which a source is stopped have entries, and the next sync continues."""
    kb = headwater(files=FILES)
    _hanging(monkeypatch, "4.md")
    monkeypatch.setenv("HEADWATER_SOURCE_TIME_LIMIT", "2")
    monkeypatch.setattr("headwater.syncing.interruption.DOCUMENT_SHARE", 100)  # no bound for a single document
    done = kb.sync()["docs"]
    assert done.state == "failed"
    assert "longer than 2 s" in done.errors[0].message
    assert {passage.uri for passage in kb.search("pump lifts water")} == {f"{n}.md" for n in range(4)}
    monkeypatch.undo()


def test_a_text_that_cannot_be_cut_costs_itself_only(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last version keeps answering."""

    def torn(text: str, **values: object) -> ChunkedDocument:
        if "torn" in text:
            raise DocumentError("The text is torn.")
        return cut_document(text, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(chunks, "cut_document", torn)
    kb.write("1.md", "# Pump 1\n\nPump 1 is torn.\n")
    kb.write("2.md", "# Pump 2\n\nPump 2 is new.\n")
    done = kb.sync()["docs"]
    assert (done.state, [error.uri for error in done.errors]) == ("ready", ["1.md"])
    texts = {passage.uri: passage.text for passage in kb.search("pump")}
    assert "lifts water" in texts["1.md"]
    assert "is new" in texts["2.md"]


@pytest.mark.usefixtures("portions")
def test_a_model_that_stops_answering_keeps_nothing_else_back(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents and chunks are made all the same; what had its vectors is published, and what vanished is withdrawn."""
    kb.remove("5.md")
    for n in range(4):
        kb.write(f"{n}.md", f"# Pump {n}\n\nPump {n} lifts oil, as of {n}.\n")
    embedded: list[int] = []
    work = embeddings._embed

    def dying(*arguments: object) -> None:
        if embedded:
            raise ConnectionError("the model is away")
        embedded.append(1)
        work(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(embeddings, "_embed", dying)
    done = kb.sync()["docs"]
    assert (done.state, done.errors[0].message) == ("failed", "the model is away")
    texts = {passage.uri: passage.text for passage in kb.search("pump lifts")}
    assert set(texts) == {"0.md", "1.md", "2.md", "3.md", "4.md"}
    assert [uri for uri, text in sorted(texts.items()) if "oil" in text] == ["0.md", "1.md"]
    assert kb.query("SELECT count(*) AS n FROM chunk_sets")[0]["n"] == 10  # six and four new ones


@pytest.mark.parametrize("size", [100, 2])
def test_what_a_source_gave_before_it_broke_off_is_published(
    headwater: Make, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Whether it still waited to be written or, written already, to be published; nothing counts as vanished."""
    kb = headwater(files={**FILES, "9.md": "# Pump 9\n"})
    kb.sync()
    for n in range(6):
        kb.write(f"{n}.md", f"# Pump {n}\n\nPump {n} lifts oil.\n")
    fetch = MarkdownTree.fetch

    def breaking(connector: MarkdownTree) -> Iterator[FetchedDocument | DocumentProblem]:
        yield from islice(fetch(connector), 5)
        raise SourceError("The disk went away.")

    monkeypatch.setattr(batches, "_BATCH", size)
    monkeypatch.setattr(MarkdownTree, "fetch", breaking)
    done = kb.sync()["docs"]
    assert (done.state, done.errors[0].message) == ("failed", "The disk went away.")
    texts = {passage.uri: passage.text for passage in kb.search("pump")}
    assert sorted(uri for uri, text in texts.items() if "oil" in text) == [f"{n}.md" for n in range(5)]
    assert set(texts) == {*FILES, "9.md"}


def _model_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise ModelUnavailableError("The model is away.")

    monkeypatch.setattr(embeddings, "_embed", away)


@pytest.mark.usefixtures("portions")
@pytest.mark.parametrize("shown", [1000, 2])
def test_a_source_that_breaks_off_does_not_hide_that_the_model_is_away(
    headwater: Make, monkeypatch: pytest.MonkeyPatch, shown: int
) -> None:
    """Both are reported, before documents that could not be read, of which only the first are kept."""
    kb = headwater(files=FILES)
    fetch = MarkdownTree.fetch

    def breaking(connector: MarkdownTree) -> Iterator[FetchedDocument | DocumentProblem]:
        yield from (DocumentProblem(uri=f"torn{n}.md", code=DocumentError.code, message="Torn.") for n in range(4))
        yield from islice(fetch(connector), 5)
        raise SourceError("The disk went away.")

    monkeypatch.setattr(MarkdownTree, "fetch", breaking)
    for module in (source_job, workers):
        monkeypatch.setattr(module, "ERRORS_SHOWN", shown)
    _model_away(monkeypatch)
    done = kb.sync()["docs"]
    assert (done.state, done.documents_failed) == ("failed", 4)
    assert [(error.code, error.message) for error in done.errors[:3]] == [
        (SourceError.code, "The disk went away."),
        (ModelUnavailableError.code, "embeddings: The model is away."),
        (DocumentError.code, "Torn."),
    ]
    assert (done.errors[-1].code == "MORE_ERRORS") == (shown == 2)


@pytest.mark.usefixtures("portions")
def test_a_time_limit_does_not_hide_that_the_model_is_away(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stage runs after that; errors that were kept for it are still reported."""
    kb = headwater(files=FILES)
    _hanging(monkeypatch, "4.md")
    monkeypatch.setenv("HEADWATER_SOURCE_TIME_LIMIT", "2")
    monkeypatch.setattr("headwater.syncing.interruption.DOCUMENT_SHARE", 100)  # no bound for a single document
    _model_away(monkeypatch)
    done = kb.sync()["docs"]
    assert [error.message.split(".")[0] for error in done.errors] == [
        "The sync of this source took longer than 2 s",
        "embeddings: The model is away",
    ]


def test_documents_of_a_folder_that_cannot_be_listed_go_on_answering(
    headwater: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what is in it; what vanished elsewhere is withdrawn all the same (SRC-12)."""
    kb = headwater(files={"deep/a.md": "# A\n\nOne pump.", "deeper.md": "# B\n\nOne pump.", "c.md": "# C\n\nOne pump."})
    kb.sync()
    scandir = os.scandir

    def failing(path: Path) -> object:
        if getattr(path, "name", "") == "deep":
            raise OSError(errno.ENAMETOOLONG, "File name too long", str(path))
        return scandir(path)

    kb.remove("deeper.md")
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", failing)
        done = kb.sync()["docs"]
    assert [error.uri for error in done.errors] == ["deep/"]
    assert {passage.uri for passage in kb.search("pump")} == {"deep/a.md", "c.md"}
    kb.remove("deep/a.md")
    kb.sync()
    assert {passage.uri for passage in kb.search("pump")} == {"c.md"}


@pytest.mark.usefixtures("portions")
def test_a_killed_publisher_is_named_and_made_up_for(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Removed documents are still withdrawn; the next sync publishes the rest."""
    kb = headwater(files={**FILES, "gone.md": "# Pump 7\n\nPump 7 lifts water.\n"})
    kb.sync()
    kb.remove("gone.md")
    for name in FILES:
        kb.write(name, f"# Pump {name}\n\nPump {name} lifts oil.\n")
    submit = publishing.Publisher._submit

    def killed(publisher: publishing.Publisher, *given: object) -> "Future[int]":
        if publisher._process is not None:
            (pid,) = publisher._process._processes
            os.kill(pid, signal.SIGKILL)
            _wait_until(lambda: not _lives(pid))
        return submit(publisher, *given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "_may_start_processes", lambda: True)
        patch.setattr(publishing.Publisher, "_submit", killed)
        done = kb.sync()["docs"]
    assert (done.state, done.errors[0].code) == ("failed", SourceError.code)
    assert f"The process that publishes {kb.slug}/docs was killed" in done.errors[0].message
    assert {passage.uri for passage in kb.search("pump lifts water")} == FILES.keys()
    assert kb.sync()["docs"].state == "ready"
    assert all("oil" in passage.text for passage in kb.search("pump lifts oil"))


@pytest.mark.usefixtures("portions")
def test_where_no_process_can_be_started_a_thread_publishes(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some machines have no shared memory, or as many processes as they may."""

    def refused(*_: object, **__: object) -> None:
        raise OSError("no shared memory")

    monkeypatch.setattr(publishing, "_may_start_processes", lambda: True)
    monkeypatch.setattr(publishing, "ProcessPoolExecutor", refused)
    kb = headwater(files=FILES)
    assert kb.sync()["docs"].state == "ready"
    assert {passage.uri for passage in kb.search("pump lifts water")} == FILES.keys()


def test_the_publishing_process_ends_with_the_sync_that_started_it(headwater: Make) -> None:
    """A killed sync leaves no process behind that keeps writing."""
    script = f"""
import multiprocessing, sys, time
from concurrent.futures import ProcessPoolExecutor
from headwater.syncing.publisher import _begin
pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin, ({headwater().store.database.url!r},))
pool.submit(max, 1, 2).result()
print(*pool._processes, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as sync:
        assert sync.stdout is not None
        pid = int(sync.stdout.readline())
        assert _lives(pid)
        sync.kill()
        sync.wait()
        _wait_until(lambda: not _lives(pid))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)
