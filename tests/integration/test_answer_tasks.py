"""Answers that are followed while they are made: readers come and go, the text stays (ANS-3)."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from typing import Any
from uuid import UUID

import pytest

from headwater.answering import answer_maker, record
from headwater.answering import answer_task as run_module
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_task import AnswerTask
from headwater.answering.answer_tasks import AnswerTasks
from headwater.answering.answerer import Answerer
from headwater.answering.events import Delta, Sources, Status
from headwater.answering.reuse import Lookup, find_reusable
from headwater.answering.task_events import Failed, Finished, Spent, TaskEvent
from headwater.domain.answers import Answer, Citation, StoredAnswer
from headwater.errors import (
    AnswerInterruptedError,
    DatabaseUnavailableError,
    GenerationFailedError,
    ModelUnavailableError,
    NotFoundError,
    RateLimitedError,
)
from query_api.routes.answer_payloads import AnswerPayload
from tests.paced import TEXT, WORDS, Paced
from tests.support import Headwater

FILES = {"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"}
QUESTION = "How many litres of water does the pump lift per minute?"

pytestmark = pytest.mark.synced(files=FILES)
Start = Callable[..., AnswerTask]


@pytest.fixture
def runs(kb: Headwater) -> AnswerTasks:
    """Two answers at once, and one that waits."""
    return AnswerTasks(kb.store, kb.settings, at_once=2, waiting=1)


@pytest.fixture
def start(kb: Headwater, runs: AnswerTasks) -> Iterator[Start]:
    """Begins an answer; each is over before the test is."""
    begun: list[tuple[AnswerTask, Answerer]] = []

    def start(answerer: Answerer, *, is_followed: bool = True) -> AnswerTask:
        request = AnswerRequest(knowledge_base=kb.knowledge_base, question=QUESTION, is_fresh=True)
        run = runs.start(request, answerer, is_followed=is_followed)
        begun.append((run, answerer))
        return run

    yield start
    for run, answerer in begun:
        run.cancel()
        if isinstance(answerer, Paced):
            answerer.let()


def _follow(run: AnswerTask, after: int = 0) -> list[tuple[int, TaskEvent]]:
    return [numbered for numbered in run.events(after) if numbered is not None]


def _text(events: list[tuple[int, TaskEvent]]) -> str:
    return "".join(event.text for _, event in events if isinstance(event, Delta))


def _until(run: AnswerTask, text: str) -> int:
    """Follow a run until its text so far is a given one; returns the id of the last event."""
    seen = ""
    for numbered in run.events():
        if numbered is not None and isinstance(numbered[1], Delta):
            seen += numbered[1].text
            if seen == text:
                return numbered[0]
    raise AssertionError(seen)


def _kept(kb: Headwater, run: AnswerTask) -> StoredAnswer:
    return kb.store.answers.get(run.id)


def test_the_events_of_an_answer_come_in_order(kb: Headwater, start: Start) -> None:
    """Steps, passages before the first word, the text, its citation, the cost, and the stored answer last."""
    run = start(Paced(let=21))
    events = _follow(run)
    kinds = [type(event) for _, event in events]
    assert kinds == [Status, Status, Sources, Status, *[Delta] * 21, Citation, Spent, Finished]
    ids = [number for number, _ in events]
    assert ids == sorted(set(ids))
    answer = events[-1][1].answer  # type: ignore[union-attr]
    assert isinstance(answer, Answer)
    assert _text(events) == answer.answer == _kept(kb, run).answer == TEXT
    assert (answer.state, _kept(kb, run).state) == ("done", "done")
    assert answer.usage["stages"]["answering"] == {
        "model": "toy/paced", "prompt_tokens": 100, "completion_tokens": 20, "cost": 0.5
    }  # fmt: skip
    assert answer.title
    assert answer.slug
    assert {"understanding", "search", "answer", "total"} <= answer.timings_ms.keys()
    assert run.result() is answer


def test_a_reader_that_reconnects_ten_times_gets_every_event_once(start: Start) -> None:
    """It names the last event it saw, while the answer grows and after its end."""
    paced = Paced()
    run = start(paced)
    seen: list[tuple[int, TaskEvent]] = []
    for visit in range(10):
        paced.let(2)
        for numbered in run.events(seen[-1][0] if seen else 0):
            assert numbered is not None
            seen.append(numbered)
            if _text(seen) == "".join(WORDS[: 2 * visit + 2]):
                break
    paced.let()
    seen += _follow(run, seen[-1][0])
    assert seen == _follow(run)
    assert _text(seen) == TEXT


def test_many_readers_get_the_same_events(start: Start) -> None:
    """Those that came first and those that come late; one that leaves does not end the answer."""
    paced = Paced(let=3)
    run = start(paced)
    next(run.events())
    event_lists: list[list[tuple[int, TaskEvent]]] = []
    readers = [threading.Thread(target=lambda: event_lists.append(_follow(run))) for _ in range(5)]
    for reader in readers:
        reader.start()
    paced.let()
    for reader in readers:
        reader.join(30)
    assert event_lists == [_follow(run)] * 5
    assert _text(event_lists[0]) == TEXT


def test_a_cancelled_answer_keeps_its_text_so_far(kb: Headwater, start: Start) -> None:
    """Its reader gets it at once, though the model is silent; the model's request is closed."""
    paced = Paced(let=3)
    run = start(paced)
    _until(run, "".join(WORDS[:3]))
    run.cancel()
    run.cancel()
    last = _follow(run)[-1][1]
    assert isinstance(last, Finished)
    assert (last.answer.state, last.answer.answer) == ("cancelled", "".join(WORDS[:3]))
    assert (_kept(kb, run).state, _kept(kb, run).answer) == ("cancelled", "".join(WORDS[:3]))
    paced.let(1)
    assert paced.is_closed.wait(30)
    assert _kept(kb, run).answer == "".join(WORDS[:3])


