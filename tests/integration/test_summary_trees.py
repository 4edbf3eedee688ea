"""Summary trees of real sources: what a change costs, and what readers see meanwhile (SUM-1, SUM-2)."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from click.testing import CliRunner

from cli.main import main
from headwater.domain.summaries import NodeKind, PaidSummary, SummaryNode
from headwater.summaries import summarizer
from headwater.summaries.tree import Wanted
from headwater.syncing import summary_tree
from query_api.app import create_app
from tests.chat_server import MODEL, ChatRequest, ChatServer, Says, refuses
from tests.dying import sync_and_stop
from tests.support import Headwater

SECTION = "## Part {part} of machine {number}\n\n{text}\n\n"
SETTINGS: dict[str, Any] = {
    "summary_model": "builtin/extractive",
    "piece_max": 200,
    "summary_max": 900,
    "summary_tokens": 70,
}


_THINGS = ["pump", "valve", "meter", "hose", "boiler", "turbine", "drain", "filter", "tank", "well", "sluice", "crane"]


def _page(number: int, said: str = "runs quietly") -> str:
    parts = []
    for part in range(4):
        sentences = [
            f"The {thing} {_THINGS[(number + part + place) % 12]} of machine {number} {said} in hall {part}, {place}x."
            for place, thing in enumerate(_THINGS)
        ]
        parts.append(SECTION.format(part=part, number=number, text=" ".join(sentences)))
    return f"# Machine {number}\n\n{''.join(parts)}"


FILES = {f"machine-{number:02}.md": _page(number) for number in range(24)}
pytestmark = pytest.mark.synced(files=FILES, **SETTINGS)


def _nodes(kb: Headwater, depth: int = 20) -> list[SummaryNode]:
    return kb.store.summaries.nodes(kb.source(), depth=depth, limit=10_000)


def _calls(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[NodeKind]]:
    """Count the summaries that are made in a sync."""
    made: list[NodeKind] = []
    real = summarizer.load_maker

    def counting(*args: Any) -> Any:
        make = real(*args)

        def count(wanted: Wanted) -> PaidSummary:
            made.append(wanted.kind)
            return make(wanted)

        return count

    monkeypatch.setattr(summary_tree, "load_maker", counting)

    def sync() -> list[NodeKind]:
        made.clear()
        (done,) = kb.sync().values()
        assert done.state == "ready"
        return sorted(made)

    return sync


def test_a_source_has_a_tree_from_its_chunks_to_itself(kb: Headwater) -> None:
    """One root; every chunk is below exactly one leaf; each summary knows the run that made it."""
    nodes = _nodes(kb)
    assert [node.kind for node in nodes if node.parent_id is None] == [NodeKind.SOURCE]
    assert nodes[0].depth == 0
    assert {node.kind for node in nodes} == set(NodeKind) - {NodeKind.KNOWLEDGE_BASE}
    assert [node.title for node in nodes if node.kind is NodeKind.DOCUMENT] == [f"Machine {n}" for n in range(24)]
    below = kb.query("SELECT unnest(chunk_ids) AS id FROM summary_tree")
    live = kb.query(
        "SELECT vc.chunk_id AS id FROM version_chunks vc JOIN documents d ON d.head_version_id = vc.version_id"
    )
    assert sorted(row["id"] for row in below) == sorted(row["id"] for row in live)
    assert all(node.run_id and node.model == "builtin/extractive" for node in nodes)
    assert "of machine 3 runs quietly in hall" in next(node.text for node in nodes if node.uri == "machine-03.md")


def test_a_change_costs_its_path_and_nothing_else(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing for nothing; an edit its piece, its document and the levels above; a new document and a removed one."""
    sync = _calls(kb, monkeypatch)
    before = {node.id: node for node in _nodes(kb)}
    assert sync() == []
    kb.write("machine-05.md", _page(5).replace("quietly in hall 0,", "loudly in hall 0,"))
    made = sync()
    assert made.count(NodeKind.PIECE) in (1, 2)
    assert made.count(NodeKind.DOCUMENT) == 1
    assert len(made) <= 2 + 1 + 3
    after = {node.id: node for node in _nodes(kb)}
    assert sum(before[id_].text == node.text for id_, node in after.items() if id_ in before) >= len(after) - len(made)
    kb.write("machine-99.md", _page(99))
    made = sync()
    assert made.count(NodeKind.DOCUMENT) == 1
    kb.remove("machine-99.md")
    assert sync().count(NodeKind.PIECE) == 0
    assert {node.id: node.text for node in _nodes(kb)} == {id_: node.text for id_, node in after.items()}
    kb.remove("machine-05.md")
    sync()
    assert "machine-05.md" not in {node.uri for node in _nodes(kb)}


