"""Attacks on the answers of others and on what was deleted, by keys and visitors (API-6, KB-1, CNV-1, INT-2)."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from headwater.administration.deletion import delete_knowledge_base
from headwater.administration.keys import revoke_key
from headwater.administration.sources import SourceEdit, change_source
from tests.probe.rights import ANSWER, SECRET, Ground
from tests.probe.wire import KB, connect, message


def _nothing(_: Ground) -> None:
    """The attack comes at once."""


def _delete_elsewhere(ground: Ground) -> None:
    """Another process deletes the conversation: the command line, or a second server."""
    ground.store.conversations.remove(uuid.UUID(ground.talk))


def _judge(ground: Ground) -> None:
    """The victim votes, which maintainers see; it is no leave to show the question to every reader."""
    ground.send("victim", "PUT", f"{ANSWER}/feedback", {"vote": "down"})


@dataclass(frozen=True, kw_only=True)
class Attack:
    """A request for what is somebody else's, or was deleted."""

    key: str
    method: str
    path: str
    body: object = None
    status: int = 404
    is_private: bool = True
    is_ended: bool = False
    before: Callable[[Ground], None] = _nothing


ATTACKS = {
    **{f"cancel_by_{key}": Attack(key=key, method="POST", path=f"{ANSWER}/cancel", status=403, is_private=False)
       for key in ("other", "limited", "write")},
    **{f"{what}_of_a_private_turn_{when}": Attack(key="other", method=method, path=f"{ANSWER}{path}", body=body,
                                                  is_ended=when == "ended")
       for what, method, path, body in (
           ("cancel", "POST", "/cancel", None), ("events", "GET", "/events", None), ("answer", "GET", "", None),
           ("lineage", "GET", "/lineage", None), ("vote", "PUT", "/feedback", {"vote": "up"}))
       for when in ("running", "ended")},
    "promote_by_a_writer": Attack(key="write", method="POST", path=f"{ANSWER}/promote", body={"unanswerable": True},
                                  is_ended=True),
    "promote_what_was_judged": Attack(key="write", method="POST", path=f"{ANSWER}/promote", is_ended=True,
                                      body={"unanswerable": True}, before=_judge),
    **{f"{what}_of_a_deleted_turn_by_{key}_{when}": Attack(key=key, method=method, path=f"{ANSWER}{path}",
                                                           is_ended=when == "ended", before=_delete_elsewhere)
       for what, method, path in (("events", "GET", "/events"), ("cancel", "POST", "/cancel"))
       for key in ("victim", "other", "admin") for when in ("running", "ended")},
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_answers_of_others_are_out_of_reach(ground: Ground, attack: Attack) -> None:
    """Refused, without a word of the question or the answer; nobody's answer ends, no golden set tells it."""
    ground.begin(is_private=attack.is_private)
    if attack.is_ended:
        ground.end()
    attack.before(ground)
    reply = ground.send(attack.key, attack.method, attack.path, attack.body)
    assert reply.status == attack.status, reply
    assert b"forty" not in reply.body
    assert SECRET.encode() not in reply.body
    if not attack.is_ended and attack.before is _nothing:
        assert b"event: done" not in ground.stream
    assert SECRET.encode() not in ground.send("other", "GET", f"{KB}/golden-questions").body


@pytest.mark.parametrize("when", ["ended", "running"])
def test_the_answer_of_a_deleted_knowledge_base_is_told_to_nobody(ground: Ground, when: str) -> None:
    """Deleted by another process; the one that asked has it in memory."""
    slug = f"gone-{when}"
    ground.begin(kb=slug)
    if when == "ended":
        ground.end()
    delete_knowledge_base(ground.settings, ground.store, slug)
    for key in ("victim", "other", "admin"):
        for method, path in (("GET", f"{ANSWER}/events"), ("GET", ANSWER), ("POST", f"{ANSWER}/cancel")):
            reply = ground.send(key, method, path)
            assert (reply.status, b"forty" in reply.body) == (404, False), (key, path, reply)


@pytest.mark.parametrize("when", ["ended", "running"])
def test_a_visitor_reads_nothing_of_a_source_that_became_private(ground: Ground, when: str) -> None:
    """In the middle of an answer it ends as an error; afterwards it is not there."""
    try:
        ground.begin_as_visitor()
        if when == "ended":
            ground.end("visitor")
        change_source(ground.store, "kb", "docs", SourceEdit(settings={"tags": ["private"]}))
        reply = ground.send("visitor", "GET", "/widget/v1/answers/{answer}/events")
        assert (reply.status, b"forty" in reply.body) == (404, False), reply
        if when == "running" and ground.reader is not None:
            ground.reader.join(60)
            assert b"event: error" in ground.stream
            assert b"event: done" not in ground.stream
    finally:
        change_source(ground.store, "kb", "docs", SourceEdit(settings={"tags": []}))


def test_a_stream_does_not_outlive_its_key(ground: Ground) -> None:
    """A reader whose key is revoked in the middle gets an error, not the end."""
    ground.begin()
    opened = connect(ground.port)
    opened.sendall(message("GET", f"{ANSWER}/events".format(answer=ground.answer),
                           {"Authorization": f"Bearer {ground.keys['revoked']}"}))  # fmt: skip
    assert b"200 OK" in opened.recv(100)
    revoke_key(ground.store, ground.key_ids["revoked"])
    found = b""
    with opened:
        while block := opened.recv(65_536):
            found += block
    assert b"UNAUTHENTICATED" in found
    assert b"event: done" not in found


@pytest.mark.parametrize("route", ["answers", "conversations"])
def test_no_repeat_brings_back_what_was_deleted(ground: Ground, route: str) -> None:
    """The Idempotency-Key of a reader remembers a response for a day; a deletion ends that."""
    talk = ground.send(
        "victim", "POST", f"{KB}/conversations", {"title": "Rumpelstiltskin"}, **{"Idempotency-Key": "a"}
    )
    ground.talk = str(talk.json["id"])
    again, body = {"Idempotency-Key": uuid.uuid4().hex}, {"title": "Rumpelstiltskin"}
    if route == "answers":
        body = {"question": "Rumpelstiltskin?", "conversation": ground.talk}
    first = ground.send("victim", "POST", f"{KB}/{route}", body, **again)
    assert first.status in (200, 201)
    if route == "conversations":
        ground.talk = str(first.json["id"])
    _delete_elsewhere(ground)
    repeat = ground.send("victim", "POST", f"{KB}/{route}", body, **again)
    assert "idempotency-replayed" not in repeat.headers
    assert repeat.json.get("id") != first.json["id"]
