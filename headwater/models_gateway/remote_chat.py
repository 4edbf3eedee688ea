"""Chat models on a server: any that litellm supports.

Belongs here: requests, their attempts, and the chain of fallbacks. Not here: reading a reply and its deadlines
(`reply_reader`), what an error means and when to try again (`model_failures`). Guarantee: before the first piece of a
reply, whatever can be tried is tried; after it, nothing is repeated, so a reader never sees two beginnings.
"""

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import httpx
from pydantic import BaseModel

from headwater.domain.usage import Usage
from headwater.errors import GenerationFailedError
from headwater.models_gateway import litellm_client, outcomes
from headwater.models_gateway.call_limits import CallBounds, NoTurnError
from headwater.models_gateway.cancellation import Cancellation
from headwater.models_gateway.chat_model import Ended, Message, Reply, ReplyDelta, ReplyStream, Shape
from headwater.models_gateway.model_failures import (
    QUESTION_TOO_LONG,
    Failure,
    break_error,
    chain_error,
    explain_break,
    explain_crowd,
    explain_missing_key,
    failure_of,
    is_worth_retry,
    note_failure,
    wait_before_retry,
)
from headwater.models_gateway.providers import find_missing_key
from headwater.models_gateway.reply_reader import End, Limits, ReplyFailedError, ReplyReader
from headwater.models_gateway.reply_schema import WrongShapeError, correction, instructions, parse
from headwater.models_gateway.reply_stream import ClosableStream
from headwater.prompts.invisible import without_invisible

_MIN_WINDOW_TOKENS = 8192  # tokens: Headwater's default of passages and answer, with room for the prompt
_BYTES = 3  # of a token at least, in text of most languages
_NO_SCHEMA = (400, 422, 501)  # statuses of servers that do not know `response_format`
SLACK = 1.0  # seconds after a limit at which the connection itself times out, in case nobody reads any more

