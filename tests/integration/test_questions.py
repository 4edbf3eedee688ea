"""Questions that a knowledge base offers: made once, checked by search, shown to readers, answered ahead (QST-1)."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.domain.corpus import Lineage
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.questions import CheckState, QuestionToCheck
from headwater.evaluation.golden_set import read_golden_set
from headwater.questions import advance_answers, question_checks, question_generator, suggester
from headwater.store.search.suggestions import Check
from headwater.summaries.knowledge_base_tree import is_current
from query_api.app import create_app
from tests.aiohttp_server import until
from tests.chat_server import MODEL, SPARE, ChatServer, refuses
from tests.dying import sync_and_die
from tests.support import Headwater, looking

KB = "/api/v1/knowledge-bases/kb"
FILES = {
    "docs/pump.md": (
        "# Repair the pump\n\nThe pump of the well lifts forty litres of water per minute.\n\n"
        "## How often is the pump inspected?\n\nThe pump is inspected every third month by the warden.\n\n"
        "## Replace the filter of the pump\n\nOpen the lid of the pump and take the filter out.\n"
    ),
    "docs/wheel.md": (
        "# Wheel\n\n## Clean the wheel of the mill\n\nRinse the wheel of the mill with cold water every evening.\n"
    ),
    "notes/keys.md": "# Keys\n\n## Where do the spare keys hang?\n\nThe spare keys hang in the north shed.\n",
}
REPAIR = "How do I repair the pump?"
OFTEN = "How often is the pump inspected?"
FILTER = "How do I replace the filter of the pump?"
WHEEL = "How do I clean the wheel of the mill?"
KEYS = "Where do the spare keys hang?"

pytestmark = pytest.mark.synced(
    "docs", "notes", files=FILES, question_model="builtin/rules", embedding_model="builtin/minilm-int8"
)


def choose(kb: Headwater, **settings: Any) -> None:
    """Change settings of the knowledge base."""
    chosen = kb.knowledge_base.settings.model_copy(update=settings)
    kb.store.knowledge_bases.update("kb", settings=KnowledgeBaseSettings.model_validate(chosen.model_dump()))


def client_of(kb: Headwater) -> FlaskClient:
    """A client of the app."""
    return create_app(kb.settings).test_client()


def offered(kb: Headwater, **query: Any) -> list[str]:
    """The questions of the API."""
    response = client_of(kb).get(f"{KB}/questions", query_string=query)
    assert response.status_code == 200, response.text
    return [one["question"] for one in response.json["questions"]]  # type: ignore[index]


def states(kb: Headwater) -> dict[str, str]:
    """What the checks found, by question."""
    rows = kb.query("SELECT q.question, g.state FROM questions q LEFT JOIN suggestions g ON g.question_id = q.id")
    return {row["question"]: row["state"] for row in rows}


def test_a_sync_makes_questions_that_its_documents_answer(shared: Headwater) -> None:
    """Each with its document; every row knows the run that made it; sources and documents take turns."""
    first = offered(shared)
    assert set(first) == {REPAIR, OFTEN, FILTER, WHEEL, KEYS}
    assert {KEYS} < set(first[:3])
    assert WHEEL in first[:3]
    (keys,) = client_of(shared).get(f"{KB}/questions?source=notes").json["questions"]  # type: ignore[index]
    assert {**keys, "id": ""} == {
        "id": "", "question": KEYS, "source": "notes", "document": "keys.md", "title": "Keys",
    }  # fmt: skip
    lineage = "SELECT run_id, code_version FROM question_sets UNION ALL SELECT run_id, code_version FROM suggestions"
    assert all(row["run_id"] and row["code_version"] for row in shared.query(lineage))
    (made,) = shared.materializations("suggestions")
    assert made.metadata["checked"].value == made.metadata["dagster/row_count"].value == 5
    asked = sum(each.metadata["questions"].value for each in shared.materializations("questions"))  # type: ignore[misc]
    assert asked == 5


def test_what_somebody_types_is_completed(shared: Headwater) -> None:
    """By its beginning, by words in any order of which the last may be incomplete, and by meaning."""
    assert offered(shared, like="how do I rep")[:2] in ([REPAIR, FILTER], [FILTER, REPAIR])
    assert offered(shared, like="pump filt")[0] == FILTER
    assert offered(shared, like="WHERE do the SPARE")[0] == KEYS
    assert offered(shared, like="wash the mill's wheel")[0] == WHEEL
    assert KEYS not in offered(shared, like="pump")
    assert offered(shared, like="pump", source="notes") == []
    assert len(offered(shared, like="how", limit=2)) == 2
    assert offered(shared, like="  ") == offered(shared)
    client = client_of(shared)
    assert client.get(f"{KB}/questions?source=none").status_code == 404
    assert client.get(f"{KB}/questions?limit=0").status_code == 422
    assert client.get("/api/v1/knowledge-bases/none/questions").status_code == 404


def test_a_change_costs_what_it_concerns(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing for nothing; an edit asks and checks one document; a removed one takes its questions away."""
    made: list[str] = []
    real = question_generator._make_by_rules

    def noted(subject: Any, recipe: Any) -> Any:
        made.append(subject.title)
        return real(subject, recipe)

    monkeypatch.setattr(question_generator, "_make_by_rules", noted)
    count = len(kb.materializations("suggestions"))
    before = kb.query("SELECT xmin::text, * FROM suggestions ORDER BY question_id")
    assert [one.state for one in kb.sync().values()] == ["ready", "ready"]
    assert (made, len(kb.materializations("suggestions"))) == ([], count)
    kb.write("docs/wheel.md", FILES["docs/wheel.md"].replace("the wheel of the mill\n", "the big wheel of the mill\n"))
    kb.sync()
    assert made == ["Wheel"]
    assert "How do I clean the big wheel of the mill?" in offered(kb)
    assert WHEEL not in offered(kb)
    after = kb.query("SELECT xmin::text, * FROM suggestions ORDER BY question_id")
    assert len([row for row in after if row not in before]) == 1
    kb.write("docs/wheel.md", FILES["docs/wheel.md"])
    kb.sync()
    assert made == ["Wheel"]  # what it said before is not asked about again
    assert WHEEL in offered(kb)
    kb.remove("wheel.md")
    kb.sync()
    assert offered(kb, like="wheel") == []
    assert states(kb).keys() == {REPAIR, OFTEN, FILTER, KEYS}
    choose(kb, question_model=None)
    kb.sync()
    assert offered(kb) == []
    assert kb.query("SELECT FROM questions UNION ALL SELECT FROM questioned_documents") == []


