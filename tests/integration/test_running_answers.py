"""Answers in memory: nobody reads or ends more of them than the rows allow, whichever process changed those (API-6)."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from headwater.administration.deletion import delete_knowledge_base
from headwater.administration.keys import create_key, revoke_key
from headwater.administration.sources import SourceEdit, change_source
from headwater.administration.visitors import begin_session
from headwater.administration.widgets import create_widget
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_task import AnswerTask
from headwater.answering.answerer import Answerer
from headwater.answering.conversation_questions import in_conversation
from headwater.domain.access import Reader, Scope
from headwater.domain.widgets import Visitor
from headwater.errors import HeadwaterError
from query_api.app import create_app
from query_api.app_context import AppContext
from tests.paced import WORDS, Paced
from tests.support import Headwater

FILES = {"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"}
QUESTION = "How many litres of water does the pump lift per minute?"
KB = "/api/v1/knowledge-bases/kb"
SITE = "https://docs.example.com"

pytestmark = pytest.mark.synced(files=FILES)


class House:
    """Two processes of the API on one database, and keys: `own` asks, `other` is another reader."""

    def __init__(self, kb: Headwater) -> None:
        """Make the keys before the apps, which would believe for a second that there are none."""
        self.kb = kb
        self.keys = {
            "own": create_key(kb.store, "own", Scope.READ),
            "other": create_key(kb.store, "other", Scope.READ),
            "limited": create_key(kb.store, "limited", Scope.READ, knowledge_bases=["kb"]),
            "write": create_key(kb.store, "write", Scope.WRITE),
            "admin": create_key(kb.store, "admin", Scope.ADMIN),
        }
        self.here, self.elsewhere = (create_app(kb.settings).test_client(use_cookies=False) for _ in range(2))
        self.paced: list[tuple[AnswerTask, Answerer]] = []

    @property
    def context(self) -> AppContext:
        """What the first process has."""
        found: AppContext = self.here.application.extensions["headwater"]
        return found

    def send(self, method: str, path: str, key: str, *, at: FlaskClient | None = None, **more: Any) -> Any:
        """Send a request with a key, to the first process unless another one is named."""
        headers = {"Authorization": f"Bearer {self.keys[key].text}", **more.pop("headers", {})}
        return (at or self.here).open(path, method=method, headers=headers, **more)

    def begin(self, key: str | None = "own", *, talk: str | None = None) -> tuple[AnswerTask, Paced]:
        """Begin an answer in the first process, which says three words and waits."""
        paced = Paced(let=3)
        owner = None if key is None else self.keys[key].key.id
        request = AnswerRequest(knowledge_base=self.kb.knowledge_base, question=QUESTION, is_fresh=True, asked_by=owner)
        if talk is not None:
            store = self.kb.store.for_reader(None, Reader(owner=owner, sees_all=False))
            request = in_conversation(store, request, UUID(talk))
        run = self.context.answer_tasks.start(request, paced, is_followed=True)
        self.paced.append((run, paced))
        until(run, 3)
        return run, paced

    def talk(self, key: str = "own") -> str:
        """The id of a new conversation of a key."""
        return str(self.send("POST", f"{KB}/conversations", key, json={}).json["id"])


def until(run: AnswerTask, words: int) -> None:
    """Wait until a run has said so many words."""
    for _ in run.events():
        if run._folded.text == "".join(WORDS[:words]):
            return


def saved(run: AnswerTask) -> None:
    """Save the text so far, as happens each second."""
    run._making.started -= 2
    run.save()


def last_event(response: Any) -> tuple[str, Any]:
    """The name and the data of a stream's last event."""
    block = [part for part in response.text.split("\n\n") if "event: " in part][-1]
    lines = dict(line.split(": ", 1) for line in block.split("\n"))
    return lines["event"], json.loads(lines["data"])


@pytest.fixture
def house(kb: Headwater) -> Iterator[House]:
    """The processes; every answer is over before the test is."""
    made = House(kb)
    yield made
    for run, answerer in made.paced:
        run.cancel()
        if isinstance(answerer, Paced):
            answerer.let()


