"""One answer that is made in a thread of its own and followed by any number of readers.

Belongs here: following its events (`task_events`), cancelling, saving the text so far. Not here: how many tasks there
are (`answer_tasks`), the steps (`answer_maker`), HTTP (`query_api`). Guarantee: a reader gets every event
after the id it names once, in order; the last event comes only after the answer is stored, or says why it is not.
"""

import logging
import threading
import time
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from uuid import UUID

from headwater.answering.answer_assembly import AssembledAnswer
from headwater.answering.answer_evidence import Evidence
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.events import Delta, Done, Event
from headwater.answering.record import answer_of, store_answer
from headwater.answering.task_events import Failed, Finished, Spent, TaskEvent, number_event
from headwater.domain.answers import Answer, AnswerState, StoredAnswer
from headwater.domain.usage import Usage
from headwater.errors import (
    AnswerInterruptedError,
    ConflictError,
    DatabaseUnavailableError,
    HeadwaterError,
    NotFoundError,
)
from headwater.settings import Settings
from headwater.store.server.json_values import clean_text
from headwater.store.store import Store
from headwater.understanding.titles import title_of

_SAVED_AFTER = 1.0  # seconds until the text so far is saved for the first time
_PATIENCE, _PAUSE = 15.0, 0.5  # seconds that a whole answer waits for the database, and between two attempts
_NOT_STORED = (
    "The answer could not be stored, because Postgres does not answer. Ask again once it does; `headwater doctor` says"
    " what is wrong."
)
_log = logging.getLogger("headwater.answers")


