"""Chat models that fail in every way that servers do (ANS-7).

Belongs here: what a caller is told, and how often the server is asked. Not here: what works (`test_chat_models`).
"""

import threading
import time

import pytest
from pydantic import BaseModel

from headwater.errors import GenerationFailedError, HeadwaterError, ModelUnavailableError, RateLimitedError
from headwater.models_gateway import litellm_client
from headwater.models_gateway.chat_model import Ended, Message, ReplyDelta, ReplyStream
from headwater.models_gateway.model_failures import Failure, wait_before_retry
from tests.chat_server import (
    KEY,
    MODEL,
    OLLAMA,
    SPARE,
    UNKNOWN,
    VLLM,
    ChatServer,
    Ending,
    Refuses,
    Reply,
    Says,
    chain,
    hangs,
    refuses,
)  # fmt: skip
from tests.support import free_port

ASKED = [Message(role="user", content="When does the pump stop?")]
HTML = Refuses(200, body=b"<html>It works!</html>")
NO_JSON = Refuses(200, body=b'data: {"choices": oops\n\n')


class Grade(BaseModel):
    """What a model is asked for."""

    grade: float


def ask(*models: str, **limits: float) -> ReplyStream:
    """A reply of some models of the server."""
    return chain(*models, **limits).stream(ASKED, max_tokens=50)


@pytest.fixture(autouse=True)
def loaded(chat: ChatServer) -> None:
    """Importing litellm takes seconds, which no limit counts."""
    litellm_client.load_litellm()


# Before the first piece


@pytest.mark.parametrize(
    ("reply", "error", "words", "requests"),
    [
        (refuses(500, "out of memory"), ModelUnavailableError, "the server does not answer. .*out of memory", 2),
        (refuses(503), ModelUnavailableError, "the server does not answer", 2),
        (refuses(429), RateLimitedError, "received too many requests. Try again", 2),
        (refuses(429, retry_after="120"), RateLimitedError, "too many requests, and asks to wait 120 seconds", 1),
        (refuses(429, "insufficient_quota"), ModelUnavailableError, "the quota is exhausted", 1),
        (refuses(401, f"no {KEY}"), ModelUnavailableError, r"refused the key. Check OPENAI_API_KEY.*\(no \*\*\*\)", 1),
        (refuses(403), ModelUnavailableError, "refused the key", 1),
        (refuses(400, "maximum context length is 512"), ModelUnavailableError, "too long for it. Lower `context_t", 1),
        (refuses(400, "no such field"), ModelUnavailableError, "the request was refused. .no such field", 1),
        (HTML, ModelUnavailableError, "ended the stream before the reply was complete", 2),
        (Says(ending="ends"), ModelUnavailableError, "ended the stream before the reply was complete", 2),
        (NO_JSON, ModelUnavailableError, "the server failed, or the connection to it broke", 2),
        (Says(ending="breaks"), ModelUnavailableError, "the connection to it broke", 2),
        (Says(ending="breaks in a chunk"), ModelUnavailableError, "the connection to it broke", 2),
        (Says(ending="error"), ModelUnavailableError, "The server is out of memory", 2),
        (Says(), GenerationFailedError, "its reply was empty", 2),
        (Says(finish_reason="content_filter"), GenerationFailedError, "content filter withheld", 1),
    ],
)
def test_a_failure_says_what_happened_and_is_retried_if_it_may_pass(
    chat: ChatServer, reply: Reply, error: type[HeadwaterError], words: str, requests: int
) -> None:
    """Nobody has seen a piece, so another attempt costs only time; the key is never repeated (SEC-1)."""
    chat.otherwise = reply
    with pytest.raises(error, match=f"The model {MODEL} cannot be used: .*{words}") as caught:
        list(ask(MODEL))
    assert type(caught.value) is error
    assert len(chat.requests) == requests
    assert KEY not in f"{caught.value}{caught.value.__cause__}"


def test_a_passing_failure_is_not_noticed(chat: ChatServer) -> None:
    """The second attempt works; a server that asks to wait is given that time."""
    chat.replies = [refuses(429, retry_after="0.2"), "It stops."]
    begun = time.monotonic()
    items = list(ask(MODEL))
    assert "".join(item.text for item in items if isinstance(item, ReplyDelta)) == "It stops."
    assert time.monotonic() - begun >= 0.2


def test_a_model_that_the_server_does_not_have_is_named(chat: ChatServer) -> None:
    """The name was well formed, so only the call could tell."""
    with pytest.raises(ModelUnavailableError, match=f"{UNKNOWN} cannot be used: the server does not have this model"):
        list(ask(UNKNOWN))


def test_a_missing_key_is_named_and_no_request_is_made(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this check, litellm would report a server's failure."""
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelUnavailableError, match=r"OPENAI_API_KEY is not set\. Set it in the environment"):
        list(ask(MODEL))
    assert chat.requests == []


