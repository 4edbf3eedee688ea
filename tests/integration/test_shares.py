"""One source worked on by several runs (OPS-4, REL-1).

Belongs here: helpers, what they write, how they end, and what a sync without them does. Not here: several sources on
several workers (`test_scale_out`). Guarantee: every process that a test starts is gone at its end.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import dagster as dg
import numpy as np
import pytest
from dagster._core.definitions.reconstruct import ReconstructableRepository

from headwater.domain.corpus import Lineage
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FencedError
from headwater.identity import content_id
from headwater.settings import REPOSITORY
from headwater.store.search.search_indexes import SearchIndexStore
from headwater.store.work.fencing_tokens import SyncLease
from headwater.store.work.sync_shares import ShareState, WantedShare, find_ordinal
from headwater.syncing import shares
from headwater.syncing.helper import Helper
from pipelines import sensors
from pipelines.schedules import helper_config
from query_api.app import create_app
from tests.integration.test_scale_out import content, wait_for
from tests.support import Headwater

Make = Callable[..., Headwater]
COUNT = 60  # documents: more than the leading run takes at once
FILES = {f"{number:02}.md": f"# Topic {number}\n\nAbout item {number:02}.\n" for number in range(COUNT)}
START = "import sys; from tests.integration.test_shares import help_with; help_with(int(sys.argv[1]), sys.argv[2])"
OURS = {"Sec-Fetch-Site": "same-origin"}
LIMIT_SECONDS = 500.0  # to start two processes, however busy the machine is


def help_with(share_id: int, end: str) -> None:
    """Execute a helper's run as the process does that Dagster launches for it, or die in the middle of it."""
    if end == "die":  # with vectors, and before its first document is published
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SearchIndexStore, "publish", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            _execute(share_id)
    _execute(share_id)


def _execute(share_id: int) -> None:
    repository = ReconstructableRepository.for_module("pipelines.definitions", "defs", str(REPOSITORY))
    job = repository.get_reconstructable_job("sync_sources")
    with dg.DagsterInstance.get() as instance:
        dg.execute_job(job, instance=instance, run_config=helper_config(share_id), raise_on_error=True)


def set_workers(kb: Headwater, count: int) -> None:
    """Let so many runs work on the source."""
    source = kb.source()
    settings = SourceSettings.of(source).model_copy(update={"workers": count})
    kb.store.sources.update(source, kind=source.kind, config=source.config, settings=settings)


def forget_everything(kb: Headwater) -> None:
    """Make the source one that was never synced, with the same id."""
    with kb.store.database.transaction() as session:
        session.connection.execute("TRUNCATE documents, embeddings, search_indexes RESTART IDENTITY CASCADE")


class Helpers:
    """Two helpers that come as soon as they are wanted, before the sync that wants them goes on."""

    def __init__(self, kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
        self._shares = kb.store.shares
        self._request = self._shares.request
        self.processes: list[subprocess.Popen[bytes]] = []
        monkeypatch.setattr(shares, "LASTS_SECONDS", 0.0)
        monkeypatch.setattr(self._shares, "request", self.come)

    def come(self, work: SyncLease, count: int) -> None:
        """Ask for helpers, start them, and wait until each has its share."""
        self._request(work, count)
        for share, end in zip(self._shares.list_wanted(), ("live", "die"), strict=True):
            command = [sys.executable, "-c", START, str(share.id), end]
            self.processes.append(subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.DEVNULL))
        deadline = time.monotonic() + LIMIT_SECONDS
        while self._shares.list_wanted():
            assert time.monotonic() < deadline, "the helpers have not come"
            time.sleep(0.05)

    def end(self) -> list[int]:
        """End them; returns how each ended."""
        for process in self.processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LIMIT_SECONDS)
            process.kill()
        return [process.wait() for process in self.processes]


