"""Following, cancelling, limiting and taking up syncs (SRC-10, API-2, REL-1, KB-3)."""

import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import dagster as dg
import psycopg
import pytest
from click.testing import CliRunner
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from psycopg_pool import ConnectionPool

from assets.resources import StoreResource
from assets.run_tags import BATCH_TAG
from cli.main import main
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.settings import Settings
from headwater.sources.connector import FetchedDocument
from headwater.sources.markdown_tree import MarkdownTree
from headwater.store.server import embedded_postgres
from headwater.store.work.worker_failures import MAX_LOST_WORKERS
from headwater.syncing import batches, flow, source_job
from pipelines import run_failures, sensors
from pipelines.definitions import build_definitions
from pipelines.schedules import run_config
from query_api.app import create_app
from query_api.pages.source_views import SourceView, source_view
from query_api.routes import sync_events
from query_api.sse import Streams
from tests.standing_clock import StandingClock
from tests.support import Headwater

Make = Callable[..., Headwater]
FILES = {f"{n}.md": f"# Topic {n}\n\nThe pump number {n} lifts water.\n" for n in range(6)}


def _request(kb: Headwater) -> int:
    return kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "api")


def _row(kb: Headwater, sync_id: int) -> dict[str, Any]:
    return asdict(kb.store.syncs.get(sync_id).sources[0])


def _run_batches(kb: Headwater) -> None:
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    for batch in kb.store.syncs.name_batches(20, 4):
        job.execute_in_process(
            instance=kb.instance,
            run_config=run_config(batch.keys, is_full=batch.is_full),
            tags={BATCH_TAG: batch.name},
            raise_on_error=False,
        )


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """A source whose third document does not come before the event is set; only that takes time, as limits see it."""
    go_on, clock = threading.Event(), StandingClock(monkeypatch)
    original = MarkdownTree.fetch

    def fetch(tree: MarkdownTree) -> Iterator[Any]:
        for number, item in enumerate(original(tree)):
            if number == 3:
                clock.hang(go_on.wait, seconds=600)
            yield item

    monkeypatch.setattr(MarkdownTree, "fetch", fetch)
    return go_on


def test_what_waits_is_cancelled_at_once(headwater: Make) -> None:
    """No run is made for it, and the next request is a new one."""
    kb = headwater(files=FILES)
    sync_id = _request(kb)
    kb.store.syncs.cancel(sync_id)
    assert _row(kb, sync_id)["state"] == "cancelled"
    assert kb.store.syncs.name_batches(20, 4) == []
    assert kb.source().state == "pending"
    assert _request(kb) != sync_id


@pytest.mark.dagster
def test_a_running_sync_is_cancelled_though_its_source_hangs(headwater: Make, slowly: threading.Event) -> None:
    """The worker stops within seconds, in the middle of a fetch that never ends; the next sync works."""
    kb = headwater(files=FILES)
    sync_id = _request(kb)

    def cancel() -> None:
        while _row(kb, sync_id)["state"] != "syncing":
            time.sleep(0.05)
        kb.store.syncs.cancel(sync_id)

    canceller = threading.Thread(target=cancel)
    canceller.start()
    _run_batches(kb)
    canceller.join(30)
    assert _row(kb, sync_id)["state"] == "cancelled"
    assert [run.status for run in kb.instance.get_runs(limit=1)] == [dg.DagsterRunStatus.CANCELED]
    assert kb.source().state == "pending"  # as it was before
    slowly.set()
    assert kb.sync()["docs"].state == "ready"


