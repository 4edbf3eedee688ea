"""Conversations over HTTP and by command: trees of turns, exports, limits, deletion (CNV-1)."""

import json
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.administration.keys import create_key
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_task import AnswerTask
from headwater.answering.answer_tasks import AnswerTasks
from headwater.answering.conversation_questions import in_conversation
from headwater.answering.quote_answerer import QuoteAnswerer
from headwater.domain.access import Scope
from headwater.domain.conversations import MAX_TURNS, TITLE_LIMIT
from headwater.errors import ConflictError, HeadwaterError
from query_api.app import create_app
from tests.chat_server import ChatRequest, ChatServer
from tests.paced import WORDS, Paced
from tests.support import Headwater

FILES = {
    "linux.md": "# Install on Linux\n\nTo install the pump driver on Linux, run `apt install pump`.\n",
    "windows.md": "# Install on Windows\n\nTo install the pump driver on Windows, run the file setup.exe.\n",
    "mill.md": "# Mill\n\nThe wheel of the mill measures three metres across.\n",
}
FIRST = "How do I install the pump driver on Linux?"
NEXT = "And on Windows?"
MILL = "How many metres does the wheel of the mill measure?"
WHOLE = "How do I install the pump driver on Windows?"
KB = "/api/v1/knowledge-bases/kb"

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """A client of the app."""
    return create_app(kb.settings).test_client()


@pytest.fixture
def talk(client: FlaskClient) -> str:
    """The id of a new conversation."""
    made = client.post(f"{KB}/conversations", json={})
    assert made.status_code == 201
    assert made.headers["Location"] == f"/api/v1/conversations/{_json(made)['id']}"
    return str(_json(made)["id"])


def _json(response: Any, status: int | None = None) -> Any:
    assert status is None or response.status_code == status, response.data
    return response.json


def _ask(client: FlaskClient, question: str, *, status: int = 200, **more: Any) -> Any:
    return _json(client.post(f"{KB}/answers", json={"question": question, **more}), status)


def _read(client: FlaskClient, talk: str) -> Any:
    return _json(client.get(f"/api/v1/conversations/{talk}"), 200)


