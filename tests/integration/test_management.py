"""Knowledge bases and sources that a Dagster project manages: only it changes and syncs them (OPS-6)."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import psycopg
import pytest
from click.testing import CliRunner

from cli.main import main
from headwater.administration.deletion import delete_knowledge_base, delete_source
from headwater.administration.indexes import roll_back, switch
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.administration.knowledge_bases import change_knowledge_base, create_knowledge_base
from headwater.administration.management import release
from headwater.administration.sources import SourceEdit, add_source, change_source
from headwater.administration.sync_requests import request_due_syncs, request_sync
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.errors import ConflictError, DatabaseUnavailableError, SyncAlreadyRunningError
from headwater.settings import Settings, lend_environment, variable
from headwater.store.server.database import Database
from headwater.store.store import Store, ready_url
from pipelines.sensors import partition_changes
from query_api.app import create_app
from tests.support import Headwater

_SHOP = "shop"


def _spec(folder: Path, *slugs: str) -> KnowledgeBaseSpec:
    config = {"path": str(folder)}
    hourly = SourceSettings.model_validate({"refresh": "1h"})
    sources = tuple(SourceSpec(slug=slug, kind="markdown_tree", config=config, settings=hourly) for slug in slugs)
    return KnowledgeBaseSpec(slug="kb", name="kb", description="", settings=KnowledgeBaseSettings(), sources=sources)


@pytest.fixture
def managed(store: Store, tmp_path: Path) -> KnowledgeBaseSpec:
    """A knowledge base of the shop's."""
    spec = _spec(tmp_path, "docs")
    apply(store, spec, managed_by=_SHOP)
    return spec


def test_nobody_else_changes_what_a_project_manages(
    store: Store, settings: Settings, managed: KnowledgeBaseSpec, tmp_path: Path
) -> None:
    """Every way to change it says who does, and what to do if that project is gone; then people may."""
    config = {"path": str(tmp_path)}
    ways: list[Callable[[], object]] = [
        lambda: change_knowledge_base(store, "kb", name="Other"),
        lambda: add_source(store, "kb", "more", kind="markdown_tree", config=config),
        lambda: change_source(store, "kb", "docs", SourceEdit(settings={"paused": True})),
        lambda: delete_source(settings, store, "kb", "docs"),
        lambda: delete_knowledge_base(settings, store, "kb"),
        lambda: request_sync(store, "kb", [], "api"),
        lambda: request_sync(store, "kb", ["docs"], "api"),
        lambda: switch(store, settings, "kb"),
        lambda: roll_back(store, "kb"),
        lambda: apply(store, managed),
        lambda: apply(store, managed, managed_by="another"),
    ]
    for change in ways:
        with pytest.raises(ConflictError, match=r"The Dagster project shop manages kb.*`headwater release kb`"):
            change()
    assert release(store, "kb") == ["kb", "kb/docs"]
    assert release(store, "kb") == []
    assert change_knowledge_base(store, "kb", name="Other").managed_by is None
    assert request_sync(store, "kb", ["docs"], "api").sources


def test_a_project_takes_and_prunes_only_what_is_its_own(
    store: Store, managed: KnowledgeBaseSpec, tmp_path: Path
) -> None:
    """What people made stays theirs unless it says otherwise; what it leaves out stays unless it prunes."""
    create_knowledge_base(store, "theirs")
    theirs = KnowledgeBaseSpec(slug="theirs", name="t", description="", settings=managed.settings, sources=())
    with pytest.raises(ConflictError, match=r"There already is a knowledge base theirs .*take_over: true"):
        apply(store, theirs, managed_by=_SHOP)
    assert store.knowledge_bases.get("theirs").name == "theirs"
    apply(store, theirs, managed_by=_SHOP, takes_over=True)
    assert store.knowledge_bases.get("theirs").managed_by == _SHOP

    assert apply(store, managed, managed_by=_SHOP).unchanged == ["docs"]
    release(store, "kb")
    apply(store, _spec(tmp_path, "docs", "people"))
    with pytest.raises(ConflictError, match="take_over"):
        apply(store, managed, managed_by=_SHOP)
    applied = apply(store, _spec(tmp_path, "docs", "other"), managed_by=_SHOP, takes_over=True)
    assert (applied.created, applied.unlisted) == (["other"], ["people"])
    pruned = apply(store, managed, managed_by=_SHOP, prune=True)
    assert (pruned.deleted, pruned.unlisted) == (["other"], ["people"])