def test_an_answer_that_was_saved_on_the_way_is_stored_as_it_was_told(kb: Headwater, start: Start) -> None:
    """Its last write replaces the text so far: reading it again shows what its reader got."""
    paced = Paced(let=3)
    run = start(paced)
    _until(run, "".join(WORDS[:3]))
    run._making.started -= 1  # old enough to be saved
    run.save()
    paced.let()
    answer = run.result()
    assert isinstance(answer, Answer)
    assert AnswerPayload.of(answer) == AnswerPayload.from_stored(_kept(kb, run))


def test_passages_are_written_once_while_the_text_grows(kb: Headwater, start: Start) -> None:
    """They are most of the row, and do not change; text and citations of each save are stored."""
    paced = Paced(let=3)
    run = start(paced)
    _until(run, "".join(WORDS[:3]))
    run._making.started -= 1  # old enough to be saved
    run.save()
    kb.query("UPDATE answers SET passages = '[]' RETURNING 1")
    paced.let(2)
    _until(run, "".join(WORDS[:5]))
    run.save()
    growing = _kept(kb, run)
    assert (growing.state, growing.answer, growing.passages) == ("generating", "".join(WORDS[:5]), ())
    paced.let()
    run.result()
    done = _kept(kb, run)
    assert [passage["uri"] for passage in done.passages] == ["pump.md"]
    assert (done.state, done.answer, len(done.citations)) == ("done", TEXT, 1)


class OfModel(Paced):
    """One that waits for a model (`Cancellable`)."""

    def cancel(self) -> None:
        """End the model's request."""
        self.is_closed.set()


def test_the_answer_of_a_model_is_stored_before_its_first_event(kb: Headwater, start: Start) -> None:
    """Whoever has its id from that finds it, in whichever process."""
    run = start(OfModel())
    assert next(run.events(patience=60)) is not None
    assert _kept(kb, run).state == "generating"


