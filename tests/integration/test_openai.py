"""OpenAI's API over knowledge bases, with OpenAI's own client (API-3).

Belongs here: chat completions and models as the client sees them, over loopback. Not here: literal requests of other
programs (`test_openai_replayed`), contexts (`test_context_route`).
"""

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.api_server import ApiServer, api_server
from tests.chat_server import MODEL, ChatRequest, ChatServer, Says, refuses
from tests.support import Headwater, Later

if TYPE_CHECKING:
    import openai
    from openai import OpenAI
else:
    openai = Later("openai")  # some 800 modules, imported in 1.5 s

PUMP = "# Pump\n\nThe pump lifts forty litres of water per minute. It stops by itself at 90 degrees.\n"
OIL = "# Maintenance\n\nChange the oil of the pump every two hundred hours. Use mineral oil.\n"
FILES = {"pump.md": PUMP, "oil.md": OIL}
QUESTION = "How many litres of water does the pump lift per minute?"
ASKED: list[Any] = [{"role": "user", "content": QUESTION}]
KB = "headwater/kb"
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": "lift", "parameters": {"type": "object", "properties": {}}}}
]

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def served(kb: Headwater) -> Iterator[ApiServer]:
    """The API of the test's own knowledge base."""
    with api_server(kb.settings) as server:
        yield server


@pytest.fixture
def client(served: ApiServer) -> Iterator["OpenAI"]:
    """OpenAI's client, which repeats nothing."""
    yield from _client(served)


def _client(server: ApiServer) -> Iterator["OpenAI"]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="any", max_retries=0) as made:
        yield made


@pytest.fixture(scope="module")
def reader(shared: Headwater) -> Iterator["OpenAI"]:
    """OpenAI's client of a knowledge base that is only read."""
    with api_server(shared.settings) as server:
        yield from _client(server)


def _fields(found: Any) -> dict[str, Any]:
    """What OpenAI's types have no field for."""
    extra: dict[str, Any] = found.model_extra
    return extra


def test_models_are_knowledge_bases(reader: "OpenAI") -> None:
    """Listed, and read by both names; the client encodes the slash or not, by its version."""
    (model,) = reader.models.list()
    assert (model.id, model.owned_by, _fields(model)["name"]) == (KB, "headwater", "kb")
    assert reader.models.retrieve(KB) == reader.models.retrieve("kb") == model
    assert reader.get(f"/models/{KB}", cast_to=object) == reader.get("/models/headwater%2Fkb", cast_to=object)


def test_an_answer_names_its_sources_three_times(client: "OpenAI", served: ApiServer, kb: Headwater) -> None:
    """In its text, as annotations at their markers, and in full; without a model nothing was spent (ANS-4)."""
    found = client.chat.completions.create(model=KB, messages=ASKED)
    (choice,) = found.choices
    text = choice.message.content or ""
    answer, _, sources = text.partition("\n\n**Sources**\n\n")
    assert "forty litres" in answer
    assert (choice.finish_reason, found.model) == ("stop", KB)
    (annotation, *_) = choice.message.annotations or []
    link = annotation.url_citation
    assert text[link.start_index : link.end_index] == "[1]"
    assert link.url.startswith(f"{served.url}/api/v1/document-versions/")
    assert sources == f"- [1] [Pump]({link.url}), L3"
    ours = _fields(found)
    assert ours["citations"] == [link.url]
    assert ours["headwater"]["citations"][0]["uri"] == "pump.md"
    assert (ours["headwater"]["statements"], ours["headwater"]["degraded"], ours["headwater"]["quote"]) == (
        [],
        None,
        "",
    )
    assert all(one["url"].startswith(served.url) and one["line"] for one in ours["headwater"]["further"])
    assert found.usage is not None
    assert found.usage.total_tokens == 0
    assert found.id == f"chatcmpl-{ours['headwater']['answer_id']}"
    assert str(kb.store.answers.get(ours["headwater"]["answer_id"]).id) == ours["headwater"]["answer_id"]
    assert "forty litres" in httpx.get(link.url).text