@pytest.mark.dagster
def test_sensors_leave_it_alone(
    store: Store, managed: KnowledgeBaseSpec, tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    """It is never due, has no partition, is not refreshed, and work that its run left is its next run's."""
    assert managed.sources
    create_knowledge_base(store, "own")
    add_source(
        store, "own", "docs", kind="markdown_tree", config={"path": str(tmp_path)},
        settings=SourceSettings.model_validate({"refresh": "1h"}),
    )  # fmt: skip
    assert [source.key for source in store.sources.due()] == ["own/docs"]
    assert request_due_syncs(store) == 1
    changes = partition_changes(instance, store)
    assert {key for change in changes for key in change.partition_keys} == {"own", "own/docs"}
    assert list(store.knowledge_bases.changed()) == ["own"]

    source = store.sources.get("kb", "docs")
    with store.workers.hold_source(source, None, "killed"):
        pass  # the process ends without a word
    assert store.worker_failures.list_lost_runs() == []
    assert [batch.keys for batch in store.syncs.name_batches(10, 4)] == [("own/docs",)]


def test_a_killed_run_of_a_project_failed(store: Store, settings: Settings, managed: KnowledgeBaseSpec) -> None:
    """As in its Dagster: every face says so, and none that it waits, since nobody but the project starts it."""
    assert managed.sources
    client = create_app(settings).test_client()
    with store.workers.hold_source(store.sources.get("kb", "docs"), None, "killed"):
        [during] = store.overviews.knowledge_bases()
        assert (during.busy_count, during.failed_count) == (1, 0)
    source = client.get("/api/v1/knowledge-bases/kb/sources/docs").get_json()
    assert source["state"] == "failed"
    assert source["error"] == (
        "The worker of its last sync is gone. The next run of the Dagster project shop takes it up."
    )
    [sync] = client.get("/api/v1/syncs?knowledge_base=kb").get_json()["syncs"]
    whole = client.get(f"/api/v1/syncs/{sync['id']}").get_json()
    assert (sync["state"], whole["state"], whole["waiting"]) == ("failed", "failed", None)
    page = client.get("/kb/kb/sources/docs").get_data(as_text=True)
    assert "The next run of the Dagster project shop takes it up" in page
    assert "Queued" not in page
    [after] = store.overviews.knowledge_bases()
    assert (after.busy_count, after.failed_count) == (0, 1)
    assert [each.has_open_sync for each in store.readiness.of(store.knowledge_bases.get("kb"))] == [False]
    with store.workers.hold_source(store.sources.get("kb", "docs"), None, "next") as work:
        assert work.source.key == "kb/docs"


def test_pages_show_it_and_offer_nothing(settings: Settings, managed: KnowledgeBaseSpec) -> None:
    """The pages of its sources have no form, and the API says whose it is."""
    assert managed.sources
    client = create_app(settings).test_client()
    sources = client.get("/kb/kb/sources").get_data(as_text=True)
    page = client.get("/kb/kb/sources/docs").get_data(as_text=True)
    assert "The Dagster project shop manages this knowledge base" in sources
    assert "The Dagster project shop changes and syncs it" in page
    for text in (sources, page):
        assert 'id="add-address"' not in text
        assert 'name="do"' not in text
    for path in ("status", "contents", "documents", "documents?source=docs"):
        assert "in Dagster" not in client.get(f"/kb/kb/{path}").get_data(as_text=True), path
    found = client.get("/api/v1/knowledge-bases/kb/sources/docs").get_json()
    assert (found["managed_by"], found["dagster_url"]) == (_SHOP, None)
    assert client.get("/api/v1/knowledge-bases/kb").get_json()["managed_by"] == _SHOP
    refused = client.post("/api/v1/knowledge-bases/kb/syncs", json={})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "CONFLICT")


