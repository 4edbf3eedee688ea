"""Answers as server-sent events (ANS-3): their form, reconnecting, cancelling, repeating, limits."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import pytest
from flask.testing import FlaskClient

from cli.commands.ask import ask_question
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_task import AnswerTask
from headwater.answering.answer_tasks import AT_ONCE, WAITING
from headwater.errors import GenerationFailedError, ModelUnavailableError
from headwater.store.work.answers import INTERRUPTED
from query_api.app import create_app
from query_api.app_context import AppContext
from query_api.routes import answers
from query_api.server import gunicorn_settings
from query_api.sse import PAGES, RELAYS, Streams
from tests.chat_server import MODEL, ChatServer, Says
from tests.paced import TEXT, WORDS, Paced
from tests.support import Headwater

FILES = {"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"}
QUESTION = "How many litres of water does the pump lift per minute?"
ASK = "/api/v1/knowledge-bases/kb/answers"
EVENT = re.compile(r"(?:id: (\d+)\n)?event: (\w+)\ndata: (.*)\n\n")

pytestmark = pytest.mark.synced(files=FILES)
Event = tuple[int | None, str, Any]


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """A client of the app."""
    return create_app(kb.settings).test_client()


def _events(blocks: Iterable[bytes | str]) -> Iterator[Event]:
    """The events of a stream, as they come."""
    for block in blocks:
        text = block if isinstance(block, str) else block.decode()
        found = EVENT.fullmatch(text)
        if found:
            yield int(found[1]) if found[1] else None, found[2], json.loads(found[3])
        else:
            assert re.fullmatch(r"retry: 2000\n\n|: .*\n\n", text)


def _all(response: Any) -> list[Event]:
    assert (response.status_code, response.mimetype) == (200, "text/event-stream"), response.data
    return list(_events(response.iter_encoded()))


def _text(events: Iterable[Event]) -> str:
    return "".join(data["text"] for _, name, data in events if name == "delta")


def _run(kb: Headwater, client: FlaskClient, paced: Paced) -> AnswerTask:
    """An answer that the app's process makes, by an answerer of the test."""
    context: AppContext = client.application.extensions["headwater"]
    return context.answer_tasks.start(
        AnswerRequest(knowledge_base=kb.knowledge_base, question=QUESTION, is_fresh=True), paced, is_followed=True
    )


@pytest.mark.parametrize("asked", [{"stream": True}, {}], ids=["field", "header"])
def test_a_stream_tells_what_plain_json_does(kb: Headwater, client: FlaskClient, asked: dict[str, Any]) -> None:
    """Each step, the passages before the first word, and at the end the answer as `GET` shows it (ANS-4)."""
    headers = {} if asked else {"Accept": "text/event-stream"}
    response = client.post(ASK, json={"question": QUESTION, "fresh": True, **asked}, headers=headers)
    events = _all(response)
    names = [name for _, name, _ in events]
    assert names[:4] == ["status", "status", "sources", "status"]
    assert names[-2:] == ["usage", "done"]
    assert set(names[4:-2]) == {"delta", "citation"}  # there is no further passage
    ids = [number or 0 for number, _, _ in events]
    assert ids == sorted(set(ids))
    by_name = {name: data for _, name, data in events}
    done = by_name["done"]
    assert (done["answer"], done["state"]) == (_text(events), "done")
    assert done == client.get(f"/api/v1/answers/{done['id']}").json
    assert by_name["citation"] == done["citations"][-1]
    assert by_name["usage"] == done["usage"]
    assert by_name["status"]["answer_id"] == done["id"]
    assert [one["uri"] for one in by_name["sources"]["passages"]] == ["pump.md"]
    assert response.headers["Location"] == f"/api/v1/answers/{done['id']}/events"
    plain = client.post(ASK, json={"question": QUESTION, "fresh": True}).json
    assert plain is not None
    assert (plain["answer"], plain["state"], plain["title"]) == (done["answer"], "done", done["title"])