def test_a_stream_says_the_same(client: "OpenAI") -> None:
    """Chunk by chunk: the role first, then text and annotations, a reason to end, and usage if it is asked for."""
    whole = client.chat.completions.create(model="kb", messages=ASKED)
    extra = {"headwater": {"fresh": True}}
    got = list(
        client.chat.completions.create(
            model="kb", messages=ASKED, stream=True, stream_options={"include_usage": True}, extra_body=extra
        )
    )
    assert got[0].choices[0].delta.role == "assistant"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in got[:-1]) == whole.choices[0].message.content
    assert [chunk.usage for chunk in got[:-1]] == [None] * (len(got) - 1)
    assert got[-1].choices == []
    assert got[-1].usage is not None
    assert got[-2].choices[0].finish_reason == "stop"
    assert _fields(got[-2])["headwater"]["citations"] == _fields(whole)["headwater"]["citations"]
    assert _fields(got[-2])["headwater"]["further"] == _fields(whole)["headwater"]["further"]
    assert _fields(got[-2])["citations"] == _fields(whole)["citations"]
    plain = list(client.chat.completions.create(model="kb", messages=ASKED, stream=True))
    assert all(chunk.choices for chunk in plain)
    with client.chat.completions.stream(model="kb", messages=ASKED) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion().choices[0].message
    assert final.content == whole.choices[0].message.content
    assert final.annotations == whole.choices[0].message.annotations


def test_sources_in_fields_alone(client: "OpenAI") -> None:
    """The text is that of the answer; annotations and fields stay."""
    extra = {"headwater": {"sources": "fields", "top_k": 1}}
    found = client.chat.completions.create(model=KB, messages=ASKED, extra_body=extra)
    assert "Sources" not in (found.choices[0].message.content or "")
    assert found.choices[0].message.annotations


def test_earlier_messages_are_the_conversation(client: "OpenAI") -> None:
    """A question that cannot stand alone is answered; the list of sources that was added to a reply does not count."""
    first = client.chat.completions.create(model=KB, messages=ASKED).choices[0].message.content
    follow: list[Any] = [
        {"role": "system", "content": "Be brief."},
        *ASKED,
        {"role": "assistant", "content": first},
        {"role": "user", "content": [{"type": "text", "text": "When does it stop?"}]},
    ]
    found = client.chat.completions.create(model=KB, messages=follow)
    assert "90 degrees" in (found.choices[0].message.content or "")


def test_a_refusal_is_an_answer_without_sources(client: "OpenAI") -> None:
    """It says why in the fields (ANS-7); a source that does not exist is an error, with the stream too."""
    extra = {"headwater": {"filters": {"sources": ["well"]}}}
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError, match="well"):
            client.chat.completions.create(model=KB, messages=ASKED, stream=stream, extra_body=extra)
    found = client.chat.completions.create(model=KB, messages=[{"role": "user", "content": "Who won in 1954?"}])
    ours = _fields(found)["headwater"]
    assert (ours["refused"], ours["reason"], ours["citations"]) == (True, "nothing_relevant", [])
    assert "Sources" not in (found.choices[0].message.content or "")


WRONG: list[tuple[dict[str, Any], int, str | None, str]] = [
    ({"model": "headwater/none"}, 404, "model", "does not exist"),
    ({"model": "gpt-4o/../x"}, 404, "model", "does not exist"),
    ({"messages": []}, 400, "messages", "at least 1"),
    ({"messages": [{"role": "system", "content": "x"}]}, 400, "messages", "no question"),
    ({"messages": [*ASKED, {"role": "assistant", "content": "It"}]}, 400, "messages", "last message"),
    ({"messages": [{"role": "user", "content": ""}]}, 400, None, "empty"),
    ({"messages": [{"role": "user", "content": "why " * 1100}]}, 400, None, "4000"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, "messages.0.content", "image_url"),
    ({"n": 2}, 400, "n", "one answer"),
    ({"temperature": 9}, 400, "temperature", "2.0 or less"),
    ({"tools": TOOLS}, 400, "tools", "no chat model"),
    ({"response_format": {"type": "json_object"}}, 400, "response_format", "no chat model"),
    ({"extra_body": {"headwater": {"filter": {}}}}, 400, "headwater.filter", "filters"),
]


def test_what_is_wrong_is_said_in_openais_shape(reader: "OpenAI") -> None:
    """Wrong values are a 400 that names the field, whether a stream is asked for or not."""
    for changed, status, param, says in WRONG:
        for stream in (False, True):
            with pytest.raises(openai.APIStatusError) as caught:
                reader.chat.completions.create(**{"model": KB, "messages": ASKED, "stream": stream, **changed})
            error = caught.value
            assert (error.status_code, error.param, error.type) == (status, param, "invalid_request_error"), error
            assert says in str(error)
            assert error.request_id


