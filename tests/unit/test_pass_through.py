"""Requests that are passed on to a chat model as they are (API-3).

Belongs here: which fields reach the model's server, what comes back, fallbacks, and every way to fail, against a server
on loopback. Not here: the HTTP API (`integration/test_openai`).
"""

import threading
from typing import Any

import pytest

from headwater.errors import GenerationFailedError, InvalidInputError, ModelUnavailableError, RateLimitedError
from headwater.models_gateway import outcomes
from headwater.models_gateway.call_limits import CallBounds
from headwater.models_gateway.cancellation import Cancellation
from headwater.models_gateway.pass_through import PassThrough
from headwater.models_gateway.reply_reader import Limits
from tests.chat_server import MODEL, OLLAMA, SPARE, VLLM, ChatServer, Says, hangs, refuses

ASKED = [{"role": "user", "content": "When does the pump stop?"}]
CALL = {"id": "call_1", "type": "function", "function": {"name": "stop", "arguments": "{}"}}


def _model(*models: str, **limits: Any) -> PassThrough:
    bounds = [CallBounds(concurrency=0, per_minute=0) for _ in models]
    return PassThrough(models, limits=Limits(**limits), bounds=bounds)


def _text(chunks: list[dict[str, Any]]) -> str:
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


@pytest.mark.parametrize("name", [MODEL, VLLM, OLLAMA])
def test_a_reply_comes_back_whole_and_in_chunks(chat: ChatServer, name: str) -> None:
    """From every kind of provider, in OpenAI's shape, with its reason to end."""
    chat.otherwise = "It stops at 90 °C."
    chunks = list(_model(name).stream({}, ASKED, Cancellation()))
    assert _text(chunks) == "It stops at 90 °C."
    reasons = [choice.get("finish_reason") for chunk in chunks for choice in chunk["choices"]]
    assert [reason for reason in reasons if reason] == ["stop"]
    if name != OLLAMA:  # its own protocol answers in one piece differently, which the server does not speak
        whole = _model(name).complete({}, ASKED)
        assert whole["choices"][0]["message"]["content"] == "It stops at 90 °C."
        assert whole["object"] == "chat.completion"


def test_fields_reach_the_server_and_never_choose_it(chat: ChatServer) -> None:
    """Those of OpenAI's, others too; the model, the messages, addresses and keys are ours."""
    given = {
        "model": "headwater/kb", "messages": [], "headwater": {}, "stream": False, "temperature": 0.4, "user": "me",
        "tools": [{"type": "function", "function": {"name": "stop"}}], "min_p": 0.1, "api_base": "http://evil.example",
        "api_key": "stolen", "base_url": "http://evil.example", "custom_llm_provider": "anthropic", "seed": None,
        "mock_response": "evil", "extra_headers": {"X-Evil": "1"}, "fallbacks": ["openai/unknown"], "timeout": 0.001,
    }  # fmt: skip
    chat.otherwise = Says(tool_calls=(CALL,), finish_reason="tool_calls")
    reply = _model(MODEL).complete(given, ASKED)
    assert reply["choices"][0]["message"]["tool_calls"] == [CALL]
    (request,) = chat.requests
    assert request.key == f"Bearer {chat.key}"
    assert (request.body["model"], request.body["messages"]) == ("stub", ASKED)
    assert (request.body["temperature"], request.body["min_p"], request.body["user"]) == (0.4, 0.1, "me")
    assert not {"headwater", "seed"} & set(request.body)


def test_usage_comes_if_it_was_asked_for(chat: ChatServer) -> None:
    """As the last chunk, without choices."""
    chunks = list(_model(MODEL).stream({"stream_options": {"include_usage": True}}, ASKED, Cancellation()))
    assert (chunks[-1]["choices"], chunks[-1]["usage"]["completion_tokens"]) == ([], 1)


def test_a_fallback_replies_instead(chat: ChatServer) -> None:
    """If the first model fails before its reply; the reply names who gave it."""
    chat.by_model["stub"] = refuses(500)
    chat.by_model["spare"] = "From the spare."
    assert _text(list(_model(MODEL, SPARE).stream({}, ASKED, Cancellation()))) == "From the spare."
    assert [request.model for request in chat.requests][-1] == "spare"


@pytest.mark.parametrize(
    ("reply", "error", "says"),
    [
        (refuses(400, "tools[0] is malformed"), InvalidInputError, "tools.0. is malformed"),
        (refuses(429, retry_after="9"), RateLimitedError, "too many requests"),
        (refuses(401), ModelUnavailableError, "refused the key"),
        (Says("It", ending="ends"), GenerationFailedError, "broke off"),
        (Says("It", ending="breaks"), GenerationFailedError, "broke off"),
        (Says("It", ending="error"), GenerationFailedError, "broke off"),
        (hangs(), ModelUnavailableError, "said nothing"),
    ],
)
def test_a_failure_says_what_happened(chat: ChatServer, reply: Any, error: type[Exception], says: str) -> None:
    """A refusal of the request is the client's to mend; after the first chunk nothing is asked again."""
    chat.otherwise = reply
    with pytest.raises(error, match=says):
        list(_model(MODEL, first_token=3.0 if reply == hangs() else 60.0).stream({}, ASKED, Cancellation()))
    chat.await_request()
    assert len(chat.requests) == 1


def test_closing_ends_the_request(chat: ChatServer) -> None:
    """From another thread, while the server is silent."""
    chat.otherwise = Says("It stops", ending="hangs")
    closing, got = Cancellation(), list[dict[str, Any]]()
    reading = threading.Thread(target=lambda: got.extend(_model(MODEL).stream({}, ASKED, closing)))
    reading.start()
    while not chat.requests or chat.requests[0].first_token_at is None:
        threading.Event().wait(0.01)
    closing.close()
    reading.join(30)
    assert not reading.is_alive()
    assert chat.requests[0].left.wait(30)


def test_a_request_that_is_too_long_says_nothing_of_the_model(chat: ChatServer) -> None:
    """The next one may fit, so the health check does not hear of it."""
    outcomes.forget()
    chat.otherwise = refuses(413, "the request is too large")
    with pytest.raises(ModelUnavailableError, match="are too long for it"):
        list(_model(MODEL).stream({}, ASKED, Cancellation()))
    assert outcomes.last_outcome(MODEL) is None