def test_a_client_that_reconnects_gets_what_it_missed(kb: Headwater, client: FlaskClient) -> None:
    """By Last-Event-ID, ten times: every event once. Later, from the store, the same text and the same end."""
    paced = Paced()
    run = _run(kb, client, paced)
    path, seen = f"/api/v1/answers/{run.id}/events", list[Event]()
    for visit in range(10):
        paced.let(2)
        last = {"Last-Event-ID": str(seen[-1][0])} if seen else {}
        with client.get(path, headers=last) as response:
            for event in _events(response.iter_encoded()):
                seen.append(event)
                if _text(seen) == "".join(WORDS[: 2 * visit + 2]):
                    break
    paced.let()
    seen += _all(client.get(path, headers={"Last-Event-ID": str(seen[-1][0])}))
    assert (_text(seen), seen[-1][1]) == (TEXT, "done")
    other = create_app(kb.settings).test_client()  # another process: it has only the stored answer
    middle = next(at for at, event in enumerate(seen) if _text(seen[: at + 1]) == "".join(WORDS[:8]))
    for reader, after in product((client, other), (None, 2, seen[middle][0], seen[-4][0], seen[-2][0])):
        later = _all(reader.get(path, headers={"Last-Event-ID": str(after)} if after else {}))
        before = [event for event in seen if after and event[0] and event[0] <= after]
        assert _text(before) + _text(later) == TEXT
        assert later[-1][1:] == seen[-1][1:]
        for once in ("sources", "citation", "usage"):
            assert [name for _, name, _ in before + later].count(once) == 1
        assert all(number > (after or 0) for number, _, _ in later if number)


