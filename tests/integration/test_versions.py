"""Old versions that open, the way upstream, and links between the API and Dagster (DOC-1, LIN-1)."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import dagster as dg
import pytest
from flask.testing import FlaskClient

from headwater.settings import Settings
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]
QUESTION = "How many litres of water does the pump lift per minute?"
OLD = "# Pump\n\nThe pump lifts forty litres of water per minute.\n"
NEW = "# Pump\n\nThe pump was sold.\n"

pytestmark = pytest.mark.synced(files={"pump.md": OLD})


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


def _json(client: FlaskClient, path: str, status: int = 200) -> dict[str, Any]:
    response = client.get(f"/api/v1/{path}")
    assert response.status_code == status, response.text
    found: dict[str, Any] = response.json  # type: ignore[assignment]
    return found


def _cited(client: FlaskClient, kb: Headwater) -> tuple[str, dict[str, Any]]:
    """Ask; returns the answer's id and its citation's lineage."""
    answer = kb.ask(QUESTION)
    return str(answer.id), _json(client, f"answers/{answer.id}/lineage")["citations"][0]


def test_a_citation_opens_after_its_document_changed(client: FlaskClient, kb: Headwater) -> None:
    """Its version shows the words it cites at its offsets, with their context, although readers see another."""
    _, cited = _cited(client, kb)
    kb.write("pump.md", NEW)
    kb.sync()
    path = f"document-versions/{cited['document_version_id']}"
    whole = _json(client, path)
    assert (whole["text"], whole["text_start"], whole["span"], whole["current"]) == (OLD, 0, None, False)
    assert client.get(cited["version_url"]).json["span"]["text"] == OLD[cited["start"] : cited["end"]]  # type: ignore[index]
    part = _json(client, f"{path}?start={cited['start']}&end={cited['end']}&context=4")
    assert part["span"]["text"] == "The pump lifts forty litres of water per minute."
    assert part["text"] == OLD[part["text_start"] : cited["end"] + 4]
    assert part["text_start"] == cited["start"] - 4
    for wrong in ("start=5&end=3", "start=0&end=5000", "start=-1", "context=99999"):
        assert _json(client, f"{path}?{wrong}", status=422)["code"] == "INVALID_INPUT"


def test_a_document_shows_its_versions_and_when_readers_saw_them(client: FlaskClient, headwater: Make) -> None:
    """Newest first, with the run that fetched each, what replaced it, and the gap in which nothing was seen."""
    kb = headwater(files={"pump.md": OLD, "b.md": "# B\n\nOther."})
    first, _ = kb.sync_run()
    document_id = kb.search("pump")[0].document_id
    kb.write("pump.md", NEW)
    second, _ = kb.sync_run()
    kb.remove("pump.md")
    kb.sync()
    gone = _json(client, f"documents/{document_id}")
    assert (gone["current_version_id"], gone["removed_at"] is None, gone["versions"]) == (None, False, 2)
    kb.write("pump.md", NEW)
    kb.sync()
    newest, oldest = _json(client, f"documents/{document_id}/versions")["versions"]
    assert [newest["sequence"], oldest["sequence"]] == [2, 1]
    assert [newest["run_id"], oldest["run_id"]] == [second.run_id, first.run_id]
    assert oldest["run_url"] == f"http://127.0.0.1:3000/runs/{first.run_id}"
    assert (oldest["state"], oldest["current"], len(oldest["visible"])) == ("replaced", False, 1)
    assert oldest["visible"][0]["replaced_by"] == newest["id"]
    assert oldest["state_at"] == oldest["visible"][0]["withdrawn_at"] == newest["visible"][0]["published_at"]
    earlier, now = newest["visible"]
    assert (newest["state"], newest["current"], newest["state_at"]) == ("current", True, now["published_at"])
    assert earlier["replaced_by"] is None
    assert earlier["withdrawn_at"] < now["published_at"]
    assert newest["chunk_sets"][0]["chunk_settings"]["maximum"] == 1000
    assert newest["chunk_sets"][0]["embedding_models"] == ["builtin/hash"]
    back = _json(client, f"documents/{document_id}")
    assert (back["current_version_id"], back["newest_version_id"]) == (newest["id"], newest["id"])
    assert (back["uri"], back["source"], back["knowledge_base"]) == ("pump.md", "docs", "kb")


def test_a_trace_says_whether_readers_still_see_what_is_cited(client: FlaskClient, headwater: Make) -> None:
    """Current, then replaced when it was, then withdrawn; each with what made it."""
    kb = headwater(files={"pump.md": OLD, "b.md": "# B\n\nOther."})
    kb.sync()
    answer, cited = _cited(client, kb)
    assert (cited["state"], cited["available"], cited["unavailable_reason"]) == ("current", True, None)
    assert cited["state_at"] == cited["visible"][0]["published_at"]
    assert (cited["sequence"], cited["chunk_settings"]["maximum"]) == (1, 1000)
    assert cited["parser_version"]
    assert cited["dagster_url"] == "http://127.0.0.1:3000/assets/documents?view=partitions&partition=kb%2Fdocs"
    kb.write("pump.md", NEW)
    kb.sync()
    cited = _json(client, f"answers/{answer}/lineage")["citations"][0]
    assert (cited["state"], cited["state_at"]) == ("replaced", cited["visible"][0]["withdrawn_at"])
    kb.write("pump.md", OLD)
    kb.sync()
    answer, cited = _cited(client, kb)
    assert (cited["state"], cited["sequence"]) == ("current", 3)
    kb.remove("pump.md")
    kb.sync()
    cited = _json(client, f"answers/{answer}/lineage")["citations"][0]
    assert (cited["state"], cited["visible"][0]["replaced_by"]) == ("withdrawn", None)
    assert _json(client, f"chunks/{cited['chunk_id']}/lineage")["versions"][0]["state"] == "withdrawn"


def test_what_is_gone_says_why(client: FlaskClient, kb: Headwater) -> None:
    """410 and a reason for what was cited, whether its retention has passed or its source was deleted; else 404."""
    answer, cited = _cited(client, kb)
    kb.write("pump.md", NEW)
    kb.sync()
    version = f"document-versions/{cited['document_version_id']}"
    kb.query("DELETE FROM document_versions WHERE id = %s RETURNING id", cited["document_version_id"])
    pruned = _json(client, f"answers/{answer}/lineage")["citations"][0]
    assert (pruned["available"], pruned["unavailable_reason"], pruned["state"]) == (
        False,
        "retention_passed",
        "expired",
    )
    assert (pruned["run_id"], pruned["uri"]) == (cited["run_id"], "pump.md")
    found = _json(client, version, status=410)
    assert (found["code"], "older than its retention period" in found["detail"]) == ("GONE", True)
    kb.delete("docs")
    deleted = _json(client, f"answers/{answer}/lineage")["citations"][0]
    assert (deleted["unavailable_reason"], deleted["state"]) == ("source_deleted", "deleted")
    assert deleted["state_at"] is not None
    assert deleted["dagster_url"] is None
    paths = (version, f"documents/{cited['document_id']}", f"documents/{cited['document_id']}/versions",
             f"chunks/{cited['chunk_id']}", f"chunks/{cited['chunk_id']}/lineage")  # fmt: skip
    for path in paths:
        assert "the source `docs` was deleted" in _json(client, path, status=410)["detail"], path
    for noun in ("documents", "document-versions", "chunks"):
        assert _json(client, f"{noun}/{uuid4()}", status=404)["code"] == "NOT_FOUND"


def test_a_source_on_its_way_out_cannot_be_opened(client: FlaskClient, kb: Headwater) -> None:
    """Its rows may still exist, but nothing returns them."""
    answer, cited = _cited(client, kb)
    kb.query("UPDATE sources SET state = 'deleting' RETURNING id")
    assert _json(client, f"answers/{answer}/lineage")["citations"][0]["unavailable_reason"] == "source_deleted"
    for path in (f"document-versions/{cited['document_version_id']}", f"documents/{cited['document_id']}",
                 f"chunks/{cited['chunk_id']}", f"chunks/{cited['chunk_id']}/lineage"):  # fmt: skip
        assert _json(client, path, status=410)["code"] == "GONE"


def test_a_chunk_is_shown_where_readers_see_it(client: FlaskClient, kb: Headwater) -> None:
    """At its place in the version they see; when they see none, in the newest that holds it."""
    chunk_id = kb.search("pump")[0].chunk_id
    kb.write("pump.md", f"---\ntitle: Machine\n---\n{OLD}")
    kb.sync()
    chunk = _json(client, f"chunks/{chunk_id}")
    text = _json(client, f"document-versions/{chunk['document_version_id']}")["text"]
    assert (chunk["current"], chunk["title"], chunk["text"]) == (True, "Machine", text[chunk["start"] : chunk["end"]])
    assert chunk["dagster_url"].endswith("/assets/chunks?view=partitions&partition=kb%2Fdocs")
    kb.remove("pump.md")
    kb.sync()
    gone = _json(client, f"chunks/{chunk_id}")
    assert (gone["current"], gone["document_version_id"]) == (False, chunk["document_version_id"])


def test_as_of_over_http(client: FlaskClient, kb: Headwater) -> None:
    """Search and answers take `as_of`, say it back, and keep it; a wrong one is the asker's error."""
    before = kb.now().isoformat()
    kb.write("pump.md", NEW)
    kb.sync()
    base = "/api/v1/knowledge-bases/kb"
    found = client.post(f"{base}/search", json={"query": "litres of water", "as_of": before}).json
    assert found is not None
    assert "forty" in found["passages"][0]["text"]
    assert found["notes"] == []
    asked = client.post(f"{base}/answers", json={"question": QUESTION, "as_of": before})
    answer = asked.json
    assert answer is not None
    assert "forty" in answer["answer"]
    assert answer["as_of"] is not None
    assert client.get(f"/api/v1/answers/{answer['id']}").json == answer
    assert _json(client, f"answers/{answer['id']}/lineage")["as_of"] == answer["as_of"]
    now = client.post(f"{base}/answers", json={"question": QUESTION}).json
    assert now is not None
    assert now["as_of"] is None
    wrongs: tuple[Any, ...] = ("tomorrow", "2999-01-01T00:00:00Z", "2026-13-01", True, {})
    for wrong in wrongs:
        response = client.post(f"{base}/search", json={"query": "x", "as_of": wrong})
        assert response.status_code == 422, wrong
        assert response.json["code"] == "INVALID_INPUT"  # type: ignore[index]


