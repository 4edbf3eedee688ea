"""Chat models that a server runs: replies, fallbacks, and what a caller may do (ANS-4, ANS-6, ANS-7).

Belongs here: requests, what comes back, usage, closing, against a real server on loopback. Not here: every way to fail
(`test_chat_failures`), names (`test_chat_names`).
"""

import threading
import time
from collections.abc import Callable
from contextlib import closing

import pytest
from pydantic import BaseModel

from headwater.domain.usage import Usage
from headwater.errors import GenerationFailedError
from headwater.models_gateway import litellm_client
from headwater.models_gateway.call_limits import CallBounds
from headwater.models_gateway.chat_model import Ended, Message, ReplyDelta
from headwater.models_gateway.remote_chat import RemoteChatModel
from headwater.models_gateway.reply_reader import PACE, Limits
from tests.chat_server import MODEL, OLLAMA, SPARE, VLLM, ChatServer, Refuses, Reply, Says, chain, hangs, refuses

ASKED = [Message(role="system", content="Be brief."), Message(role="user", content="When does the pump stop?")]
SOON = 30.0  # seconds within which a thread or a server must notice; it takes milliseconds


class Grade(BaseModel):
    """What a model is asked for."""

    grade: float
    why: str = ""


@pytest.fixture
def model(chat: ChatServer) -> RemoteChatModel:
    """The server's model, without a fallback."""
    return chain(MODEL)


# Replies


@pytest.mark.parametrize("name", [MODEL, VLLM, OLLAMA])
def test_a_reply_comes_in_pieces_and_ends_with_its_usage(chat: ChatServer, name: str) -> None:
    """The server is asked for exactly what was said (ANS-3, ANS-6)."""
    chat.replies = [Says("It stops at 90 °C.", tokens_per_second=1 / (2 * PACE))]
    items = list(chain(name).stream(ASKED, max_tokens=50, temperature=0.25))
    pieces = [item.text for item in items if isinstance(item, ReplyDelta)]
    assert "".join(pieces) == "It stops at 90 °C."
    assert len(pieces) > 1
    assert items[-1] == Ended(model=name, usage=Usage(prompt_tokens=7, completion_tokens=5, cost=None))
    (request,) = chat.requests
    sent = [(message["role"], message["content"]) for message in request.body["messages"]]
    assert sent == [(asked.role, asked.content) for asked in ASKED]
    options = request.body.get("options", request.body)
    assert (options.get("max_tokens", options.get("num_predict")), options["temperature"]) == (50, 0.25)


def test_a_whole_reply_has_the_same_text_and_usage(model: RemoteChatModel, chat: ChatServer) -> None:
    """`complete` is `stream` without the waiting in between."""
    chat.otherwise = "It stops at 90 °C."
    reply = model.complete(ASKED, max_tokens=50)
    assert (reply.text, reply.ended) == ("It stops at 90 °C.", list(model.stream(ASKED, max_tokens=50))[-1])


def test_a_reply_that_reached_max_tokens_says_so(model: RemoteChatModel, chat: ChatServer) -> None:
    """Its last sentence is incomplete."""
    chat.replies = [Says("It stops at", finish_reason="length")]
    assert model.complete(ASKED, max_tokens=3).ended.is_cut


def test_tokens_are_estimated_if_the_server_counts_none(model: RemoteChatModel, chat: ChatServer) -> None:
    """Some servers ignore `include_usage`."""
    chat.replies = [Says("It stops at 90 °C.", has_usage=False)]
    usage = model.complete(ASKED, max_tokens=50).ended.usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (9, 5)


def test_the_cost_is_that_of_litellms_list(chat: ChatServer) -> None:
    """Prices of input and output differ (ANS-6)."""
    prices = litellm_client.load_litellm().model_cost["gpt-4o-mini"]
    usage = chain("openai/gpt-4o-mini").complete(ASKED, max_tokens=50).ended.usage
    expected = 7 * prices["input_cost_per_token"] + 1 * prices["output_cost_per_token"]
    assert usage.cost == pytest.approx(expected)
    assert expected > 0


