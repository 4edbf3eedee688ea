"""An answer as events.

Belongs here: the events of an answer and their ids, while it is made here, elsewhere, or once it is stored. Not here:
the format (`query_api.sse`), making it (`headwater.answering`). Guarantee: `sources` comes before the first
`delta`, and so does `further`, which a later one may replace; the deltas, joined, are the answer; `done` or `error` is
the last event; a client that reconnects with the id of the last event it saw gets the ones after it.
"""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import UUID

from headwater.answering.answer_task import AnswerTask
from headwater.answering.events import Delta, Further, Sources, Status
from headwater.answering.task_events import SOURCES, STEP, Failed, Finished, Spent, TaskEvent
from headwater.domain.answers import Citation, StoredAnswer, SummaryCitation
from headwater.errors import DatabaseUnavailableError, HeadwaterError
from headwater.settings import Settings
from headwater.store.store import Store
from query_api.answer_access import Check, follow_task
from query_api.markdown_stream import HtmlBlock, MarkdownStream
from query_api.problems import UNEXPECTED, problem_json, status_of
from query_api.routes.answer_payloads import AnswerPayload
from query_api.routes.citation_payloads import CitationPayload, FurtherPayload, SummaryCitationPayload
from query_api.routes.search_payloads import PassagePayload
from query_api.shared_results import SharedResults
from query_api.sse import Comment, Pause, ServerEvent, Step

Steps = Iterator[Step]
_INTERVAL = 0.5  # seconds between looks at an answer that another process makes
_RENDERED = 0.1  # seconds between two renderings of the open block
_SHARE = 20  # a rendering may take one part in so many of a reader's time
_QUIET = 1.0  # seconds without an event, between two looks at whether a reader may go on
_PATIENCE = 60.0  # seconds that the database may not answer
_log = logging.getLogger("headwater.api")


def task_events(
    store: Store, settings: Settings, task: AnswerTask, check: Check, *, after: int = 0, html: bool = False
) -> Steps:
    """Follow a task; what fails on the way, such as the database, ends the events as an error.

    Args:
        store: the store of its knowledge base.
        settings: says where the models are.
        task: of an answer that this process makes, or has just made.
        check: whether the reader may go on; asked each second, and before the last event.
        after: the id of the last event that the reader has.
        html: whether to add the event `block`.
    """
    return ending(_task_events(store, settings, task, check, after=after, html=html), task.id)


def _task_events(store: Store, settings: Settings, task: AnswerTask, check: Check, *, after: int, html: bool) -> Steps:
    blocks = _Blocks() if html else None
    last = after
    for numbered in follow_task(task, 0 if html else after, seconds=_RENDERED if html else _QUIET):
        if isinstance(numbered, Pause):
            check.look()
            yield from blocks.due() if blocks else ()
            yield numbered
            continue
        check.look(is_last=isinstance(numbered[1], Finished))
        event_id, event = numbered
        if blocks:
            _grow(blocks, event)
            if event_id >= after:
                yield from blocks.due(is_complete=isinstance(event, Spent | Finished | Failed))
        if isinstance(event, Finished) and isinstance(event.answer, StoredAnswer):
            yield from _list_stored_events(store, settings, event.answer, last)
        elif event_id > after:
            last = event_id
            yield _to_shared_event(store, settings, check.shared, task.id, event, event_id)


def follow_stored(
    store: Store, settings: Settings, answer_id: UUID, check: Check, *, after: int = 0, html: bool = False
) -> Steps:
    """Follow an answer in the store, which another process may still be making.

    Args:
        store: the store.
        settings: says where the models are.
        answer_id: the answer; it exists.
        check: whether the reader may go on; what was deleted is not there either.
        after: the id of the last event that the reader has.
        html: whether to add the event `block`.
    """
    return ending(_follow_stored(store, settings, answer_id, check, after=after, html=html), answer_id)


def ending(steps: Steps, answer_id: UUID) -> Steps:
    """The same steps; if one fails, the last event is an error.

    It has no id: a client that connects again gets what it missed.
    """
    try:
        yield from steps
    except HeadwaterError as error:
        yield _event("error", {**_problem(error), "answer_id": str(answer_id)}, None)
    except Exception:  # noqa: BLE001 - a reader waits for the end, whatever failed
        _log.exception("the events of answer %s broke off", answer_id)
        yield _event("error", {**_problem(HeadwaterError(UNEXPECTED)), "answer_id": str(answer_id)}, None)