@pytest.mark.dagster
def test_links_lead_both_ways(client: FlaskClient, kb: Headwater) -> None:
    """From each stage of a partition to the API's source, and from the source to its partition (OPS-1)."""
    source = _json(client, "knowledge-bases/kb/sources/docs")
    assert source["dagster_url"] == "http://127.0.0.1:3000/assets/documents?view=partitions&partition=kb%2Fdocs"
    for stage in ("documents", "chunks", "links", "embeddings", "summary_tree"):
        link = kb.materializations(stage)[0].metadata["api"].value
        assert link == f"{kb.settings.api_url}/api/v1/knowledge-bases/kb/sources/docs"
    page = client.get("/kb/kb/sources/docs").text
    for asset in ("sources", "documents", "chunks", "links", "embeddings", "summary_tree", "questions", "search_index"):
        seen = (
            kb.instance.fetch_observations(dg.AssetKey("sources"), limit=1).records[0].event_log_entry
            if asset == "sources"
            else None
        )
        observed = seen.asset_observation if seen else None
        made = observed or kb.materializations(asset)[0]
        assert made is not None
        view = str(made.metadata["view"].value)
        assert view.startswith(f"{kb.settings.api_url}/kb/kb/")
        shown = client.get(view.removeprefix(kb.settings.api_url).partition("#")[0])
        assert shown.status_code == 200
        anchor = view.partition("#")[2]
        assert f'id="{anchor}"' in shown.text or not anchor
        if asset not in ("sources", "search_index"):
            assert f"/assets/{asset}?view=partitions&amp;partition=kb%2Fdocs" in page
        asked = "documents" if asset in ("sources", "chunks", "embeddings") else asset
        assert f"/assets/{asked}" in shown.text