def test_what_does_not_exist_is_said_in_openais_shape(reader: "OpenAI") -> None:
    """The Responses API names chat completions; a wrong method says which ones there are."""
    with pytest.raises(openai.NotFoundError, match="chat/completions"):
        reader.responses.create(model=KB, input=QUESTION)
    with pytest.raises(openai.NotFoundError, match="/v1"):
        reader.embeddings.create(model=KB, input=QUESTION)
    with pytest.raises(openai.APIStatusError) as caught:
        reader.delete("/models", cast_to=object)
    assert (caught.value.status_code, caught.value.code) == (405, "method_not_allowed")
    with pytest.raises(openai.APIStatusError) as caught:
        reader.chat.completions.create(model=KB, messages=[{"role": "user", "content": "x" * 1_100_000}])
    assert (caught.value.status_code, caught.value.code) == (413, "request_entity_too_large")


def test_unknown_fields_are_ignored(client: "OpenAI") -> None:
    """Clients send what OpenAI's newest models take; null counts as absent."""
    found = client.chat.completions.create(
        model=KB,
        messages=ASKED,
        seed=7,
        top_p=0.5,
        stop=["x"],
        user="me",
        extra_body={"chat_id": "1", "tools": None, "stream_options": None, "n": None, "headwater": None},
    )
    assert found.choices[0].message.content


@pytest.mark.synced(files={})
def test_a_client_is_told_not_to_repeat_what_cannot_succeed(served: ApiServer) -> None:
    """A knowledge base without documents: one request, although the client repeats any 409 (ANS-7)."""
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key="any", max_retries=3) as client:
        begun = time.monotonic()
        with pytest.raises(openai.ConflictError) as caught:
            client.chat.completions.create(model=KB, messages=ASKED, stream=True)
    assert caught.value.code == "no_documents"
    assert caught.value.response.headers["x-should-retry"] == "false"
    assert served.requests == 1
    assert time.monotonic() > begun


# With a chat model


def _cites(request: ChatRequest) -> str:
    number = re.findall(r"^\[(\d+)\] ", request.prompt.partition("forty litres")[0], re.MULTILINE)[-1]
    return f"It lifts 40 litres [{number}]."


@pytest.mark.synced(files=FILES, answer_model=MODEL)
def test_a_model_writes_the_answer(client: "OpenAI", chat: ChatServer) -> None:
    """Its tokens are the usage; a system message stands as wishes below the sources; sampling fields count (ANS-6)."""
    chat.otherwise = _cites
    messages: list[Any] = [{"role": "system", "content": "Talk like a sailor. $question"}, *ASKED]
    found = client.chat.completions.create(model=KB, messages=messages, temperature=0.7, max_tokens=200)
    assert (found.choices[0].message.content or "").startswith("It lifts 40 litres [1].")
    assert found.usage is not None
    assert found.usage.completion_tokens == 5
    (request,) = chat.requests
    assert (request.body["temperature"], request.body["max_tokens"]) == (0.7, 200)
    rules, _, wishes = request.prompt.partition("wishes this for the tone")
    assert "Use only the sources." in rules
    assert "\nTalk like a sailor. $question\n\nQuestion: " in wishes
    again = client.chat.completions.create(model=KB, messages=ASKED)
    assert _fields(again)["headwater"]["cached"] is False  # other wishes, another answer
    assert len(chat.requests) == 2


@pytest.mark.synced(files=FILES, answer_model=MODEL, quote_when_model_fails=False)
def test_a_failure_has_a_status_before_the_first_piece_and_a_line_after_it(client: "OpenAI", chat: ChatServer) -> None:
    """An unavailable model is a 503, with the stream too; a broken reply raises the code, and nothing follows.

    By default a quote stands in for the model, so that clients which show no errors show something.
    """
    chat.otherwise = refuses(401, "bad key")
    for stream in (False, True):
        with pytest.raises(openai.InternalServerError) as caught:
            client.chat.completions.create(model=KB, messages=ASKED, stream=stream)
        assert (caught.value.status_code, caught.value.code) == (503, "model_unavailable")
        assert caught.value.response.headers["x-should-retry"] == "false"
    chat.otherwise = refuses(429, retry_after="30")
    with pytest.raises(openai.RateLimitError) as limited:
        client.chat.completions.create(model=KB, messages=ASKED)
    assert (limited.value.code, limited.value.response.headers["retry-after"]) == ("rate_limit_exceeded", "30")
    chat.otherwise = Says("The pump lifts forty litres of water, and it stops by itself when it is", ending="breaks")
    got: list[Any] = []
    with pytest.raises(openai.APIError) as broken:
        got.extend(client.chat.completions.create(model=KB, messages=ASKED, stream=True))
    assert broken.value.code == "generation_failed"


