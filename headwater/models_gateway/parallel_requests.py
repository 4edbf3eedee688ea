"""Several requests of one sync to one model at the same time (EMB-1).

Belongs here: how many run at once, whose turn it is, and what a failure means for the others. Not here: what is sent
and read (`remote_embedder`), which failures pass (`model_failures`). Guarantee: a reply is handed over as soon as it is
there; after a failure for good no request begins, and the replies of those under way are handed over before the error;
at most one more reply is in memory than requests may be under way.

    a request fails in a way that passes    every request waits as long as the server asks, or as `RetryPolicy` says;
                                            then this one goes first, alone
    it takes long, or times out             fewer run at once: a server that works on one at a time lets the others wait
    it fails for good                       nothing more is sent; what is under way is waited for
    the sync is cancelled, or too slow      nobody waits for what is under way: threads do not keep a process alive
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.call_limits import CallBounds, NoTurnError
from headwater.models_gateway.model_failures import (
    Failure,
    RetryPolicy,
    explain_crowd,
    is_worth_retry,
    note_failure,
    unusable_error,
    wait_before_retry,
)

MAX_UNDER_WAY = 8
"""Requests at the same time: with more, one processor that reads the replies is the limit (docs/benchmarks.md)."""
_SLOW_SECONDS = 10.0  # a sixth of the time limit of a request in a sync
_MAX_TURN_SECONDS = 86_400.0  # a sync waits for its turn until its own time limit
Request = TypeVar("Request")
Reply = TypeVar("Reply")


class RequestPace:
    """How many requests of a model run at once: one at first, one more for each round of quick replies."""

    def __init__(self) -> None:
        self._size = 1.0

    @property
    def size(self) -> int:
        """How many may run now."""
        return int(self._size)

    def note_reply(self, seconds: float) -> None:
        """Count a reply, and how long it took."""
        if seconds > _SLOW_SECONDS:
            self._size = max(1.0, self._size / 2)
        else:
            self._size = min(float(MAX_UNDER_WAY), self._size + 1 / self.size)

    def note_failure(self) -> None:
        """Count a request that a server refused for now, or did not answer."""
        self._size = 1.0


@dataclass(kw_only=True, slots=True)
class _Job(Generic[Request, Reply]):
    """A request, and how its last attempt ended."""

    request: Request
    attempts: int = 0
    seconds: float = 0.0
    outcome: Reply | Failure | Exception | None = None


class ParallelRequests(Generic[Request, Reply]):
    """Some requests to one model, several at a time; iterating yields the replies in the order in which they come.

    Iterating raises `ModelUnavailableError` if a request failed for good, after the last reply.
    """

    def __init__(
        self,
        model: str,
        requests: Iterable[Request],
        send: Callable[[Request], Reply | Failure],
        *,
        patience: RetryPolicy,
        pace: RequestPace,
        bounds: CallBounds,
    ) -> None:
        """Prepare; nothing is sent yet.

        Args:
            model: its full name, for messages.
            requests: what is sent.
            send: makes one attempt; called from several threads.
            patience: how often a request is made, and the longest wait.
            pace: of the model: what one sync learns is good for the next.
            bounds: of the model's calls in this process.
        """
        self._model, self._send, self._patience, self._pace, self._bounds = model, send, patience, pace, bounds
        self._waiting = deque(_Job[Request, Reply](request=request) for request in requests)
        self._ended: SimpleQueue[_Job[Request, Reply]] = SimpleQueue()
        self._closed = threading.Event()
        self._under_way = 0
        self._paused_until = 0.0
        self._error: Exception | None = None

    def __iter__(self) -> Generator[Reply, None, None]:
        try:
            while self._under_way or (self._waiting and self._error is None):
                self._begin_due()
                job = self._wait_for_end()
                if job is None:
                    continue
                outcome = job.outcome
                if isinstance(outcome, Exception):
                    self._give_up(outcome)
                elif isinstance(outcome, Failure):
                    self._retry_or_give_up(job, outcome)
                elif outcome is not None:
                    self._pace.note_reply(job.seconds)
                    self._begin_due()  # before this reply is stored, which takes time
                    yield outcome
        finally:
            self._closed.set()
        if self._error is not None:
            raise self._error

    def _begin_due(self) -> None:
        """Begin as many requests as may run now."""
        is_open = self._error is None and time.monotonic() >= self._paused_until
        while is_open and self._waiting and self._under_way < self._pace.size:
            # Threads of an executor would keep the process of a cancelled sync alive until their replies come.
            threading.Thread(
                target=self._run, args=(self._waiting.popleft(),), name="model request", daemon=True
            ).start()
            self._under_way += 1

    def _wait_for_end(self) -> _Job[Request, Reply] | None:
        """The next job that ends; None when a pause is over before."""
        pause = max(0.0, self._paused_until - time.monotonic())
        if not self._under_way:
            time.sleep(pause)
            return None
        try:
            job = self._ended.get(timeout=pause or None)
        except Empty:
            return None
        self._under_way -= 1
        return job

    def _run(self, job: _Job[Request, Reply]) -> None:
        """Make one attempt; in a thread of its own."""
        job.attempts += 1
        try:
            with self._bounds.turn(_MAX_TURN_SECONDS, self._closed):
                self._closed.wait(max(0.0, self._paused_until - time.monotonic()))  # a pause that began meanwhile
                began = time.monotonic()
                job.outcome = None if self._closed.is_set() else self._send(job.request)
                job.seconds = time.monotonic() - began
        except NoTurnError as error:
            job.outcome = explain_crowd(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread that waits raises it
            job.outcome = error
        except BaseException as error:  # noqa: BLE001 - a panic of a library in Rust, say; this thread ends anyway
            job.outcome = ModelUnavailableError(f"The model {self._model} cannot be used: {error!r:.200}.")
        finally:
            self._ended.put(job)

    def _retry_or_give_up(self, job: _Job[Request, Reply], failure: Failure) -> None:
        attempts, longest_wait = self._patience.attempts, self._patience.longest_wait
        wait = wait_before_retry(job.attempts, failure)
        if failure.kind == "rate limited" and not failure.wait:
            attempts, wait = max(attempts, self._patience.limited_attempts), min(wait, longest_wait)
        if is_worth_retry(job.attempts, failure, wait, attempts=attempts, longest_wait=longest_wait):
            self._pace.note_failure()
            self._paused_until = max(self._paused_until, time.monotonic() + wait)
            self._waiting.appendleft(job)
            return
        note_failure(self._model, failure)
        self._give_up(unusable_error(self._model, failure))  # not chained to litellm's error, which may contain a key

    def _give_up(self, error: Exception) -> None:
        """Send nothing more, those that wait for a turn included; the first error is the one to report."""
        self._error = self._error or error
        self._closed.set()