def _command(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == status, (done.output, done.exception)
    return done.stdout if status == 0 else done.output


def test_a_follow_up_is_understood_with_the_turns_before_it(client: FlaskClient, talk: str) -> None:
    """The conversation shows the question as it was asked and as it was searched for; its first one is its title."""
    first = _ask(client, FIRST, conversation=talk)
    second = _ask(client, NEXT, conversation=talk)
    assert (first["conversation_id"], first["parent_id"]) == (talk, None)
    assert (second["parent_id"], second["search_text"]) == (first["id"], WHOLE)
    assert second["cited"][0]["uri"] == "windows.md"
    found = _read(client, talk)
    assert (found["title"], found["turn_count"]) == (FIRST, 2)
    assert [(turn["id"], turn["question"], turn["search_text"]) for turn in found["turns"]] == [
        (first["id"], FIRST, FIRST),
        (second["id"], NEXT, WHOLE),
    ]
    assert [turn["cited"] for turn in found["turns"]] == [first["cited"], second["cited"]]
    assert _json(client.get(f"/api/v1/answers/{second['id']}"), 200)["parent_id"] == first["id"]


def test_a_turn_asked_again_from_an_earlier_one_is_a_branch(client: FlaskClient, talk: str) -> None:
    """Both versions stay, and a question sees only the turns of its own branch."""
    first = _ask(client, FIRST, conversation=talk)
    other = _ask(client, MILL, conversation=talk, parent=first["id"])
    again = _ask(client, NEXT, conversation=talk, parent=first["id"])
    assert again["search_text"] == WHOLE
    afresh = _ask(client, NEXT, conversation=talk, parent=None)
    assert (afresh["parent_id"], afresh["search_text"]) == (None, NEXT)
    after = _ask(client, "Is it heavy?", conversation=talk, parent=other["id"])
    assert "mill" in after["search_text"]
    assert "Windows" not in after["search_text"]
    parents = {turn["id"]: turn["parent_id"] for turn in _read(client, talk)["turns"]}
    assert parents == {
        first["id"]: None,
        other["id"]: first["id"],
        again["id"]: first["id"],
        afresh["id"]: None,
        after["id"]: other["id"],
    }


def test_only_the_questions_and_the_last_answer_reach_the_model(
    kb: Headwater, client: FlaskClient, talk: str, chat: ChatServer
) -> None:
    """The prompt has the path from the beginning to the parent, and of its answers only the last."""
    first = _ask(client, FIRST, conversation=talk)
    second = _ask(client, NEXT, conversation=talk)
    prompts: list[str] = []

    def reply(request: ChatRequest) -> str:
        prompts.append(request.prompt)
        return json.dumps({"search_text": "How do I remove the pump driver on Windows?", "grades": []})

    chat.by_model["cheap"] = reply
    settings = kb.knowledge_base.settings.model_copy(update={"cheap_model": "openai/cheap"})
    kb.store.knowledge_bases.update(kb.slug, settings=settings)
    third = _ask(client, "And how do I remove it?", conversation=talk)
    assert third["search_text"] == "How do I remove the pump driver on Windows?"
    assert FIRST in prompts[0]
    assert NEXT in prompts[0]
    assert "setup.exe" in prompts[0]
    assert "apt install" not in prompts[0]
    assert "apt install" in first["answer"]
    assert "setup.exe" in second["answer"]


def test_answers_of_a_conversation_are_not_shared(client: FlaskClient, talk: str) -> None:
    """None is served from the store, and none is put where the same question of others finds it."""
    mine = _ask(client, FIRST, conversation=talk)
    others = _ask(client, FIRST)
    assert (mine["cached"], others["cached"]) == (False, False)
    assert _ask(client, FIRST)["id"] == others["id"]
    again = _ask(client, FIRST, conversation=talk)
    assert again["cached"] is False
    assert again["id"] not in (mine["id"], others["id"])


def test_a_stream_makes_a_turn_as_json_does(client: FlaskClient, talk: str) -> None:
    """`done` has the same fields; what is wrong with the conversation is said before the stream begins."""
    _ask(client, FIRST, conversation=talk)
    body = {"question": NEXT, "conversation": talk, "stream": True}
    response = client.post(f"{KB}/answers", json=body)
    events = response.text
    assert response.mimetype == "text/event-stream"
    done = json.loads(events.partition("event: done\ndata: ")[2].partition("\n")[0])
    assert (done["search_text"], done["conversation_id"]) == (WHOLE, talk)
    assert _read(client, talk)["turns"][1]["id"] == done["id"]
    missing = client.post(f"{KB}/answers", json={**body, "conversation": str(uuid.uuid4())})
    assert (missing.status_code, _json(missing)["code"]) == (404, "NOT_FOUND")


def test_what_does_not_fit_a_conversation_is_refused(kb: Headwater, client: FlaskClient, talk: str) -> None:
    """History beside it, a parent without it, turns and conversations of others, a knowledge base without questions."""
    history = [{"question": FIRST}]
    refused = _ask(client, NEXT, status=422, conversation=talk, history=history)
    assert (refused["code"], "not both" in refused["detail"]) == ("INVALID_INPUT", True)
    alone = _ask(client, NEXT, status=422, parent=str(uuid.uuid4()))
    assert "name the conversation too" in alone["detail"]
    stranger = _ask(client, FIRST)
    other = _ask(client, NEXT, status=404, conversation=talk, parent=stranger["id"])
    assert "has no turn" in other["detail"]
    client.post("/api/v1/knowledge-bases", json={"slug": "other"})
    elsewhere = client.post("/api/v1/knowledge-bases/other/answers", json={"question": FIRST, "conversation": talk})
    assert (elsewhere.status_code, _json(elsewhere)["detail"]) == (404, f"other has no conversation {talk}.")
    settings = kb.knowledge_base.settings.model_copy(update={"store_questions": False})
    kb.store.knowledge_bases.update(kb.slug, settings=settings)
    assert "store_questions" in _ask(client, NEXT, status=409, conversation=talk)["detail"]
    begun = client.post(f"{KB}/conversations", json={"title": "Mine"})
    assert (begun.status_code, "store_questions" in _json(begun)["detail"]) == (409, True)
    assert _read(client, talk)["turns"] == []


def test_two_questions_at_once_do_not_become_a_branch(kb: Headwater, client: FlaskClient, talk: str) -> None:
    """The second is told that another was asked; turns are in the order in which they were asked."""
    first = _ask(client, FIRST, conversation=talk)
    late = in_conversation(kb.store, AnswerRequest(knowledge_base=kb.knowledge_base, question=NEXT), uuid.UUID(talk))
    second = _ask(client, NEXT, conversation=talk)
    assert (second["parent_id"], str(late.parent_id)) == (first["id"], first["id"])
    run = AnswerTask(kb.store, kb.settings, AnswerMaker(kb.store, kb.settings, late, QuoteAnswerer(kb.settings)))
    with pytest.raises(ConflictError, match="Another question was asked"):
        run.begin_turn()
    assert [turn["id"] for turn in _read(client, talk)["turns"]] == [first["id"], second["id"]]


def test_limits_are_told(kb: Headwater, client: FlaskClient, talk: str) -> None:
    """Of a title, and of the turns of a conversation (CNV-1)."""
    for title in ("x" * (TITLE_LIMIT + 1), "  "):
        refused = client.post(f"{KB}/conversations", json={"title": title})
        assert (refused.status_code, _json(refused)["code"]) == (422, "INVALID_INPUT")
    first = _ask(client, FIRST, conversation=talk)
    kb.query(
        "INSERT INTO answers (knowledge_base_id, question, answer, is_refused, passages, model, embedding_model, usage,"
        " timings_ms, conversation_id, parent_id) SELECT knowledge_base_id, 'q', '', true, '[]', 'm', '', '{}', '{}',"
        " conversation_id, id FROM answers, generate_series(2, %s) RETURNING 1",
        MAX_TURNS,
    )
    full = _ask(client, NEXT, status=409, conversation=talk, parent=first["id"])
    assert (full["code"], f"has {MAX_TURNS} turns" in full["detail"]) == ("CONFLICT", True)
    assert _read(client, talk)["turn_count"] == MAX_TURNS


def test_a_failed_question_stays_with_its_reason(client: FlaskClient, talk: str) -> None:
    """The turn says what became of it, and the next question does not follow from nothing."""
    failed = _ask(client, FIRST, status=422, conversation=talk, filters={"sources": ["nowhere"]})
    (turn,) = _read(client, talk)["turns"]
    assert (turn["state"], turn["error_detail"]) == ("failed", failed["detail"])
    assert _ask(client, NEXT, conversation=talk)["search_text"] == WHOLE


def test_conversations_are_listed_searched_and_renamed(client: FlaskClient) -> None:
    """The one that was asked last comes first; a text is found in titles, questions and answers."""
    ids = [_json(client.post(f"{KB}/conversations", json={"title": f"Talk {n}"}))["id"] for n in range(3)]
    _ask(client, FIRST, conversation=ids[0])
    page = _json(client.get(f"{KB}/conversations?limit=2"), 200)
    assert [one["id"] for one in page["conversations"]] == [ids[0], ids[2]]
    rest = _json(client.get(f"{KB}/conversations?limit=2&after={page['next']}"), 200)
    assert ([one["id"] for one in rest["conversations"]], rest["next"]) == ([ids[1]], None)

    def found(text: str) -> list[str]:
        listed = _json(client.get(f"{KB}/conversations", query_string={"query": text}), 200)
        return [one["id"] for one in listed["conversations"]]

    assert found("talk 1") == [ids[1]]
    assert found("DRIVER on linux") == [ids[0]]
    assert found("apt install") == [ids[0]]
    assert found("100%") == []
    renamed = client.patch(f"/api/v1/conversations/{ids[1]}", json={"title": " Pumps "})
    assert (renamed.status_code, _json(renamed)["title"]) == (200, "Pumps")
    assert found("pumps") == [ids[1]]
    assert client.patch(f"/api/v1/conversations/{uuid.uuid4()}", json={"title": "x"}).status_code == 404


def test_a_conversation_is_exported(client: FlaskClient, talk: str) -> None:
    """As JSON like `GET`, and as markdown: each turn with its sources, and where a branch goes on."""
    first = _ask(client, FIRST, conversation=talk)
    second = _ask(client, NEXT, conversation=talk)
    _ask(client, MILL, conversation=talk, parent=first["id"])
    client.put(f"/api/v1/answers/{second['id']}/feedback", json={"vote": "down", "comment": "too *short*"})
    exported = client.get(f"/api/v1/conversations/{talk}/export")
    assert (exported.mimetype, _json(exported)) == ("application/json", _read(client, talk))
    markdown = client.get(f"/api/v1/conversations/{talk}/export?format=markdown")
    assert markdown.mimetype == "text/markdown"
    assert markdown.headers["Content-Disposition"] == f'attachment; filename="conversation-{talk}.md"'
    parts = markdown.text.split("\n\n")
    assert parts[0] == f"# {FIRST}"
    assert [part for part in parts if part.startswith("## ")] == [
        f"## 1. {FIRST}",
        f"## 2. {NEXT}",
        f"## 3. {MILL}",
    ]
    assert f"*Searched for: {WHOLE}*" in parts
    assert "*Follows question 1, instead of question 2.*" in parts
    assert "*Voted down: too \\*short\\**" in parts
    assert "- [1] Install on Windows, L3: windows.md" in markdown.text
    assert client.get(f"/api/v1/conversations/{talk}/export?format=pdf").status_code == 422


def test_deleting_a_conversation_deletes_its_turns(kb: Headwater, client: FlaskClient, talk: str) -> None:
    """With their citations, the feedback on them and what repeats of requests would get; other answers stay."""
    other = _ask(client, FIRST)
    body = {"question": FIRST, "conversation": talk}
    mine = _json(client.post(f"{KB}/answers", json=body, headers={"Idempotency-Key": "k"}), 200)
    _ask(client, NEXT, conversation=talk)
    client.put(f"/api/v1/answers/{mine['id']}/feedback", json={"vote": "up"})
    deleted = client.delete(f"/api/v1/conversations/{talk}")
    assert (deleted.status_code, _json(deleted)["turn_count"]) == (200, 2)
    assert [row["id"] for row in kb.query("SELECT id FROM answers")] == [uuid.UUID(other["id"])]
    for table in ("conversations", "feedback", "kept_responses"):
        assert kb.query(f"SELECT count(*) AS n FROM {table}")[0]["n"] == 0, table
    assert {row["answer_id"] for row in kb.query("SELECT answer_id FROM citations")} == {uuid.UUID(other["id"])}
    assert client.delete(f"/api/v1/conversations/{talk}").status_code == 404


def test_a_conversation_that_is_deleted_while_it_answers_leaves_nothing(kb: Headwater, talk: str) -> None:
    """Its answer ends with a reason, whichever process makes it, and is not stored again."""
    request = AnswerRequest(knowledge_base=kb.knowledge_base, question=FIRST)
    runs, paced = AnswerTasks(kb.store, kb.settings), Paced(let=3)
    run = runs.start(in_conversation(kb.store, request, uuid.UUID(talk)), paced, is_followed=True)
    kb.store.conversations.remove(uuid.UUID(talk))
    paced.let()
    with pytest.raises(HeadwaterError, match=f"{talk} was deleted|There is no answer"):
        run.result()
    assert kb.query("SELECT count(*) AS n FROM answers")[0]["n"] == 0


def test_deleting_a_knowledge_base_deletes_its_conversations(kb: Headwater, client: FlaskClient, talk: str) -> None:
    """The receipt counts them."""
    first = _ask(client, FIRST, conversation=talk)
    _ask(client, NEXT, conversation=talk)
    client.put(f"/api/v1/answers/{first['id']}/feedback", json={"vote": "up"})
    removed = kb.delete().removed
    assert {name: removed[name] for name in ("answers", "conversations", "feedback")} == {
        "answers": 2,
        "conversations": 1,
        "feedback": 1,
    }
    assert client.get(f"/api/v1/conversations/{talk}").status_code == 404


def test_a_conversation_begins_once_for_a_key(client: FlaskClient) -> None:
    """A repeat with the same Idempotency-Key gets the first one (API-1)."""
    ids = {
        _json(client.post(f"{KB}/conversations", json={}, headers={"Idempotency-Key": "k"}), 201)["id"] for _ in (1, 2)
    }
    assert len(ids) == 1


def test_commands_do_what_the_api_does(client: FlaskClient, tmp_path: Path) -> None:
    """Begin, ask, list, show, rename, export and delete (API-7)."""
    assert "has no conversations" in _command("conversations", "list", "kb")
    talk = json.loads(_command("conversations", "new", "kb", "--json"))["id"]
    first = json.loads(_command("ask", "kb", FIRST, "--conversation", talk, "--json"))
    second = json.loads(_command("ask", "kb", NEXT, "--conversation", talk, "--json"))
    branch = json.loads(_command("ask", "kb", NEXT, "--conversation", talk, "--parent", first["id"], "--json"))
    root = json.loads(_command("ask", "kb", NEXT, "--conversation", talk, "--parent", "none", "--json"))
    assert [one["parent_id"] for one in (second, branch, root)] == [first["id"], first["id"], None]
    assert "neither the id" in _command("ask", "kb", NEXT, "--conversation", talk, "--parent", "x", status=2)
    assert json.loads(_command("conversations", "show", talk, "--json")) == _read(client, talk)
    assert f"## 2. {NEXT}" in _command("conversations", "show", talk)
    assert "1 to 200" in _command("conversations", "rename", talk, " ", status=2)
    assert "Pumps (4 questions)" in _command("conversations", "rename", talk, "Pumps")
    assert talk in _command("conversations", "list", "kb", "--query", "setup.exe")
    file = tmp_path / "talk.md"
    assert _command("conversations", "export", talk, str(file)) == f"Wrote 4 turns to {file}.\n"
    assert file.read_text(encoding="utf-8") == client.get(f"/api/v1/conversations/{talk}/export?format=markdown").text
    assert json.loads(_command("conversations", "export", talk, "-", "--format", "json")) == _read(client, talk)
    assert "Deleted" in _command("conversations", "delete", talk)
    assert client.get(f"/api/v1/conversations/{talk}").status_code == 404


_DYING = """
import os, signal, sys, time
from uuid import UUID
from headwater.answering.conversation_questions import in_conversation
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_tasks import AnswerTasks
from headwater.settings import Settings
from headwater.store.store import open_store
from tests.paced import WORDS, Paced

settings = Settings.from_env()
with open_store(settings) as store:
    request = AnswerRequest(knowledge_base=store.knowledge_bases.get("kb"), question=sys.argv[1])
    words = int(sys.argv[3])
    run = AnswerTasks(store, settings).start(in_conversation(store, request, UUID(sys.argv[2])), Paced(let=words))
    while store.answers.get(run.id).answer != "".join(WORDS[:words]):
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("words", [0, 7])
def test_a_killed_process_leaves_the_turn(kb: Headwater, client: FlaskClient, talk: str, words: int) -> None:
    """Kill -9 before the first word or in mid-answer: the turn stays, interrupted, and can be followed."""
    command = [sys.executable, "-c", _DYING, FIRST, talk, str(words)]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert killed.returncode == -9, killed.stderr
    kb.query("UPDATE answers SET saved_at = saved_at - interval '11 s' RETURNING 1")
    (turn,) = _read(client, talk)["turns"]
    assert (turn["state"], turn["question"], turn["answer"]) == ("interrupted", FIRST, "".join(WORDS[:words]))
    assert "*This answer was interrupted." in client.get(f"/api/v1/conversations/{talk}/export?format=markdown").text
    assert _ask(client, NEXT, conversation=talk)["search_text"] == WHOLE


def test_a_shared_conversation_has_a_link_until_it_is_withdrawn(client: FlaskClient, talk: str) -> None:
    """Sharing again gives the same link; after it was withdrawn, there is another one (UI-1)."""
    assert _json(client.get(f"/api/v1/conversations/{talk}"), 200)["shared"] is None
    link = _json(client.put(f"/api/v1/conversations/{talk}/share"), 200)["shared"]
    assert re.fullmatch(r"/shared/[\w-]{32}", link)
    assert _json(client.put(f"/api/v1/conversations/{talk}/share"), 200)["shared"] == link
    assert _json(client.delete(f"/api/v1/conversations/{talk}/share"), 200)["shared"] is None
    assert _json(client.put(f"/api/v1/conversations/{talk}/share"), 200)["shared"] != link


def test_only_keys_that_may_share_are_offered_a_link(kb: Headwater, client: FlaskClient) -> None:
    """A key to read sees how to export, rename and delete its conversation, not how to share it."""
    for scope in (Scope.READ, Scope.WRITE):
        bearer = {"Authorization": f"Bearer {create_key(kb.store, scope.value, scope).text}"}
        talk = client.post("/api/v1/knowledge-bases/kb/conversations", json={}, headers=bearer).get_json()["id"]
        page = client.get(f"/kb/kb/chat/{talk}", headers=bearer).text
        assert {act for act in ("share", "unshare") if f'data-act="{act}"' in page} == (
            {"share", "unshare"} if scope is Scope.WRITE else set()
        )
        assert ("Export and share" in page, "Share a link" in page) == (scope is Scope.WRITE, scope is Scope.WRITE)
        assert all(words in page for words in ("Download as markdown", 'data-act="rename"', 'data-act="delete"'))
        shared = client.put(f"/api/v1/conversations/{talk}/share", headers=bearer)
        assert shared.status_code == (200 if scope is Scope.WRITE else 403)


def test_a_turn_and_an_export_say_what_the_answer_cost(client: FlaskClient, talk: str) -> None:
    """With the model and the time."""
    _ask(client, FIRST, conversation=talk)
    (turn,) = _json(client.get(f"/api/v1/conversations/{talk}"), 200)["turns"]
    assert turn["timings_ms"]["total"] > 0
    assert turn["usage"]["cost"] == 0
    exported = client.get(f"/api/v1/conversations/{talk}/export?format=markdown").text
    assert re.search(r"^\*builtin/extractive, \d+\.\d s\*$", exported, re.MULTILINE)