@pytest.mark.parametrize(("words", "window"), [(10, 8192), (6000, 16384), (14000, 32768)])
def test_ollama_gets_a_window_that_all_fits_in(chat: ChatServer, words: int, window: int) -> None:
    """It would drop the beginning of a longer prompt without a word; few sizes, since each loads the model again."""
    chain(OLLAMA).complete([Message(role="user", content="water " * words)], max_tokens=1000)
    assert chat.requests[0].body["options"]["num_ctx"] == window


def test_half_of_a_surrogate_pair_is_no_obstacle(model: RemoteChatModel, chat: ChatServer) -> None:
    """A text from a document may hold one; UTF-8 cannot."""
    reply = model.complete([Message(role="user", content="half \ud800 of a pair")], max_tokens=5)
    assert (reply.text, chat.prompts) == ("Hello.", ["half ? of a pair"])


def test_thoughts_are_no_part_of_the_reply(chat: ChatServer) -> None:
    """They show that the model is alive, so the limit of the first token ends (ANS-3)."""
    chat.otherwise = Says("It stops.", thoughts="hm " * 22, tokens_per_second=4)
    assert chain(MODEL, first_token=5).complete(ASKED, max_tokens=50).text == "It stops."


# Closing


@pytest.mark.parametrize("name", [MODEL, VLLM, OLLAMA])
def test_closing_ends_the_request(chat: ChatServer, name: str) -> None:
    """The server sees it, so a model on one's own machine stops working."""
    chat.replies = [Says("one", ending="hangs")]
    with closing(chain(name).stream(ASKED, max_tokens=50)) as pieces:
        assert next(pieces) == ReplyDelta(text="one")
    assert chat.requests[0].left.wait(SOON)
    assert list(pieces) == []


@pytest.mark.parametrize("reply", [hangs(), Says("one", ending="hangs")])
def test_another_thread_may_close(model: RemoteChatModel, chat: ChatServer, reply: Reply) -> None:
    """A person cancels while the model says nothing: the wait ends at once, and so does the request."""
    chat.replies = [reply]
    pieces, read = model.stream(ASKED, max_tokens=50), list[ReplyDelta | Ended]()
    thread = threading.Thread(target=lambda: read.extend(pieces))
    thread.start()
    wait_for(lambda: chat.requests)
    time.sleep(0.05)  # so that the other thread waits for the first or the second piece
    pieces.close()
    thread.join(SOON)
    assert not thread.is_alive()
    assert chat.requests[0].left.wait(SOON)
    assert not any(isinstance(item, Ended) for item in read)
    assert len(chat.requests) == 1


def test_a_closed_reply_gives_its_turn_back(chat: ChatServer) -> None:
    """The next caller need not wait for the limit of a reply that nobody reads."""
    bounds = CallBounds(concurrency=1, per_minute=0)
    model = RemoteChatModel([MODEL], limits=Limits(turn=SOON), bounds=[bounds])
    chat.replies = [hangs(), Says("one", ending="hangs")]
    for _ in range(2):
        pieces = model.stream(ASKED, max_tokens=50)
        reading = threading.Thread(target=lambda pieces=pieces: list(pieces))
        reading.start()
        wait_for(lambda: chat.requests)
        pieces.close()
        reading.join(SOON)
        chat.requests.clear()
    assert model.complete(ASKED, max_tokens=50).text == "Hello."


# Fallbacks