def test_a_server_that_is_down_is_reported_at_once(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its port is closed."""
    monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{free_port()}/v1")
    with pytest.raises(ModelUnavailableError, match=r"does not answer\. Check that it is up"):
        list(ask(MODEL))


def test_all_reasons_are_given_if_no_model_replies(chat: ChatServer) -> None:
    """A limit of requests goes first, because waiting helps."""
    chat.by_model = {"stub": refuses(429, retry_after="60"), "spare": refuses(401)}
    with pytest.raises(RateLimitedError) as caught:
        list(ask(MODEL, SPARE))
    message = str(caught.value)
    assert message.startswith("None of 2 models can be used. openai/stub: the server received too many requests")
    assert "openai/spare: the server refused the key" in message


# Limits of time


def test_a_server_that_hangs_does_not_hang_the_answer(chat: ChatServer) -> None:
    """It says nothing at all; the message names the setting."""
    chat.otherwise = hangs()
    with pytest.raises(ModelUnavailableError, match=r"nothing within 0\.9 seconds.*HEADWATER_MODEL_TIME_LIMIT"):
        list(ask(MODEL, first_token=0.9))
    assert chat.await_request().left.wait(30)
    assert len(chat.requests) == 1


def test_a_slow_first_token_is_waited_for(chat: ChatServer) -> None:
    """The limit between tokens does not apply to it."""
    chat.otherwise = Says("It stops.", first_token_delay=2.5)
    assert isinstance(list(ask(MODEL, first_token=60, between_tokens=2.0))[-1], Ended)


def test_a_reply_that_stops_coming_is_given_up(chat: ChatServer) -> None:
    """The server neither sends nor closes."""
    chat.otherwise = Says("Stopping", ending="hangs")  # one token: no machine is too slow for the next
    with pytest.raises(GenerationFailedError, match=r"after 8 characters: it said nothing more for 0\.9 seconds"):
        list(ask(MODEL, between_tokens=0.9))
    assert chat.await_request().left.wait(30)


def test_a_reply_that_never_ends_is_given_up(chat: ChatServer) -> None:
    """Each token comes in time."""
    chat.otherwise = Says("on and " * 1000, tokens_per_second=50)
    with pytest.raises(GenerationFailedError, match=r"took longer than 3 seconds.*HEADWATER_MODEL_TIME_LIMIT"):
        list(ask(MODEL, whole=3))
    assert chat.await_request().left.wait(30)


def test_the_limit_of_the_whole_reply_includes_the_fallbacks(chat: ChatServer) -> None:
    """A person waits for one answer, however many models are tried."""
    chat.otherwise = hangs()
    with pytest.raises(ModelUnavailableError, match=r"took longer than 1\.5 seconds"):
        list(ask(MODEL, SPARE, whole=1.5))
    chat.await_request()
    assert [request.model for request in chat.requests] == ["stub"]


def test_a_small_task_has_a_limit_of_its_own(chat: ChatServer) -> None:
    """Rules can do it instead, so nobody waits minutes for it; no setting is named that would not help."""
    chat.otherwise = hangs()
    with pytest.raises(ModelUnavailableError, match=r"took longer than 0\.1 seconds\. Choose a faster model\.$"):
        chain(MODEL, task=0.1).complete_as(ASKED, Grade, max_tokens=50)
    with pytest.raises(ModelUnavailableError, match=r"took longer than 0\.3 seconds"):
        chain(MODEL, task=0.1, whole=0.3).complete_as(ASKED, Grade, max_tokens=50, is_awaited=False)


# After the first piece


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("ends", "ended (the stream )?before"),
        ("breaks", "the connection to it broke"),
        ("breaks in a chunk", "the connection to it broke"),
        ("error", "The server is out of memory"),
    ],
)
@pytest.mark.parametrize("name", [MODEL, VLLM])
def test_a_reply_that_breaks_off_is_an_error_and_not_repeated(
    chat: ChatServer, name: str, ending: Ending, words: str
) -> None:
    """Its reader keeps what came, and never sees two beginnings; a cut stream is no complete reply (ANS-7)."""
    chat.otherwise = Says("It stops", ending=ending)
    read = list[ReplyDelta | Ended]()
    with pytest.raises(GenerationFailedError, match=f"{name} broke off its reply after 8 characters: .*{words}"):
        read.extend(ask(name, SPARE))
    assert "".join(item.text for item in read if isinstance(item, ReplyDelta)) == "It stops"
    assert len(chat.requests) == 1


def test_a_stream_of_ollama_that_ends_early_is_an_error(chat: ChatServer) -> None:
    """Its last line says `done`; without it, the reply is not complete."""
    chat.otherwise = Says("It stops", ending="ends")
    with pytest.raises(GenerationFailedError, match="after 8 characters: the server ended the stream before"):
        list(ask(OLLAMA))


def test_a_reply_that_nobody_reads_yet_is_asked_for_again(chat: ChatServer) -> None:
    """`complete` shows nothing before the end, so a broken reply costs only time."""
    chat.replies = [Says("It stops", ending="ends"), "It stops at 90 °C."]
    assert chain(MODEL).complete(ASKED, max_tokens=50).text == "It stops at 90 °C."


# Many callers


def test_many_threads_share_one_model(chat: ChatServer) -> None:
    """Each reads its own reply."""
    chat.otherwise = lambda request: f"Reply to {request.prompt}"
    model, texts = chain(MODEL), dict[int, str]()

    def read(number: int) -> None:
        asked = [Message(role="user", content=str(number))]
        texts[number] = model.complete(asked, max_tokens=50).text

    threads = [threading.Thread(target=read, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert texts == {number: f"Reply to {number}" for number in range(12)}


def test_waits_grow_and_respect_the_server() -> None:
    """With jitter, so that many callers do not return at the same moment."""
    waits = [wait_before_retry(attempt, Failure(reason="")) for attempt in (1, 2, 3)]
    assert [wait <= 0.01 * 2**number for number, wait in enumerate(waits)] == [True] * 3
    assert wait_before_retry(1, Failure(reason="", wait=7)) == 7