def test_a_question_that_stays_is_checked_against_the_new_text(kb: Headwater) -> None:
    """Its document may not answer it any more; those of other documents are not checked again."""
    statement = (
        "SELECT q.question, g.checked_at, g.version_id = d.head_version_id AS is_of_now FROM suggestions g"
        " JOIN questions q ON q.id = g.question_id JOIN documents d ON d.id = q.document_id"
    )
    before = {row["question"]: row["checked_at"] for row in kb.query(statement)}
    kb.write("docs/wheel.md", FILES["docs/wheel.md"].replace("cold water", "warm water"))
    kb.sync()
    after = kb.query(statement)
    assert all(row["is_of_now"] for row in after)
    assert {row["question"] for row in after if row["checked_at"] != before[row["question"]]} == {WHEEL}


def test_a_question_is_kept_only_if_its_own_document_answers_it(kb: Headwater, chat: ChatServer) -> None:
    """One that another document answers, or none, is not offered; nor one that says the same as another."""
    chat.otherwise = lambda request: _written(
        [KEYS, "Who won the chess tournament in Reykjavik?", "How is the pump of the well repaired?"]
        if "Rinse" in request.prompt
        else ["Where are the spare keys hanging?", "Where do the spare keys hang?"]
        if "shed" in request.prompt
        else [REPAIR]
    )
    choose(kb, question_model=MODEL)
    kb.sync()
    found = states(kb)
    assert found["Who won the chess tournament in Reykjavik?"] == "not_found"
    assert sorted(found[one] for one in (KEYS, "Where are the spare keys hanging?")) == ["kept", "same"]
    same = kb.query("SELECT q.question FROM suggestions g JOIN questions q ON q.id = g.same_as")
    assert [row["question"] in (KEYS, "Where are the spare keys hanging?") for row in same] == [True] * len(same)
    uris = {one["document"] for one in client_of(kb).get(f"{KB}/questions").json["questions"]}  # type: ignore[index]
    assert "wheel.md" not in uris