def test_an_answer_that_grows_elsewhere_is_followed(
    kb: Headwater, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its saved text, until it has ended; one whose process was killed ends as an error."""
    paced = Paced(let=2)
    run = _run(kb, client, paced)
    run._making.started -= 1  # old enough to be saved
    while run._folded.text != "".join(WORDS[:2]):
        next(run.events())
    run.save()
    monkeypatch.setattr(run, "save", lambda: None)  # as if its process had been killed
    other = create_app(kb.settings).test_client()
    events = []
    with other.get(f"/api/v1/answers/{run.id}/events") as response:
        for event in _events(response.iter_encoded()):
            events.append(event)
            if event[1] == "delta" and len(events) == 2:
                assert other.get(f"/api/v1/answers/{run.id}").json["state"] == "generating"  # type: ignore[index]
                kb.query("UPDATE answers SET saved_at = now() - interval '1 minute' RETURNING 1")
    assert [name for _, name, _ in events] == ["sources", "delta", "error"]
    assert _text(events) == "".join(WORDS[:2])
    assert (events[-1][2]["code"], events[-1][2]["detail"]) == (INTERRUPTED.code, str(INTERRUPTED))
    run.cancel()
    paced.let()


def test_cancelling_keeps_the_text_so_far(kb: Headwater, client: FlaskClient) -> None:
    """The reader gets `done` with the state `cancelled`; an answer that is over stays as it is."""
    paced = Paced(let=3)
    run = _run(kb, client, paced)
    events = []
    with client.get(f"/api/v1/answers/{run.id}/events") as response:
        for event in _events(response.iter_encoded()):
            events.append(event)
            if _text(events) == "".join(WORDS[:3]) and event[1] == "delta":
                cancelled = client.post(f"/api/v1/answers/{run.id}/cancel").json
    assert cancelled is not None
    assert (cancelled["state"], cancelled["answer"]) == ("cancelled", "".join(WORDS[:3]))
    assert events[-1][1] == "done"
    assert events[-1][2] == cancelled
    assert client.post(f"/api/v1/answers/{run.id}/cancel").json == cancelled
    assert client.post("/api/v1/answers/00000000-0000-0000-0000-000000000000/cancel").status_code == 404
    paced.let()
    assert paced.is_closed.wait(30)


def test_a_failure_is_the_last_event(kb: Headwater, client: FlaskClient) -> None:
    """As a problem, with the id of the answer that keeps the text so far (ANS-7)."""
    run = _run(kb, client, Paced(GenerationFailedError("The model broke off."), let=21))
    last = _all(client.get(f"/api/v1/answers/{run.id}/events"))[-1]
    assert last[1] == "error"
    assert (last[2]["code"], last[2]["status"], last[2]["answer_id"]) == ("GENERATION_FAILED", 502, str(run.id))
    kept = client.get(f"/api/v1/answers/{run.id}").json
    assert kept is not None
    assert (kept["state"], kept["error_code"], kept["answer"]) == ("failed", "GENERATION_FAILED", "".join(WORDS))


def test_a_failure_is_the_same_when_it_is_read_again(kb: Headwater, client: FlaskClient) -> None:
    """The process that reads it from the store gives the status of its code, too."""
    run = _run(kb, client, Paced(ModelUnavailableError("It went away."), let=21))
    last = _all(client.get(f"/api/v1/answers/{run.id}/events"))[-1]
    again = _all(create_app(kb.settings).test_client().get(f"/api/v1/answers/{run.id}/events"))[-1]
    assert (last[2]["status"], last[1:]) == (503, again[1:])


def test_waiting_for_answers_leaves_threads_for_other_requests() -> None:
    """Although every answer that may be made or wait, and every reply to pass on, is asked for without a stream."""
    in_threads = AT_ONCE + WAITING + RELAYS._places._value + PAGES._places._value
    assert gunicorn_settings.threads - in_threads >= 16


def test_a_request_that_is_wrong_gets_a_problem_not_a_stream(client: FlaskClient) -> None:
    """No question, no such knowledge base, too much history, HTML without a stream."""
    wrong = [
        ({"question": "", "stream": True}, 422),
        ({"question": "Why?", "history": [{"question": "a"}] * 11}, 422),
        ({"question": "Why?", "render": "html"}, 422),
        ({"question": "Why?", "render": "pdf", "stream": True}, 422),
    ]
    for body, status in wrong:
        response = client.post(ASK, json=body)
        assert (response.status_code, response.mimetype) == (status, "application/problem+json"), body
    response = client.post("/api/v1/knowledge-bases/none/answers", json={"question": "Why?", "stream": True})
    assert response.status_code == 404
    bad = client.get("/api/v1/answers/00000000-0000-0000-0000-000000000000/events", headers={"Last-Event-ID": "x"})
    assert bad.status_code == 422


def test_html_comes_block_by_block(kb: Headwater, client: FlaskClient) -> None:
    """Beside the deltas; every block is final before `done`. A client that reconnects gets the blocks again."""
    run = _run(kb, client, Paced(let=21))
    run.result()
    events = _all(client.get(f"/api/v1/answers/{run.id}/events?render=html"))
    blocks = [(number, data) for number, name, data in events if name == "block"]
    assert blocks[-1] == (None, {"index": 0, "html": f"<p>{TEXT}</p>\n", "final": True})
    assert [name for _, name, _ in events][-2:] == ["usage", "done"]
    assert _text(events) == TEXT
    last = next(number for number, name, _ in events if name == "citation")
    again = _all(client.get(f"/api/v1/answers/{run.id}/events?render=html", headers={"Last-Event-ID": str(last)}))
    assert [name for _, name, _ in again][-3:] == ["block", "usage", "done"]
    assert _text(again) == ""
    stored = _all(create_app(kb.settings).test_client().get(f"/api/v1/answers/{run.id}/events?render=html"))
    assert [data for _, name, data in stored if name == "block"] == [blocks[-1][1]]


def test_a_repeat_follows_the_same_answer(kb: Headwater, client: FlaskClient) -> None:
    """With the same Idempotency-Key a stream is not asked twice (API-1); Last-Event-ID holds there too."""
    body, key = {"question": QUESTION, "stream": True, "render": "html"}, {"Idempotency-Key": "k1"}
    first = client.post(ASK, json=body, headers=key)
    events = _all(first)
    again = client.post(ASK, json=body, headers=key)
    assert (again.headers["Idempotency-Replayed"], again.headers["Location"]) == ("true", first.headers["Location"])
    assert _all(again)[-1] == events[-1]
    rest = _all(client.post(ASK, json=body, headers={**key, "Last-Event-ID": str(events[-2][0])}))
    assert [event for event in rest if event[1] != "block"] == events[-1:]
    assert kb.query("SELECT count(*) FROM answers")[0]["count"] == 1


def test_beyond_the_last_place_a_stream_is_refused(
    kb: Headwater, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """429, and nothing is asked; plain JSON still works, and a stream that ends makes room."""
    streams = Streams(1)
    monkeypatch.setattr(answers, "_streams", streams)
    with streams.place():
        full = client.post(ASK, json={"question": QUESTION, "stream": True})
        assert (full.status_code, full.json["code"]) == (429, "RATE_LIMITED")  # type: ignore[index]
        assert client.post(ASK, json={"question": QUESTION}).status_code == 200
        assert kb.query("SELECT count(*) FROM answers")[0]["count"] == 1
    for _ in range(2):
        with client.post(ASK, json={"question": QUESTION, "stream": True}) as response:
            next(iter(response.iter_encoded()))
    assert streams._places._value == 1


def test_usage_is_summed_by_day_and_model(kb: Headwater, client: FlaskClient) -> None:
    """Tokens and cost (ANS-6); an unknown price makes the sum of its day unknown, not zero."""
    for _ in range(2):
        _run(kb, client, Paced(let=21)).result()
    client.post(ASK, json={"question": QUESTION, "fresh": True})
    found = client.get("/api/v1/knowledge-bases/kb/usage").json
    assert found is not None
    shared = {"day": found["days"][0]["day"], "kind": "answers", "source": None, "summaries": 0, "questions": 0}
    assert found == {
        "knowledge_base": "kb",
        "days": [
            {**shared, "model": "builtin/extractive", "answers": 1, "prompt_tokens": 0, "completion_tokens": 0,
             "cost": 0.0},
            {**shared, "model": "toy/paced", "answers": 2, "prompt_tokens": 200, "completion_tokens": 40,
             "cost": 1.0},
        ],
    }  # fmt: skip
    kb.query("""UPDATE answers SET usage = usage || '{"cost": null}' WHERE model = 'toy/paced' RETURNING 1""")
    kb.query("UPDATE answers SET created_at = created_at - interval '40 days' WHERE model <> 'toy/paced' RETURNING 1")
    assert [day["cost"] for day in client.get("/api/v1/knowledge-bases/kb/usage").json["days"]] == [None]  # type: ignore[index]
    longer = client.get("/api/v1/knowledge-bases/kb/usage?days=60").json
    assert longer is not None
    assert [day["model"] for day in longer["days"]] == ["toy/paced", "builtin/extractive"]


def test_a_terminal_shows_the_answer_while_it_is_made(kb: Headwater) -> None:
    """Piece by piece, also one from the store; Ctrl-C cancels it and keeps the text so far."""
    shown: list[str] = []
    made = ask_question("kb", QUESTION, show=shown.append, is_fresh=True)
    assert "".join(shown) == made["answer"]
    shown.clear()
    again = ask_question("kb", QUESTION, show=shown.append)
    assert (again["cached"], "".join(shown)) == (True, made["answer"])

    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_question("kb", QUESTION, show=interrupt, is_fresh=True)
    states = kb.query("SELECT state FROM answers WHERE id <> %s", made["id"])
    assert [row["state"] for row in states] in (["cancelled"], ["done"])  # it may have ended before


@pytest.mark.synced(files=FILES, answer_model=MODEL)
def test_cancelling_closes_the_request_of_a_model_that_hangs(
    kb: Headwater, client: FlaskClient, chat: ChatServer
) -> None:
    """The server of the model sees its caller leave; the reader gets the text so far at once."""
    chat.otherwise = Says("The pump lifts forty litres of water per minute. It is a pump, and it lifts", ending="hangs")
    events = []
    with client.post(ASK, json={"question": QUESTION, "stream": True}) as response:
        for event in _events(response.iter_encoded()):
            events.append(event)
            if event[1] == "delta":
                client.post(f"/api/v1/answers/{events[0][2]['answer_id']}/cancel")
    assert chat.requests[0].left.wait(30)
    assert (events[-1][1], events[-1][2]["state"]) == ("done", "cancelled")
    assert _text(events) == events[-1][2]["answer"] != ""