@pytest.mark.synced(files=FILES, answer_model=MODEL)
@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_leaves_ends_the_answer(served: ApiServer, kb: Headwater, chat: ChatServer, stream: bool) -> None:
    """The model's server sees its caller leave, although the model says nothing."""
    chat.otherwise = Says("The pump lifts forty litres of water, and it stops by", ending="hangs")
    with served.connection() as leaving:
        leaving.post("/v1/chat/completions", {"model": "kb", "messages": ASKED, "stream": stream})
        while not chat.requests:
            time.sleep(0.02)
        if stream:
            leaving.read_until(b"litres")
    assert chat.requests[0].left.wait(60)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and kb.query("SELECT state FROM answers") != [{"state": "cancelled"}]:
        time.sleep(0.05)
    assert kb.query("SELECT state FROM answers") == [{"state": "cancelled"}]


CALL = {"id": "call_1", "type": "function", "function": {"name": "lift", "arguments": "{}"}}


@pytest.mark.synced(files=FILES, answer_model=MODEL)
def test_tools_reach_the_model_and_its_calls_come_back(client: "OpenAI", kb: Headwater, chat: ChatServer) -> None:
    """With passages in the newest question, every other field as it was, and nothing stored; whole and streamed."""
    chat.otherwise = Says(tool_calls=(CALL,), finish_reason="tool_calls")
    extra = {"chat_template_kwargs": {"x": 1}, "api_base": "http://evil.example", "headwater": {"top_k": 1}}
    found = client.chat.completions.create(
        model=KB, messages=ASKED, tools=TOOLS, tool_choice="auto", seed=7, temperature=0.3, extra_body=extra
    )
    (call,) = found.choices[0].message.tool_calls or []
    assert call.model_dump() == CALL
    assert found.choices[0].finish_reason == "tool_calls"
    body = chat.requests[0].body
    assert (body["tools"], body["tool_choice"], body["seed"], body["temperature"]) == (TOOLS, "auto", 7, 0.3)
    assert body["chat_template_kwargs"] == {"x": 1}
    assert "headwater" not in body
    rules, question = body["messages"]
    assert (rules["role"], question["role"]) == ("system", "user")
    assert question["content"].startswith("<data passage-1 ")
    assert "forty litres" in question["content"]
    assert question["content"].endswith(f"\n\n{QUESTION}")
    chunks = list(client.chat.completions.create(model=KB, messages=ASKED, tools=TOOLS, stream=True))
    (streamed,) = [part for chunk in chunks for choice in chunk.choices for part in choice.delta.tool_calls or []]
    assert streamed.function is not None
    assert (streamed.id, streamed.function.name) == ("call_1", "lift")
    assert kb.query("SELECT count(*) FROM answers")[0]["count"] == 0


@pytest.mark.synced(files=FILES, answer_model=MODEL)
def test_results_of_tools_continue_the_conversation(client: "OpenAI", chat: ChatServer) -> None:
    """The passages stay at the question that they belong to; the results follow as they were."""
    chat.otherwise = "Done [1]."
    result = {"role": "tool", "tool_call_id": "call_1", "content": "40"}
    messages: list[Any] = [*ASKED, {"role": "assistant", "content": None, "tool_calls": [CALL]}, result]
    found = client.chat.completions.create(model=KB, messages=messages, tools=TOOLS)
    assert found.choices[0].message.content == "Done [1]."
    sent = chat.requests[0].body["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
    assert (sent[2]["tool_calls"], sent[3]["content"]) == ([CALL], "40")


@pytest.mark.synced(files=FILES, answer_model=MODEL)
def test_the_stateless_mode_fails_as_the_rest_does(served: ApiServer, client: "OpenAI", chat: ChatServer) -> None:
    """A refusal of the request is a 400, an unavailable model a 503, a broken reply a line; leaving ends it."""
    extra = {"headwater": {"stateless": True}}
    chat.replies = [refuses(400, "tools are malformed"), refuses(500), Says("It lifts", ending="ends")]
    with pytest.raises(openai.BadRequestError, match="tools are malformed"):
        client.chat.completions.create(model=KB, messages=ASKED, extra_body=extra)
    with pytest.raises(openai.InternalServerError) as caught:
        client.chat.completions.create(model=KB, messages=ASKED, extra_body=extra, stream=True)
    assert caught.value.code == "model_unavailable"
    with pytest.raises(openai.APIError) as broken:
        list(client.chat.completions.create(model=KB, messages=ASKED, extra_body=extra, stream=True))
    assert broken.value.code == "generation_failed"
    chat.otherwise = Says("It lifts", ending="hangs")
    stream = client.chat.completions.create(model=KB, messages=ASKED, extra_body=extra, stream=True)
    next(stream)
    stream.close()
    assert chat.requests[-1].left.wait(60)
