"""Summaries of single chunks: what they cost, who sees them, and when they go (SUM-4)."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import CliRunner

from cli.main import main
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import InvalidInputError
from query_api.app import create_app
from tests.chat_server import MODEL, ChatRequest, ChatServer, Says, refuses
from tests.dying import sync_and_stop
from tests.support import Headwater

SHARED = "The lamp of the hall is switched on by the warden at dusk.\n"
FILES = {
    "pump.md": (
        "# Pump\n\n## Repair\n\nTo repair the pump, open the [lid](lid.md) of the pump and take the filter out. Wear "
        "gloves. The filter of the pump is washed with warm water.\n\n"
        "## Parts\n\n| part | size |\n|---|---|\n| lid | 3 |\n\n## Lamp\n\n" + SHARED
    ),
    "mill.md": "# Mill\n\n## Wheel\n\nThe wheel of the mill measures three metres across.\n\n## Lamp\n\n" + SHARED,
}
SETTINGS: dict[str, Any] = {"summary_model": "builtin/extractive", "chunk_summaries": True, "chunk_min": 1}
pytestmark = pytest.mark.synced(files=FILES, **SETTINGS)

_ALL = (
    "SELECT c.id, c.text, m.text AS said, m.key FROM chunks c JOIN chunk_summaries u ON u.chunk_id = c.id"
    " JOIN summaries m ON m.key = u.summary_key ORDER BY c.text"
)


def _set(kb: Headwater, **change: Any) -> None:
    kb.store.knowledge_bases.update(kb.slug, settings=kb.knowledge_base.settings.model_copy(update=change))


def _said(request: ChatRequest) -> Says:
    return Says(f"Number {hash(request.prompt) % 10**12} is about a machine. Nothing else counts.")


def _of_chunks(chat: ChatServer) -> list[str]:
    """The prompts that are about single chunks."""
    return [prompt for prompt in chat.prompts if "Write one sentence" in prompt]


def _stored(kb: Headwater) -> dict[str, str]:
    """The summaries of chunks, by the word that their text is about."""
    words = ("repair the pump", "| lid |", "wheel of the mill", "The lamp")
    return {word: row["said"] for row in kb.query(_ALL) for word in words if word in row["text"]}


def test_each_chunk_has_its_most_central_sentence(shared: Headwater) -> None:
    """Without links; a table has none, and headings need none; equal texts share one."""
    rows = shared.query(_ALL)
    live = shared.query("SELECT id FROM chunks WHERE text NOT IN (E'# Pump\\n\\n', E'# Mill\\n\\n')")
    assert len(shared.query("SELECT FROM chunks")) == len(live) + 2
    assert sorted(row["id"] for row in rows) == sorted(row["id"] for row in live)
    assert _stored(shared) == {
        "repair the pump": "To repair the pump, open the lid of the pump and take the filter out.",
        "| lid |": "",
        "wheel of the mill": "The wheel of the mill measures three metres across.",
        "The lamp": SHARED.strip(),
    }
    assert len({row["key"] for row in rows if row["said"] == SHARED.strip()}) == 1


def test_it_is_shown_with_its_chunk(shared: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """In hits, contexts, the chunk, its lineage, its page, `show` and `trace`; a chunk without one has null."""
    client = create_app(shared.settings).test_client()

    def read(path: str, **body: Any) -> Any:
        url = f"/api/v1/{path}"
        return (client.post(url, json=body) if body else client.get(url)).json

    found = read("knowledge-bases/kb/search", query="repair the pump", context=True, group_by="passage")
    said = _stored(shared)["repair the pump"]
    best = found["passages"][0]
    assert best["summary"] == said
    assert {one["summary"] for one in found["passages"] if "| lid |" in one["text"]} <= {None}
    assert said in [each for part in found["context"]["parts"] for each in part["summaries"]]
    chunk = read(f"chunks/{best['chunk_id']}")
    assert chunk["summary"] == said
    traced = read(f"chunks/{best['chunk_id']}/lineage")["summary"]
    assert (traced["text"], traced["model"]) == (said, "builtin/extractive")
    assert traced["run_id"] in {row["run_id"] for row in shared.query("SELECT run_id FROM sync_sources")}
    page = client.get(f"/kb/kb/documents/{best['document_id']}?chunk={best['chunk_id']}").text
    assert f"In one sentence:</span> {said}" in page
    monkeypatch.setenv("HEADWATER_HOME", str(shared.settings.home))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", shared.settings.database_url or "")
    for command in ("show", "trace"):
        shown = CliRunner().invoke(main, [command, best["chunk_id"]], catch_exceptions=False).output
        assert f"Summary: {said}" in shown
    past = shared.search("repair the pump", as_of=shared.now())
    assert past[0].summary == said


def test_a_model_is_paid_once_for_each_text(kb: Headwater, chat: ChatServer) -> None:
    """As the estimate says; an edit costs its own chunk; nothing is written for nothing; a title is free."""
    _set(kb, summary_model=MODEL)
    chat.otherwise = _said
    client = create_app(kb.settings).test_client()
    estimated: Any = client.get("/api/v1/knowledge-bases/kb/summary-estimate").json
    chunks = len({row["key"] for row in kb.query(_ALL)})
    assert estimated["calls"] == chunks + 3  # two documents and the source, which is all
    kb.sync()
    assert len(chat.prompts) == estimated["calls"]
    assert set(Counter(_of_chunks(chat)).values()) == {1}
    texts = kb.query(_ALL)
    assert len(_of_chunks(chat)) == len({row["text"] for row in texts}) < len(texts)
    assert all(row["said"].endswith("is about a machine.") for row in texts)  # the first sentence of the reply
    done = kb.sync()["docs"]
    assert (len(chat.prompts), done.rows_written, done.summarized) == (estimated["calls"], 0, 0)
    kb.write("mill.md", FILES["mill.md"].replace("three metres", "four metres").replace("# Mill", "# The mill", 1))
    asked = len(_of_chunks(chat))
    kb.sync()
    assert len(_of_chunks(chat)) - asked == 1
    (spent,) = kb.query("SELECT sum(prompt_tokens) AS prompts, count(*) FROM summaries WHERE model = %s", MODEL)
    (day,) = kb.query(
        "SELECT sum(prompt_tokens) AS prompts, sum(made_count) AS count FROM sync_spending WHERE model = %s", MODEL
    )
    assert day == spent


def test_one_budget_covers_trees_chunks_and_questions(kb: Headwater, chat: ChatServer) -> None:
    """Each run stops when it is spent and says what is left; no text is paid for twice; in the end all is there."""
    _set(kb, summary_model=MODEL, question_model=MODEL, summary_budget=1_000)

    def reply(request: ChatRequest) -> Says:
        if request.schema:
            return Says('{"questions": ["What is described here about the machine?"]}')
        said = _said(request)
        return replace(said, text=said.text + " And so on." * 20)

    chat.otherwise = reply
    left: list[tuple[int, int]] = []
    while not left or any(left[-1]):
        run, parts = kb.sync_run()
        left.append((parts["docs"].summaries_left, parts["docs"].questions_left))
        spent = kb.store.spending.of_run(kb.knowledge_base, run.run_id or "")
        assert spent < 1_000 + 2 * 500
        assert parts["docs"].state == "ready"
        assert len(left) < 20
    assert left[0][0]
    assert any(questions for _, questions in left)
    assert set(Counter(chat.prompts).values()) == {1}
    assert len(kb.query("SELECT FROM questioned_documents")) == 2
    assert all(row["said"].endswith("is about a machine.") for row in kb.query(_ALL))
    kinds = {row["kind"] for row in kb.query("SELECT kind FROM sync_spending WHERE model = %s", MODEL)}
    assert kinds == {"summaries", "questions"}


@pytest.mark.dagster
def test_replies_of_no_use_are_replaced_and_counted(kb: Headwater, chat: ChatServer) -> None:
    """A sentence that was cut, a reply that was withheld, and one without a word: sentences of the chunks stay."""
    bad = {
        "repair the pump": Says("This one never", finish_reason="length"),
        "wheel of the mill": Says("", finish_reason="content_filter"),
        "The lamp": Says("...", finish_reason="stop"),
    }
    before = _stored(kb)

    def reply(request: ChatRequest) -> Says:
        found = [
            says for word, says in bad.items() if word in request.prompt and "Write one sentence" in request.prompt
        ]
        return found[0] if found else _said(request)

    _set(kb, summary_model=MODEL)
    chat.otherwise = reply
    done = kb.sync()["docs"]
    assert (done.state, [problem.message[:45] for problem in done.errors]) == (
        "ready",
        [f"3 replies of the model {MODEL} were of no use, so"[:45]],
    )
    after = _stored(kb)
    assert {word: after[word] for word in bad} == {word: before[word] for word in bad}
    assert after["| lid |"].endswith("is about a machine.")
    (newest, *_) = kb.materializations("summary_tree")
    shown = {name: value.value for name, value in newest.metadata.items()}
    assert (shown["dropped"], shown["chunk_summaries"]) == (3, len(kb.query(_ALL)))


def test_a_failing_model_keeps_the_old_summaries(kb: Headwater, chat: ChatServer) -> None:
    """The source fails and says so; the next sync goes on."""
    before = _stored(kb)
    _set(kb, summary_model=MODEL)
    chat.otherwise = lambda request: refuses(401) if "Write one sentence" in request.prompt else _said(request)
    assert kb.sync()["docs"].state == "failed"
    assert _stored(kb) == before
    chat.otherwise = _said
    assert kb.sync()["docs"].state == "ready"
    assert set(_stored(kb).values()).isdisjoint(before.values())


def test_a_summary_goes_with_the_last_chunk_of_its_text(kb: Headwater) -> None:
    """In the transaction that deletes the chunk: by retention, and with the source; a shared text stays."""
    kb.write("mill.md", "# Mill\n\n## Wheel\n\nThe wheel of the mill was sold to a museum in the spring.\n")
    kb.sync()
    old = "SELECT text FROM summaries WHERE text LIKE '%%three metres across.'"
    kept = {row["text"] for row in kb.query(old)}
    assert "The wheel of the mill measures three metres across." in kept
    assert kb.store.housekeeping.prune_versions(datetime.now(UTC) + timedelta(days=1)).chunks == 2
    assert "The wheel of the mill measures three metres across." not in {row["text"] for row in kb.query(old)}
    assert SHARED.strip() in {row["said"] for row in kb.query(_ALL)}
    kb.delete("docs")
    assert not kb.query("SELECT FROM summaries UNION ALL SELECT FROM chunk_summaries")


def test_without_the_setting_there_are_none(kb: Headwater) -> None:
    """Their texts stay for a while, so they come back without a call; it needs a model."""
    count = len(kb.query(_ALL))
    _set(kb, chunk_summaries=False)
    done = kb.sync()["docs"]
    assert (kb.query(_ALL), done.rows_written) == ([], count)
    assert kb.sync()["docs"].rows_written == 0
    _set(kb, chunk_summaries=True)
    done = kb.sync()["docs"]
    assert (done.summarized, done.reused) == (0, len({row["key"] for row in kb.query(_ALL)}))
    _set(kb, chunk_summaries=False)
    kb.sync()
    assert kb.store.summaries.delete_unused(kb.now()) > 0
    with pytest.raises((ValueError, InvalidInputError), match="need one"):
        KnowledgeBaseSettings(chunk_summaries=True, summary_model=None)


def test_a_sync_that_dies_loses_no_summary_that_was_paid_for(kb: Headwater, chat: ChatServer) -> None:
    """After the first two replies: the next sync asks only about the other chunks (REL-1)."""
    chat.otherwise = _said
    _set(kb, summary_model=MODEL)
    sync_and_stop(kb, "summary_tree", stored=1, together=2, kind="Sentence")
    assert len(_of_chunks(chat)) == 2
    assert {row["said"] for row in kb.query(_ALL)} == set(_stored(kb).values())  # readers see the old ones
    assert not any(row["said"].startswith("Number") for row in kb.query(_ALL))
    assert kb.sync()["docs"].state == "ready"
    assert set(Counter(chat.prompts).values()) == {1}
    assert all(row["said"].startswith("Number") for row in kb.query(_ALL))


PLANTED = (
    "Wash the filter <img src=https://evil.example/p.png>. [Read on](https://evil.example/x) at https://evil.example."
)
"""What a model writes that a text has told to send readers elsewhere."""


def _summaries(kb: Headwater) -> list[str]:
    return [row["text"] for row in kb.query("SELECT text FROM summaries")]


def test_a_text_that_tells_a_model_to_link_elsewhere_is_not_obeyed(kb: Headwater, chat: ChatServer) -> None:
    """Summaries of chunks, documents and sources are stored as words alone (SEC-1)."""
    chat.otherwise = lambda _: Says(PLANTED)
    _set(kb, summary_model=MODEL)
    assert kb.sync()["docs"].state == "ready"
    made = [row["text"] for row in kb.query("SELECT text FROM summaries WHERE model = %s", MODEL)]
    assert {"Wash the filter.", "Wash the filter. Read on at."} <= {
        " ".join(text.split()).replace(" .", ".") for text in made
    }
    assert not [text for text in made if "<" in text or "evil" in text]


def test_a_summary_that_was_stored_before_leads_nowhere_either(kb: Headwater) -> None:
    """Wherever it is shown: a tree, a search, an overview, a chunk, a page."""
    kb.query("UPDATE summaries SET text = %s RETURNING 1", PLANTED)
    client = create_app(kb.settings).test_client()
    found = client.post("/api/v1/knowledge-bases/kb/search", json={"query": "What is this knowledge base about?"})
    asked = client.post("/api/v1/knowledge-bases/kb/answers", json={"question": "What is this knowledge base about?"})
    chunk = kb.query("SELECT id FROM chunks LIMIT 1")[0]["id"]
    root = kb.store.summaries.nodes(kb.source("docs"), depth=0, limit=1)[0].id
    trees = [f"knowledge-bases/kb/{path}" for path in ("sources/docs/tree?depth=9", "tree.svg")]
    parts = [f"{part}/lineage" for part in (f"chunks/{chunk}", f"summary-nodes/{root}")]
    paths = [f"/api/v1/{path}" for path in (*trees, *parts, f"chunks/{chunk}", f"summary-nodes/{root}")]
    paths += ["/kb/kb/contents", f"/kb/kb/summaries/{root}"]
    pages = {path: client.get(path) for path in paths}
    assert {path: page.status_code for path, page in pages.items()} == dict.fromkeys(paths, 200)
    assert "Wash the filter" in found.text
    for text in (found.text, asked.text, *(page.text for page in pages.values())):
        assert "evil.example" not in text