def test_what_asked_the_same_is_checked_again_when_the_other_goes(kb: Headwater) -> None:
    """The second of two equal questions takes the first one's place."""
    kb.write("docs/mill.md", FILES["docs/wheel.md"].replace("# Wheel", "# Mill").replace("evening", "evening again"))
    kb.sync()
    rows = "SELECT g.state FROM suggestions g JOIN questions q ON q.id = g.question_id WHERE q.question = %s"
    assert sorted(row["state"] for row in kb.query(rows, WHEEL)) == ["kept", "same"]
    (kept,) = kb.query(
        "SELECT d.uri FROM suggestions g JOIN questions q ON q.id = g.question_id"
        " JOIN documents d ON d.id = q.document_id WHERE q.question = %s AND g.state = 'kept'",
        WHEEL,
    )
    kb.remove(kept["uri"])
    kb.sync()
    assert [row["state"] for row in kb.query(rows, WHEEL)] == ["kept"]


def test_a_model_asks_once_and_a_failure_keeps_the_old_questions(kb: Headwater, chat: ChatServer) -> None:
    """Texts are data in its prompt; what was paid for is not paid for again; odd replies are dropped."""
    old = set(offered(kb))
    chat.otherwise = refuses(401)
    choose(kb, question_model=MODEL)
    assert kb.sync()["docs"].state == "failed"
    assert set(offered(kb)) == old
    odd = [
        "",
        "no question",
        "x?",
        "How   often is\nthe pump inspected?",
        "how often is the pump inspected",
        600 * "a" + "?",
    ]
    chat.otherwise = lambda request: _written([*odd, OFTEN, REPAIR, FILTER] if "lid" in request.prompt else [])
    chat.requests.clear()
    kb.sync()
    made = kb.query("SELECT question FROM questions ORDER BY position")
    assert [row["question"] for row in made] == [OFTEN, REPAIR, FILTER]
    assert len(chat.requests) == 3
    assert all("<data text " in request.prompt for request in chat.requests)
    assert kb.query("SELECT sum(prompt_tokens) AS tokens FROM question_sets WHERE model = %s", MODEL)[0]["tokens"] > 0
    kb.sync()
    choose(kb, question_model="builtin/rules")
    kb.sync()
    choose(kb, question_model=MODEL)
    kb.sync()
    assert len(chat.requests) == 3
    assert (
        kb.query("SELECT cost_usd FROM question_sets WHERE model = %s", MODEL)[0]["cost_usd"] is None
    )  # unknown price


def test_what_succeeded_beside_a_failure_is_stored(kb: Headwater, chat: ChatServer) -> None:
    """Calls run beside each other; one that fails takes no other's reply with it."""
    chat.otherwise = lambda request: refuses(401) if "lid" in request.prompt else _written([WHEEL])
    choose(kb, question_model=MODEL)
    assert kb.sync("docs")["docs"].state == "failed"
    assert len(kb.query("SELECT FROM question_sets WHERE model = %s", MODEL)) == 1


def test_summaries_are_what_a_model_is_asked_about(kb: Headwater, chat: ChatServer) -> None:
    """Those of documents and of the source; a document whose summary stays is not asked about again."""
    chat.otherwise = _written(["What is described in the docs about the pump?"])
    chat.by_model["spare"] = lambda request: f"Summary {hash(request.prompt)}."
    choose(kb, question_model=MODEL, summary_model=SPARE)
    kb.sync()
    texts = {row["text"] for row in kb.query("SELECT text FROM summaries")}
    prompts = [request.prompt for request in chat.requests if request.model != "spare"]
    assert all(any(text in prompt for text in texts) for prompt in prompts)
    assert len(kb.query("SELECT FROM questions WHERE document_id IS NULL")) == 2
    count = len(chat.requests)
    kb.sync()
    assert len(chat.requests) == count


def test_quoted_summaries_are_not_what_a_model_is_asked_about(kb: Headwater, chat: ChatServer) -> None:
    """They say less than the text: so the questions are those of a knowledge base without summaries, and cost none."""
    chat.otherwise = _written([REPAIR])
    choose(kb, question_model=MODEL, summary_model=None)
    kb.sync()
    count = len(chat.requests)
    choose(kb, summary_model="builtin/extractive")
    kb.sync()
    assert len(chat.requests) == count > 0


