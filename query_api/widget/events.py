"""An answer as events for a visitor of a widget (INT-2).

Belongs here: what of an answer's events a visitor gets. Not here: the events themselves (`routes.answer_events`).
Guarantee: a visitor gets the text as HTML, and citations as `PublicCitation`; no event says what an answer cost or
where it comes from otherwise; the ids of events stay, so a browser can reconnect. A refusal names no document, because
ours is for people who may know where the documents are.
"""

import json
from dataclasses import replace
from functools import partial
from typing import Any

from headwater.answering.answer_task import AnswerTask
from headwater.answering.task_events import Finished
from headwater.answering.visitor_questions import answer_to, require_public
from headwater.domain.answers import StoredAnswer
from headwater.domain.widgets import Visitor, WidgetQuestion
from headwater.settings import Settings
from headwater.store.store import Store
from query_api.answer_access import Check
from query_api.marked_answer import MARKED, answer_blocks
from query_api.routes.answer_events import Steps, ending, follow_stored, task_events
from query_api.shared_results import SharedResults
from query_api.sse import ServerEvent
from query_api.widget.payloads import PublicAnswer, PublicCitation

_BEFORE_THE_END = "usage"
"""The event between the last text and `done`."""
_RETOLD = ("citation", "done", "error", "status")
_REFUSED = "<p>The documents do not answer this question.</p>\n"
_FAILED = "The answer could not be completed. Please try again."


def visitor_task_events(
    store: Store, settings: Settings, shared: SharedResults, visitor: Visitor, task: AnswerTask, *, after: int = 0
) -> Steps:
    """Follow the answer that this process makes for a visitor's question.

    Args:
        store: the store of its knowledge base.
        settings: says where the models are.
        shared: what readers look at together.
        visitor: who asked.
        task: makes the answer.
        after: the id of the last event that the visitor has.
    """
    require = partial(require_public, store, visitor, task)
    check = Check(require=require, rights=("public", task.id, visitor.id), shared=shared)
    steps = task_events(store, settings, task, check, after=after, html=True)
    return _retold(str(task.id), ending(_note_end(steps, store, task), task.id))


def visitor_stored_events(
    store: Store,
    settings: Settings,
    shared: SharedResults,
    visitor: Visitor,
    question: WidgetQuestion,
    *,
    after: int = 0,
) -> Steps:
    """Follow the stored answer to a visitor's question, which another process may still be making.

    Args:
        store: the store.
        settings: says where the models are.
        shared: what readers look at together.
        visitor: who asked.
        question: the visitor's question.
        after: the id of the last event that the visitor has.
    """
    require = partial(answer_to, store, visitor, question)
    check = Check(require=require, rights=("public", question.id, visitor.id), shared=shared)
    return _retold(str(question.id), follow_stored(store, settings, question.answer_id, check, after=after, html=True))


def _retold(question_id: str, steps: Steps) -> Steps:
    """The steps as a visitor gets them."""
    told = _Told(question_id)
    for step in steps:
        yield from told.steps(step)


def _note_end(steps: Steps, store: Store, task: AnswerTask) -> Steps:
    for step in steps:
        if isinstance(step, ServerEvent) and step.name == "done":
            _note_served(store, task)
        yield step


def _note_served(store: Store, task: AnswerTask) -> None:
    """Remember which stored answer serves the question, if one does."""
    match task.outcome:
        case Finished(answer=StoredAnswer() as kept) if kept.id != task.id:
            store.widget_questions.serve(task.id, kept.id)


class _Told:
    """Events as visitors get them.

    A block waits until evidence was cited, because until then the text may be a refusal; and for the next step, because
    a refusal may replace a text that cites: then `done` follows.
    """

    def __init__(self, question_id: str) -> None:
        self._id = question_id
        self._passages: dict[str, Any] = {}
        self._blocks: dict[int, ServerEvent] = {}  # that wait
        self._sent = 0  # blocks, by the highest index
        self._has_evidence = False

    def steps(self, step: Any) -> Steps:
        """The same step for visitors; nothing for what they do not get."""
        if isinstance(step, ServerEvent) and step.name == "block":
            self._blocks[json.loads(step.data)["index"]] = step
            return
        name = step.name if isinstance(step, ServerEvent) else ""
        self._has_evidence = self._has_evidence or name in ("citation", "summary")
        if name == "done":
            yield from self._ending(json.loads(step.data))
        elif self._has_evidence and name != _BEFORE_THE_END:
            yield from self._release_waiting()
        yield from self._handle(step)

    def _ending(self, answer: dict[str, Any]) -> Steps:
        """The blocks of a whole answer: those with a sentence that no passage supports once more, with a mark."""
        if answer["refused"]:
            yield from self._refusal()
            return
        yield from self._release_waiting()
        statements = [(statement["text"], statement["supported"]) for statement in answer["statements"]]
        if not all(is_supported for _, is_supported in statements):
            for index, html in enumerate(answer_blocks(answer["answer"], statements)):
                if MARKED in html:
                    data = {"index": index, "html": html, "final": True}
                    yield ServerEvent(name="block", data=json.dumps(data, ensure_ascii=False, separators=(",", ":")))

    def _release_waiting(self) -> Steps:
        """The blocks that waited."""
        for index, block in self._blocks.items():
            self._sent = max(self._sent, index + 1)
            yield block
        self._blocks = {}

    def _refusal(self) -> Steps:
        """The text of a refusal, instead of all blocks."""
        for index in range(max(1, self._sent)):
            data = {"index": index, "html": "" if index else _REFUSED, "final": True}
            yield ServerEvent(name="block", data=json.dumps(data))
        self._blocks = {}

    def _handle(self, step: Any) -> Steps:
        if not isinstance(step, ServerEvent):
            yield step
        elif step.name == "sources":
            self._passages = {passage["chunk_id"]: passage for passage in json.loads(step.data)["passages"]}
            yield None
        elif step.name in _RETOLD:
            data = self._retold(step.name, json.loads(step.data))
            yield replace(step, data=json.dumps(data, ensure_ascii=False, separators=(",", ":")))
        else:
            yield None

    def _retold(self, name: str, data: dict[str, Any]) -> dict[str, Any]:
        if name == "status":
            return {"stage": data["stage"], "id": self._id}
        if name == "citation":
            return PublicCitation.of(data, self._passages).model_dump(mode="json")
        if name == "error":
            return {"code": data["code"], "detail": _FAILED, "id": self._id}
        return PublicAnswer.of(self._id, data).model_dump(mode="json")
