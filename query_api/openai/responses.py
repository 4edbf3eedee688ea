"""Answering a chat completion: from the documents, or by passing it on to the knowledge base's chat model.

Belongs here: whole replies and streams of both kinds, and their end when the client leaves. Not here: the shapes
(`completions`, `payloads`), routes. Guarantee: nothing goes on for a client that has left, except a reply that a model
was asked for in one piece; nothing of a request that is passed on is stored.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from flask import Response, g, request

from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_task import AnswerTask
from headwater.answering.events import Delta
from headwater.answering.question_context import provide
from headwater.answering.task_events import Failed, Finished, TaskEvent
from headwater.errors import CancelledError, HeadwaterError
from headwater.models_gateway.chat_registry import EXTRACTIVE, load_pass_through
from query_api.answer_access import follow_task, start_answer
from query_api.app_context import api_root, settings, store
from query_api.openai.bodies import ChatBody
from query_api.openai.completions import DONE, Form, chunks, completion, error_line, line
from query_api.openai.conversation import Read, with_text
from query_api.openai.errors import WrongFieldError
from query_api.openai.payloads import PREFIX
from query_api.openai.relay import Chunk, Relay
from query_api.server.client_disconnect import LOOK, Client, result_while_there
from query_api.sse import ANSWERS, RELAYS, Pause, Step

_FIRST = 3.0  # seconds to wait for the first piece: an error that comes until then has a status of its own
_NO_MODEL = (
    "The knowledge base {} has no chat model, so it cannot use tools, other response formats or the stateless mode. "
    "Set its answer_model, or ask without them."
)


def form_of(asked: AnswerRequest, body: ChatBody) -> Form:
    """How the answer to a request is shown."""
    return Form(
        model=f"{PREFIX}{asked.knowledge_base.slug}",
        root=api_root(),
        lists_sources=body.headwater.sources == "text",
        includes_usage=body.includes_usage,
    )


def answer(asked: AnswerRequest, form: Form) -> dict[str, Any]:
    """Answer in one piece.

    Raises:
        CancelledError: the client has left. HeadwaterError: the answer failed.
    """
    new_answer = result_while_there(start_answer(asked), Client(request.environ))
    g.openai_request_id = f"req_{new_answer.id}"
    return completion(store().originals, new_answer, form).model_dump(mode="json")


def stream_answer(asked: AnswerRequest, form: Form) -> Response:
    """Answer piece by piece.

    Raises:
        RateLimitedError: too many streams are open. HeadwaterError: the answer failed before its first piece.
    """
    started: list[AnswerTask] = []
    client = Client(request.environ)

    def begin() -> Iterator[Step]:
        task = start_answer(asked, is_followed=True)
        started.append(task)
        first_events = list(_await_beginning(task.events(patience=LOOK), client))
        events = follow_task(task, max((number for number, _ in first_events), default=0), seconds=LOOK)
        stored = task.stored_id(0)
        g.openai_request_id = f"req_{stored}"
        steps = chunks(store().originals, stored, chain(first_events, events), form)
        return _while_there(steps, client)

    def end() -> None:
        for task in started:
            task.cancel()

    return ANSWERS.respond_or_refuse(begin, reconnects=False, on_end=end)


def pass_on(asked: AnswerRequest, body: ChatBody, conversation: Read) -> dict[str, Any] | Response:
    """Send a request to the knowledge base's chat model with passages added; its reply comes back unchanged.

    Raises:
        WrongFieldError: the knowledge base has no chat model. HeadwaterError: there are no documents, or no model
            replied before the first piece.
    """
    knowledge_base_settings = asked.knowledge_base.settings
    if knowledge_base_settings.answer_model == EXTRACTIVE:
        raise WrongFieldError(_reason(body), _NO_MODEL.format(asked.knowledge_base.slug))
    model = load_pass_through(
        (knowledge_base_settings.answer_model, *knowledge_base_settings.answer_fallbacks), settings()
    )
    sent, messages = request.get_json(), _messages(asked, conversation)
    if not body.stream:
        with RELAYS.place():
            return model.complete(sent, messages)
    started: list[Relay] = []
    client = Client(request.environ)

    def begin() -> Iterator[Step]:
        relay = Relay(lambda closing: model.stream(sent, messages, closing))
        started.append(relay)
        relay.wait(_FIRST)
        return _while_there(_pass_on(relay), client)

    def end() -> None:
        for relay in started:
            relay.close()

    return RELAYS.respond_or_refuse(begin, reconnects=False, on_end=end)


def _await_beginning(events: Iterator[tuple[int, TaskEvent] | None], client: Client) -> Iterator[tuple[int, TaskEvent]]:
    """The events until the first piece, or for some seconds.

    Raises:
        CancelledError: the client has left. HeadwaterError: the answer failed.
    """
    end = time.monotonic() + _FIRST
    for numbered in events:
        yield from (numbered,) if numbered else ()
        event = numbered[1] if numbered else None
        if isinstance(event, Failed):
            raise event.error
        if isinstance(event, Delta | Finished) or time.monotonic() > end:
            return
        if client.has_left:
            raise CancelledError


def _while_there(steps: Iterator[Step], client: Client) -> Iterator[Step]:
    """The steps until the client has left."""
    for step in steps:
        if isinstance(step, Pause) and client.has_left:
            return
        yield step


def _pass_on(relay: Relay) -> Iterator[Step]:
    try:
        for chunk in relay.chunks():
            yield Pause(LOOK, relay.has_news) if chunk is None else line(chunk)
    except HeadwaterError as error:
        yield error_line(error)
    else:
        yield DONE


def _messages(asked: AnswerRequest, conversation: Read) -> Sequence[Chunk]:
    """The messages that a model gets: rules for passages, then the client's, with passages in the newest question."""
    provided = provide(store(), settings(), asked)
    messages: list[Chunk] = list(request.get_json()["messages"])
    if not provided.augmented.context.parts:
        return messages
    position = conversation.position
    messages[position] = with_text(messages[position], provided.augmented.content)
    return [{"role": "system", "content": provided.augmented.system}, *messages]


def _reason(body: ChatBody) -> str:
    """The field that asks for a chat model."""
    options = ("tools", body.tools), ("functions", body.functions), ("headwater.stateless", body.headwater.stateless)
    return next((name for name, value in options if value), "response_format")