def test_an_estimate_counts_what_a_model_is_asked_about(kb: Headwater, chat: ChatServer) -> None:
    """Documents, or their summaries and those of the sources, stored ones and new ones; afterwards nothing is left."""
    client = client_of(kb)

    def estimated() -> tuple[int, list[int]]:
        found: Any = client.get(f"{KB}/summary-estimate").json
        by_source = [one["question_calls"] for one in found["sources"]]
        assert found["question_calls"] == sum(by_source)
        assert found["calls"] >= found["question_calls"]
        assert (found["prompt_tokens"] > 0) == (found["calls"] > 0)
        return found["question_calls"], by_source

    choose(kb, summary_model=None)
    rules: Any = client.get(f"{KB}/summary-estimate").json
    assert (rules["question_model"], rules["question_calls"], rules["sources"]) == ("builtin/rules", 0, [])
    chat.otherwise = json.dumps({"questions": [REPAIR]})
    choose(kb, question_model=MODEL)
    assert estimated() == (3, [2, 1])
    output = CliRunner().invoke(main, ["sync", "kb", "--estimate"]).output
    assert "docs: 2 calls (2 for questions), " in output
    assert "In all at most 3 calls (3 for questions), " in output
    assert f"by {MODEL}." in output
    kb.sync()
    assert len(chat.requests) == 3
    assert estimated() == (0, [0, 0])
    chat.by_model["spare"] = lambda request: f"Summary {hash(request.prompt)}."
    choose(kb, summary_model=SPARE, question_model="builtin/rules")
    kb.sync()
    choose(kb, question_model=MODEL)  # of the summaries that are stored
    assert estimated() == (5, [3, 2, 0])
    choose(kb, summary_tokens=60)  # of new ones
    assert estimated() == (5, [3, 2, 0])
    chat.requests.clear()
    kb.sync()
    assert len([request for request in chat.requests if request.model != "spare"]) == 5
    assert estimated() == (0, [0, 0, 0])


def test_a_killed_sync_loses_no_question_that_was_paid_for(kb: Headwater, chat: ChatServer) -> None:
    """Kill -9 after the first reply: the next sync asks only about the other document."""
    chat.otherwise = lambda request: _written([REPAIR if "lid" in request.prompt else WHEEL])
    choose(kb, question_model=MODEL)
    printed = sync_and_die(kb, "questions", replies=1)
    paid = kb.query("SELECT FROM question_sets WHERE model = %s", MODEL)
    assert (len(paid), len(chat.requests)) == (1, 1), printed
    assert set(offered(kb)) == {REPAIR, OFTEN, FILTER, WHEEL, KEYS}  # nothing changed for readers
    kb.sync()
    assert len(chat.requests) == 3  # the other one, and that of the notes
    assert set(offered(kb)) == {REPAIR, WHEEL}


def test_an_answer_has_related_questions(kb: Headwater) -> None:
    """Of the documents that it cites, never its own; in text too; a refusal has those that are close."""
    client = client_of(kb)

    def asked(question: str, **more: Any) -> Any:
        return client.post(f"{KB}/answers", json={"question": question, **more}).json

    def related(answer: Any) -> list[str]:
        return [one["question"] for one in answer["related_questions"]]

    answer = asked(OFTEN)
    assert set(related(answer)) == {REPAIR, FILTER}
    assert related(client.get(f"/api/v1/answers/{answer['id']}").json) == related(answer)
    assert related(asked(OFTEN)) == related(answer)  # served from the store
    assert OFTEN not in related(asked("How often is the pump being inspected?"))
    refused = asked("Who hung the spare keys of Reykjavik in Berlin?")
    assert refused["refused"]
    assert KEYS in related(refused)
    assert related(asked(OFTEN, as_of=kb.now().isoformat())) == []
    events = client.post(f"{KB}/answers", json={"question": OFTEN, "stream": True}).text
    done = next(line for line in events.split("\n") if '"related_questions"' in line)
    assert {one["question"] for one in json.loads(done.removeprefix("data: "))["related_questions"]} == {REPAIR, FILTER}
    shown = CliRunner().invoke(main, ["ask", "kb", OFTEN], catch_exceptions=False).output
    assert f"You may also ask:\n  {related(answer)[0]}" in shown
    choose(kb, question_model=None)
    assert related(asked(OFTEN)) == []