@pytest.mark.dagster
def test_a_source_that_hangs_fails_at_its_time_limit(
    headwater: Make, slowly: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its neighbour of the same run is synced, and the key turns red."""
    kb = headwater(
        "bad", "good", files={f"{slug}/{path}": text for slug in ("bad", "good") for path, text in FILES.items()}
    )
    (kb.folder / "good" / "3.md").unlink()
    for number in (4, 5, 2):
        (kb.folder / "good" / f"{number}.md").unlink()
    monkeypatch.setenv("HEADWATER_SOURCE_TIME_LIMIT", "2")
    done = kb.sync()
    assert (done["bad"].state, done["good"].state) == ("failed", "ready")
    assert "longer than 2 s" in done["bad"].errors[0].message
    assert kb.coloured("documents") == {"materialized": {"kb/good"}, "failed": {"kb/bad"}}


@pytest.mark.dagster
def test_progress_counts_documents_and_shows_errors_while_it_goes_on(
    headwater: Make, slowly: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Total, done and failed documents, and what was wrong with which, before the sync is over; then an end event."""
    kb = headwater(files={**FILES, "1.md": b"\xff\xfe\x00broken".replace(b"broken", b"\x00" * 3)})
    parse = FetchedDocument.__init__

    def failing(document: FetchedDocument, **values: Any) -> None:
        def broken() -> Any:
            raise ValueError("the second page is torn")

        parse(document, **{**values, "parse": broken if values["uri"] == "2.md" else values["parse"]})

    monkeypatch.setattr(FetchedDocument, "__init__", failing)
    sync_id = _request(kb)
    client = create_app(kb.settings).test_client()

    def work() -> None:
        try:
            _run_batches(kb)
        finally:
            kb.store.syncs.cancel(sync_id)  # if it broke off, the stream ends; otherwise it is over already

    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(work)
        try:
            events = client.get(f"/api/v1/syncs/{sync_id}/events").response
            told = (event["sources"][0] for event in _parsed(events))
            source = next((one for one in told if one["state"] == "syncing" and one["documents_failed"] == 2), None)
        finally:
            slowly.set()
        last = list(_parsed(events))[-1]
        worker.result()
    assert source is not None, "no progress was sent"
    assert (source["documents_total"], source["documents_done"]) == (6, 3)
    assert "the second page is torn" in [error["message"] for error in source["errors"]]
    assert (last["state"], last["done"], last["sources"][0]["documents_done"]) == ("ready", 1, 6)
    assert _row(kb, sync_id)["failed_count"] == last["sources"][0]["documents_failed"] >= 1


@pytest.mark.dagster
def test_what_is_done_shows_while_a_long_sync_runs(
    headwater: Make, slowly: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the list of syncs, on the page and in Dagster's log: what was read, added, embedded and already published.

    They used to stand at zero until the end, though one document after another was published. How many documents there
    are, and which is read now, is known while the first of them is still being read.
    """
    is_first_seen, prepare = threading.Event(), FetchedDocument.__init__

    def reading_slowly(document: FetchedDocument, **values: Any) -> None:
        def parse() -> Any:
            is_first_seen.wait(60)
            return values["parse"]()

        prepare(document, **{**values, "parse": parse})

    monkeypatch.setattr(FetchedDocument, "__init__", reading_slowly)
    monkeypatch.setattr(source_job, "TELL_SECONDS", 0.2)
    monkeypatch.setattr(batches, "PATIENCE", 0.0)
    monkeypatch.setattr(flow, "PATIENCE", 0.0)
    kb = headwater(files=FILES)
    sync_id = _request(kb)
    app, instance, seen = create_app(kb.settings), kb.instance, dict[str, Any]()
    progress = re.compile(r"kb/docs: documents: 3 of 6 done, 3 added, 0 changed, \d+ texts embedded")

    def look() -> None:
        try:
            deadline = time.monotonic() + 60
            while (row := _row(kb, sync_id))["documents_total"] != len(FILES) or not row["current_uri"]:
                assert time.monotonic() < deadline, row
                time.sleep(0.05)
            seen["first"] = (row["documents_done"], row["current_uri"])
            is_first_seen.set()
            while (row := _row(kb, sync_id))["documents_done"] < 3 or not (
                row["embedded_count"] and row["embedded_count"] == row["to_embed_count"]
            ):
                assert time.monotonic() < deadline, row
                time.sleep(0.05)
            while not any(progress.search(entry.message) for entry in instance.all_logs(str(row["run_id"]))):
                assert time.monotonic() < deadline, "the log says nothing of it"
                time.sleep(0.2)
            seen.update(row, found=kb.search("pump number"))
            seen["list"] = CliRunner().invoke(main, ["syncs", "kb"]).stdout
            with app.test_request_context():
                seen["page"] = source_view(kb.store, "kb", "docs").progress
        finally:
            is_first_seen.set()
            slowly.set()

    looker = threading.Thread(target=look)
    looker.start()
    _run_batches(kb)
    looker.join(120)
    assert (seen["state"], seen["added_count"], seen["unchanged_count"]) == ("syncing", 3, 0)
    assert seen["found"]
    assert seen["token_count"] > 0
    assert re.search(
        r"syncing for \d+ s, .*; documents \+3 ~0 -0, 3 of 6 read, documents.*, \d+ texts embedded", seen["list"]
    )
    assert seen["page"].startswith("Step 1 of 6: Reading documents: 3 of 6 read, ")
    assert seen["first"] == (0, min(FILES))
    assert seen["to_embed_count"] == seen["embedded_count"]
    run_id = str(_row(kb, sync_id)["run_id"])
    log = [entry.message for entry in kb.instance.all_logs(run_id)]
    assert any(
        re.search(r"kb/docs: documents: 3 of 6 done, 3 added, 0 changed, \d+ texts embedded", line) for line in log
    )
    assert _row(kb, sync_id)["state"] == "ready"


def test_streams_leave_threads_for_others(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream too many says how things stand and ends; once another was closed, one may stay open again."""
    monkeypatch.setattr(sync_events, "_streams", Streams(1))
    kb = headwater(files=FILES)
    client = create_app(kb.settings).test_client()
    path = f"/api/v1/syncs/{_request(kb)}/events"
    opened: Any = client.get(path).response
    next(_parsed(opened))
    for _ in range(2):
        (told,) = _parsed(client.get(path).response)
        assert told["state"] == "pending"
    opened.close()
    another: Any = client.get(path).response
    next(_parsed(another))
    assert [told["state"] for told in _parsed(client.get(path).response)] == ["pending"]
    another.close()


def _parsed(stream: Any) -> Iterator[dict[str, Any]]:
    for part in stream:
        text = part.decode() if isinstance(part, bytes) else part
        for line in text.splitlines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))


