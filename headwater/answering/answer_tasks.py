"""The answers that this process makes.

Belongs here: starting tasks, how many there may be, finding one by its id, saving their text so far each second. Not
here: one task (`answer_task`), who may follow one (`query_api.answer_access`). Guarantee: no answer is read from memory
once its end is stored; what a killed process leaves is found by its last save.
"""

import logging
import threading
import time
from collections.abc import Callable
from uuid import UUID

from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_task import AnswerTask
from headwater.answering.answerer import Answerer
from headwater.answering.answerers import choose_answerer
from headwater.errors import AnswerInterruptedError, HeadwaterError, RateLimitedError
from headwater.settings import Settings
from headwater.spans import root_span
from headwater.store.store import Store

AT_ONCE = 24
"""Answers that are made at the same time."""
WAITING = 40
"""Further answers that may wait for their turn."""
FOR_VISITORS = 16
"""Answers to visitors of widgets at the same time: anybody may be one, so they leave places for others."""
_RETRY_AFTER = 5  # seconds
_INTERVAL = 1.0  # seconds between two saves
_KEPT = 60.0  # seconds that a finished task stays of which the store does not say all
_MAX_KEPT = 100  # finished tasks
_log = logging.getLogger("headwater.answers")


class AnswerTasks:
    """Makes answers in threads of its own.

    The threads are daemons, so a process that ends does not wait for a model.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        *,
        at_once: int = AT_ONCE,
        waiting: int = WAITING,
        on_end: Callable[[AnswerTask], None] | None = None,
    ) -> None:
        self._store = store
        self._on_end = on_end
        self._settings = settings
        self._places = threading.BoundedSemaphore(at_once)
        self._most = at_once + waiting
        self._tasks: dict[UUID, AnswerTask] = {}
        self._lock = threading.Lock()
        self._saver: threading.Thread | None = None
        self._is_stopping = False

    def start(
        self,
        request: AnswerRequest,
        answerer: Answerer | None = None,
        *,
        is_followed: bool = False,
        is_for_visitor: bool = False,
    ) -> AnswerTask:
        """Begin an answer, which may be one from the store.

        Args:
            request: the question.
            answerer: makes the answer; by default the one that the knowledge base's settings name.
            is_followed: whether readers will follow its events; then a failure is stored too.
            is_for_visitor: whether a visitor of a widget asks.

        Raises:
            AnswerInterruptedError: the process is about to end.
            RateLimitedError: too many answers wait already.
            UnknownModelError: there is no such model.
            NotFoundError, ConflictError: the conversation takes no further turn, as `AnswerTask.begin_turn` says.
        """
        chosen_answerer = answerer or choose_answerer(self._store, self._settings, request.knowledge_base.settings)
        task = AnswerTask(
            self._store, self._settings, AnswerMaker(self._store, self._settings, request, chosen_answerer)
        )
        task.is_followed, task.is_for_visitor = is_followed, is_for_visitor
        with self._lock:
            self._require_place(task)
            self._tasks[task.id] = task
        if request.conversation_id is not None:
            self._begin_turn(task)
        with self._lock:
            if self._saver is None:
                self._saver = threading.Thread(target=self._save, name="saving answers", daemon=True)
                self._saver.start()
        threading.Thread(target=self._make, args=(task,), name=f"answer {task.id}", daemon=True).start()
        return task

    def find(self, answer_id: UUID) -> AnswerTask | None:
        """The task of an answer that is made, or whose end could not be stored in the last minute; else None."""
        task = self._tasks.get(answer_id)
        return None if task is None or task.is_stored else task

    def stored_id(self, answer_id: UUID) -> UUID:
        """The id of an answer in the store: another one if that served the request, as is known for a minute."""
        task = self._tasks.get(answer_id)
        return task.stored_id(0) if task is not None and task.is_stored else answer_id

    def owner_of(self, answer_id: UUID) -> int | None:
        """The id of the knowledge base of an answer that has a task in memory; it may not be stored yet."""
        task = self._tasks.get(answer_id)
        return task.request.knowledge_base.id if task is not None else None

    def stop(self) -> None:
        """End the answers that are being made as interrupted, with their text so far, before the process ends."""
        with self._lock:
            self._is_stopping = True
            running = list(self._tasks.values())
        for task in running:
            task.interrupt()

    def _require_place(self, task: AnswerTask) -> None:
        if self._is_stopping:
            raise AnswerInterruptedError("Headwater is stopping. Ask again when it runs.")
        running = [task for task in self._tasks.values() if task.ended is None]
        of_visitors = sum(task.is_for_visitor for task in running)
        if len(running) >= self._most or (task.is_for_visitor and of_visitors >= FOR_VISITORS):
            count = of_visitors if task.is_for_visitor else len(running)
            raise RateLimitedError(
                f"{count} questions are being answered. Ask again in a few seconds.", retry_after=_RETRY_AFTER
            )

    def _begin_turn(self, task: AnswerTask) -> None:
        try:
            task.begin_turn()
        except BaseException:
            self._forget(task)
            raise

    def _forget(self, task: AnswerTask) -> None:
        with self._lock:
            self._tasks.pop(task.id, None)

    def _make(self, task: AnswerTask) -> None:
        with self._places, root_span(self._settings, "ask", run_id=str(task.id)):
            task.make()
        if self._on_end is not None:
            self._on_end(task)
        is_row = task.is_stored and task.stored_id(0) == task.id
        if is_row or not task.is_followed:  # nobody knows the id of one that was not followed and failed
            self._forget(task)

    def _save(self) -> None:
        """Save the running answers each second, and forget old ones; ends when there are none."""
        while self._has_tasks():
            time.sleep(_INTERVAL)
            for task in list(self._tasks.values()):
                try:
                    task.save()
                except HeadwaterError as error:
                    _log.warning("the text so far of answer %s was not saved: %s", task.id, error)
                except Exception:  # noqa: BLE001 - the other answers are saved
                    _log.exception("the text so far of answer %s was not saved", task.id)

    def _has_tasks(self) -> bool:
        with self._lock:
            now = time.monotonic()
            over = [task for task in self._tasks.values() if task.ended is not None]
            old = [task for task in over if task.ended is not None and now - task.ended > _KEPT]
            for task in {*old, *over[:-_MAX_KEPT]}:
                del self._tasks[task.id]
            if not self._tasks:
                self._saver = None
            return bool(self._tasks)