def test_likely_questions_are_answered_ahead(kb: Headwater) -> None:
    """Those of the documents that readers asked about; they are served at once; a stale one is made again."""
    client = client_of(kb)
    client.post(f"{KB}/answers", json={"question": "Where exactly do the spare keys hang?"})
    choose(kb, answer_ahead=2)
    kb.sync()
    ready = kb.query("SELECT a.question, h.run_id FROM answers_ahead h JOIN answers a ON a.id = h.answer_id")
    assert {row["question"] for row in ready} <= {REPAIR, OFTEN, FILTER, WHEEL, KEYS}
    assert all(row["run_id"] for row in ready)
    likely = [one.question for one in advance_answers.likely_questions(kb.store, kb.knowledge_base, 2)]
    assert likely[0] == KEYS
    answers = [client.post(f"{KB}/answers", json={"question": one}).json for one in likely]
    assert [answer["cached"] for answer in answers] == [True, True]  # type: ignore[index]
    made = len(kb.query("SELECT FROM answers"))
    kb.sync()
    assert len(kb.query("SELECT FROM answers")) == made
    kb.write("notes/keys.md", FILES["notes/keys.md"].replace("north shed", "south shed"))
    kb.sync()
    again: Any = client.post(f"{KB}/answers", json={"question": KEYS}).json
    assert again["cached"]
    assert "south shed" in again["answer"]


def test_answers_ahead_keep_to_their_budget(kb: Headwater, chat: ChatServer) -> None:
    """What has no known price counts by its number; refused questions are not offered; by default none is made."""
    kb.sync()
    assert kb.query("SELECT FROM answers_ahead") == []
    chat.otherwise = "The pump is inspected every third month [1]."
    choose(kb, answer_ahead=2, answer_model=MODEL)
    kb.sync()
    made = kb.query("SELECT a.is_refused, a.question FROM answers_ahead h JOIN answers a ON a.id = h.answer_id")
    assert len(made) == 2
    assert {row["question"] in offered(kb) for row in made if row["is_refused"]} <= {False}
    kb.write("notes/keys.md", FILES["notes/keys.md"].replace("north shed", "south shed"))
    kb.sync()
    assert len(kb.query("SELECT FROM answers_ahead")) == 2
    kb.query("UPDATE answers_ahead SET created_at = created_at - interval '1 day' RETURNING 1")
    kb.sync()
    assert len(kb.query("SELECT FROM answers_ahead")) > 2


def test_an_answer_ahead_is_stored_with_its_mark_or_not_at_all(kb: Headwater, chat: ChatServer) -> None:
    """A process that ends in between leaves no answer that seems to be a reader's; the summary is fresh."""
    kb.sync()
    chat.otherwise = "The pump is inspected every third month [1]."
    choose(kb, answer_ahead=2, answer_model=MODEL)
    looking(kb.store.database.url).execute("ALTER TABLE answers_ahead ADD CHECK (run_id = '')")
    kb.write("notes/keys.md", FILES["notes/keys.md"].replace("north shed", "south shed"))
    assert kb.sync_run()[0].refresh_error is not None
    assert kb.query("SELECT FROM answers") == []
    assert is_current(kb.store, kb.knowledge_base)


def test_a_model_that_answers_nothing_ahead_leaves_the_summary_fresh(kb: Headwater, chat: ChatServer) -> None:
    """The run says which model failed; the summary of the knowledge base does not wait for it."""
    kb.sync()
    chat.otherwise = refuses(401)
    choose(kb, answer_ahead=2, answer_model=MODEL)
    kb.write("notes/keys.md", FILES["notes/keys.md"].replace("north shed", "south shed"))
    assert MODEL in str(kb.sync_run()[0].refresh_error)
    assert is_current(kb.store, kb.knowledge_base)


@pytest.mark.parametrize(
    ("cost", "budget", "is_spent"), [(0.0, 0.0, False), (0.5, 0.51, False), (0.5, 0.5, True), (0.6, 0.5, True)]
)
def test_the_budget_of_the_day_ends_at_its_amount(kb: Headwater, cost: float, budget: float, is_spent: bool) -> None:
    """What costs nothing is never too much."""
    choose(kb, answer_ahead=1, answer_ahead_budget=budget)
    kb.sync()
    kb.query("UPDATE answers SET usage = usage || jsonb_build_object('cost', %s::float8) RETURNING 1", cost)
    assert advance_answers._is_spent(kb.store, kb.knowledge_base) is is_spent


