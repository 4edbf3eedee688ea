"""Answers that are served again, and why they become stale (ANS-2)."""

import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from cli.commands.answers import answers_text
from headwater.administration.sources import SourceEdit, change_source
from headwater.answering import reuse
from headwater.answering.reuse import hash_code
from headwater.models_gateway.hash_embedder import HashEmbedder
from headwater.settings import Settings
from query_api.app import create_app
from tests.chat_server import MODEL, ChatServer, refuses
from tests.chat_server import SPARE as FALLBACK
from tests.support import Headwater

KB = "/api/v1/knowledge-bases/kb"
LIFTS = "How many litres of water does the pump lift per minute?"
SPARE = "Where do the spare keys hang?"
FILES = {
    "docs/pump.md": "# Pump manual\n\nThe pump lifts forty litres of water per minute.\n",
    "docs/wheel.md": "# Wheel manual\n\nThe wheel measures three metres across.\n",
    "notes/keys.md": "# Keys\n\nThe spare keys hang in the north shed.\n",
}

pytestmark = pytest.mark.synced("docs", "notes", files=FILES)


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


def asked(client: FlaskClient, question: str = LIFTS, **more: Any) -> dict[str, Any]:
    """The answer over HTTP."""
    response = client.post(f"{KB}/answers", json={"question": question, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json  # type: ignore[assignment]
    return found


def choose(kb: Headwater, **settings: Any) -> None:
    """Change settings of the knowledge base."""
    chosen = kb.knowledge_base.settings.model_copy(update=settings)
    kb.store.knowledge_bases.update("kb", settings=type(chosen).model_validate(chosen.model_dump()))


def read(client: FlaskClient, answer: dict[str, Any]) -> dict[str, Any]:
    """The same answer, read again: there is a reason exactly if SQL, which decides about serving, finds it stale."""
    found: dict[str, Any] = client.get(f"/api/v1/answers/{answer['id']}").json  # type: ignore[assignment]
    listed: Any = client.get(f"{KB}/answers?limit=200").json
    (stale,) = (item["stale"] for item in listed["answers"] if item["id"] == answer["id"])
    assert stale == found["stale"] == bool(found["stale_because"])
    return found


def test_the_same_question_gets_the_same_answer(kb: Headwater, client: FlaskClient) -> None:
    """With the same id and citations, marked as cached, whatever its case, spaces and end marks."""
    first = asked(client)
    assert not first["cached"]
    for question in (LIFTS, LIFTS.upper(), f"  {LIFTS.rstrip('?')} "):
        again = asked(client, question)
        assert (again["cached"], again["id"], again["stale"]) == (True, first["id"], False)
        assert {**again, "cached": False} == first
    assert kb.query("SELECT count(*) AS n FROM answers")[0]["n"] == 1


def test_another_wording_gets_the_same_answer(
    kb: Headwater, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A near-duplicate by its vector, but not a question that names something else."""
    first = asked(client)
    assert asked(client, "Please tell me how many litres of water the pump lifts per minute")["id"] != first["id"]
    near = asked(client, "How many litres of the water does a pump lift per minute?")
    assert (near["cached"], near["id"]) == (True, first["id"])
    monkeypatch.setattr(reuse, "_MIN_SIMILARITY", 0.5)  # their vectors are similar enough, so that the words decide
    for other in ("How many litres of oil does the pump lift per minute?", LIFTS.replace("minute", "hour")):
        assert not asked(client, other)["cached"]


def test_what_decides_an_answer_belongs_to_its_identity(kb: Headwater, client: FlaskClient) -> None:
    """Other filters, another setting that may change an answer, a request for a fresh one: it is made anew."""
    first = asked(client)
    assert not asked(client, filters={"sources": ["docs"]})["cached"]
    fresh = asked(client, fresh=True)
    assert (fresh["cached"], fresh["id"] != first["id"]) == (False, True)
    assert asked(client)["id"] == fresh["id"], "the newest is served"
    settings: tuple[dict[str, Any], ...] = (
        {"trust_floor": 0.3}, {"prompts": {"answer": "Answer $question from $context."}}, {"reuse_answers": False},
    )  # fmt: skip
    for changed in settings:
        choose(kb, **changed)
        assert not asked(client)["cached"], changed


def test_an_answer_from_before_the_summaries_is_not_served_behind_them(headwater: Callable[..., Headwater]) -> None:
    """Those of a new source are made a little after its documents can be asked."""
    kb = headwater("docs", "notes", files=FILES, summary_model=None)
    kb.sync()
    client = create_app(kb.settings).test_client()
    first = asked(client)
    assert asked(client)["cached"]
    choose(kb, summary_model="builtin/extractive")
    assert asked(client)["id"] == first["id"]
    kb.sync("docs")
    again = asked(client)
    assert not again["cached"]
    assert asked(client)["id"] == again["id"]


def test_settings_that_change_no_answer_and_a_new_name_keep_it(kb: Headwater, client: FlaskClient) -> None:
    """The order of filters, how searches are shown, and the knowledge base's name (KB-1)."""
    sources = ["docs", "notes"]
    first = asked(client, filters={"sources": sources})
    choose(kb, quote_when_model_fails=False)
    kb.store.knowledge_bases.update("kb", new_slug="machines")
    body = {"question": LIFTS, "filters": {"sources": sources[::-1]}}
    assert client.post("/api/v1/knowledge-bases/machines/answers", json=body).json["id"] == first["id"]  # type: ignore[index]


def test_past_answers_and_refusals_are_made_anew(kb: Headwater, client: FlaskClient) -> None:
    """Refusals are cheap; a question about the past is about that time, so later documents do not make it stale."""
    question = "What is the capital of France?"
    assert asked(client, question)["id"] != asked(client, question)["id"]
    assert kb.query("SELECT request_hash, options_hash, question_vector FROM answers LIMIT 1") == [
        {"request_hash": None, "options_hash": None, "question_vector": None}
    ]  # so that the look for a stored answer does not read them
    moment = kb.now().isoformat()
    past = asked(client, as_of=moment)
    assert not asked(client, as_of=moment)["cached"]
    kb.write("pump.md", "# Pump manual\n\nThe pump lifts fifty litres of water per minute.\n")
    kb.sync("docs")
    assert not read(client, past)["stale"]


def test_new_documents_make_every_answer_of_their_source_stale(kb: Headwater, client: FlaskClient) -> None:
    """The answer says which source and when, and is made anew; one that was filtered by another source stays."""
    whole, of_notes = asked(client), asked(client, SPARE, filters={"sources": ["notes"]})
    kb.write("mill.md", "# Mill\n\nThe mill grinds at night.\n")
    kb.sync()
    stale = read(client, whole)
    assert stale["stale"]
    (reason,) = stale["stale_because"]
    assert re.fullmatch(
        "Documents of source docs, or its tags or category, were added or changed after this answer, last at "
        r"20\d\d-\d\d-\d\d \d\d:\d\d UTC\.",
        reason,
    )
    assert client.get(f"/api/v1/answers/{whole['id']}/lineage").json["stale_because"] == [reason]  # type: ignore[index]
    assert asked(client, SPARE, filters={"sources": ["notes"]})["id"] == of_notes["id"]
    new = asked(client)
    assert (new["cached"], new["id"] != whole["id"]) == (False, True)
    assert asked(client)["id"] == new["id"]
    assert kb.sync()["docs"].rows_written == 0
    assert asked(client)["cached"], "a sync without changes changes no answer"


def test_a_new_source_makes_answers_stale_once_it_has_documents(kb: Headwater, client: FlaskClient) -> None:
    """Not when it is registered: there is nothing new to answer from yet."""
    first = asked(client)
    (kb.folder / "attic").mkdir()
    kb.write("attic/a.md", "# Attic\n\nThe attic is dry.\n")
    config = {"path": str(kb.folder / "attic")}
    kb.store.sources.create("kb", slug="attic", kind="markdown_tree", config=config)
    assert asked(client)["id"] == first["id"]
    kb.sync("attic")
    assert read(client, first)["stale_because"][0].startswith("Documents of source attic")
    assert not asked(client)["cached"]


def test_a_cited_document_that_disappears_makes_only_its_answers_stale(kb: Headwater, client: FlaskClient) -> None:
    """Nothing new was published, so the others stay (by cited version)."""
    gone, kept = asked(client), asked(client, "How many metres does the wheel measure across?")
    assert kept["citations"][0]["uri"] == "wheel.md"
    kb.remove("pump.md")
    kb.sync("docs")
    (reason,) = read(client, gone)["stale_because"]
    assert reason.startswith("pump.md of source docs, cited as [1], disappeared from its source at 20")
    assert asked(client, "How many metres does the wheel measure across?")["id"] == kept["id"]
    assert asked(client)["id"] != gone["id"]


def test_an_edited_document_names_itself(kb: Headwater, client: FlaskClient) -> None:
    """The reason names the document before its source."""
    first = asked(client)
    kb.write("pump.md", "# Pump manual\n\nThe pump lifts fifty litres of water per minute.\n")
    kb.sync("docs")
    document, source = read(client, first)["stale_because"]
    assert document.startswith("pump.md of source docs, cited as [1], was changed at 20")
    assert source.startswith("Documents of source docs")
    assert "fifty" in asked(client)["answer"]


def test_a_deleted_source_makes_only_the_answers_stale_that_cite_it(kb: Headwater, client: FlaskClient) -> None:
    """The others are served on (SRC-12)."""
    kept, gone = asked(client), asked(client, SPARE)
    kb.delete("notes")
    (reason,) = read(client, gone)["stale_because"]
    assert reason.startswith("Source notes, which this answer cites, was deleted at 20")
    assert asked(client)["id"] == kept["id"]
    assert client.post(f"{KB}/answers", json={"question": SPARE}).json["id"] != gone["id"]  # type: ignore[index]


def test_other_tags_of_a_source_make_answers_stale(kb: Headwater, client: FlaskClient) -> None:
    """A filter by tag selects other documents then, although none was published."""
    asked(client)
    change_source(kb.store, "kb", "docs", SourceEdit(settings={"tags": ["machines"]}))
    assert not asked(client)["cached"]


def test_another_index_is_another_identity(kb: Headwater, client: FlaskClient) -> None:
    """An answer from the index before is not served, but it is not stale either: its documents are the same."""
    first = asked(client)
    choose(kb, chunk_max=800)
    kb.sync()
    choose(kb, chunk_max=1000)
    assert kb.store.search_indexes.active("kb").chunk_settings["maximum"] == 800  # type: ignore[union-attr]
    assert not read(client, first)["stale"]
    assert not asked(client)["cached"]


@pytest.mark.dagster
def test_a_question_that_is_not_stored_stands_nowhere(kb: Headwater, client: FlaskClient) -> None:
    """With `store_questions: false`, no row has its words, and the answer can still be traced."""
    choose(kb, store_questions=False)
    key = {"Idempotency-Key": "k"}
    answer = client.post(f"{KB}/answers", json={"question": f"{LIFTS} Xylophon?"}, headers=key).json
    refusal = asked(client, "Who paints the zebra Ymir?")
    assert answer is not None
    assert (answer["refused"], answer["question"], refusal["refused"]) == (False, "", True)
    assert [c["uri"] for c in client.get(f"/api/v1/answers/{answer['id']}/lineage").json["citations"]] == ["pump.md"]  # type: ignore[index]
    dump = kb.dump().lower()
    assert "xylophon" not in dump
    assert "ymir" not in dump
    assert "zebra" not in dump
    assert not asked(client, f"{LIFTS} Xylophon?")["cached"]
    row = kb.query("SELECT request_hash, options_hash, question_vector FROM answers WHERE request_hash IS NOT NULL")
    assert row == []


def test_answers_are_listed_in_pages(kb: Headwater, client: FlaskClient) -> None:
    """Newest first, each with its title and whether it is stale; the command prints the same."""
    answers = [asked(client), asked(client, SPARE), asked(client, "What is the capital of France?")]
    kb.remove("pump.md")
    kb.sync("docs")
    path = f"{KB}/answers?limit=2"
    first: Any = client.get(path).json
    second: Any = client.get(f"{path}&after={first['next']}").json
    listed = [*first["answers"], *second["answers"]]
    assert [item["id"] for item in listed] == [answer["id"] for answer in reversed(answers)]
    assert [(item["refused"], item["stale"]) for item in listed] == [(True, False), (False, False), (False, True)]
    assert second["next"] is None
    text = answers_text(first, "kb").splitlines()
    assert text[0].endswith("What is the capital of France? (refused: nothing_relevant)")
    assert text[2] == f"Older ones: headwater answers kb --after {first['next']}"
    assert client.get(f"{path}&after={uuid.UUID(int=7)}").json["answers"] == []  # type: ignore[index]


def test_an_answer_of_an_older_release_is_neither_served_nor_stale(kb: Headwater, client: FlaskClient) -> None:
    """It has no revisions: it is stale only as far as that release knew, after a cited source was deleted."""
    old = asked(client)
    kb.query("UPDATE answers SET request_hash = NULL, options_hash = NULL, source_revisions = NULL RETURNING id")
    kb.write("mill.md", "# Mill\n\nThe mill grinds at night.\n")
    kb.sync()
    assert (read(client, old)["stale"], asked(client)["id"] != old["id"]) == (False, True)
    kb.delete("docs")
    assert read(client, old)["stale"]


def test_other_code_makes_another_answer(tmp_path: Path) -> None:
    """A module or a query that is changed, added or renamed counts; other files do not."""
    hashes = []
    for name, text in (("a.py", "1"), ("a.py", "2"), ("find.sql", "SELECT 1"), ("b.py", "2")):
        (tmp_path / name).write_text(text)
        hashes.append(hash_code(tmp_path))
    (tmp_path / "a.py").rename(tmp_path / "c.py")
    hashes.append(hash_code(tmp_path))
    (tmp_path / "notes.txt").write_text("Nothing.")
    assert len(set(hashes)) == len(hashes)
    assert hash_code(tmp_path) == hashes[-1]


def test_an_answer_of_a_chat_model_is_served_again_unless_a_fallback_made_it(
    kb: Headwater, client: FlaskClient, chat: ChatServer
) -> None:
    """The first model may be available again; another prompt asks the model again."""
    choose(kb, answer_model=MODEL, answer_fallbacks=(FALLBACK,))
    chat.by_model = {"stub": refuses(500), "spare": "The pump lifts forty litres [1]."}
    assert asked(client)["model"] == FALLBACK
    chat.by_model["stub"] = "The pump lifts 40 litres of water [1]."
    first = asked(client)
    assert (first["cached"], first["model"]) == (False, MODEL)
    calls = len(chat.requests)
    assert asked(client)["id"] == first["id"]
    assert len(chat.requests) == calls
    choose(kb, prompts={"answer": "Answer $question from $context."})
    assert not asked(client)["cached"]


def test_an_identical_question_needs_no_model(
    kb: Headwater, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found by a hash; the model is not asked for a vector."""
    first = asked(client)

    def fail(*_: object) -> None:
        raise AssertionError("the model was used")

    monkeypatch.setattr(HashEmbedder, "embed", fail)
    assert asked(client)["id"] == first["id"]
