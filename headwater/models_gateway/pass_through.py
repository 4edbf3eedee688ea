"""Chat completions that are passed on as a client wrote them, and whose replies come back as the server gave them.

Belongs here: which fields go where, the chain of fallbacks. Not here: deadlines (`reply_reader`), what is asked
(`query_api.openai`). Guarantee: a field of the client decides only what is asked, not whom: those that name
an address, a key or a provider are left out; after the first chunk of a reply nothing is asked again.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import httpx

from headwater.errors import InvalidInputError
from headwater.models_gateway import litellm_client, outcomes
from headwater.models_gateway.call_limits import CallBounds, NoTurnError
from headwater.models_gateway.cancellation import Cancellation
from headwater.models_gateway.model_failures import (
    CUT,
    QUESTION_TOO_LONG,
    Failure,
    break_error,
    chain_error,
    explain_break,
    explain_crowd,
    explain_missing_key,
    failure_of,
    note_failure,
    words_of,
)
from headwater.models_gateway.providers import find_missing_key
from headwater.models_gateway.remote_chat import SLACK
from headwater.models_gateway.reply_reader import End, Limits, ReplyFailedError, ReplyReader

_MAPPED = frozenset({
    "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
    "max_tokens", "modalities", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
    "reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store",
    "stream_options", "temperature", "thinking", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity",
    "web_search_options",
})  # fmt: skip
"""Fields that litellm translates, if it knows that a model takes them. All others only ever go into the body."""
_OURS = frozenset({"model", "messages", "stream", "headwater"})
_WHOM = frozenset({
    "api_base", "api_key", "api_version", "azure_ad_token", "base_url", "custom_llm_provider", "data_sources",
    "extra_body", "extra_headers", "extra_query", "fallbacks", "headers", "models", "organization", "plugins",
    "provider", "providerOptions", "route", "router_settings", "timeout",
})  # fmt: skip
"""Fields by which gateways and litellm choose a server, a model or a key; they are left out."""

Body = Mapping[str, Any]


class ChunkReader(ReplyReader):
    """Reads the chunks of a reply themselves: each text is a chunk's JSON and a line break."""

    def _take_all(self, chunks: Iterable[Any]) -> None:
        for chunk in chunks:
            if self._is_closed:
                return
            fields = chunk if isinstance(chunk, dict) else chunk.model_dump(mode="json", exclude_none=True)
            for choice in fields.get("choices") or ():
                self._finish_reason = choice.get("finish_reason") or self._finish_reason
            self._items.put(json.dumps(fields) + "\n")

    def _end(self, finish_reason: str | None) -> End:
        if finish_reason is None:
            raise ReplyFailedError(CUT)
        return End(is_cut=False, prompt_tokens=0, completion_tokens=0)


class PassThrough:
    """A chat model, and its fallbacks if it fails; litellm's own environment variables hold addresses and keys."""

    def __init__(self, models: Sequence[str], *, limits: Limits, bounds: Sequence[CallBounds]) -> None:
        """Take the chain.

        Args:
            models: names, the preferred one first.
            limits: how long to wait.
            bounds: of each model.
        """
        self._chain = tuple(zip(models, bounds, strict=True))
        self._limits = limits

    def stream(self, body: Body, messages: Sequence[Body], closing: Cancellation) -> Iterator[dict[str, Any]]:
        """Yield the chunks of a reply.

        Args:
            body: the client's request.
            messages: what is sent instead of its messages.
            closing: ends the request, from any thread; then the iteration stops.

        Raises:
            ModelUnavailableError, RateLimitedError: no model of the chain answers.
            InvalidInputError: a model refused the request. GenerationFailedError: the reply broke off.
        """
        deadline = time.monotonic() + self._limits.whole

        def read(model: str) -> Iterator[dict[str, Any]]:
            reader = closing.watch(ChunkReader(partial(self._send, model, body, messages, is_streamed=True)))
            try:
                for item in reader.texts(self._limits, deadline):
                    if isinstance(item, str):
                        yield from map(json.loads, item.splitlines())
            finally:
                reader.close()

        yield from self._first(read, closing)

    def complete(self, body: Body, messages: Sequence[Body]) -> dict[str, Any]:
        """Return a whole reply.

        Raises:
            ModelUnavailableError, RateLimitedError: no model of the chain answers.
            InvalidInputError: a model refused the request.
        """

        def read(model: str) -> Iterator[dict[str, Any]]:
            reply = self._send(model, body, messages, is_streamed=False)
            yield reply.model_dump(mode="json", exclude_none=True)

        (response,) = self._first(read, Cancellation())
        return response

    def _first(
        self, read: Callable[[str], Iterator[dict[str, Any]]], closing: Cancellation
    ) -> Iterator[dict[str, Any]]:
        """What the first model of the chain replies that replies at all."""
        failures: list[tuple[str, Failure]] = []
        for model, bounds in self._chain:
            variable = find_missing_key(model)
            if variable is not None:
                failures.append((model, explain_missing_key(variable)))
                continue
            started_at, has_begun = time.monotonic(), False
            try:
                with bounds.turn(self._limits.turn, closing.is_closed):
                    for item in read(model):
                        has_begun = True
                        yield item
                outcomes.note(model)
                return
            except NoTurnError as busy:
                failures.append((model, explain_crowd(busy)))
            except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, it is the model that failed
                if closing.is_closed.is_set():
                    return
                failures.append((model, _failure(model, error, time.monotonic() - started_at, has_begun=has_begun)))
            if closing.is_closed.is_set():
                return
        raise chain_error(failures) from None  # not chained to litellm's error, which may contain a key

    def _send(self, model: str, body: Body, messages: Sequence[Body], *, is_streamed: bool) -> Any:
        """Send one request; returns litellm's stream of chunks, or its reply."""
        litellm = litellm_client.load_litellm()
        options = {name: value for name, value in body.items() if name not in _OURS | _WHOM and value is not None}
        known_names = _MAPPED.intersection(litellm.get_supported_openai_params(model) or _MAPPED)
        mapped = {name: value for name, value in options.items() if name in known_names}
        extra_options = {name: value for name, value in options.items() if name not in known_names}
        if not is_streamed:
            mapped.pop("stream_options", None)
        takes_others = model.partition("/")[0] in ("openai", "azure", *litellm.openai_compatible_providers)
        limit = max(self._limits.first_token, self._limits.between_tokens) if is_streamed else self._limits.whole
        return litellm.completion(
            model=model,
            messages=[dict(message) for message in messages],
            stream=is_streamed,
            timeout=httpx.Timeout(limit + SLACK, connect=self._limits.connect),
            max_retries=0,
            _skip_mcp_handler=True,  # litellm would call servers that a tool names, by a package that is not there
            **litellm_client.own_key(model),
            **mapped,
            **({"extra_body": extra_options} if extra_options and takes_others else {}),
        )


def _failure(model: str, error: Exception, waited: float, *, has_begun: bool) -> Failure:
    """Why a model failed, if another one may reply instead.

    Raises:
        InvalidInputError: the request itself was refused. GenerationFailedError: the reply had begun.
    """
    if getattr(error, "status_code", None) in (400, 422) and not has_begun:
        raise InvalidInputError(f"The model {model} refused the request: {words_of(error)}") from None
    if isinstance(error, ReplyFailedError):
        failure = error.failure
    elif has_begun:
        failure = explain_break(error)
    else:
        failure = failure_of(model, error, waited=round(waited, 1), too_long=QUESTION_TOO_LONG)
    note_failure(model, failure)
    if has_begun:
        raise break_error(model, failure) from None
    return failure