def test_settings_of_questions_fit_together(kb: Headwater) -> None:
    """Without questions there is nothing to answer ahead; a model must exist."""
    with pytest.raises(ValueError, match="needs a question_model"):
        KnowledgeBaseSettings(answer_ahead=1)
    refused = client_of(kb).patch(KB, json={"settings": {"question_model": "builtin/rule"}})
    assert refused.status_code == 422
    assert "Did you mean `builtin/rules`?" in refused.text


def test_a_deleted_source_takes_its_questions_along(kb: Headwater) -> None:
    """They quote it, and so do their vectors; unused questions of texts go with housekeeping."""
    kb.write("docs/wheel.md", "# Wheel\n\nNothing more.\n")
    kb.sync()
    assert kb.store.questions.delete_unused_sets(kb.now() - timedelta(days=1)) == 0
    assert kb.store.questions.delete_unused_sets(kb.now()) == 2  # what the wheel said, and that it says nothing now
    vectors = len(kb.query("SELECT FROM embeddings"))
    assert kb.store.housekeeping.prune_embeddings() < vectors
    assert set(offered(kb)) == {REPAIR, OFTEN, FILTER, KEYS}
    removed = kb.delete("docs").removed
    assert (removed["questions"], removed["suggestions"], removed["question_sets"]) == (3, 3, 1)
    assert offered(kb) == [KEYS]
    left = kb.query(
        "SELECT FROM embeddings e"
        " WHERE NOT EXISTS (SELECT FROM version_entries v WHERE v.embedding_hash = e.text_hash)"
        " AND NOT EXISTS (SELECT FROM suggestions g WHERE g.embedding_hash = e.text_hash)"
    )
    assert left == []
    kb.delete()
    everything = "SELECT FROM questions UNION ALL SELECT FROM suggestions UNION ALL SELECT FROM question_sets UNION ALL"
    assert kb.query(f"{everything} SELECT FROM questioned_documents") == []


def test_a_deletion_and_a_check_of_the_same_question_wait_for_each_other(kb: Headwater) -> None:
    """Both lock a question before its suggestion, so neither ends in a deadlock."""
    index = kb.store.search_indexes.active("kb")
    rows = kb.query(
        "SELECT q.id, g.words, g.embedding_hash, g.vector::real[] AS vector FROM questions q"
        " JOIN suggestions g ON g.question_id = q.id WHERE q.source_id = %s ORDER BY q.ctid",
        kb.source("docs").id,
    )
    first, last = rows[0], rows[-1]
    assert index is not None
    assert first["id"] != last["id"]
    vector = np.asarray(last.pop("vector"), dtype=np.float32)
    check = Check(version_id=None, state=CheckState.NOT_FOUND, vector=vector, **last)
    with ThreadPoolExecutor(2) as pool:
        with kb.store.database.transaction() as session:
            session.connection.execute("SELECT FROM questions WHERE id = %s FOR KEY SHARE", [first["id"]])
            deleting = pool.submit(kb.delete, "docs")
            until(lambda: kb.query("SELECT FROM pg_stat_activity WHERE wait_event = 'transactionid'"))
            checking_too = pool.submit(kb.store.suggestions.put, index, check, Lineage(run_id="r", code_version="1"))
            until(
                lambda: (
                    checking_too.done()
                    or len(kb.query("SELECT FROM pg_stat_activity WHERE wait_event = 'transactionid'")) > 1
                )
            )
        checking_too.result()
        assert deleting.result().removed["questions"] == len(rows)


