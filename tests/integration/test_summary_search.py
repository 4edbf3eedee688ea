"""Summaries in search and answers: found by broad questions alone, cited, traced (SUM-3, SUM-4, EMB-3, LIN-1)."""

import json
from typing import Any
from uuid import UUID
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from cli.main import main
from headwater.administration.sync_requests import request_sync
from headwater.answering.answer_assembly import fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from headwater.answering.direct_answer import ask
from headwater.answering.record import answer_of
from headwater.answering.reuse import find_reusable
from headwater.answering.staleness import stale_because
from headwater.domain.answers import Answer
from headwater.domain.search import SearchFilters
from headwater.domain.summaries import NodeKind
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.retrieval.search_result import SearchResult
from headwater.store.search.entry_kinds import SUMMARY
from query_api.app import create_app
from query_api.routes.answer_payloads import AnswerPayload
from query_api.routes.lineage_payloads import AnswerLineage
from tests.chat_server import MODEL, ChatRequest, ChatServer, Says
from tests.support import Headwater

_THINGS = (
    "pump", "valve", "meter", "hose", "boiler", "turbine", "drain", "filter", "tank", "well", "sluice", "crane", "door",
    "lamp", "stair", "gate",
)  # fmt: skip


def _page(thing: str, said: str = "lifts water") -> str:
    return (
        f"# The {thing} manual\n\nThe {thing} {said} to the upper hall of the plant. The {thing} needs oil every week. "
        f"Never open the {thing} while the plant runs at full power.\n\n## Repairs\n\n"
        f"A broken {thing} is repaired in the workshop of the plant by two people."
    )


GARDEN = "---\nlanguage: de\ncategory: garden\n---\n# Garten\n\nDer Garten hat viele Rosen und einen kleinen Teich."
FILES = {
    **{f"docs/{thing}.md": _page(thing) for thing in _THINGS},
    "notes/roses.md": "# Roses\n\nRoses of the garden need water in the evening and sun at noon.",
    "notes/garten.md": GARDEN,
}
SETTINGS: dict[str, Any] = {"summary_model": "builtin/extractive", "summary_max": 600, "summary_tokens": 50}
WHOLE = "What is this about?"
NARROW = "How often does the pump need oil?"
pytestmark = pytest.mark.synced("docs", "notes", files=FILES, **SETTINGS)


def _find(kb: Headwater, question: str = WHOLE, **options: Any) -> SearchResult:
    filters = SearchFilters(**options.pop("filters", {}))
    return search(kb.store, kb.settings, kb.knowledge_base, question, SearchOptions(filters=filters, **options))


def _entries(kb: Headwater) -> set[tuple[Any, ...]]:
    rows = kb.query("SELECT search_index_id, target_id, embedding_hash FROM search_entries WHERE kind = 'summary'")
    return {tuple(row.values()) for row in rows}


def _wanted(kb: Headwater) -> set[tuple[Any, ...]]:
    rows = kb.query(
        "SELECT i.id, t.target_id, t.embedding_hash FROM tree_entries t CROSS JOIN search_indexes i "
        "WHERE t.source_id IS NOT NULL"  # the knowledge base's own has no entry: it is found by its place
    )
    return {tuple(row.values()) for row in rows}


def _set(kb: Headwater, **change: Any) -> None:
    kb.store.knowledge_bases.update(kb.slug, settings=kb.knowledge_base.settings.model_copy(update=change))


def _written(kb: Headwater, chat: ChatServer) -> None:
    """Have a model write the summaries: those have vectors."""
    chat.otherwise = lambda request: f"Summary {hash(request.prompt)}."
    _set(kb, summary_model=MODEL)
    kb.sync()


def test_summaries_without_a_model_have_no_vectors(kb: Headwater) -> None:
    """They are found by place and by words, so they cost a sync almost nothing; the first ones make no answer stale."""
    assert _entries(kb) == _wanted(kb) == set()
    assert not kb.query("SELECT FROM embeddings m JOIN summaries s ON s.embedding_hash = m.text_hash")
    _set(kb, summary_model=None)
    kb.sync()
    answer = kb.ask(NARROW)
    _set(kb, summary_model="builtin/extractive")
    kb.sync()
    assert _find(kb).summaries
    assert not kb.store.answers.get(answer.id).changed_sources


