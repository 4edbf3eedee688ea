"""Several requests of one sync to one model at the same time (EMB-1).

Belongs here: whose turn it is, and what a failure means for the others; a request is a name, and sending it is whatever
a test says. Not here: what a server gets (`test_remote_models`), whole syncs (`integration/test_remote_models`).
"""

import random
import threading
import time
from collections.abc import Callable

import pytest

from headwater.errors import ModelUnavailableError
from headwater.models_gateway import outcomes, parallel_requests
from headwater.models_gateway.call_limits import CallBounds
from headwater.models_gateway.model_failures import SYNC, Failure, RetryPolicy, wait_before_retry
from headwater.models_gateway.parallel_requests import MAX_UNDER_WAY, ParallelRequests, RequestPace

MODEL = "openai/beside"
REFUSED = Failure(reason="no.")
_PATIENCE_SECONDS = 60.0


class Server:
    """What a test says happens when a request is sent, and the requests in the order in which they began."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.times: list[float] = []
        self.answers: dict[str, list[Callable[[], str | Failure]]] = {}
        """What the attempts of a request end with; one without an entry gets its own name back."""

    def send(self, name: str) -> str | Failure:
        """Answer one attempt."""
        self.begun.append(name)
        self.times.append(time.monotonic())
        answers = self.answers.get(name)
        return answers.pop(0)() if answers else name


def _send_all(
    server: Server, names: str, *, size: int = 1, bounds: CallBounds | None = None
) -> ParallelRequests[str, str]:
    pace = RequestPace()
    while pace.size < size:
        pace.note_reply(0.1)
    return ParallelRequests(
        MODEL,
        names,
        server.send,
        patience=RetryPolicy(attempts=3, timeout=1, longest_wait=1),
        pace=pace,
        bounds=bounds or CallBounds(concurrency=0, per_minute=0),
    )


def _meet(count: int) -> Callable[[], str]:
    """An answer that comes once so many requests are under way."""
    barrier = threading.Barrier(count)

    def answer() -> str:
        return f"met {barrier.wait(_PATIENCE_SECONDS)}"

    return answer


def _wait_for(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_requests_run_beside_each_other() -> None:
    """One alone, then two, then more: those that wait for each other all get their reply."""
    server = Server()
    pair, trio = _meet(2), _meet(3)
    server.answers = {"b": [pair], "c": [pair], "d": [trio], "e": [trio], "f": [trio]}
    replies = list(_send_all(server, "abcdef"))
    assert replies[0] == "a"
    assert len(replies) == 6
    assert sorted(server.begun) == list("abcdef")


def test_no_more_run_than_may() -> None:
    """However many wait, and even if nobody takes the replies: they would fill the memory."""
    server, released = Server(), threading.Event()
    server.answers = {name: [lambda: str(released.wait(_PATIENCE_SECONDS))] for name in "bcdefghijklmn"}
    replies = iter(_send_all(server, "abcdefghijklmn", size=MAX_UNDER_WAY))
    assert next(replies) == "a"
    _wait_for(lambda: len(server.begun) == MAX_UNDER_WAY + 1)
    released.set()
    assert len(server.begun) == MAX_UNDER_WAY + 1
    assert len(list(replies)) == 13


def test_what_is_under_way_is_handed_over_before_the_error() -> None:
    """The reply that comes after another request has failed is paid for; nothing more is sent."""
    outcomes.forget()
    server, begun = Server(), threading.Event()

    def fail() -> Failure:
        begun.wait(_PATIENCE_SECONDS)
        return REFUSED

    def reply_late() -> str:
        begun.set()
        _wait_for(lambda: outcomes.last_outcome(MODEL))  # the failure was taken notice of
        return "late"

    server.answers = {"a": [fail], "b": [reply_late]}
    replies = iter(_send_all(server, "abcd", size=2))
    assert next(replies) == "late"
    with pytest.raises(ModelUnavailableError, match=f"The model {MODEL} cannot be used: no."):
        next(replies)
    assert sorted(server.begun) == ["a", "b"]


def test_a_failure_for_good_ends_the_wait_of_the_others() -> None:
    """Those that wait for a turn do not send when it comes, and leave no turn behind that nobody takes."""
    server = Server()
    server.answers = {"a": [lambda: REFUSED]}
    bounds = CallBounds(concurrency=0, per_minute=1)
    with pytest.raises(ModelUnavailableError):
        list(_send_all(server, "abcdefgh", size=8, bounds=bounds))
    assert server.begun == ["a"]
    _wait_for(lambda: len(bounds._begun) == 1)


def test_a_panic_of_a_library_is_an_error() -> None:
    """What is no `Exception` would end a thread unseen, and the sync would wait for its reply for ever."""

    class Panic(BaseException):
        pass

    def panic() -> str:
        raise Panic("stack overflow")

    server = Server()
    server.answers = {"b": [panic]}
    replies = iter(_send_all(server, "ab"))
    assert next(replies) == "a"
    with pytest.raises(ModelUnavailableError, match="stack overflow"):
        next(replies)


def test_a_limit_of_a_minute_is_waited_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sync outlasts a provider that counts by the minute and does not say how long to wait, with the least jitter."""
    waits: list[float] = []
    monkeypatch.setattr(random, "uniform", lambda low, _: low)
    monkeypatch.setattr(parallel_requests, "wait_before_retry", lambda attempt, failure: _note(waits, attempt, failure))
    server = Server()
    limited = Failure(reason="too many.", kind="rate limited", is_passing=True)
    server.answers = {"a": [lambda: limited] * 20}
    requests = ParallelRequests(
        MODEL, "a", server.send, patience=SYNC, pace=RequestPace(), bounds=CallBounds(concurrency=0, per_minute=0)
    )
    with pytest.raises(ModelUnavailableError):
        list(requests)
    assert sum(min(wait, SYNC.longest_wait) for wait in waits[:-1]) > 60