def test_a_lost_worker_is_replaced_until_too_many_were_lost(headwater: Make) -> None:
    """Its row waits for another run, and fails with a reason in the end: nothing is tried for ever."""
    kb = headwater(files=FILES)
    sync_id = _request(kb)
    for attempt in range(MAX_LOST_WORKERS):
        (batch,) = kb.store.syncs.name_batches(20, 4)
        with kb.store.workers.hold_source(kb.source(), batch.name, f"run-{attempt}"):
            assert _row(kb, sync_id)["state"] == "syncing"
        assert _row(kb, sync_id)["state"] == "pending"  # the worker is gone; another will come
        kb.store.worker_failures.close_run(f"run-{attempt}", batch.name)
        assert _row(kb, sync_id)["attempt_count"] == attempt + 1
    (batch,) = kb.store.syncs.name_batches(20, 4)
    with kb.store.workers.hold_source(kb.source(), batch.name, "run-last"):
        pass
    kb.store.worker_failures.close_run("run-last", batch.name)
    row = _row(kb, sync_id)
    assert (row["state"], row["errors"][0]["code"]) == ("failed", "WORKER_LOST")
    assert kb.store.syncs.name_batches(20, 4) == []
    assert kb.source().state == "failed"


@pytest.mark.dagster
def test_a_run_without_a_process_gives_its_rows_away(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dagster forgets runs of a code server that was killed; the sensor does not."""
    kb = headwater(files=FILES)
    sync_id = _request(kb)
    (batch,) = kb.store.syncs.name_batches(20, 4)
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    run = kb.instance.create_run_for_job(job, tags={BATCH_TAG: batch.name}, status=dg.DagsterRunStatus.STARTED)
    kb.instance.report_engine_event("it starts", run)
    with kb.store.workers.hold_source(kb.source(), batch.name, run.run_id):
        pass
    monkeypatch.setattr(run_failures, "_GRACE", 0.1)
    monkeypatch.setattr(run_failures, "_list_started", lambda instance: instance.get_run_records())
    with kb.store.workers.running(run.run_id):
        run_failures.fail_dead_runs(kb.instance, kb.store)
        stored = kb.instance.get_run_by_id(run.run_id)
        assert stored is not None
        assert not stored.is_finished
    run_failures.fail_dead_runs(kb.instance, kb.store)
    stored = kb.instance.get_run_by_id(run.run_id)
    assert stored is not None
    assert stored.status == dg.DagsterRunStatus.FAILURE
    _run_batches(kb)
    assert _row(kb, sync_id)["state"] == "ready"


@pytest.mark.dagster
def test_a_full_sync_trusts_no_fingerprint(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads everything, and still writes nothing where the content is the same."""
    kb = headwater(files=FILES)
    kb.sync()
    parsed: list[str] = []
    original = FetchedDocument.__init__

    def counting(document: FetchedDocument, **values: Any) -> None:
        parse = values["parse"]

        def noting() -> Any:
            parsed.append(values["uri"])
            return parse()

        original(document, **{**values, "parse": noting})

    monkeypatch.setattr(FetchedDocument, "__init__", counting)
    kb.sync()
    assert parsed == []
    before = kb.content()
    sync_id = kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "api", is_full=True)
    assert _request(kb) == sync_id  # who asks for less is served by it
    _run_batches(kb)
    assert sorted(parsed) == sorted(FILES)
    row = _row(kb, sync_id)
    assert (row["state"], row["unchanged_count"], row["embedded_count"]) == ("ready", 6, 0)
    after = kb.content()
    assert {name for name in before if before[name] != after[name]} <= {"documents"}  # the fingerprint's row
    assert kb.query("SELECT verified_at IS NOT NULL AS verified FROM sources")[0]["verified"]