def test_a_key_ends_only_what_it_asked_for(house: House) -> None:
    """Another key that reads the answer may not, neither here nor by another process; an administrator may."""
    run, _ = house.begin()
    path = f"/api/v1/answers/{run.id}/cancel"
    for key in ("other", "limited", "write"):
        refused = house.send("POST", path, key)
        assert (refused.status_code, refused.json["code"]) == (403, "FORBIDDEN"), key
    saved(run)
    for key in ("other", "limited", "write"):
        assert house.send("POST", path, key, at=house.elsewhere).status_code == 403, key
    assert run.ended is None
    assert house.send("POST", path, "own", at=house.elsewhere).json["state"] == "cancelled"
    saved(run)
    assert run.ended is not None
    assert house.send("POST", path, "other").json["state"] == "cancelled"  # it has ended, and stays as it is
    for key in ("own", "admin"):
        again, _ = house.begin()
        assert house.send("POST", f"/api/v1/answers/{again.id}/cancel", key).json["state"] == "cancelled", key
    nobodys, _ = house.begin(None)
    assert house.send("POST", f"/api/v1/answers/{nobodys.id}/cancel", "own").status_code == 403


def test_who_asked_is_known_only_while_the_answer_is_made(house: House) -> None:
    """An answer that has ended does not say which key asked for it."""
    run, paced = house.begin()
    saved(run)
    owner = [{"asked_by": house.keys["own"].key.id}]
    assert house.kb.query(f"SELECT asked_by FROM answers WHERE id = '{run.id}'") == owner
    paced.let()
    run.result()
    assert house.kb.query(f"SELECT asked_by FROM answers WHERE id = '{run.id}'") == [{"asked_by": None}]