def test_after_many_edits_the_tree_is_the_one_built_from_nothing(kb: Headwater) -> None:
    """Node by node, after 200 random edits, inserts, deletions and renamings."""
    drawn = random.Random(20_261_124)
    names = sorted(FILES)
    for change in range(200):
        name, new = drawn.choice(names), f"machine-{drawn.randrange(100):02}-{change}.md"
        match drawn.choice(["edit", "edit", "insert", "delete", "rename"]):
            case "edit":
                kb.write(name, _page(drawn.randrange(100), said=f"stopped {change} times"))
            case "insert":
                kb.write(new, _page(drawn.randrange(100), said=f"began {change} times"))
                names.append(new)
            case "delete" if len(names) > 15:
                kb.remove(name)
                names.remove(name)
            case _:
                kb.rename(name, new)
                names[names.index(name)] = new
        if change % 25 == 24:
            kb.sync()
    statement = (
        "SELECT id, kind, summary_key, parent_id, position, document_id, chunk_ids FROM summary_tree ORDER BY id"
    )
    kept = kb.query(statement)
    assert {row["kind"] for row in kept} == set(NodeKind)
    _set(kb, summary_model=None)
    kb.sync()
    assert kb.query(statement) == []
    _set(kb, summary_model="builtin/extractive")
    kb.sync()
    assert kb.query(statement) == kept


def test_a_sync_that_dies_pays_for_nothing_twice(kb: Headwater, chat: ChatServer) -> None:
    """In mid-tree: the next sync asks again for what was under way, eight summaries (REL-1)."""
    chat.otherwise = _counted
    _set(kb, summary_model=MODEL)
    sync_and_stop(kb, "summary_tree", stored=3, is_paid=True)
    assert len(kb.query("SELECT FROM summaries WHERE model = %s", MODEL)) == 24
    assert {node.model for node in _nodes(kb)} == {"builtin/extractive"}
    assert kb.sync()["docs"].state == "ready"
    asked = Counter(chat.prompts)
    assert sum(asked.values()) - len(asked) == 8
    assert max(asked.values()) == 2
    assert len(asked) == len(kb.query("SELECT FROM summaries WHERE model = %s", MODEL))


def test_a_model_writes_the_summaries(kb: Headwater, chat: ChatServer) -> None:
    """Texts are data in its prompt; a failure leaves the old tree; what was paid for is not paid for again."""
    chat.otherwise = _counted
    _set(kb, summary_model=MODEL)
    old = [node.text for node in _nodes(kb)]
    fails = iter([False] * 10 + [True] * 1_000)

    def sometimes(request: ChatRequest) -> Any:
        return refuses(401) if next(fails) else _counted(request)  # a refusal that does not pass

    chat.otherwise = sometimes
    assert kb.sync()["docs"].state == "failed"
    assert [node.text for node in _nodes(kb)] == old
    paid = len(kb.query("SELECT FROM summaries WHERE model = %s", MODEL))
    assert paid
    chat.otherwise = _counted
    asked = len(chat.requests)
    assert kb.sync()["docs"].state == "ready"
    nodes = _nodes(kb)
    assert {node.model for node in nodes} == {MODEL}
    stored = len(kb.query("SELECT FROM summaries WHERE model = %s", MODEL))
    assert len(chat.requests) - asked == stored - paid
    assert "<data text-1 " in chat.requests[-1].prompt
    tokens = kb.query("SELECT sum(prompt_tokens) AS tokens FROM summaries")[0]["tokens"]
    assert tokens > 0


