"""The summary of a knowledge base: what it is made of, what a change costs, and what readers see (SUM-1, SUM-2)."""

from collections import Counter
from typing import Any

import pytest
from click.testing import CliRunner

from assets.knowledge_base_summary import check_summary
from cli.main import main
from headwater.domain.summaries import NodeKind, PaidSummary, SummaryNode
from headwater.summaries import knowledge_base_tree, summarizer
from headwater.summaries.knowledge_base_tree import is_current
from headwater.summaries.tree import Wanted
from headwater.syncing import summary_tree
from query_api.app import create_app
from tests.chat_server import MODEL, ChatRequest, ChatServer, Says, refuses
from tests.support import Headwater

SOURCES = tuple(f"site-{number:02}" for number in range(14))
SETTINGS: dict[str, Any] = {"summary_model": "builtin/extractive", "summary_max": 600, "summary_tokens": 50}


_SAID = {
    "pump": "lifts water out of some deep well by day and night",
    "valve": "closes pipes before frost cracks any joint",
}


def _page(source: str, thing: str, said: str = "") -> str:
    title = f"{thing} {source} of the large water works at the northern river bank by day and night"
    return f"# {title}\n\nThis {thing} at {source} {said or _SAID[thing]} at last.\n"


FILES = {f"{source}/{thing}.md": _page(source, thing) for source in SOURCES for thing in _SAID}
pytestmark = pytest.mark.synced(*SOURCES, files=FILES, **SETTINGS)


def _nodes(kb: Headwater) -> list[SummaryNode]:
    return kb.store.knowledge_base_summaries.nodes(kb.knowledge_base, depth=30, limit=10_000)


def _passed(kb: Headwater) -> dict[str, bool]:
    return {str(result.check_name): result.passed for result in check_summary(kb.store, kb.knowledge_base)}


def _counting(monkeypatch: pytest.MonkeyPatch) -> list[NodeKind]:
    """The summaries that are made from now on."""
    made: list[NodeKind] = []
    real = summarizer.load_maker

    def counting(*args: Any) -> Any:
        make = real(*args)

        def count(wanted: Wanted) -> PaidSummary:
            made.append(wanted.kind)
            return make(wanted)

        return count

    for module in (summary_tree, knowledge_base_tree):
        monkeypatch.setattr(module, "load_maker", counting)
    return made


def test_every_chunk_is_under_exactly_one_path_to_the_summary_of_the_knowledge_base(shared: Headwater) -> None:
    """Walked from every leaf upwards; the tree has groups of sources, and each node knows its run and its model."""
    nodes = {node.id: node for node in _nodes(shared)}
    roots = [node for node in nodes.values() if node.parent_id is None]
    assert [(root.kind, root.title) for root in roots] == [(NodeKind.KNOWLEDGE_BASE, "kb")]
    above = [node for node in nodes.values() if node.kind is NodeKind.GROUP and node.source is None]
    assert len(above) > 1
    assert {node.title for node in nodes.values() if node.kind is NodeKind.SOURCE} == set(SOURCES)
    leaves = shared.query("SELECT id, unnest(chunk_ids) AS chunk_id FROM summary_tree")
    for leaf in leaves:
        node, steps = nodes[leaf["id"]], 0
        while node.parent_id is not None:
            node, steps = nodes[node.parent_id], steps + 1
        assert node is roots[0]
        assert steps >= 3
    live = shared.query(
        "SELECT vc.chunk_id FROM version_chunks vc JOIN documents d ON d.head_version_id = vc.version_id"
    )
    assert Counter(leaf["chunk_id"] for leaf in leaves) == Counter(row["chunk_id"] for row in live)
    assert all(node.run_id and node.model == "builtin/extractive" for node in nodes.values())
    assert _passed(shared) == {"one_path": True, "fits_sources": True}


