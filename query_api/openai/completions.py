"""Answers as chat completions, whole and as chunks.

Belongs here: the fields and the order of chunks. Not here: making answers (`headwater.answering`), streams
(`query_api.sse`). Guarantee: every line of a stream is a chunk, an error or `[DONE]`; the first chunk has the role, the
last one a reason to end; after an error nothing follows.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from headwater import __version__
from headwater.answering.events import Delta
from headwater.answering.task_events import Failed, Finished, TaskEvent
from headwater.domain.answers import Answer, StoredAnswer
from headwater.errors import CancelledError, HeadwaterError
from headwater.store.content.originals import OriginalStore
from query_api.openai.errors import error_body
from query_api.openai.payloads import (
    Annotation,
    AnswerFields,
    Choice,
    CompletionPayload,
    LinkedCitation,
    LinkedFurther,
    ReplyMessage,
    TokenUsage,
)
from query_api.openai.source_list import annotations, source_list
from query_api.response_urls import address_of
from query_api.routes.answer_payloads import AnswerPayload
from query_api.sse import Pause, ServerEvent

DONE = ServerEvent(name="", data="[DONE]")
_REPLACED = "\n\nNo passage supports the text above, so this is the answer: "


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """How an answer is shown: the model's name, the address of this API, whether a list of sources and usage are sent.

    `created` is when the request came, in seconds since 1970.
    """

    model: str
    root: str
    lists_sources: bool
    includes_usage: bool
    created: int = field(default_factory=lambda: int(datetime.now(UTC).timestamp()))


def completion(originals: OriginalStore, answer: Answer | StoredAnswer, form: Form) -> CompletionPayload:
    """An answer as a whole completion.

    Raises:
        CancelledError: it was cancelled meanwhile.
    """
    payload = _payload(originals, answer)
    text = payload.answer + _sources(payload, form)
    linked = [Annotation.model_validate(annotation) for annotation in annotations(payload.citations, text, form.root)]
    fields = _fields(payload, form)
    return CompletionPayload(
        id=_id(payload.id),
        created=form.created,
        model=form.model,
        system_fingerprint=f"headwater-{__version__}",
        choices=[Choice(message=ReplyMessage(content=text, annotations=linked))],
        usage=_usage(payload),
        citations=_addresses(fields),
        headwater=fields,
    )


def chunks(
    originals: OriginalStore, answer_id: UUID, events: Iterable[tuple[int, TaskEvent] | Pause], form: Form
) -> Iterator[ServerEvent | Pause]:
    """An answer as chunks, while it is made."""
    writer = _Writer(answer_id, form)
    yield writer.chunk({"role": "assistant", "content": ""}, headwater={"answer_id": str(answer_id)})
    text = ""
    for numbered in events:
        match numbered if isinstance(numbered, Pause) else numbered[1]:
            case Pause() as pause:
                yield pause
            case Delta(text=new):
                text += new
                yield writer.chunk({"content": new})
            case Failed(error=error):
                yield error_line(error)
            case Finished(answer=answer):
                try:
                    payload = _payload(originals, answer)
                except HeadwaterError as error:
                    yield error_line(error)
                else:
                    yield from writer.end(payload, text)


def error_line(error: HeadwaterError) -> ServerEvent:
    """The last line of a stream that failed."""
    return line(error_body(error))


def line(data: Any) -> ServerEvent:
    """A line of a stream."""
    # In ASCII: some clients end a line at each of Unicode's line separators.
    return ServerEvent(name="", data=json.dumps(data, separators=(",", ":")))


class _Writer:
    """Writes the chunks of one answer."""

    def __init__(self, answer_id: UUID, form: Form) -> None:
        self._form = form
        self._head = {
            "id": _id(answer_id),
            "object": "chat.completion.chunk",
            "created": form.created,
            "model": form.model,
            "system_fingerprint": f"headwater-{__version__}",
        }

    def chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> ServerEvent:
        """A chunk with a part of the message."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        usage = {"usage": None} if self._form.includes_usage else {}
        return line({**self._head, "choices": [choice], **usage, **more})

    def end(self, payload: AnswerPayload, text: str) -> Iterator[ServerEvent]:
        """What follows the text so far: the rest, sources, annotations, the reason to end, usage."""
        is_same = payload.answer.startswith(text)
        new_text = payload.answer[len(text) :] if is_same else _REPLACED + payload.answer
        new_text += _sources(payload, self._form)
        if new_text:
            yield self.chunk({"content": new_text})
        if links := annotations(payload.citations, text + new_text, self._form.root):
            yield self.chunk({"annotations": links})
        fields = _fields(payload, self._form)
        yield self.chunk({}, "stop", citations=_addresses(fields), headwater=fields.model_dump(mode="json"))
        if self._form.includes_usage:
            yield line({**self._head, "choices": [], "usage": _usage(payload).model_dump()})
        yield DONE


def _payload(originals: OriginalStore, answer: Answer | StoredAnswer) -> AnswerPayload:
    if answer.state != "done":
        raise CancelledError("The answer was cancelled while it was made. Ask again.")
    return AnswerPayload.of(answer).with_originals(originals)


def _id(answer_id: UUID) -> str:
    return f"chatcmpl-{answer_id}"


def _sources(payload: AnswerPayload, form: Form) -> str:
    return source_list(payload.citations, form.root) if form.lists_sources else ""


def _fields(payload: AnswerPayload, form: Form) -> AnswerFields:
    cited = payload.citations
    return AnswerFields(
        answer_id=payload.id,
        citations=[
            LinkedCitation(**dict(citation), url=address_of(citation, form.root, citation.original))
            for citation in cited
        ],
        refused=payload.refused,
        reason=payload.reason,
        cached=payload.cached,
        notes=payload.notes,
        statements=payload.statements,
        quote=payload.quote,
        further=[
            LinkedFurther(**dict(passage), url=address_of(passage, form.root, passage.original))
            for passage in payload.further
        ],
        degraded=payload.degraded,
    )


def _addresses(fields: AnswerFields) -> list[str]:
    return list(dict.fromkeys(citation.url for citation in fields.citations))


def _usage(payload: AnswerPayload) -> TokenUsage:
    """What this request cost: nothing, if the answer was served from the store."""
    if payload.cached:
        return TokenUsage()
    return TokenUsage.of(payload.usage["prompt_tokens"], payload.usage["completion_tokens"])