Attempt = Generator[ReplyDelta | Ended, None, Failure | None]
"""Pieces, and then None if the reply is complete or closed, else why there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Request:
    """What the models of the chain are asked."""

    messages: Sequence[Message]
    max_tokens: int
    temperature: float
    limits: Limits
    shape: type[BaseModel] | None = None
    is_shown: bool = False
    """Whether someone reads the pieces as they come; if not, a reply that breaks off is asked for again."""


class RemoteChatModel:
    """Calls a model, and its fallbacks if it fails; litellm's own environment variables hold addresses and keys."""

    def __init__(self, models: Sequence[str], *, limits: Limits, bounds: Sequence[CallBounds]) -> None:
        """Take the chain.

        Args:
            models: names, the preferred one first.
            limits: how long to wait.
            bounds: of each model.
        """
        self.model = models[0]
        self._chain = tuple(zip(models, bounds, strict=True))
        self._limits = limits
        self._without_schema: set[str] = set()  # models whose server refused one

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        first_token_limit: float | None = None,
    ) -> ReplyStream:
        """Reply piece by piece; nothing is sent before the first piece is asked for.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: while the pieces are read; see `ChatModel`.
        """
        limits = replace(self._limits, first_token=max(self._limits.first_token, first_token_limit or 0.0))
        return self._stream(
            _Request(messages=messages, max_tokens=max_tokens, temperature=temperature, limits=limits, is_shown=True)
        )

    def complete(self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0) -> Reply:
        """Reply at once.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: see `ChatModel`.
        """
        return self._complete(
            _Request(messages=messages, max_tokens=max_tokens, temperature=temperature, limits=self._limits)
        )

    def complete_as(
        self,
        messages: Sequence[Message],
        shape: type[Shape],
        *,
        max_tokens: int,
        closing: Cancellation | None = None,
        is_awaited: bool = True,
    ) -> tuple[Shape, Usage]:
        """Reply in the shape of a pydantic model; a reply in another shape is asked for once more.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: see `ChatModel`.
        """
        prompt = [instructions(shape), *messages]
        limits = self._limits
        if is_awaited:
            limits = replace(limits, whole=min(limits.task, limits.whole), is_task=True)
        request = _Request(messages=prompt, max_tokens=max_tokens, temperature=0.0, limits=limits, shape=shape)
        reply = self._complete(request, closing)
        try:
            return parse(reply.text, shape), reply.ended.usage
        except WrongShapeError as wrong:
            second = self._complete(replace(request, messages=[*prompt, *correction(reply.text, wrong)]), closing)
        try:
            return parse(second.text, shape), reply.ended.usage + second.ended.usage
        except WrongShapeError as wrong:
            failed = GenerationFailedError(
                f"The model {second.ended.model} replied twice in a form that was not asked for: {wrong} Choose "
                "another model for this task."
            )
            paid = reply.ended.usage + second.ended.usage
            failed.paid = (paid.prompt_tokens, paid.completion_tokens, paid.cost)
            raise failed from None

    def _complete(self, request: _Request, closing: Cancellation | None = None) -> Reply:
        text = ""
        for item in self._stream(request, closing):
            if isinstance(item, Ended):
                return Reply(text=text, ended=item)
            text += item.text
        raise GenerationFailedError("The call was cancelled.")

    def _stream(self, request: _Request, closing: Cancellation | None = None) -> ClosableStream:
        closing = closing or Cancellation()
        return ClosableStream(closing, self._replies(request, closing))

    def _replies(self, request: _Request, closing: Cancellation) -> Generator[ReplyDelta | Ended, None, None]:
        """The reply of the first model of the chain that gives one."""
        litellm_client.load_litellm()  # takes seconds the first time, which are not the model's
        deadline = time.monotonic() + request.limits.whole
        failures: list[tuple[str, Failure]] = []
        for model, bounds in self._chain:
            if failures and time.monotonic() >= deadline:
                break
            failure = yield from self._attempts(model, bounds, request, closing, deadline)
            if failure is None:
                return
            failures.append((model, failure))
        raise chain_error(failures)

    def _attempts(
        self, model: str, bounds: CallBounds, request: _Request, closing: Cancellation, deadline: float
    ) -> Attempt:
        """Attempts of one model, while its failures are of a kind that passes."""
        variable = find_missing_key(model)
        if variable is not None:
            return explain_missing_key(variable)
        for attempt in range(1, request.limits.attempts + 1):
            try:
                with bounds.turn(request.limits.turn, closing.is_closed):
                    failure = yield from self._attempt(model, request, closing, deadline)
            except NoTurnError as busy:
                failure = explain_crowd(busy)
            if failure is None or closing.is_closed.is_set():
                return None
            wait = wait_before_retry(attempt, failure)
            limits = request.limits
            may_retry = is_worth_retry(attempt, failure, wait, attempts=limits.attempts, longest_wait=limits.retry)
            if not may_retry or time.monotonic() + wait >= deadline:
                break
            closing.is_closed.wait(wait)
        return failure

    def _attempt(self, model: str, request: _Request, closing: Cancellation, deadline: float) -> Attempt:
        """One request to one model."""
        if closing.is_closed.is_set():
            return None
        started_at = time.monotonic()
        text = ""
        reader = closing.watch(ReplyReader(partial(self._open, model, request)))
        try:
            for item in reader.texts(request.limits, deadline):
                if isinstance(item, End):
                    outcomes.note(model)
                    if not request.is_shown:
                        yield ReplyDelta(text=text)
                    yield _make_end(model, item, request, text)
                else:
                    text += item
                    if request.is_shown:
                        yield ReplyDelta(text=item)
            return None
        except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, it is the model that failed
            failure = self._failure(model, error, request, time.monotonic() - started_at)
            cause = failure if isinstance(error, ReplyFailedError) or not text else explain_break(error)
            note_failure(model, cause)
        finally:
            reader.close()
        if text and request.is_shown:
            raise break_error(model, cause, len(text))  # not chained to litellm's error, which may contain a key
        return failure

    def _failure(self, model: str, error: Exception, request: _Request, waited: float) -> Failure:
        if isinstance(error, ReplyFailedError):
            return error.failure
        failure = failure_of(model, error, waited=round(waited, 1), too_long=QUESTION_TOO_LONG)
        is_refused = getattr(error, "status_code", None) in _NO_SCHEMA and not failure.is_too_long
        if request.shape is not None and is_refused and model not in self._without_schema:
            self._without_schema.add(model)
            return Failure(reason=failure.reason, is_passing=True)
        return failure

    def _open(self, model: str, request: _Request) -> Any:
        """Send one request; returns litellm's stream of chunks."""
        read = max(request.limits.first_token, request.limits.between_tokens) + SLACK
        has_schema = request.shape is not None and model not in self._without_schema
        return litellm_client.load_litellm().completion(
            model=model,
            messages=[{"role": message.role, "content": _valid(message.content)} for message in request.messages],
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            stream=True,
            stream_options={"include_usage": True},
            timeout=httpx.Timeout(read, connect=request.limits.connect),
            max_retries=0,
            **litellm_client.own_key(model),
            **_window(model, request),
            **({"response_format": request.shape} if has_schema else {}),
        )


def _make_end(model: str, end: End, request: _Request, text: str) -> Ended:
    prompt_tokens = end.prompt_tokens or _estimate("".join(message.content for message in request.messages))
    completion_tokens = end.completion_tokens or _estimate(text)
    cost = litellm_client.price_of_reply(model, prompt_tokens, completion_tokens)
    usage = Usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, cost=cost)
    return Ended(model=model, usage=usage, is_cut=end.is_cut)


def _window(model: str, request: _Request) -> dict[str, int]:
    """For Ollama, a context window that all fits in: else it drops the beginning of a long prompt and says nothing.

    Another window makes Ollama load the model again, so there are few sizes, and one is enough for most requests.
    """
    if model.partition("/")[0] not in ("ollama", "ollama_chat"):
        return {}
    size = sum(len(message.content.encode("utf-8", "replace")) for message in request.messages)
    needed = size // _BYTES + request.max_tokens
    return {"num_ctx": max(_MIN_WINDOW_TOKENS, 1 << (needed - 1).bit_length())}


def _estimate(text: str) -> int:
    """Tokens, if the server does not count them: a quarter of the bytes, as for embedding models."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def _valid(text: str) -> str:
    """The text without what nobody sees, and without halves of surrogate pairs, which UTF-8 does not have."""
    return without_invisible(text).encode("utf-8", "replace").decode()