@pytest.mark.dagster
def test_due_sources_ask_for_themselves(headwater: Make) -> None:
    """A source whose interval has passed is synced once, in few runs; a paused one is not (SRC-10, OPS-2)."""
    kb = headwater("often", "seldom", "paused", "never")
    kb.query("UPDATE sources SET refresh_seconds = 60 WHERE slug IN ('often', 'paused') RETURNING id")
    kb.query("UPDATE sources SET refresh_seconds = 86400 WHERE slug = 'seldom' RETURNING id")
    kb.query("UPDATE sources SET synced_at = now() - interval '2 hours' RETURNING id")
    kb.query("UPDATE sources SET paused_at = now() WHERE slug = 'paused' RETURNING id")
    context = dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()})
    for _ in range(2):  # the second tick finds the request waiting
        sensors.due_sources(context)
    rows = kb.query(
        "SELECT s.slug, y.origin FROM sync_sources t JOIN syncs y ON y.id = t.sync_id"
        " JOIN sources s ON s.id = t.source_id"
    )
    assert rows == [{"slug": "often", "origin": "schedule"}]
    tick = sensors.requested_syncs(context)
    assert isinstance(tick, dg.SensorResult)
    (request,) = tick.run_requests or []
    assert request.run_config == run_config(["kb/often"])