def _follow_stored(store: Store, settings: Settings, answer_id: UUID, check: Check, *, after: int, html: bool) -> Steps:
    blocks = _Blocks() if html else None
    reader = _Reader(answer_id, after)
    read, key = partial(_read_stored, store, answer_id, check), ("stored answer", answer_id, check.rights)
    since = time.monotonic()
    deadline = since + _PATIENCE
    while True:
        try:
            payload = check.shared.get(key, read, since=since, error_seconds=_INTERVAL / 2)
        except DatabaseUnavailableError:
            if time.monotonic() > deadline:
                raise
            yield Comment(text="the database does not answer; waiting")
            yield Pause(_INTERVAL)
            since = time.monotonic() - _INTERVAL / 2
            continue
        deadline = time.monotonic() + _PATIENCE
        yield from reader.growth(payload)
        if blocks:
            blocks.replace_text(payload.answer)
            yield from blocks.due(is_complete=payload.state != "generating")
        if payload.state != "generating":
            yield from reader.end(payload.model_copy().with_related(store, settings))
            return
        yield Pause(_INTERVAL)
        since = time.monotonic() - _INTERVAL / 2  # somebody may have looked


def _read_stored(store: Store, answer_id: UUID, check: Check) -> AnswerPayload:
    check.require()
    return AnswerPayload.from_stored(store.answers.get(answer_id)).with_originals(store.originals)


class _Reader:
    """Where a reader of a stored answer is: `last` is the id of its last event."""

    def __init__(self, answer_id: UUID, after: int) -> None:
        self.last = self._after = after
        self._answer_id = answer_id

    def growth(self, payload: AnswerPayload) -> Iterator[ServerEvent]:
        """The passages, once they are known, then the text that is new, and the citations of its markers."""
        seen, had_citations = divmod(self.last, STEP)
        if self.last < SOURCES and (payload.passages or payload.answer):
            self.last = SOURCES - 1
            passages = [passage.model_dump(mode="json") for passage in payload.passages]
            yield self._next("sources", {"passages": passages})
        if self.last == SOURCES and payload.further:
            yield self._next("further", {"passages": [passage.model_dump(mode="json") for passage in payload.further]})
        if len(payload.answer) > seen:
            self.last = len(payload.answer) * STEP - 1
            yield self._next("delta", {"text": payload.answer[seen:]})
        for summary in payload.summaries:
            if payload.answer.find(summary.marker) + len(summary.marker) > seen:
                yield self._next("summary", summary.model_dump(mode="json"))
        for citation in payload.citations:
            end = payload.answer.find(citation.marker) + len(citation.marker)
            if end > seen or (end == seen and not had_citations):
                yield self._next("citation", citation.model_dump(mode="json"))

    def end(self, payload: AnswerPayload) -> Iterator[ServerEvent]:
        """The last events of an answer that has ended."""
        if payload.state in ("failed", "interrupted"):
            code = payload.error_code or HeadwaterError.code
            problem = problem_json(status_of(code), code, payload.error_detail or "")
            yield self._next("error", {**json.loads(problem), "answer_id": str(self._answer_id)})
            return
        if not self._had_usage(payload):
            yield self._next("usage", payload.usage)
        yield self._next("done", payload.model_dump(mode="json"))

    def _had_usage(self, payload: AnswerPayload) -> bool:
        """Whether more events came after the last character than its markers have."""
        markers = [
            *(citation.marker for citation in payload.citations),
            *(summary.marker for summary in payload.summaries),
        ]
        length = len(payload.answer)
        last = sum(payload.answer.find(marker) + len(marker) == length for marker in markers)
        return self._after > length * STEP + last

    def _next(self, name: str, data: Any) -> ServerEvent:
        self.last += 1
        return _event(name, data, self.last)