def test_lineage_leads_to_the_projects_dagster(headwater: Callable[..., Headwater]) -> None:
    """Answers, chunks, versions and documents link to the run there, and answers name the assets upstream (LIN-1)."""
    kb = headwater(files={"tea.md": "# Tea\n\nSteep the tea for three minutes.\n"})
    kb.sync()
    answer = kb.ask("How long do I steep the tea?")
    [citation] = answer.citations
    run_id = kb.store.versions.get(citation.document_version_id).run_id
    made = {"asset": "crm/texts", "run_id": "r1", "materialized_at": "2026-11-26T14:00:00+00:00", "data_version": "v1"}
    upstream = [made, {"asset": "never_made"}]
    kb.store.outside_runs.put(run_id, kb.source(), dagster_url="https://dagster.shop/prod/", upstream=upstream)
    client, run_url = create_app(kb.settings).test_client(), f"https://dagster.shop/prod/runs/{run_id}"
    api = "/api/v1"
    [traced] = client.get(f"{api}/answers/{answer.id}/lineage").get_json()["citations"]
    assert (traced["run_url"], traced["dagster_url"]) == (run_url, run_url)
    first, second = traced["upstream"]
    assert first["asset_url"] == "https://dagster.shop/prod/assets/crm/texts"
    assert (first["run_url"], first["data_version"]) == ("https://dagster.shop/prod/runs/r1", "v1")
    assert (second["asset"], second["run_url"]) == ("never_made", None)
    for path in (
        f"chunks/{citation.chunk_id}", f"chunks/{citation.chunk_id}/lineage", f"documents/{citation.document_id}",
        f"document-versions/{citation.document_version_id}",
    ):  # fmt: skip
        assert client.get(f"{api}/{path}").get_json()["run_url"] == run_url, path
    text = CliRunner().invoke(main, ["trace", str(answer.id)]).output
    assert "upstream crm/texts, made 2026-11-26" in text
    assert "upstream never_made\n" in f"{text}\n"
    page = client.get(f"/kb/{kb.slug}/lineage/{answer.id}").get_data(as_text=True)
    assert 'href="https://dagster.shop/prod/assets/crm/texts"' in page
    kb.store.outside_runs.forget(run_id, kb.source())  # it wrote something
    assert kb.store.outside_runs.prune(datetime.now(UTC) + timedelta(days=1)) == 0
    kb.store.outside_runs.put("nothing", kb.source(), dagster_url="https://dagster.shop", upstream=[])
    assert kb.store.outside_runs.prune(datetime.now(UTC) + timedelta(days=1)) == 1


def test_a_run_waits_for_another_one_of_the_source(store: Store, managed: KnowledgeBaseSpec) -> None:
    """As long as its patience lasts."""
    assert managed.sources
    source = store.sources.get("kb", "docs")
    with (
        store.workers.hold_source(source, None, "first"),
        pytest.raises(SyncAlreadyRunningError),
        store.workers.hold_source(source, None, "impatient", patience=0.3),
    ):
        pass
    with ThreadPoolExecutor() as pool:
        with store.workers.hold_source(source, None, "second"):
            patient = pool.submit(_work, store, "third")
            time.sleep(0.5)
            assert not patient.done()
        assert patient.result(30) == "kb/docs"


def _work(store: Store, run_id: str) -> str:
    with store.workers.hold_source(store.sources.get("kb", "docs"), None, run_id, patience=30) as work:
        return work.source.key


def test_an_application_older_than_the_schema_refuses(settings: Settings, database_url: str) -> None:
    """It says which migration it does not know, and what to do; it writes nothing."""
    assert ready_url(settings) == database_url
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("INSERT INTO schema_migrations (name) VALUES ('9999_of_tomorrow')")
        with pytest.raises(DatabaseUnavailableError, match=r"newer release .*9999_of_tomorrow.*upgrade Headwater here"):
            ready_url(settings)
        connection.execute("DELETE FROM schema_migrations WHERE name = '9999_of_tomorrow'")
    Store(Database(ready_url(settings), size=1)).close()


def test_variables_are_lent_for_a_block() -> None:
    """A caller's own names for secrets end with the block, and what was there before comes back."""
    with lend_environment({"OLLAMA_API_BASE": "http://one"}):
        with lend_environment({"OLLAMA_API_BASE": "http://two"}):
            assert variable("OLLAMA_API_BASE") == "http://two"
        assert variable("OLLAMA_API_BASE") == "http://one"
    assert variable("OLLAMA_API_BASE") == ""