class AnswerTask:
    """An answer while it is made, and shortly after."""

    def __init__(self, store: Store, settings: Settings, making: AnswerMaker) -> None:
        self.id: UUID = making.request.id
        self.is_followed = False
        """Whether a reader has asked for its events; then its failure is stored too."""
        self.is_for_visitor = False
        """Whether a visitor of a widget asked."""
        self.ended: float | None = None
        """When it ended, by the process's clock."""
        self.is_stored = False
        """Whether it has ended, and the store says how: then readers get it from there alone."""
        self._store = store
        self._settings = settings
        self._making = making
        self._folded = AssembledAnswer()
        self._ids: list[int] = []
        self._events: list[TaskEvent] = []
        self._changed = threading.Condition()
        self._saving = threading.RLock()
        self._cited = 0
        self._evidence: Evidence | None = None  # whose passages are stored
        self._is_saved = False
        self._is_stopped = False  # no further event counts: what is stored is what readers got

    @property
    def request(self) -> AnswerRequest:
        """What was asked, and who asked."""
        return self._making.request

    @property
    def sources(self) -> frozenset[str]:
        """The names of the sources that its passages and summaries are from; none before they are found."""
        evidence = self._making.evidence
        passages, summaries = (evidence.trusted.passages, evidence.summaries) if evidence else ((), ())
        return frozenset({passage.source for passage in passages} | {summary.source for summary in summaries})

    def require(self) -> None:
        """Make sure that what it belongs to was not deleted, by whichever process.

        Raises:
            NotFoundError: it was. DatabaseUnavailableError: Postgres cannot be reached.
        """
        self._store.answers.require(self.request.knowledge_base, self.id, is_stored=self._is_saved)

    def begin_turn(self) -> None:
        """Store a conversation's turn before its answer is made, so that it stays whatever happens to its process.

        Raises:
            NotFoundError: the conversation or the parent was deleted meanwhile.
            ConflictError: the conversation has as many turns as it may have.
        """
        request = self.request
        self._store.conversations.add_turn(
            request.knowledge_base,
            self._snapshot("generating"),
            title_of(request.question),
            follows_last=request.follows_last,
        )
        self._is_saved = True

    def make(self) -> None:
        """Make the answer to its end; every failure becomes the event `Failed`."""
        try:
            self._make()
        except HeadwaterError as error:
            self._fail(error)
        except Exception:  # noqa: BLE001 - readers wait, whatever failed
            _log.exception("answer %s failed", self.id)
            self._fail(HeadwaterError("An unexpected error occurred. See the server's log."))

    def events(self, after: int = 0, *, patience: float = 1.0) -> Iterator[tuple[int, TaskEvent] | None]:
        """Yield the events after an id, with their ids, until the last one; None after each `patience` seconds."""
        position, is_over = self.find_position(after), False
        while not is_over:
            with self._changed:
                self._changed.wait_for(lambda: self.has_news(position), patience)  # noqa: B023 - called at once
                new, is_over = self.read(position)
            position += len(new)
            yield from new or (() if is_over else (None,))

    def find_position(self, after: int) -> int:
        """Where to `read` what comes after an event's id."""
        self.is_followed = True
        return bisect_right(self._ids, after)

    def read(self, position: int) -> tuple[list[tuple[int, TaskEvent]], bool]:
        """The events from a position on, with their ids, and whether no more will come; does not wait."""
        with self._changed:
            new = list(zip(self._ids[position:], self._events[position:], strict=True))
            return new, self.ended is not None

    def has_news(self, position: int) -> bool:
        """Whether `read` would say more than that nothing has come yet."""
        return len(self._events) > position or self.ended is not None

    def stored_id(self, patience: float) -> UUID:
        """The id by which the answer is found later, known with the first event; waits that many seconds for it."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._events), patience)
            first = self._events[0] if self._events else None
        return first.answer.id if isinstance(first, Finished) else self.id

    def result(self) -> Answer | StoredAnswer:
        """Wait for the answer.

        Raises:
            HeadwaterError: a step failed, as `AnswerMaker.events` says.
        """
        with self._changed:
            self._changed.wait_for(lambda: self.ended is not None)
            last = self._events[-1]
        if isinstance(last, Failed):
            raise last.error
        assert isinstance(last, Finished)  # noqa: S101 - `_end` adds nothing else
        return last.answer

    @property
    def outcome(self) -> Finished | Failed | None:
        """How it ended; None while it is made."""
        with self._changed:
            last = self._events[-1] if self.ended is not None and self._events else None
        return last if isinstance(last, Finished | Failed) else None

    def cancel(self) -> None:
        """End the answer with its text so far; its model's request is closed. Does nothing if it has ended."""
        with self._saving:
            if self.ended is not None:
                return
            self._is_stopped = True
            try:
                self._end(Finished(answer=self._put("cancelled")))
            except HeadwaterError as error:
                self._fail(error)
        self._making.cancel()

    def interrupt(self) -> None:
        """End the answer with its text so far, because this process ends. Does nothing if it has ended."""
        self._fail(AnswerInterruptedError(), "interrupted")
        self._making.cancel()

    def save(self) -> None:
        """Save the text so far, if the task is old enough; a task that was cancelled by another process ends.

        Nothing is saved while a stored answer may still serve the request, or before it is known what would make this
        one stale.

        Raises:
            DatabaseUnavailableError: Postgres cannot be reached; the task goes on.
        """
        with self._saving:
            is_young = time.perf_counter() - self._making.started < _SAVED_AFTER
            if self.ended is not None or is_young:
                return
            if not self._making.is_begun:
                if self._is_saved:  # a turn that waits for its place is not lost
                    self._store.answers.touch(self.id)
                return
            try:
                ended = None if self._save_text() else self._store.answers.get(self.id)
                if ended is not None:
                    self._end(Finished(answer=ended))
            except (ConflictError, NotFoundError) as error:  # a cited document, or the conversation, was deleted
                self._fail(error)
            if self.ended is not None:
                self._making.cancel()

    def _make(self) -> None:
        if self.ended is not None:  # cancelled before its turn
            return
        reusable = self._making.find_reusable()
        if reusable is not None:
            self._end(Finished(answer=reusable))
            return
        if self.is_followed and not self._is_saved and self._making.waits_for_model:
            with self._saving, suppress(DatabaseUnavailableError):  # its id is told with its first event
                if self.ended is None:
                    self._save_text()
        events = self._making.events()
        try:
            for event in events:
                if not self._add(event):
                    return
        finally:
            events.close()  # ends the request of a model
        if self._folded.done is None and self.ended is None:
            raise RuntimeError("The events of an answer ended without Done.")
        self._store_whole()

    def _save_text(self) -> bool:
        """Store the text so far; False if the stored answer has ended."""
        evidence = self._making.evidence
        is_open = self._keep(self._snapshot("generating"), has_passages=self._is_saved and evidence is self._evidence)
        self._evidence = evidence
        return is_open

    def _store_whole(self) -> None:
        """Store the whole answer, and end; a short outage of the database is waited for."""
        deadline = time.monotonic() + _PATIENCE
        while self.ended is None:
            with self._saving, suppress(DatabaseUnavailableError):
                if self.ended is None:
                    self._end(Finished(answer=self._put("done")))
            if self.ended is None:
                if time.monotonic() > deadline:
                    raise DatabaseUnavailableError(_NOT_STORED)
                time.sleep(_PAUSE)

    def _add(self, event: Event) -> bool:
        """Take an event; False if the task has ended."""
        with self._changed:
            if self._is_stopped or self.ended is not None:
                return False
            if isinstance(event, Delta):
                event = Delta(text=clean_text(event.text))
            self._folded.add(event)
            if not isinstance(event, Done | Usage):
                self._append(event)
                self._changed.notify_all()
        return True

    def _append(self, event: TaskEvent) -> None:
        least = self._ids[-1] + 1 if self._ids else 1
        self._ids.append(max(least, number_event(event, len(self._folded.text))))
        self._events.append(event)

    def _end(self, event: Finished | Failed) -> None:
        with self._changed:
            if self.ended is not None:
                return
            if isinstance(event, Finished) and isinstance(event.answer, Answer):
                self._append(Spent(usage=event.answer.usage, text=event.answer.answer))
            self._append(event)
            self.is_stored = self.is_stored or isinstance(event, Finished)
            self.ended = time.monotonic()
            self._changed.notify_all()

    def _fail(self, error: HeadwaterError, state: AnswerState = "failed") -> None:
        with self._saving:
            if self.ended is not None:
                return
            self._is_stopped = True
            if self.is_followed or self._is_saved:
                try:
                    self._put(state, error)
                    self.is_stored = True
                except HeadwaterError as reason:
                    _log.warning("the failure of answer %s was not stored: %s", self.id, reason)
                except Exception:  # noqa: BLE001 - readers wait for the end, whatever failed
                    _log.exception("the failure of answer %s was not stored", self.id)
            self._end(Failed(error=error))

    def _put(self, state: AnswerState, error: HeadwaterError | None = None) -> Answer | StoredAnswer:
        """Store the answer in its last state; returns it, or the stored one if another process has cancelled that."""
        answer = self._snapshot(state, error)
        if isinstance(error, ConflictError):  # its text quotes a document that was deleted
            answer = replace(
                answer, answer="", citations=answer.citations[: self._cited], summaries=(), statements=(), further=()
            )
        return answer if self._keep(answer) else self._store.answers.get(self.id)

    def _snapshot(self, state: AnswerState, error: HeadwaterError | None = None) -> Answer:
        with self._changed:
            return answer_of(self._making, self._folded, state, error)

    def _keep(self, answer: Answer, *, has_passages: bool = False) -> bool:
        """Store the answer so far; False if the stored one has ended."""
        is_kept = store_answer(
            self._store, self._making, answer, cited=self._cited, is_stored=self._is_saved, has_passages=has_passages
        )
        self._is_saved = self._is_saved or is_kept
        self._cited = len(answer.citations)
        return is_kept