class _Blocks:
    """The HTML of an answer for one reader, rendered at most ten times a second, and less often if it takes long."""

    def __init__(self) -> None:
        self._text = ""
        self._sent = 0  # blocks, by the highest index
        self._growing = MarkdownStream()
        self._next = 0.0
        self._is_new = False

    def add(self, text: str) -> None:
        """Add text at the end."""
        self._growing.add(text)
        self._text += text
        self._is_new = self._is_new or bool(text)

    def replace_text(self, text: str) -> None:
        """Take the text of the whole answer; one that does not begin with the text so far replaces it."""
        if not text.startswith(self._text):
            self._growing, self._text = MarkdownStream(), ""
        self.add(text[len(self._text) :])

    def due(self, *, is_complete: bool = False) -> Iterator[ServerEvent]:
        """The blocks that changed, if it is time; all that are left at the end of the answer."""
        started = time.monotonic()
        if not is_complete and (not self._is_new or started < self._next):
            return
        count = 0
        for block in self._growing.changed(is_complete=is_complete):
            count = block.index + 1
            yield _block(block)
        if is_complete and count:
            for index in range(count, self._sent):  # of a text that was replaced by a shorter one
                yield _block(HtmlBlock(index=index, html="", final=True))
        self._sent = max(self._sent, count)
        now = time.monotonic()
        self._next, self._is_new = now + max(_RENDERED, _SHARE * (now - started)), False


def _grow(blocks: _Blocks, event: TaskEvent) -> None:
    """Add the text of an event; the whole answer may be another text than its pieces."""
    match event:
        case Delta():
            blocks.add(event.text)
        case Spent():
            blocks.replace_text(event.text)
        case Finished():
            blocks.replace_text(event.answer.answer)


def _to_shared_event(
    store: Store, settings: Settings, shared: SharedResults, answer_id: UUID, event: TaskEvent, event_id: int
) -> ServerEvent:
    """An event for any reader who may follow the answer; what takes time is made once for all of them."""

    def make() -> ServerEvent:
        return _event(*_name_event(store, settings, answer_id, event), event_id)

    if isinstance(event, Delta | Status):
        return make()
    return shared.get(("event", answer_id, event_id), make, since=0.0)


def _name_event(store: Store, settings: Settings, answer_id: UUID, event: TaskEvent) -> tuple[str, Any]:
    """The name and the data of an event."""
    match event:
        case Status():
            return "status", {"stage": event.stage, "answer_id": str(answer_id)}
        case Sources():
            return "sources", {
                "passages": [PassagePayload.of(passage).model_dump(mode="json") for passage in event.passages]
            }
        case Further():
            return "further", {
                "passages": [FurtherPayload.of(passage).model_dump(mode="json") for passage in event.passages]
            }
        case Delta():
            return "delta", {"text": event.text}
        case Citation():
            return "citation", _to_citation(store, event).model_dump(mode="json")
        case SummaryCitation():
            return "summary", SummaryCitationPayload.made(event).model_dump(mode="json")
        case Spent():
            return "usage", dict(event.usage)
        case Failed():
            return "error", {**_problem(event.error), "answer_id": str(answer_id)}
        case Finished():
            payload = AnswerPayload.of(event.answer)
            with suppress(DatabaseUnavailableError):  # it is stored, whatever happened to the database since
                payload.with_originals(store.originals)
            return "done", payload.with_related(store, settings).model_dump(mode="json")


def _list_stored_events(
    store: Store, settings: Settings, stored_answer: StoredAnswer, after: int
) -> Iterator[ServerEvent]:
    """The events of an answer that was served from the store."""
    payload = AnswerPayload.of(stored_answer).with_originals(store.originals).with_related(store, settings)
    reader = _Reader(stored_answer.id, after)
    yield from reader.growth(payload)
    yield from reader.end(payload)


def _to_citation(store: Store, citation: Citation) -> CitationPayload:
    """A citation, without its original while the database does not answer: the answer goes on, and `done` has it."""
    payload = CitationPayload.of(citation)
    with suppress(DatabaseUnavailableError):
        payload.with_original(store.originals)
    return payload


def _problem(error: HeadwaterError) -> dict[str, Any]:
    problem: dict[str, Any] = json.loads(problem_json(error.http_status, error.code, str(error)))
    return problem


def _block(block: HtmlBlock) -> ServerEvent:
    """A block has no id: it replaces the one with its index, so a client that reconnects may get it again."""
    return _event("block", asdict(block), None)


def _event(name: str, data: Any, number: int | None) -> ServerEvent:
    return ServerEvent(name=name, data=json.dumps(data, ensure_ascii=False, separators=(",", ":")), id=number)
