"""The answers that this process makes, as the caller of a request may begin, follow and end them (API-6).

Belongs here: the rights to what is in memory. Not here: making answers (`headwater.answering.answer_tasks`), rights to
rows (`query_api.guards.visibility`), visitors of widgets (`headwater.answering.visitor_questions`). Guarantee: memory
tells nobody more than the rows do: what was deleted, by whichever process, is not followed any further; a key ends no
answer that another key asked for; however many follow with the same rights, they are checked once a second.
"""

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_task import AnswerTask
from headwater.answering.task_events import TaskEvent
from headwater.domain.access import Caller, Reader
from headwater.errors import DatabaseUnavailableError, ForbiddenError, UnauthenticatedError
from headwater.store.work.answers import unknown_answer_error
from query_api.app_context import AppContext, answer_tasks, app_context, store
from query_api.guards.authentication import caller
from query_api.shared_results import SharedResults
from query_api.sse import Pause

_CHECK_INTERVAL = 1.0  # seconds
_REVOKED = "The key or the session that asked for these events is no longer valid."
_NOT_YOURS = "Another key asked for this answer. Only that key, or one with the scope admin, may end it."


@dataclass(kw_only=True, slots=True)
class Check:
    """Whether a reader may go on reading.

    `require` raises a `HeadwaterError` if not; those with equal `rights` may all go on, or none of them. `shared` has
    what they look at together.
    """

    require: Callable[[], object]
    rights: Hashable
    shared: SharedResults
    _next: float = field(default_factory=lambda: time.monotonic() + _CHECK_INTERVAL)  # who begins to follow was checked

    def look(self, *, is_last: bool = False) -> None:
        """Check if it is time; while the database does not answer, nothing is deleted.

        Args:
            is_last: whether the reader gets the last event next, so that the check must not be older.

        Raises:
            HeadwaterError: the reader may not go on.
        """
        now = time.monotonic()
        if is_last or now >= self._next:
            self._next = now + _CHECK_INTERVAL
            oldest, error_seconds = (now, 0.0) if is_last else (now - _CHECK_INTERVAL / 2, _CHECK_INTERVAL)
            with suppress(DatabaseUnavailableError):
                self.shared.get(("check", self.rights), self.require, since=oldest, error_seconds=error_seconds)


def start_answer(request: AnswerRequest, *, is_followed: bool = False) -> AnswerTask:
    """Begin an answer for the present caller.

    Raises:
        HeadwaterError: as `AnswerTasks.start`.
    """
    who = caller()
    return answer_tasks().start(replace(request, asked_by=who.reader.owner if who else None), is_followed=is_followed)


def find_task(answer_id: UUID) -> AnswerTask | None:
    """The task of an answer, if this process makes it; None if the store says all of it.

    Raises:
        NotFoundError: the caller may not read it, or it was deleted.
    """
    task = answer_tasks().find(answer_id)
    if task is not None:
        check_of(task).require()
    return task


def follow_task(task: AnswerTask, after: int = 0, *, seconds: float) -> Iterator[tuple[int, TaskEvent] | Pause]:
    """Yield the events of a task after an id, with their ids, until the last one.

    Args:
        task: the task.
        after: the id of the last event that the reader has.
        seconds: the longest pause.
    """
    position, is_over = task.find_position(after), False
    while not is_over:
        new, is_over = task.read(position)
        position += len(new)
        yield from new or (() if is_over else (Pause(seconds, partial(task.has_news, position)),))


def check_of(task: AnswerTask) -> Check:
    """What checks whether the present caller may follow a task, also later."""
    who, app = caller(), app_context()
    return Check(require=lambda: _check(app, who, task), rights=(task.id, who), shared=app.shared)


def check_caller() -> Check:
    """What checks whether the present caller's key is still valid, later."""
    who, app = caller(), app_context()
    return Check(require=lambda: _check_valid(app, who), rights=who, shared=app.shared)


def end_answer(answer_id: UUID) -> None:
    """End an answer that is being made, here or by another process; one that has ended stays as it is.

    Raises:
        ForbiddenError: another key asked for it. NotFoundError: the caller may not read it, or it was deleted.
    """
    task, who = find_task(answer_id), caller()
    if task is None:
        if not store().answers.cancel(answer_id) and store().answers.get(answer_id).state == "generating":
            raise ForbiddenError(_NOT_YOURS)
    elif who is None or _may_end(task, who.reader):
        task.cancel()
    else:
        raise ForbiddenError(_NOT_YOURS)


def _may_end(task: AnswerTask, reader: Reader) -> bool:
    """Whether somebody who may read an answer may end it: in a conversation these are the same."""
    is_own = reader.owner is not None and reader.owner == task.request.asked_by
    return reader.sees_all or is_own or task.request.conversation_id is not None


def _check(app: AppContext, who: Caller | None, task: AnswerTask) -> None:
    task.require()
    _check_valid(app, who)
    if who is None:
        return
    talk = task.request.conversation_id
    is_visible = who.visible is None or task.request.knowledge_base.id in who.visible
    if not is_visible or (talk is not None and not app.store.owners.may_read(who.reader, "conversation", talk)):
        raise unknown_answer_error(task.id)


def _check_valid(app: AppContext, who: Caller | None) -> None:
    if who is not None and not app.callers.is_valid(app.store, who):
        raise UnauthenticatedError(_REVOKED)