def test_the_model_of_an_answer_that_was_deleted_ends(kb: Headwater, start: Start) -> None:
    """Its request is closed, though it is silent."""
    answerer = OfModel(let=3)
    run = start(answerer)
    _until(run, "".join(WORDS[:3]))
    run._making.started -= 1  # old enough to be saved
    run.save()
    assert kb.query("DELETE FROM answers RETURNING 1")
    run.save()
    assert answerer.is_closed.is_set()


@pytest.mark.parametrize("saves", [1, 2])
def test_an_answer_that_was_deleted_while_it_was_made_does_not_come_back(
    kb: Headwater, start: Start, saves: int
) -> None:
    """Neither by its next save, nor by its failure, nor whole."""
    answerer = OfModel(let=3)
    run = start(answerer)
    _until(run, "".join(WORDS[:3]))
    run._making.started -= 1  # old enough to be saved
    for _ in range(saves - 1):
        run.save()
    assert kb.query("DELETE FROM answers RETURNING 1")
    run.save()
    answerer.let()
    assert isinstance(_follow(run)[-1][1], Failed)
    assert kb.query("SELECT id FROM answers") == []


def test_a_whole_answer_that_was_deleted_before_its_end_does_not_come_back(kb: Headwater, start: Start) -> None:
    """It was stored before its first event, and its reader gets no answer that nobody finds again."""
    answerer = OfModel(let=3)
    run = start(answerer)
    _until(run, "".join(WORDS[:3]))
    assert kb.query("DELETE FROM answers RETURNING 1")
    answerer.let()
    with pytest.raises(NotFoundError, match=f"There is no answer {run.id}"):
        run.result()
    assert kb.query("SELECT id FROM answers") == []


def test_another_process_can_cancel(kb: Headwater, start: Start) -> None:
    """By the stored answer, which the one that makes it notices when it next saves."""
    paced = Paced(let=3)
    run = start(paced)
    _until(run, "".join(WORDS[:3]))
    run._making.started -= 1  # old enough to be saved
    run.save()
    assert (_kept(kb, run).state, _kept(kb, run).answer) == ("generating", "".join(WORDS[:3]))
    assert kb.store.answers.cancel(run.id)
    assert not kb.store.answers.cancel(run.id)
    run.save()
    last = _follow(run)[-1][1]
    assert isinstance(last, Finished)
    assert last.answer.state == "cancelled"
    assert not AnswerPayload.of(last.answer).cached  # it is the request's own, not one that was served again


def test_a_followed_failure_is_kept_with_its_text(kb: Headwater, start: Start) -> None:
    """With code and detail (ANS-7); `Failed` is the last event."""
    run = start(Paced(GenerationFailedError("The model broke off after 20 words."), let=21))
    events = _follow(run)
    assert isinstance(events[-1][1], Failed)
    kept = _kept(kb, run)
    assert (kept.state, kept.error_code) == ("failed", "GENERATION_FAILED")
    assert (kept.error_detail, kept.answer) == ("The model broke off after 20 words.", "".join(WORDS))
    with pytest.raises(GenerationFailedError, match="20 words"):
        run.result()


def test_a_failure_that_nobody_followed_is_only_raised(kb: Headwater, start: Start) -> None:
    """A request for plain JSON gets the error; nothing is stored."""
    with pytest.raises(ModelUnavailableError):
        start(Paced(ModelUnavailableError("It went away."), let=21), is_followed=False).result()
    assert kb.query("SELECT count(*) FROM answers")[0]["count"] == 0


def test_an_unexpected_error_ends_the_answer_too(start: Start) -> None:
    """No reader waits for ever; the cause is in the log only."""
    last = _follow(start(Paced(ZeroDivisionError("secret"), let=21)))[-1][1]
    assert isinstance(last, Failed)
    assert last.error.code == "HEADWATER_ERROR"
    assert "secret" not in str(last.error)