@pytest.mark.dagster
@pytest.mark.timeout(1200)
def test_three_runs_make_what_one_makes_though_one_is_killed(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same ids and rows; what they did is counted; the next sync writes nothing, and a deletion is one."""
    kb = headwater(files=FILES)
    set_workers(kb, 3)
    helpers = Helpers(kb, monkeypatch)
    try:
        run, rows = kb.sync_run()
    finally:
        ends = helpers.end()
    assert ends == [0, -signal.SIGKILL]
    assert (rows["docs"].state, rows["docs"].added, rows["docs"].errors) == ("ready", COUNT, [])
    assert kb.query("SELECT count(*) AS n FROM sync_shares") == [{"n": 0}]
    runs = {row["run_id"] for row in kb.query("SELECT run_id FROM chunks")}
    assert len(runs) == 3
    assert run.run_id in runs
    published = {row["run_id"] for row in kb.query("SELECT run_id FROM published_documents")}
    assert len(published) == 2, "the one that was killed has published nothing"
    texts = Counter(row["run_id"] for row in kb.query("SELECT run_id FROM embeddings"))
    assert sum(texts[run_id] for run_id in published) <= rows["docs"].embedded <= texts.total()
    shared = content(kb)

    assert kb.sync()["docs"].rows_written == 0
    kb.remove("07.md")
    removed = kb.sync()["docs"]
    assert (removed.removed, removed.added, removed.changed) == (1, 0, 0)
    assert "07.md" not in {passage.uri for passage in kb.search("item 07")}

    kb.write("07.md", FILES["07.md"])
    forget_everything(kb)
    set_workers(kb, 1)
    assert kb.sync()["docs"].state == "ready"
    assert content(kb) == shared


def test_without_helpers_a_sync_does_everything(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for nobody; a helper that comes when it is done has nothing to do, and says so."""
    monkeypatch.setattr(shares, "LASTS_SECONDS", 0.0)
    wanted: list[WantedShare] = []
    kb = headwater(files=FILES)
    set_workers(kb, 3)

    def note(*arguments: Any) -> None:
        request(*arguments)
        wanted.extend(kb.store.shares.list_wanted())

    request = kb.store.shares.request
    monkeypatch.setattr(kb.store.shares, "request", note)
    done = kb.sync()["docs"]
    assert (done.state, done.added) == ("ready", COUNT)
    assert [(share.ordinal, share.count, share.key) for share in wanted] == [(1, 3, "kb/docs"), (2, 3, "kb/docs")]
    assert kb.store.shares.list_wanted() == []
    words: list[str] = []
    Helper(store=kb.store, settings=kb.settings, share_id=wanted[0].id, run_id="late", tell=words.append).execute()
    assert words == ["The sync is done, or nobody waits for help any more."]


@contextmanager
def shared_source(kb: Headwater) -> Iterator[tuple[Any, int]]:
    """A source that a run holds which wants a helper: its lease, and the row of the share."""
    with kb.store.workers.hold_source(kb.source(), None, "leading") as work:
        kb.store.shares.request(work, 2)
        yield work, kb.store.shares.list_wanted()[0].id


@pytest.mark.parametrize("is_cancelled", [True, False])
@pytest.mark.synced(files={"a.md": "# A\n\nWords."})
def test_a_sync_that_is_cancelled_or_dies_ends_its_helpers(kb: Headwater, *, is_cancelled: bool) -> None:
    """They end by themselves, and it is no failure."""
    words: list[str] = []
    with shared_source(kb) as (work, share_id):
        helper = Helper(store=kb.store, settings=kb.settings, share_id=share_id, run_id="helper", tell=words.append)
        thread = threading.Thread(target=helper.execute)
        thread.start()
        wait_for(lambda: len(kb.store.shares.list_taken(work)) == 1, "the helper")
        kb.store.shares.set_state([share_id], ShareState.WORKING)
        if is_cancelled:
            kb.store.syncs.cancel(work.sync_id)
            thread.join(120)
            assert not thread.is_alive()
    thread.join(120)  # the lock of the source is free now, as it is when its process dies
    assert not thread.is_alive()
    assert words == ["The run that syncs the source does not want help any more."]


@pytest.mark.synced(files={"a.md": "# A\n\nWords."})
def test_a_helper_whose_share_was_taken_back_cannot_write(kb: Headwater) -> None:
    """Its documents are the leading run's again, which alone writes them."""
    by = Lineage(run_id="helper", code_version="1")
    vectors = np.ones((1, 384), np.float32)

    def write(work: Any) -> int:
        return kb.store.documents.put_embeddings(work, "builtin/hash", [b"text"], vectors, [1], by)

    with shared_source(kb) as (work, share_id), kb.store.shares.hold(share_id, "helper") as lease:
        assert lease is not None
        assert write(lease.work) == 1
        assert [share.is_alive for share in kb.store.shares.list_taken(work)] == [True]
        kb.store.shares.take_back(work)
        with pytest.raises(FencedError, match="took this share of its documents back"):
            write(lease.work)
        assert kb.store.shares.find_state(share_id) is None
        assert write(work) == 0


@pytest.mark.synced(files={"a.md": "# A\n\nWords."})
def test_a_source_says_how_many_workers_it_may_have(kb: Headwater) -> None:
    """Over HTTP and in its form; null and an empty input mean one again."""
    client = create_app(kb.settings).test_client()
    url = "/api/v1/knowledge-bases/kb/sources/docs"
    assert client.get(url).get_json()["workers"] == 1
    assert client.patch(url, json={"workers": 4}).get_json()["workers"] == 4
    assert client.patch(url, json={"workers": 65}).status_code == 422
    assert client.patch(url, json={"workers": None}).get_json()["workers"] == 1
    form = {"path": kb.source().config["path"], "workers": "3"}
    assert client.post("/kb/kb/sources/docs/edit", data=form, headers=OURS).status_code == 303
    assert 'name="workers"' in client.get("/kb/kb/sources/docs/edit").get_data(as_text=True)
    assert kb.source().workers == 3
    client.post("/kb/kb/sources/docs/edit", data={**form, "workers": ""}, headers=OURS)
    assert kb.source().workers == 1


def test_a_document_belongs_to_one_share() -> None:
    """Whatever the number of workers; with one, everything is the leading run's."""
    ids = [content_id("document", 1, f"{place}.md") for place in range(500)]
    assert {find_ordinal(document_id, 1) for document_id in ids} == {0}
    for count in (2, 4, 8):
        sizes = Counter(find_ordinal(document_id, count) for document_id in ids)
        assert set(sizes) == set(range(count))
        assert max(sizes.values()) < 2 * min(sizes.values())


@pytest.mark.dagster
def test_helpers_are_runs_of_dagster_with_tags(headwater: Make) -> None:
    """The sensor starts one for each share, once, after those of syncs; the tags say whom it helps."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    with shared_source(kb) as (_, share_id):
        with dg.build_sensor_context(instance=kb.instance) as context:
            tick: Any = sensors.requested_syncs(context)
        [helper] = tick.run_requests
    assert helper.run_key == f"share/{share_id}"
    assert helper.run_config == helper_config(share_id)
    assert helper.tags == {
        "headwater/knowledge_base": "kb",
        "headwater/sources": "docs",
        "headwater/requested_by": "dagster",
        "headwater/share": "2 of 2",
        "headwater/leading_run": "leading",
        "dagster/priority": "-1",
    }