def test_an_index_has_exactly_the_nodes_of_the_trees(kb: Headwater, chat: ChatServer) -> None:
    """After a sync, an edit, a removal, in a second index, and without summaries; a second sync writes nothing."""
    _written(kb, chat)
    assert _entries(kb) == _wanted(kb) != set()
    kb.write("docs/pump.md", _page("pump", "pumps mud"))
    kb.remove("valve.md")
    kb.sync()
    assert _entries(kb) == _wanted(kb)
    before, dumped = kb.query("SELECT count(*) FROM embeddings"), kb.query("SELECT * FROM search_entries_summary")
    kb.sync()
    assert kb.query("SELECT * FROM search_entries_summary") == dumped
    assert kb.query("SELECT count(*) FROM embeddings") == before
    _set(kb, chunk_max=300, chunk_min=50, chunk_overlap=0)  # chunk settings of another index; no document has changed
    kb.sync()
    assert len(kb.query("SELECT FROM search_indexes")) == 2
    assert _entries(kb) == _wanted(kb)
    for row in kb.store.search_indexes.live(kb.knowledge_base):
        assert kb.store.index_health.wrong_entries(SUMMARY, row).count == 0
        assert kb.store.index_health.orphans(row).count == 0
    _set(kb, summary_model=None)
    kb.sync()
    assert _entries(kb) == set()


def test_a_missing_or_old_entry_is_reported_and_made_again(kb: Headwater, chat: ChatServer) -> None:
    """The gate and the checks count it; the next sync repairs it although no document has changed."""
    _written(kb, chat)
    (index,) = kb.store.search_indexes.live(kb.knowledge_base)
    kb.query("DELETE FROM search_entries_summary WHERE document_id IS NULL RETURNING 1")
    missing = kb.store.index_health.wrong_entries(SUMMARY, index)
    assert missing.count == len(
        kb.query("SELECT FROM tree_entries WHERE document_id IS NULL AND source_id IS NOT NULL")
    )
    kb.query("UPDATE search_entries_summary SET embedding_hash = '\\x00' RETURNING 1")
    assert kb.store.index_health.wrong_entries(SUMMARY, index).count > missing.count
    kb.sync()
    assert kb.store.index_health.wrong_entries(SUMMARY, index).count == 0


def test_housekeeping_keeps_the_vectors_of_summaries_and_a_deletion_takes_them(kb: Headwater, chat: ChatServer) -> None:
    """A vector goes with the last thing that has its text; another source's summaries stay."""
    _written(kb, chat)
    kb.store.summaries.delete_unused(kb.now())
    held = "SELECT text_hash FROM embeddings WHERE text_hash IN (SELECT embedding_hash FROM summaries)"
    vectors = kb.query(held)
    assert len(vectors) == len(
        kb.query(
            "SELECT DISTINCT embedding_hash FROM summaries "
            "WHERE key NOT IN (SELECT summary_key FROM summary_tree WHERE kind = 'knowledge_base')"
        )
    )
    assert kb.store.housekeeping.prune_embeddings() == 0
    assert kb.query(held) == vectors
    (index,) = kb.store.search_indexes.live(kb.knowledge_base)
    assert kb.store.index_health.count_unused_vectors(index.model) == 0
    kb.delete("docs")
    assert kb.store.index_health.count_unused_vectors(index.model) == 0
    assert {row["source_id"] for row in kb.query("SELECT source_id FROM search_entries")} == {kb.source("notes").id}
    assert [one.source for one in _find(kb).summaries] == ["notes"]


def test_filters_leave_no_summary_of_more_than_they_leave(shared: Headwater) -> None:
    """A whole source answers only for a whole source; of a document, a category or a language, only documents do."""

    def found(**filters: Any) -> set[tuple[str, str]]:
        return {(one.kind.value, one.title) for one in _find(shared, filters=filters).summaries}

    assert found() == {("knowledge_base", "kb"), ("source", "docs"), ("source", "notes")}
    assert found(sources=("notes",)) == {("source", "notes")}
    assert found(documents=("pump.md",)) == {("document", "The pump manual")}
    assert found(languages=("de",)) == {("document", "Garten")}
    assert found(categories=("garden",)) == {("document", "Garten")}
    assert found(categories=("none",)) == set()
    narrow = {"documents": ("roses.md",)}
    named = _find(shared, "Give me an overview of the pump manual", filters=narrow)
    assert named.summaries == ()