def test_a_failure_with_characters_that_cannot_be_stored_ends_the_answer_too(kb: Headwater, start: Start) -> None:
    """A model's server may say anything; nobody waits for ever because of it."""
    run = start(Paced(ModelUnavailableError("Its server said \x00 and \ud83d."), let=21))
    ended = threading.Thread(target=lambda: _follow(run), daemon=True)
    ended.start()
    ended.join(30)
    assert not ended.is_alive()
    assert _kept(kb, run).error_detail == "Its server said \ufffd and \ufffd."


def test_a_process_whose_clock_is_wrong_makes_its_answers_to_the_end(
    kb: Headwater, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Postgres judges by its own clock whether a growing answer is still being saved."""

    class Late(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Late":
            return cls.fromtimestamp(time.time() - 3600, tz)

    monkeypatch.setattr(record, "datetime", Late)
    paced = Paced(let=3)
    run = start(paced)
    _until(run, "".join(WORDS[:3]))
    run._making.started -= 1
    run.save()
    assert _kept(kb, run).state == "generating"


def test_quick_answers_are_stored_once(kb: Headwater, start: Start) -> None:
    """Their text so far is never saved; it would cost them a transaction."""
    run = start(Paced(let=21))
    run.save()
    run.result()
    assert kb.query("SELECT ctid::text AS place FROM answers") == [{"place": "(0,1)"}]  # a second write would move it


def test_too_many_questions_are_refused(start: Start) -> None:
    """Those beyond the ones that are made and the ones that wait (ANS-7); one that ends makes room."""
    first = start(Paced())
    for _ in range(2):
        start(Paced())
    with pytest.raises(RateLimitedError):
        start(Paced())
    first.cancel()
    assert start(Paced()).ended is None


def test_no_answer_stays_in_memory_once_its_end_is_stored(runs: AnswerTasks, start: Start) -> None:
    """Whether it was followed or not: then its row says all, to those who may read it."""
    ended = [start(Paced(let=21), is_followed=is_followed) for is_followed in (True, False)]
    ended.append(start(Paced(GenerationFailedError("The model broke off."), let=21)))
    for run in ended:
        _follow(run)
        assert (run.is_stored, runs.find(run.id)) == (True, None)
    deadline = time.monotonic() + 60
    while runs._tasks and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not runs._tasks


def test_an_end_that_could_not_be_stored_is_told_for_a_minute(
    runs: AnswerTasks, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only memory knows it; the whole answer waits for the database for some seconds first (REL-1)."""
    monkeypatch.setattr(run_module, "_PATIENCE", 0.2)
    monkeypatch.setattr(run_module, "_PAUSE", 0.05)
    paced = Paced()
    run = start(paced)
    attempts: list[str] = []

    def is_away(*_: object, **__: object) -> None:
        attempts.append("put")
        raise DatabaseUnavailableError

    monkeypatch.setattr(run, "_keep", is_away)
    paced.let()
    last = _follow(run)[-1][1]
    assert isinstance(last, Failed)
    assert (last.error.code, str(last.error)) == ("DATABASE_UNAVAILABLE", run_module._NOT_STORED)
    assert len(attempts) > 3
    assert (run.is_stored, runs.find(run.id)) == (False, run)
    assert run.ended is not None
    run.ended -= 61
    runs._has_tasks()
    assert runs.find(run.id) is None


def test_a_short_outage_of_the_database_loses_no_answer(
    kb: Headwater, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was made is stored once Postgres answers again (REL-1)."""
    paced = Paced()
    run = start(paced)
    keep, failures = run._keep, iter([DatabaseUnavailableError(), DatabaseUnavailableError()])

    def recovers(answer: Answer, **given: bool) -> bool:
        error = next(failures, None)
        if error is not None:
            raise error
        return keep(answer, **given)

    monkeypatch.setattr(run, "_keep", recovers)
    paced.let()
    assert isinstance(_follow(run)[-1][1], Finished)
    assert (_kept(kb, run).state, _kept(kb, run).answer) == ("done", TEXT)


def test_an_orderly_end_marks_running_answers_at_once(kb: Headwater, runs: AnswerTasks, start: Start) -> None:
    """With their text so far; nobody has to wait until they count as lost, and no new answer begins."""
    run = start(Paced(let=3))
    _until(run, "".join(WORDS[:3]))
    waiting = start(Paced())
    runs.stop()
    for ended in (run, waiting):
        last = _follow(ended)[-1][1]
        assert isinstance(last, Failed)
        assert last.error.code == "ANSWER_INTERRUPTED"
    kept = _kept(kb, run)
    assert (kept.state, kept.answer, kept.error_code) == ("interrupted", "".join(WORDS[:3]), "ANSWER_INTERRUPTED")
    with pytest.raises(AnswerInterruptedError, match="stopping"):
        start(Paced())


_DYING = """
import os, signal, sys, time
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_tasks import AnswerTasks
from headwater.errors import NotFoundError
from headwater.settings import Settings
from headwater.store.store import open_store
from query_api.routes.answer_payloads import AnswerPayload
from tests.paced import WORDS, Paced

def saved():
    try:
        return store.answers.get(run.id).answer == "".join(WORDS[:7])
    except NotFoundError:
        return False

settings = Settings.from_env()
with open_store(settings) as store:
    request = AnswerRequest(knowledge_base=store.knowledge_bases.get("kb"), question=sys.argv[1])
    run = AnswerTasks(store, settings).start(request, Paced(let=7))
    print(run.id, flush=True)
    while not saved():
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_the_text_so_far(kb: Headwater) -> None:
    """Kill -9 in mid-answer: the text of the last save stays, and is marked interrupted once nobody saves it."""
    killed = subprocess.run([sys.executable, "-c", _DYING, QUESTION], capture_output=True, text=True, timeout=60)
    assert killed.returncode == -9, killed.stderr
    answer_id = UUID(killed.stdout.strip())
    assert kb.store.answers.get(answer_id).state == "generating"  # its process may still live
    kb.query("UPDATE answers SET saved_at = saved_at - interval '11 s' RETURNING 1")
    kept = kb.store.answers.get(answer_id)
    assert (kept.state, kept.error_code) == ("interrupted", "ANSWER_INTERRUPTED")
    assert kept.answer == "".join(WORDS[:7])
    assert [passage["uri"] for passage in kept.passages] == ["pump.md"]


@pytest.fixture
def slow_look(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The look for a stored answer ends only when this is set, as when a model is loaded for the first question."""
    ready = threading.Event()

    def look(*arguments: Any) -> Lookup:
        ready.wait(30)
        return find_reusable(*arguments)

    monkeypatch.setattr(answer_maker, "find_reusable", look)
    return ready


def test_an_answer_whose_look_for_a_stored_one_is_slow_becomes_stale_too(
    kb: Headwater, start: Start, slow_look: threading.Event
) -> None:
    """What its staleness is judged by is stored, although a second passed before it was known (ANS-2)."""
    run = start(Paced(let=21))
    run._making.started -= 1
    run.save()
    slow_look.set()
    run.result()
    kept = _kept(kb, run)
    assert kept.source_revisions
    rows = kb.query("SELECT request_hash IS NOT NULL AS hash, question_vector IS NOT NULL AS vector FROM answers")
    assert rows == [{"hash": True, "vector": True}]


def test_a_slow_look_that_finds_a_stored_answer_leaves_no_other(
    kb: Headwater, start: Start, runs: AnswerTasks, slow_look: threading.Event
) -> None:
    """The request made none, so none is listed as interrupted later."""
    slow_look.set()
    first = start(Paced(let=21)).result()
    slow_look.clear()
    run = runs.start(AnswerRequest(knowledge_base=kb.knowledge_base, question=QUESTION), Paced(), is_followed=True)
    run._making.started -= 1
    run.save()
    slow_look.set()
    assert run.result().id == first.id
    assert kb.query("SELECT id FROM answers") == [{"id": first.id}]