def test_a_limited_key_follows_and_ends_an_answer_that_is_not_stored_yet(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row comes a second later; until then, memory says which knowledge base it belongs to."""
    monkeypatch.setattr(AnswerTask, "save", lambda _: None)  # the second may be over on a busy machine
    run, _ = house.begin("limited")
    assert house.kb.query(f"SELECT id FROM answers WHERE id = '{run.id}'") == []
    assert house.send("POST", f"/api/v1/answers/{run.id}/cancel", "limited").json["state"] == "cancelled"


def _delete_talk(house: House, run: AnswerTask) -> None:
    house.kb.store.conversations.remove(run.request.conversation_id)  # type: ignore[arg-type]


def _delete_base(house: House, run: AnswerTask) -> None:
    delete_knowledge_base(house.kb.settings, house.kb.store, "kb")


@pytest.mark.parametrize("delete", [_delete_talk, _delete_base], ids=["conversation", "knowledge_base"])
@pytest.mark.parametrize("is_ended", [True, False], ids=["ended", "running"])
def test_what_another_process_deleted_is_not_told_from_memory(
    house: House, delete: Callable[[House, AnswerTask], None], *, is_ended: bool
) -> None:
    """To nobody, at once: not to other readers, and not to the one who asked (KB-1, CNV-1)."""
    run, paced = house.begin(talk=house.talk())
    path = f"/api/v1/answers/{run.id}/events"
    if is_ended:
        paced.let()
        run.result()
        assert house.send("GET", path, "own").status_code == 200
    delete(house, run)
    for key in ("own", "other", "write", "admin"):
        for at in (house.here, house.elsewhere):
            assert house.send("GET", path, key, at=at).status_code == 404, key
            assert house.send("POST", f"/api/v1/answers/{run.id}/cancel", key, at=at).status_code == 404, key


@pytest.mark.parametrize("delete", [_delete_talk, _delete_base], ids=["conversation", "knowledge_base"])
def test_a_stream_ends_when_what_it_belongs_to_is_deleted(
    house: House, delete: Callable[[House, AnswerTask], None]
) -> None:
    """As an error, and so does the answer: nothing more is paid for."""
    run, _ = house.begin(talk=house.talk())
    with house.send("GET", f"/api/v1/answers/{run.id}/events", "own") as response:
        steps = response.iter_encoded()
        for step in steps:
            if WORDS[2].encode() in step:
                break
        delete(house, run)
        rest = b"".join(steps).decode()
    assert "event: done" not in rest
    assert '"code":"NOT_FOUND"' in rest or '"code":"CONFLICT"' in rest  # the run itself looks once a second, too
    saved(run)
    assert (run.ended is not None, isinstance(run.outcome.error, HeadwaterError)) == (True, True)  # type: ignore[union-attr]
    assert house.kb.query("SELECT id FROM answers") == []


def test_an_answer_of_a_deleted_knowledge_base_is_not_stored(house: House) -> None:
    """Not even one that was never saved before; so the deletion leaves nothing."""
    run, paced = house.begin()
    _delete_base(house, run)
    paced.let()
    with pytest.raises(HeadwaterError):
        run.result()
    assert house.kb.query("SELECT id FROM answers") == []


def test_a_stream_ends_with_the_key_that_opened_it(house: House) -> None:
    """Once it is revoked, within a second; the answer itself is made to its end."""
    run, paced = house.begin()
    with house.send("GET", f"/api/v1/answers/{run.id}/events", "other") as response:
        steps = response.iter_encoded()
        next(steps)
        revoke_key(house.kb.store, house.keys["other"].key.id)
        threading.Timer(1.5, paced.let).start()
        rest = b"".join(steps).decode()
    assert '"code":"UNAUTHENTICATED"' in rest
    assert "event: done" not in rest
    assert run.result().state == "done"


def test_a_turn_is_promoted_only_by_those_who_may_read_it(house: House) -> None:
    """A golden question is shown to every reader, so another key may not make one of a private question (EVL-1)."""
    run, paced = house.begin("write", talk=house.talk("write"))
    other, other_paced = house.begin(talk=house.talk())
    for one in (paced, other_paced):
        one.let()
    run.result()
    other.result()
    path = f"/api/v1/answers/{other.id}/promote"
    house.send("PUT", f"/api/v1/answers/{other.id}/feedback", "own", json={"vote": "up"})
    refused = house.send("POST", path, "write", json={})
    assert refused.status_code == 404
    assert QUESTION not in house.send("GET", f"{KB}/golden-questions", "other").text
    assert house.send("POST", f"/api/v1/answers/{run.id}/promote", "write", json={}).status_code == 201
    assert house.send("POST", path, "admin", json={}).status_code == 201


def test_no_repeat_tells_what_was_deleted(house: House) -> None:
    """The responses that were kept for a key are forgotten, too (API-1)."""
    talk = house.talk()
    again = {"Idempotency-Key": "k1"}
    body = {"question": QUESTION, "conversation": talk}
    asked = house.send("POST", f"{KB}/answers", "own", json=body, headers=again)
    cancel = f"/api/v1/answers/{asked.json['id']}/cancel"
    assert house.send("POST", cancel, "own", headers=again).status_code == 200
    begun = house.send("POST", f"{KB}/conversations", "own", json={}, headers=again)
    repeat = house.send("POST", f"{KB}/answers", "own", json=body, headers=again)
    assert (repeat.json, repeat.headers["Idempotency-Replayed"]) == (asked.json, "true")
    house.send("DELETE", f"/api/v1/conversations/{talk}", "own")
    house.send("DELETE", f"/api/v1/conversations/{begun.json['id']}", "own")
    assert house.kb.query("SELECT key FROM kept_responses") == []
    assert house.send("POST", f"{KB}/answers", "own", json=body, headers=again).status_code == 404
    assert house.send("POST", cancel, "own", headers=again).status_code == 404


def test_a_response_that_was_kept_after_the_deletion_is_not_told(house: House) -> None:
    """Such as that of a request which ran meanwhile."""
    talk = house.talk()
    again = {"Idempotency-Key": "k1"}
    body = {"question": QUESTION, "conversation": talk}
    house.send("POST", f"{KB}/answers", "own", json=body, headers=again)
    house.kb.query(f"DELETE FROM conversations WHERE id = '{talk}' RETURNING 1")
    repeat = house.send("POST", f"{KB}/answers", "own", json=body, headers=again)
    assert (repeat.status_code, "litres" in repeat.text) == (404, False)


def test_a_visitor_stops_reading_when_a_source_becomes_private(house: House) -> None:
    """In the middle of an answer, and from memory: as for an answer in the store (INT-2)."""
    widget = create_widget(house.kb.store, "kb", "docs", {"origins": [SITE]})
    token = begin_session(widget, SITE)
    headers = {"Origin": SITE, "Authorization": f"Bearer {token}"}
    store, paced = house.kb.store, Paced(let=3)
    visitor = Visitor(widget=widget, origin=SITE, id=_visitor(token))
    request = AnswerRequest(knowledge_base=house.kb.knowledge_base, question=QUESTION, is_fresh=True)
    store.widget_questions.count(visitor, request.id, None)
    run = house.context.answer_tasks.start(replace(request), paced, is_followed=True, is_for_visitor=True)
    house.paced.append((run, paced))
    until(run, 3)
    path = f"/widget/v1/answers/{run.id}/events"
    with house.here.get(path, headers=headers) as response:
        assert response.status_code == 200
        steps = response.iter_encoded()
        next(steps)
        change_source(store, "kb", "docs", SourceEdit(settings={"tags": ["private"]}))
        rest = b"".join(steps).decode()
    assert '"code":"NOT_FOUND"' in rest
    assert "event: done" not in rest
    assert house.here.get(path, headers=headers).status_code == 404
    paced.let()
    run.result()
    assert house.here.get(path, headers=headers).status_code == 404


def _visitor(token: str) -> str:
    from itsdangerous import URLSafeTimedSerializer

    _, _, signed = token.partition(".")
    found = URLSafeTimedSerializer("unused").loads_unsafe(signed)[1]
    return str(found["visitor"])