def test_the_command_shows_questions_and_writes_a_golden_set(
    shared: Headwater, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What `golden load` reads, with the document of each question."""
    monkeypatch.setenv("HEADWATER_HOME", str(shared.settings.home))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", shared.settings.database_url or "")

    def run(*words: str) -> str:
        return CliRunner().invoke(main, ["questions", *words], catch_exceptions=False).output

    assert run("kb", "--like", "spare") == f"{KEYS}  (keys.md)\n"
    assert run("kb", "--like", "zebra") == "No question is like that.\n"
    assert {one["question"] for one in json.loads(run("kb", "--json"))["questions"]} == set(offered(shared))
    file = tmp_path / "golden.jsonl"
    assert run("kb", "--golden", str(file)) == f"Wrote 5 questions to {file}. Read them before you load them.\n"
    golden = {one.question: one.relevant[0].uri for one in read_golden_set(file)}
    assert golden == {REPAIR: "pump.md", OFTEN: "pump.md", FILTER: "pump.md", WHEEL: "wheel.md", KEYS: "keys.md"}
    assert "Leave out --like" in run("kb", "--golden", str(file), "--like", "x")


def _written(questions: list[str]) -> str:
    return json.dumps({"questions": questions})


def _turned(vector: "np.typing.NDArray[np.float32]", cosine: float) -> "np.typing.NDArray[np.float32]":
    """A unit vector with this cosine to another."""
    beside = np.zeros_like(vector)
    beside[0], beside[1] = vector[1], -vector[0]
    beside /= np.linalg.norm(beside)
    turned: np.typing.NDArray[np.float32] = cosine * vector + (1 - cosine**2) ** 0.5 * beside
    return turned


def test_how_close_is_close_enough(shared: Headwater) -> None:
    """Each limit, from both sides: for the same question, for other words, below an answer."""
    (row,) = shared.query(
        "SELECT q.id, q.document_id, g.vector::real[] AS vector"
        " FROM suggestions g JOIN questions q ON q.id = g.question_id WHERE q.question = %s",
        KEYS,
    )
    keys = np.asarray(row["vector"], dtype=np.float32)
    store, owner = shared.store, shared.knowledge_base
    index = store.search_indexes.active("kb")
    assert index is not None
    by = Lineage(run_id="r", code_version="c")
    checker = question_checks._Checker(store, shared.settings, owner, index, by, question_checks.Checked())

    def same(question: str, cosine: float) -> bool:
        asked = QuestionToCheck(
            id=uuid4(), question=question, source="docs", document_id=row["document_id"], version_id=None
        )
        return bool(checker._same(asked, _turned(keys, cosine), ()) == row["id"])

    assert [same("What opens the shed of the warden?", cosine) for cosine in (0.925, 0.915)] == [True, False]
    assert [same("Where does the spare key hang?", cosine) for cosine in (0.81, 0.79)] == [True, False]

    def like(cosine: float) -> bool:
        found = store.suggestions.like(
            owner, ["xyz"], _turned(keys, cosine), similarity=suggester.LIKE_SIMILARITY, source=None, limit=9
        )
        return KEYS in [one.question for one in found]

    assert [like(0.41), like(0.39)] == [True, False]


def test_how_close_a_question_below_an_answer_is(kb: Headwater) -> None:
    """One of a cited document may be further away than one of another."""
    answer = kb.ask(OFTEN)
    vectors = {
        row["question"]: np.asarray(row["vector"], dtype=np.float32)
        for row in kb.query(
            "SELECT q.question, g.vector::real[] AS vector FROM suggestions g JOIN questions q ON q.id = g.question_id"
        )
    }

    def related(question: str, cosine: float) -> bool:
        found = kb.store.suggestions.related(
            answer.id,
            _turned(vectors[question], cosine),
            similarity=suggester.RELATED_SIMILARITY,
            cited_similarity=suggester.CITED_SIMILARITY,
            limit=9,
        )
        return question in [one.question for one in found]

    assert [related(KEYS, 0.51), related(KEYS, 0.49)] == [True, False]
    assert [related(FILTER, 0.21), related(FILTER, 0.19)] == [True, False]


def test_an_answer_has_at_most_four_related_questions(kb: Headwater) -> None:
    """However many there are."""
    parts = ["valve", "lid", "hose", "wheel", "motor", "drain"]
    sections = "".join(f"## Replace the {part} of the pump\n\nTake the {part} of the pump off.\n\n" for part in parts)
    kb.write("docs/pump.md", FILES["docs/pump.md"] + "\n" + sections)
    choose(kb, questions_per_document=20)
    kb.sync()
    asked: Any = client_of(kb).post(f"{KB}/answers", json={"question": OFTEN}).json
    assert len(asked["related_questions"]) == 4