def test_a_narrow_question_finds_the_same_with_and_without_summaries(kb: Headwater) -> None:
    """Passages, their scores and their trust."""
    questions = [NARROW, "Who repairs a broken turbine?", "garden", "What is the difference between oil and water?"]
    found = [_find(kb, question) for question in questions]
    assert not any(one.summaries for one in found)
    _set(kb, summary_model=None)
    kb.sync()
    assert [_find(kb, question).passages for question in questions] == [one.passages for one in found]


def test_an_overview_of_one_thing_is_of_what_it_names(shared: Headwater) -> None:
    """A document by its title, a source by its name; of two things that are compared, those that are called so."""

    def titles(question: str) -> list[str]:
        return [one.title for one in _find(shared, question).summaries]

    assert titles("Give me an overview of the turbine manual") == ["The turbine manual"]
    assert titles("Summarize the notes") == ["notes"]
    assert titles("Compare the pump manual and the valve manual") == ["The pump manual", "The valve manual"]
    assert titles("Compare the pump manual and the sewing machine") == ["The pump manual"]
    assert titles("Compare the sailing boat and the sewing machine") == []
    assert titles("Compare the pump manual and the manual of the pump") == []
    assert titles("Give me an overview of quantum chromodynamics") == []


def test_where_the_documents_compare_two_things_a_passage_answers(kb: Headwater) -> None:
    """It says what differs; two summaries do not."""
    said = "The pump manual is about lifting; the valve manual is about closing."
    kb.write("docs/choosing.md", f"# Choosing\n\n## Pump manual or valve manual\n\n{said}")
    kb.sync()
    assert _find(kb, "Compare the pump manual and the valve manual").summaries == ()


def test_a_summary_leads_to_the_chunks_below_it(shared: Headwater) -> None:
    """By `depth`, within the filters; each says from which summary it was reached."""
    plain, deep = _find(shared, top_k=3), _find(shared, top_k=50, traversal_depth=1)
    assert not any(passage.scores.via for passage in plain.passages)
    nodes = {f"child of {one.id}" for one in deep.summaries}
    assert {passage.scores.via for passage in deep.passages} & nodes
    inside = _find(shared, top_k=50, traversal_depth=1, filters={"documents": ("roses.md",)})
    assert {passage.uri for passage in inside.passages} == {"roses.md"}


def test_a_past_time_has_no_summaries(shared: Headwater) -> None:
    """And says so."""
    found = _find(shared, as_of=shared.now())
    assert found.summaries == ()
    assert any("finds no summaries" in note for note in found.notes)


def test_without_summaries_a_broad_question_says_what_would_help(headwater: Any) -> None:
    """The answer is the one it always was."""
    kb = headwater(files={"pump.md": _page("pump")}, summary_model=None)
    kb.sync()
    notes = _find(kb).notes
    assert any("`summary_model`" in note for note in notes)
    assert not any("summary_model" in note for note in _find(kb, NARROW).notes)
    assert any("summary_model" in note for note in kb.ask(WHOLE).notes)


def test_a_summary_model_that_is_set_is_not_asked_for(headwater: Any) -> None:
    """A sync makes the summaries at its end: one that runs, or else the next one."""
    kb = headwater(files={"pump.md": _page("pump")}, summary_model=None)
    kb.sync()
    _set(kb, summary_model=MODEL)
    (note,) = _find(kb).notes
    assert note.endswith("has none yet. `headwater sync kb` makes them.")
    with kb.store.workers.hold_batch("batch"):
        request_sync(kb.store, kb.slug, (), "command_line", "batch")
        (note,) = _find(kb).notes
    assert note.endswith("has none yet: its sync is still running, and makes them at its end.")