@pytest.mark.parametrize(
    "failing", [refuses(500), refuses(401), refuses(429, retry_after="60"), Says(ending="breaks"), Says(), hangs()]
)
def test_the_next_model_replies_if_the_first_one_fails(chat: ChatServer, failing: Reply) -> None:
    """Whatever the reason, and the reply says who gave it (ANS-7)."""
    chat.by_model["stub"] = failing
    items = list(chain(MODEL, SPARE, first_token=3.0).stream(ASKED, max_tokens=50))
    assert items[:-1] == [ReplyDelta(text="Hello.")]
    assert isinstance(items[-1], Ended)
    assert items[-1].model == SPARE


def test_a_model_that_works_is_called_once(chat: ChatServer) -> None:
    """Its fallback is not called."""
    assert chain(MODEL, SPARE).complete(ASKED, max_tokens=50).ended.model == MODEL
    assert [request.model for request in chat.requests] == ["stub"]


def test_a_missing_key_calls_the_next_model(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a request, even if litellm would make one."""
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    assert chain("groq/llama", MODEL).complete(ASKED, max_tokens=50).ended.model == MODEL


# Replies in a shape


def test_a_shape_is_asked_for_by_schema_and_in_words(model: RemoteChatModel, chat: ChatServer) -> None:
    """Servers that can enforce the schema do; others read it."""
    chat.replies = ['{"grade": 0.5}']
    assert model.complete_as(ASKED, Grade, max_tokens=50) == (
        Grade(grade=0.5),
        Usage(prompt_tokens=len(chat.requests[0].prompt.split()), completion_tokens=2, cost=None),
    )
    (request,) = chat.requests
    assert request.schema is not None
    assert set(request.schema["schema"]["properties"]) == {"grade", "why"}
    assert '"grade"' in request.prompt


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"grade": 0.5, "why": "a } in it"}\n```',
        'Here it is:\n\n```\n{"grade": 0.5, "why": "a } in it"}\n```\nDone.',
        'Sure! {"grade": 0.5, "why": "a } in it"} I hope this helps {you}.',
    ],
)
def test_words_around_the_object_are_ignored(model: RemoteChatModel, chat: ChatServer, text: str) -> None:
    """Small models add some."""
    chat.replies = [text]
    assert model.complete_as(ASKED, Grade, max_tokens=50)[0] == Grade(grade=0.5, why="a } in it")


@pytest.mark.parametrize("text", ["no", '{"grade": "high"}', '{"grade": 0.', "[]", '{"grade": ' + "9" * 5000])
def test_a_reply_in_another_shape_is_asked_for_once_more(model: RemoteChatModel, chat: ChatServer, text: str) -> None:
    """With what was wrong; both requests are counted."""
    chat.replies = [text, '{"grade": 1}']
    grade, usage = model.complete_as(ASKED, Grade, max_tokens=50)
    assert grade == Grade(grade=1)
    assert usage.completion_tokens > 2
    assert "That is not valid: " in chat.prompts[1]


def test_a_second_reply_in_another_shape_is_an_error(model: RemoteChatModel, chat: ChatServer) -> None:
    """It says what was wrong, and is not tried for ever (ANS-7)."""
    chat.otherwise = '{"grade": "high"}'
    with pytest.raises(GenerationFailedError, match="replied twice in a form that was not asked for: grade: Input sh"):
        model.complete_as(ASKED, Grade, max_tokens=50)
    assert len(chat.requests) == 2


def test_a_server_without_schemas_is_asked_in_words_alone(model: RemoteChatModel, chat: ChatServer) -> None:
    """Once it has refused one, it is not sent another."""

    def reply(request: object) -> Reply:
        asked = chat.requests[-1]
        return Refuses(400, "response_format is not supported") if asked.schema else '{"grade": 1}'

    chat.otherwise = reply
    for _ in range(2):
        assert model.complete_as(ASKED, Grade, max_tokens=50)[0] == Grade(grade=1)
    assert [request.schema is not None for request in chat.requests] == [True, False, False]


def wait_for(is_so: Callable[[], object]) -> None:
    """Wait until another thread has done something."""
    end = time.monotonic() + SOON
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.005)