def _note(waits: list[float], attempt: int, failure: Failure) -> float:
    """Note how long it would be waited, and wait not at all."""
    waits.append(wait_before_retry(attempt, failure))
    return 0.0


def test_a_refused_request_goes_first() -> None:
    """A server that asks to wait is left alone by all requests, and the refused one is repeated before any other."""
    server = Server()
    server.answers = {"a": [lambda: Failure(reason="wait.", is_passing=True, wait=0.3)] * 2}
    assert sorted(_send_all(server, "abcd")) == list("abcd")
    assert server.begun[:3] == ["a", "a", "a"]
    assert sorted(server.begun[3:]) == ["b", "c", "d"]
    assert min(server.times[1] - server.times[0], server.times[2] - server.times[1]) >= 0.3


def test_patience_has_an_end() -> None:
    """After three attempts of one request; what others got is handed over."""
    server = Server()
    server.answers = {"b": [lambda: Failure(reason="down.", is_passing=True, wait=0.01)] * 3}
    replies = iter(_send_all(server, "ab"))
    assert next(replies) == "a"
    with pytest.raises(ModelUnavailableError, match="down"):
        next(replies)
    assert server.begun == ["a", "b", "b", "b"]


def test_an_error_of_ours_is_raised_as_it_is() -> None:
    """It does not end in a thread, with the reader waiting."""
    server = Server()

    def stumble() -> str:
        raise ZeroDivisionError

    server.answers = {"a": [stumble]}
    with pytest.raises(ZeroDivisionError):
        list(_send_all(server, "ab"))


def test_a_reader_that_leaves_waits_for_nobody() -> None:
    """As a cancelled sync does: what hangs is left alone, and what waits for its turn is never sent."""
    server, released = Server(), threading.Event()
    server.answers = {"b": [lambda: str(released.wait(_PATIENCE_SECONDS))]}
    bounds = CallBounds(concurrency=1, per_minute=0)
    replies = iter(_send_all(server, "abcd", size=2, bounds=bounds))
    names = [next(replies)]
    while "b" not in server.begun:
        names.append(next(replies))
    replies.close()
    released.set()
    _wait_for(lambda: all(thread.name != "model request" for thread in threading.enumerate()))
    assert "b" not in names
    assert len(server.begun) == len(names) + 1


def test_the_setting_bounds_requests() -> None:
    """`HEADWATER_MODEL_CONCURRENCY` may allow fewer than a sync would send."""
    running, most, lock = 0, 0, threading.Lock()
    server = Server()

    def count() -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return ""

    server.answers = {name: [count] for name in "abcdef"}
    list(_send_all(server, "abcdef", size=6, bounds=CallBounds(concurrency=2, per_minute=0)))
    assert most == 2


def test_the_pace() -> None:
    """One more for each round of quick replies, half after a slow one, one alone after a refusal."""
    pace = RequestPace()
    sizes = []
    for _ in range(40):
        sizes.append(pace.size)
        pace.note_reply(10.0)
    assert sizes[:7] == [1, 2, 2, 3, 3, 3, 4]
    assert sizes[-1] == MAX_UNDER_WAY
    pace.note_reply(10.1)
    assert pace.size == MAX_UNDER_WAY // 2
    pace.note_failure()
    assert pace.size == 1
    pace.note_reply(10.1)
    assert pace.size == 1