def test_a_broad_question_is_answered_from_summaries_and_cites_their_documents(shared: Headwater) -> None:
    """Every marker has the summary that it stands behind and the documents of that; nothing is said to be a quote."""
    answer = _answered(shared)
    payload = AnswerPayload.of(answer).model_dump(mode="json")
    assert not payload["refused"]
    assert [one["marker"] for one in payload["summaries"]] == [f"[{n + 1}]" for n in range(len(payload["summaries"]))]
    for summary in payload["summaries"]:
        assert summary["kind"] == "summary"
        assert summary["marker"] in payload["answer"]
        own = [one for one in payload["citations"] if one["marker"] == summary["marker"]]
        assert [one["document_id"] for one in own] == summary["documents"] != []
        assert {(one["kind"], one["node_id"]) for one in own} == {("summary", summary["node_id"])}
    (docs,) = [one for one in payload["summaries"] if (one["of"], one["title"]) == ("source", "docs")]
    assert docs["document_count"] == len(_THINGS)
    assert {one["of"] for one in payload["summaries"]} == {"knowledge_base", "source", "document"}


def _answered(kb: Headwater) -> Answer:
    """An answer that is not stored: `shared` refuses writes."""
    request = AnswerRequest(knowledge_base=kb.knowledge_base, question=WHOLE)
    answerer = choose_answerer(kb.store, kb.settings, kb.knowledge_base.settings)
    making = AnswerMaker(kb.store, kb.settings, request, answerer)
    return answer_of(making, fold(making.events()))