def test_a_reply_without_use_is_replaced_by_quotes(kb: Headwater, chat: ChatServer) -> None:
    """One text that the server withholds keeps no tree from growing; of a reply that was cut, whole sentences stay."""
    withheld = Says("", finish_reason="content_filter")
    cut = Says("It is about a machine. It was", finish_reason="length")

    def reply(request: ChatRequest) -> Says:
        mark = request.prompt[request.prompt.index("<data title") :].partition("\n")[0]
        return withheld if "machine 7 " in request.prompt else replace(cut, text=f"{mark} {cut.text}")

    chat.otherwise = reply
    _set(kb, summary_model=MODEL)
    assert kb.sync()["docs"].state == "ready"
    texts = {node.uri: node.text for node in _nodes(kb) if node.kind is NodeKind.DOCUMENT}
    assert "of machine 7 runs quietly in hall" in texts["machine-07.md"]
    assert texts["machine-03.md"] == "It is about a machine."


def test_a_document_of_code_alone_is_summarised_by_its_code(kb: Headwater) -> None:
    """Its prose is empty."""
    kb.write("config.md", "# Config\n\n```toml\n[pump]\nlitres = 40\nhall = 'north'\n```\n")
    kb.sync()
    assert "litres" in next(node.text for node in _nodes(kb) if node.uri == "config.md")


def test_old_summaries_go_with_a_source_that_has_no_tree_any_more(kb: Headwater) -> None:
    """They quote it too."""
    _set(kb, summary_model=None)
    kb.sync()
    assert kb.query("SELECT FROM summaries")
    kb.delete("docs")
    assert not kb.query("SELECT FROM summaries")


def test_a_deleted_source_leaves_no_summary(kb: Headwater) -> None:
    """Summaries quote documents, so they go with them; housekeeping removes those that no tree has any more."""
    kb.write("machine-05.md", _page(5, said="was renamed"))
    kb.sync()
    statement = "SELECT FROM summaries WHERE key NOT IN (SELECT summary_key FROM summary_tree)"
    assert kb.query(statement)
    assert kb.store.summaries.delete_unused(kb.now() - timedelta(days=1)) == 0
    assert kb.store.summaries.delete_unused(kb.now()) > 0
    assert not kb.query(statement)
    removed = kb.delete("docs").removed
    assert removed["summaries"] > 24
    assert removed["summary_tree"] >= removed["summaries"]
    assert not kb.query("SELECT FROM summaries UNION ALL SELECT FROM summary_tree")


def test_people_read_a_tree_by_command_and_over_http(shared: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """From its top down to a depth; the same in both; without a tree, what to do."""
    monkeypatch.setenv("HEADWATER_HOME", str(shared.settings.home))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", shared.settings.database_url or "")
    shown = CliRunner().invoke(main, ["tree", "kb", "docs", "--depth", "1"], catch_exceptions=False).output.splitlines()
    assert shown[0].startswith("source docs (")
    assert all(line.startswith("  ") for line in shown[1:])
    client = create_app(shared.settings).test_client()

    def read(query: str) -> Any:
        return client.get(f"/api/v1/knowledge-bases/kb/sources/docs/tree?{query}").json

    found = read("depth=30&limit=5000")
    assert len(found["nodes"]) == len(_nodes(shared))
    assert found["nodes"][0]["kind"] == "source"
    assert not found["truncated"]
    few = read("depth=30&limit=3")
    assert (len(few["nodes"]), few["truncated"]) == (3, True)
    assert client.get("/api/v1/knowledge-bases/kb/sources/none/tree").status_code == 404


def _counted(request: ChatRequest) -> Says:
    return Says(f"A summary of {len(request.prompt)} characters.")


def _set(kb: Headwater, **change: Any) -> None:
    kb.store.knowledge_bases.update(kb.slug, settings=kb.knowledge_base.settings.model_copy(update=change))