@pytest.mark.dagster
def test_a_sync_lives_through_an_outage_of_the_database(
    tmp_path: Path, cache: Path, headwater: Make, monkeypatch: pytest.MonkeyPatch, slowly: threading.Event
) -> None:
    """Postgres is stopped in the middle and comes back: the same run finishes, and nothing is lost or doubled.

    Connections are cut from the server's side, as its restart does, since the tests share one server.
    """
    kb = headwater(files=FILES)
    sync_id = _request(kb)
    cut: list[int] = []

    def outage() -> None:
        while _row(kb, sync_id)["documents_done"] < 3:
            time.sleep(0.05)
        cut.extend(
            row["pid"]
            for row in kb.query(
                "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
        slowly.set()

    breaker = threading.Thread(target=outage)
    breaker.start()
    _run_batches(kb)
    breaker.join(60)
    assert len(cut) >= 2  # the lock's and the work's
    row = _row(kb, sync_id)
    assert (row["state"], row["document_count"], row["attempt_count"]) == ("ready", 6, 0)
    assert len(kb.search("pump lifts water")) == 6
    assert len(kb.query("SELECT id FROM syncs")) == 1


def test_half_a_document_is_never_seen(headwater: Make) -> None:
    """While versions change hands, every search sees each document whole, in one version (REL-1)."""
    parts = 8

    def version(number: int) -> str:
        body = "\n\n".join(
            f"## Part {part}\n\nVersion{number} speaks of the turbine. " + "Filler words here. " * 15
            for part in range(parts)
        )
        return f"# Turbine\n\n{body}\n"

    kb = headwater(files={f"{n}.md": version(0) for n in range(5)})
    kb.sync()
    whole = len([p for p in kb.search("turbine", top_k=100) if p.uri == "0.md"])
    assert whole >= parts
    seen: list[int] = []
    halves: list[object] = []
    stopped = threading.Event()

    def look() -> None:
        while not stopped.is_set():
            found = kb.search("turbine", top_k=100)
            for uri, group in itertools.groupby(sorted(found, key=lambda p: p.uri), key=lambda p: p.uri):
                passages = list(group)
                versions = {p.document_version_id for p in passages}
                if len(versions) != 1 or len(passages) != whole:
                    halves.append((uri, len(passages), len(versions)))
            seen.append(len(found))

    reader = threading.Thread(target=look)
    reader.start()
    for number in (1, 2, 3):
        for n in range(5):
            kb.write(f"{n}.md", version(number))
        assert kb.sync()["docs"].changed == 5
    while len(seen) <= 5 and reader.is_alive():
        time.sleep(0.02)
    stopped.set()
    reader.join(60)
    assert len(seen) > 5
    assert set(seen) == {5 * whole}
    assert halves == []


def test_postgres_away_is_said_at_once_and_over_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The API answers 503 meanwhile, and by itself again afterwards."""
    folder = tmp_path / "postgres"
    url = embedded_postgres.start(folder)
    with psycopg.connect(url) as connection:  # nothing that an idle server has for nothing
        shown = [connection.execute(f"SHOW {name}").fetchone() for name in ("io_method", "wal_buffers")]
        assert shown == [("sync",), ("4MB",)]
    settings = Settings(home=tmp_path, cache=tmp_path, database_url=_headwater(url))
    try:
        client = create_app(settings).test_client()
        local = {"base_url": "http://localhost"}
        from headwater.store.server.migrations import migrate

        migrate(str(settings.database_url))
        assert client.get("/api/v1/knowledge-bases", **local).status_code == 200
        embedded_postgres.stop(folder)
        for _ in range(2):
            answer = client.get("/api/v1/knowledge-bases", **local)
            assert (answer.status_code, answer.json["code"] if answer.json else "") == (503, "DATABASE_UNAVAILABLE")
        with monkeypatch.context() as patch:  # only the pool waits; it is not asked for what is known to be away
            patch.setattr(ConnectionPool, "connection", lambda *_, **__: pytest.fail("the pool was asked"))
            assert client.get("/health/ready", **local).status_code == 503
        embedded_postgres.start(folder)
        assert client.get("/api/v1/knowledge-bases", **local).status_code == 200
    finally:
        embedded_postgres.stop(folder)


def _headwater(url: str) -> str:
    return url.replace("@/postgres?", "@/headwater?")


@pytest.mark.dagster
def test_a_run_of_cancelled_syncs_ends_as_canceled(headwater: Make) -> None:
    """Dagster says the same as Headwater, and nothing is made; running it again syncs the sources."""
    kb = headwater(
        "one", "two", files={f"{slug}/{path}": text for slug in ("one", "two") for path, text in FILES.items()}
    )
    sync_id = kb.store.syncs.request(kb.knowledge_base.id, kb.store.sources.all("kb"), "api")
    (batch,) = kb.store.syncs.name_batches(20, 4)
    kb.store.syncs.cancel(sync_id)
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    config, tags = run_config(batch.keys), {BATCH_TAG: batch.name}
    result = job.execute_in_process(instance=kb.instance, run_config=config, tags=tags, raise_on_error=False)
    assert _status(kb, result.run_id) == dg.DagsterRunStatus.CANCELED
    assert "kb/one, kb/two were cancelled in Headwater." in _messages(kb, result.run_id)
    assert {part.state for part in kb.store.syncs.get(sync_id).sources} == {"cancelled"}
    assert {source.state for source in kb.store.sources.all("kb")} == {"pending"}
    again = {**tags, "dagster/parent_run_id": "of-before", "dagster/root_run_id": "of-before"}
    assert job.execute_in_process(instance=kb.instance, run_config=config, tags=again).success
    assert {source.state for source in kb.store.sources.all("kb")} == {"ready"}


@pytest.mark.dagster
def test_a_run_goes_on_without_the_source_that_was_cancelled(headwater: Make) -> None:
    """Its log names the source, the other one is synced, and the run is a success."""
    kb = headwater(
        "one", "two", files={f"{slug}/{path}": text for slug in ("one", "two") for path, text in FILES.items()}
    )
    syncs = {slug: kb.store.syncs.request(kb.knowledge_base.id, [kb.source(slug)], "api") for slug in ("one", "two")}
    (batch,) = kb.store.syncs.name_batches(20, 4)
    kb.store.syncs.cancel(syncs["one"])
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    config, tags = run_config(batch.keys), {BATCH_TAG: batch.name}
    result = job.execute_in_process(instance=kb.instance, run_config=config, tags=tags)
    assert _status(kb, result.run_id) == dg.DagsterRunStatus.SUCCESS
    assert "kb/one: cancelled in Headwater" in _messages(kb, result.run_id)
    assert [kb.store.syncs.get(syncs[slug]).sources[0].state for slug in ("one", "two")] == ["cancelled", "ready"]


@pytest.mark.dagster
def test_a_run_that_waits_in_dagster_is_cancelled_with_its_sync(headwater: Make) -> None:
    """The sensor takes it out of the queue; one that others still want stays there."""
    kb = headwater(
        "one", "two", files={f"{slug}/{path}": text for slug in ("one", "two") for path, text in FILES.items()}
    )
    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    location = RegisteredCodeLocationOrigin("headwater")
    origin = RemoteJobOrigin(RemoteRepositoryOrigin(location, "__repository__"), job.name)
    syncs, runs = [], []
    for slug in ("one", "two"):
        syncs.append(kb.store.syncs.request(kb.knowledge_base.id, [kb.source(slug)], "api"))
        batch = kb.store.syncs.name_batches(20, 4)[-1]
        queued = kb.instance.create_run_for_job(
            job, tags={BATCH_TAG: batch.name}, status=dg.DagsterRunStatus.QUEUED, remote_job_origin=origin
        )
        runs.append(queued.run_id)
    kb.store.syncs.cancel(syncs[0])
    context = dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()})
    sensors.requested_syncs(context)
    statuses = [_status(kb, run_id) for run_id in runs]
    assert statuses == [dg.DagsterRunStatus.CANCELED, dg.DagsterRunStatus.QUEUED]
    assert [kb.store.syncs.get(sync_id).sources[0].state for sync_id in syncs] == ["cancelled", "pending"]


def test_what_waits_says_what_it_waits_for(headwater: Make) -> None:
    """For a run of Dagster's, for its turn in a run that has begun, or for Dagster itself."""
    kb = headwater("one", "two", files={f"{slug}/a.md": "# A\n\nThe pump." for slug in ("one", "two")})
    client = create_app(kb.settings).test_client()
    syncs = {slug: kb.store.syncs.request(kb.knowledge_base.id, [kb.source(slug)], "api") for slug in ("one", "two")}

    def read_waiting() -> str:
        body: Any = client.get(f"/api/v1/syncs/{syncs['two']}").json
        open_part = kb.store.overviews.open_parts("kb")[kb.source("two").id]
        view = SourceView(source=kb.source("two"), part=open_part, dagster_url="")
        assert re.sub(r"\d+ s", "", view.progress) == re.sub(r"\d+ s", "", body["waiting"] or "")
        return str(body["waiting"])

    assert read_waiting() == "None"
    kb.query("UPDATE syncs SET requested_at = now() - interval '40 s' RETURNING id")
    assert "No worker has taken it" in read_waiting()
    assert "`requested_syncs` is turned on" in read_waiting()
    (batch,) = kb.store.syncs.name_batches(20, 4)
    assert "Its run has waited in Dagster" in read_waiting()
    with kb.store.workers.hold_source(kb.source("one"), batch.name, "run-1"):
        assert read_waiting() == "A run syncs kb/one now; this one comes after it."
        kb.store.knowledge_bases.create(slug="hr", name="", description="", settings=KnowledgeBaseSettings())
        owner = "(SELECT id FROM knowledge_bases WHERE slug = %s)"
        kb.query(f"UPDATE sources SET knowledge_base_id = {owner} WHERE slug = 'one' RETURNING id", "hr")
        assert read_waiting() == "A run syncs another source now; this one comes after it."  # whose name is not said
        kb.query(f"UPDATE sources SET knowledge_base_id = {owner} WHERE slug = 'one' RETURNING id", "kb")
    assert "Its run has waited in Dagster" in read_waiting()
    with kb.store.workers.hold_source(kb.source("two"), None, "run-2", is_whole=False):
        body: Any = client.get(f"/api/v1/syncs/{syncs['two']}").json
        assert body["waiting"] == "A run syncs kb/two now; this one comes after it."


def test_work_of_a_dead_worker_does_not_wait_for_its_run(headwater: Make) -> None:
    """Its run has ended, and another one takes it up: neither has waited as long as the request is old."""
    kb = headwater(files={"a.md": "# A\n\nThe pump."})
    sync_id = kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "api")
    kb.query("UPDATE syncs SET requested_at = now() - interval '40 s' RETURNING id")
    (batch,) = kb.store.syncs.name_batches(20, 4)
    with kb.store.workers.hold_source(kb.source(), batch.name, "killed"):
        pass  # the process ends without a word
    client = create_app(kb.settings).test_client()
    for _ in range(2):
        waiting = client.get(f"/api/v1/syncs/{sync_id}").get_json()["waiting"]
        assert waiting.startswith("Its worker is gone. Another run takes it up")
        view = SourceView(source=kb.source(), part=kb.store.overviews.open_parts("kb")[kb.source().id], dagster_url="")
        assert view.progress == waiting
        kb.store.worker_failures.close_run("killed", batch.name)
        kb.store.syncs.name_batches(20, 4)


def _status(kb: Headwater, run_id: str) -> dg.DagsterRunStatus:
    record = kb.instance.get_run_record_by_id(run_id)
    assert record is not None
    return record.dagster_run.status


def _messages(kb: Headwater, run_id: str) -> str:
    """What Dagster's log of a run says."""
    entries = kb.instance.all_logs(run_id)
    return "\n".join(
        f"{entry.user_message}\n{entry.dagster_event and entry.dagster_event.message}" for entry in entries
    )


@pytest.mark.dagster
def test_a_worker_that_lost_its_lock_takes_it_again(headwater: Make, slowly: threading.Event) -> None:
    """If only the lock's connection is cut, no other worker may interfere: the work starts again with the lock."""
    kb = headwater(files=FILES)
    sync_id = _request(kb)

    def cut() -> None:
        while _row(kb, sync_id)["documents_done"] < 3:
            time.sleep(0.05)
        kb.query(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND pid <> pg_backend_pid()"
        )
        time.sleep(2)
        slowly.set()

    cutter = threading.Thread(target=cut)
    cutter.start()
    _run_batches(kb)
    cutter.join(60)
    row = _row(kb, sync_id)
    assert (row["state"], row["document_count"], row["attempt_count"]) == ("ready", 6, 0)
    assert len(kb.search("pump lifts water")) == 6