def test_an_answer_is_traced_through_its_summaries(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer, summary, chunks, version, source, run: by API and command; also after the source was deleted."""
    monkeypatch.setenv("HEADWATER_HOME", str(kb.settings.home))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", kb.settings.database_url or "")
    answer = kb.ask(WHOLE)
    client = create_app(kb.settings).test_client()
    stored: Any = client.get(f"/api/v1/answers/{answer.id}").json
    assert stored["summaries"] == AnswerPayload.of(answer).model_dump(mode="json")["summaries"]
    top = next(one for one in stored["summaries"] if one["title"] == "docs")
    lineage: Any = client.get(f"/api/v1/summary-nodes/{top['node_id']}/lineage").json
    assert (lineage["model"], lineage["run_id"]) == ("builtin/extractive", top["run_id"])
    assert {one["uri"] for one in lineage["versions"]} == {f"{thing}.md" for thing in _THINGS}
    chunks = [chunk_id for one in lineage["versions"] for chunk_id in one["chunk_ids"]]
    held = kb.query(
        "SELECT vc.chunk_id FROM version_chunks vc JOIN document_versions v ON v.id = vc.version_id "
        "JOIN documents d ON d.id = v.document_id WHERE d.source_id = %s",
        kb.source("docs").id,
    )
    assert set(chunks) == {str(row["chunk_id"]) for row in held}
    assert all(one["current"] and one["run_id"] and one["chunk_run_ids"] for one in lineage["versions"])
    node: Any = client.get(f"/api/v1/summary-nodes/{top['node_id']}").json
    assert node["children"]
    assert client.get(f"/api/v1/summary-nodes/{UUID(int=0)}").status_code == 404
    runner = CliRunner()
    shown = runner.invoke(main, ["show", top["node_id"]], catch_exceptions=False).output
    assert "Summary" in shown
    assert node["children"][0]["id"] in shown
    traced = runner.invoke(main, ["trace", top["node_id"], "--json"], catch_exceptions=False).output
    assert json.loads(traced) == lineage
    text = runner.invoke(main, ["trace", str(answer.id)], catch_exceptions=False).output
    assert "[1] summary of the knowledge base “kb”, not a quote" in text
    assert "summary of the source “docs”, not a quote" in text
    assert "document version" in text
    kb.delete("docs")
    kept = AnswerLineage.of(kb.store.answers.get(answer.id), "")
    assert kept.stale
    assert next(one for one in kept.summaries if one.title == "docs").text == top["text"]
    assert {one.state for one in kept.citations if one.source == "docs"} == {"deleted"}


def test_an_answer_from_an_old_tree_is_stale(kb: Headwater) -> None:
    """A change of a summary makes it stale, like a change of a document."""
    old = kb.ask(WHOLE)
    assert not stale_because(kb.store.answers.get(old.id))
    _set(kb, summary_max=700, summary_tokens=55)
    kb.sync()
    reasons = stale_because(kb.store.answers.get(old.id))
    assert any("The summary of the source “docs”" in reason for reason in reasons)


def test_an_answer_from_an_old_tree_of_a_model_is_stale(kb: Headwater, chat: ChatServer) -> None:
    """Its summaries are in search, so whatever is answered may be another; the first tree makes nothing else stale."""
    _written(kb, chat)
    old = kb.ask(WHOLE)
    chat.otherwise = lambda request: f"Another summary {hash(request.prompt)}."
    _set(kb, summary_max=700, summary_tokens=55)
    kb.sync()
    assert {one.source for one in kb.store.answers.get(old.id).changed_sources} == {"docs", "notes"}


def test_an_answer_from_a_summary_above_a_deleted_source_is_not_served_again(kb: Headwater) -> None:
    """Its text may say what the source said, although it cites documents of other sources alone."""
    request = AnswerRequest(knowledge_base=kb.knowledge_base, question=WHOLE)
    old = kb.ask(WHOLE)
    assert "Roses" in old.answer
    # As if there were many sources: of a summary's documents, eight are cited.
    kb.query("DELETE FROM citations WHERE source = 'notes' RETURNING marker")
    assert find_reusable(kb.store, kb.settings, request).kept
    kb.delete("notes")
    assert not find_reusable(kb.store, kb.settings, request).kept
    kept = kb.store.answers.get(old.id)
    assert "The summary of the knowledge base “kb”, cited as [1], was made again or deleted." in stale_because(kept)
    assert next(one.is_stale for one in kb.store.answers.all(kb.knowledge_base) if one.id == old.id)
    assert "Roses" not in kb.ask(WHOLE).answer


def test_a_chat_model_gets_summaries_as_such_and_its_markers_lead_to_them(kb: Headwater, chat: ChatServer) -> None:
    """They are parts of its context that say that they are no quotes; a refusal cites nothing."""
    _set(kb, answer_model=MODEL)

    def reply(request: ChatRequest) -> Says:
        assert "Summary of the source “docs”, not a quote" in request.prompt
        return Says("The notes are 2 documents: Garten and Roses [2].")

    chat.otherwise = reply
    answer = ask(kb.store, kb.settings, kb.knowledge_base, WHOLE)
    assert [one.title for one in answer.summaries] == ["kb"]  # made of that of the notes
    assert {one.marker for one in answer.citations if one.node_id} == {answer.summaries[0].marker}
    chat.otherwise = Says("I don't know.")
    refused = ask(kb.store, kb.settings, kb.knowledge_base, "Give me an overview.")
    assert (refused.refused, refused.citations, refused.summaries) == (True, (), ())


def test_a_tree_is_drawn_as_well_formed_svg(shared: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same by command and over HTTP, but for where links lead; every node of the levels shown is one link."""
    monkeypatch.setenv("HEADWATER_HOME", str(shared.settings.home))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", shared.settings.database_url or "")
    client = create_app(shared.settings).test_client()
    reply = client.get("/api/v1/knowledge-bases/kb/tree.svg?depth=30")
    assert reply.mimetype == "image/svg+xml"
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    drawn = ElementTree.fromstring(reply.text)  # noqa: S314 - our own
    links = [one.get("href") or "" for one in drawn.iter("{http://www.w3.org/2000/svg}a")]
    nodes = [node for slug in ("docs", "notes")
             for node in shared.store.summaries.nodes(shared.source(slug), depth=30, limit=999)]  # fmt: skip
    assert sorted(links[1:]) == sorted(f"/kb/kb/summaries/{node.id}" for node in nodes)
    assert {node.kind for node in nodes} >= {NodeKind.SOURCE, NodeKind.DOCUMENT}
    piped = CliRunner().invoke(main, ["tree", "kb", "--depth", "30", "--svg", "-"], catch_exceptions=False).output
    assert piped.replace('href="http://127.0.0.1:8080/', 'href="/') == reply.text