def test_a_change_of_one_source_costs_its_path_through_the_knowledge_base(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing for nothing; else one summary a level; Dagster shows what was made and what was saved."""
    made = _counting(monkeypatch)
    told = len(kb.materializations("knowledge_base_summary"))
    kb.sync()
    assert (made, len(kb.materializations("knowledge_base_summary"))) == ([], told)
    kb.write("site-03/pump.md", _page("site-03", "pump", "stands still"))
    before = kb.store.knowledge_base_summaries.text(kb.knowledge_base)
    kb.sync("site-03")
    assert Counter(made)[NodeKind.DOCUMENT] == 1
    assert Counter(made)[NodeKind.GROUP] <= 1
    assert len(made) <= 4
    (newest, *_) = kb.materializations("knowledge_base_summary")
    shown: dict[str, Any] = {name: value.value for name, value in newest.metadata.items()}
    assert (shown["summarized"], shown["nodes"]["source"]) == (len(made) - 2, len(SOURCES))
    assert shown["reused"] > 0
    assert (shown["summary_cost_usd"], shown["summary_tokens"]) == (0.0, 0)
    assert kb.coloured("knowledge_base_summary") == {"materialized": {"kb"}, "failed": set()}
    assert isinstance(before, str)
    assert _passed(kb) == {"one_path": True, "fits_sources": True}


def test_a_deleted_source_leaves_the_summaries_above_it_at_once(kb: Headwater) -> None:
    """They quote it; the next sync makes the tree of what is left, which equals one that was built from nothing."""
    statement = "SELECT id, kind, summary_key, parent_id, position FROM summary_tree ORDER BY id"
    kb.delete("site-05")
    assert kb.store.knowledge_base_summaries.text(kb.knowledge_base) is None
    assert not kb.query("SELECT FROM summaries WHERE text LIKE '%%site-05%%'")
    assert not is_current(kb.store, kb.knowledge_base)
    kb.sync("site-01")
    assert {node.source for node in _nodes(kb)} == {*SOURCES, None} - {"site-05"}
    assert _passed(kb) == {"one_path": True, "fits_sources": True}
    kept = kb.query(statement)
    _set(kb, summary_model=None)
    kb.sync()
    assert kb.query(statement) == []
    _set(kb, summary_model="builtin/extractive")
    kb.sync()
    assert kb.query(statement) == kept
    removed = kb.delete().removed
    assert removed["summary_tree"] == len(kept)
    assert not kb.query("SELECT FROM summaries UNION ALL SELECT FROM sync_spending")


def test_a_document_that_is_deleted_for_good_leaves_no_summary_above_it(
    kb: Headwater, chat: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if its source could not be summarised since it was removed; the next sync makes what is missing."""
    (kb.folder / "site-02" / "valve.md").unlink()
    _set(kb, summary_model=MODEL)
    chat.otherwise = refuses(401)
    assert kb.sync("site-02")["site-02"].state == "failed"
    assert "valve.md" in {node.uri for node in _nodes(kb) if node.source == "site-02"}
    kb.store.housekeeping.prune_versions(kb.now())
    left = [node for node in _nodes(kb) if node.source == "site-02"]
    assert left == []
    _set(kb, summary_model="builtin/extractive")
    assert kb.sync("site-02")["site-02"].state == "ready"
    left = [node for node in _nodes(kb) if node.source == "site-02"]
    assert {node.uri for node in left} == {None, "pump.md"}
    assert "valve" not in next(node.text for node in left if node.kind is NodeKind.SOURCE)
    assert _passed(kb) == {"one_path": True, "fits_sources": True}


def test_a_model_that_fails_above_the_sources_leaves_the_old_summary(kb: Headwater, chat: ChatServer) -> None:
    """The sources are ready, the run says why, and the next sync pays only for what is missing."""
    old = kb.store.knowledge_base_summaries.text(kb.knowledge_base)
    _set(kb, summary_model=MODEL)
    chat.otherwise = lambda request: refuses(401) if _is_above(request) else _said(request)
    run, parts = kb.sync_run()
    assert {part.state for part in parts.values()} == {"ready"}
    assert run.refresh_error is not None
    assert MODEL in run.refresh_error
    assert kb.store.knowledge_base_summaries.text(kb.knowledge_base) == old
    assert kb.coloured("knowledge_base_summary")["failed"] == {"kb"}
    assert _passed(kb)["fits_sources"] is False
    chat.otherwise = _said
    asked = len(chat.requests)
    assert kb.sync_run("site-00")[0].refresh_error is None
    assert all(map(_is_above, chat.requests[asked:]))
    assert kb.store.knowledge_base_summaries.text(kb.knowledge_base) != old


def test_people_read_the_tree_of_a_knowledge_base(shared: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """By command and over HTTP, from its top down to a depth; what it cost, and what the next sync would cost."""
    monkeypatch.setenv("HEADWATER_HOME", str(shared.settings.home))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", shared.settings.database_url or "")

    def run(*words: str) -> str:
        return CliRunner().invoke(main, list(words), catch_exceptions=False).output

    client = create_app(shared.settings).test_client()
    url = "/api/v1/knowledge-bases/kb"
    found: Any = client.get(f"{url}/tree?depth=30&limit=5000").json
    assert len(found["nodes"]) == len(_nodes(shared))
    assert (found["current"], found["truncated"]) == (True, False)
    lines = run("tree", "kb", "--depth", "1").splitlines()
    assert lines[0].startswith("knowledge base kb (")
    assert all(line.startswith("  ") for line in lines[1:])
    top: Any = client.get(f"{url}/tree?depth=0").json
    (only,) = top["nodes"]
    assert client.get(url).json["summary"] == only["text"]  # type: ignore[index]
    days: Any = client.get(f"{url}/usage").json
    made = {(day["kind"], day["source"]): day["summaries"] for day in days["days"]}
    assert made["summaries", "site-03"] == 3  # two documents and the source
    assert made["summaries", None] == sum(node.source is None for node in _nodes(shared))
    assert "builtin/extractive: 3 summaries of site-03, 0 + 0 tokens, 0.0000 USD" in run("usage", "kb")
    estimate: Any = client.get(f"{url}/summary-estimate?source=site-03").json
    assert [(one["source"], one["calls"]) for one in estimate["sources"]] == [("site-03", 0), (None, 0)]
    assert "In all at most 0 calls" in run("sync", "kb", "--estimate")


def test_an_estimate_is_what_the_first_sync_costs(kb: Headwater, chat: ChatServer) -> None:
    """Nothing is called; for a model without a price the cost is unknown; afterwards nothing is left."""
    _set(kb, summary_model=MODEL)
    client, url = create_app(kb.settings).test_client(), "/api/v1/knowledge-bases/kb/summary-estimate"
    before: Any = client.get(url).json
    assert chat.requests == []
    assert (before["model"], before["cost"], before["budget"]) == (MODEL, None, None)
    assert before["prompt_tokens"] > 14 * before["calls"]
    chat.otherwise = lambda request: Says(f"{_said(request).text} {'word ' * 45}")
    kb.sync()
    assert len(chat.requests) == before["calls"]
    after: Any = client.get(url).json
    assert (after["calls"], after["cost"]) == (0, 0.0)


def test_a_budget_stops_a_run_and_the_next_one_goes_on(kb: Headwater, chat: ChatServer) -> None:
    """No sync fails; each says what is left; no call is made twice; readers have the old tree until it is complete."""
    old = kb.store.knowledge_base_summaries.text(kb.knowledge_base)
    _set(kb, summary_model=MODEL, summary_budget=2_000)
    chat.otherwise = _said
    left: list[int] = []
    runs = 0
    while not left or left[-1] or not is_current(kb.store, kb.knowledge_base):
        run, parts = kb.sync_run()
        assert (run.refresh_error, {part.state for part in parts.values()}) == (None, {"ready"})
        left.append(sum(part.summaries_left for part in parts.values()))
        runs += 1
        spent = kb.query(
            "SELECT sum(prompt_tokens + completion_tokens) AS n FROM summaries WHERE run_id = %s", run.run_id
        )
        assert (spent[0]["n"] or 0) < 2_000 + 2 * 400
        if left[-1]:
            assert kb.store.knowledge_base_summaries.text(kb.knowledge_base) == old
        assert runs < 30
    assert left == sorted(left, reverse=True)
    assert left[0] > 10
    assert runs > 2
    prompts = Counter(chat.prompts)
    assert max(prompts.values()) == 1
    assert len(prompts) == len(kb.query("SELECT FROM summaries WHERE model = %s", MODEL))


def _is_above(request: ChatRequest) -> bool:
    """Whether a request is about the knowledge base or a group of its sources: its title is the name."""
    return ">\nkb\n<" in request.prompt


def _said(request: ChatRequest) -> Says:
    return Says(f"Summary {hash(request.prompt) % 10**12}.")


def _set(kb: Headwater, **change: Any) -> None:
    kb.store.knowledge_bases.update(kb.slug, settings=kb.knowledge_base.settings.model_copy(update=change))
