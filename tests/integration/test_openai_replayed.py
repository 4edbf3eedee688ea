"""Requests of programs that speak OpenAI's API, sent as they send them (API-3).

Belongs here: literal requests of Open WebUI, fields that other programs send, and litellm itself as a client. Not here:
OpenAI's own client (`test_openai`).
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from headwater.models_gateway.litellm_client import load_litellm
from tests.api_server import ApiServer, api_server
from tests.chat_server import MODEL, ChatServer
from tests.support import Headwater

FILES = {"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"}
QUESTION = "How many litres of water does the pump lift per minute?"
ASKED = [{"role": "user", "content": QUESTION}]
CACHED = [{"type": "text", "text": QUESTION, "cache_control": {"type": "ephemeral"}}]
OPEN_WEBUI = {
    "Authorization": "Bearer none",
    "Content-Type": "application/json",
    "X-OpenWebUI-User-Name": "Ann",
    "X-OpenWebUI-Chat-Id": "1",
    "Accept": "*/*",
    "User-Agent": "Python/3.11 aiohttp/3.12.15",
}

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def served(kb: Headwater) -> Iterator[ApiServer]:
    """The API of the test's own knowledge base."""
    with api_server(kb.settings) as server:
        yield server


def _chunks(response: httpx.Response) -> list[dict[str, Any]]:
    """The data of a stream, line by line; the last line is `[DONE]`, and every other one a chunk."""
    assert response.status_code == 200, response.read()
    assert response.headers["content-type"].startswith("text/event-stream")
    lines = [line for line in response.iter_lines() if line and not line.startswith(":")]
    assert all(line.startswith("data: ") for line in lines)
    assert lines.pop() == "data: [DONE]"
    found = [json.loads(line[6:]) for line in lines]
    for chunk in found:
        assert chunk["object"] == "chat.completion.chunk"
        assert chunk.keys() >= {"id", "created", "model", "choices"}
    return found


def _text(chunks: list[dict[str, Any]]) -> str:
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


def test_open_webui_lists_asks_and_shows_sources(served: ApiServer) -> None:
    """Models by GET without a body; a stream with usage; annotations in a delta, of which it makes source cards."""
    with httpx.Client(base_url=f"{served.url}/v1", headers=OPEN_WEBUI) as client:
        (model,) = client.get("/models").json()["data"]
        assert (model["id"], model["name"], model["object"]) == ("headwater/kb", "kb", "model")
        body = {
            "model": model["id"],
            "stream": True,
            "messages": [{"role": "system", "content": "You are kind."}, {"role": "user", "content": CACHED}],
            "temperature": 0.8,
            "reasoning": {"effort": "low"},
            "stream_options": {"include_usage": True},
        }
        with client.stream("POST", "/chat/completions", json=body) as response:
            chunks = _chunks(response)
        assert "forty litres" in _text(chunks)
        assert chunks[-1]["usage"]["total_tokens"] == 0
        (noted,) = [choice["delta"]["annotations"] for chunk in chunks for choice in chunk["choices"]
                    if "annotations" in choice["delta"]]  # fmt: skip
        assert noted[0]["type"] == "url_citation"
        assert noted[0]["url_citation"]["url"].startswith("http")
        assert noted[0]["url_citation"]["title"] == "Pump"
        task = {"model": model["id"], "messages": [{"role": "user", "content": "### Task:\nGenerate a title."}]}
        titled = client.post("/chat/completions", json={**task, "stream": False, "max_completion_tokens": 1000})
        assert titled.status_code == 200
        assert titled.json()["choices"][0]["message"]["role"] == "assistant"
        wrong = client.post("/chat/completions", json={**body, "model": "gone"})
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (404, "model_not_found")


@pytest.mark.parametrize(
    "more",
    [
        {"user": "u1", "presence_penalty": 0, "frequency_penalty": 0, "top_p": 1, "stop": None},  # LibreChat
        {"n": 1, "temperature": 0.7, "stream_options": {"include_usage": True}},  # LangChain
        {"max_tokens": 5, "metadata": {"tags": ["x"]}, "logprobs": False, "tools": [], "tool_choice": None},
    ],
)
def test_fields_that_programs_send_are_accepted(served: ApiServer, more: dict[str, Any]) -> None:
    """Streamed and whole, the text is the same."""
    with httpx.Client(base_url=f"{served.url}/v1") as client:
        body = {"model": "headwater/kb", "messages": ASKED, **more}
        with client.stream("POST", "/chat/completions", json={**body, "stream": True}) as response:
            streamed = _text(_chunks(response))
        whole = client.post("/chat/completions", json={**body, "stream": False}).json()
    assert whole["choices"][0]["message"]["content"] == streamed
    assert "forty litres" in streamed


@pytest.mark.synced(files=FILES, answer_model=MODEL)
def test_litellm_is_a_client(served: ApiServer, chat: ChatServer) -> None:
    """As its proxy calls it: `openai/headwater/kb` with our address; whole, streamed, its health check, errors."""
    chat.otherwise = "The pump lifts forty litres [1]."
    litellm = load_litellm()
    ours: dict[str, Any] = {"model": "openai/headwater/kb", "api_base": f"{served.url}/v1", "api_key": "any"}
    ours["max_retries"] = 0
    whole = litellm.completion(messages=ASKED, **ours)
    text = whole.choices[0].message.content
    assert text.startswith("The pump lifts forty litres [1].")
    assert whole.usage.completion_tokens == 6
    assert whole.choices[0].message.annotations[0]["url_citation"]["title"] == "Pump"
    chunks = list(litellm.completion(messages=ASKED, stream=True, stream_options={"include_usage": True}, **ours))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == text
    health = [{"role": "user", "content": "test from litellm"}]
    assert litellm.completion(messages=health, max_tokens=5, **ours).choices[0].message.content
    with pytest.raises(litellm.NotFoundError, match="does not exist"):
        litellm.completion(messages=ASKED, **{**ours, "model": "openai/headwater/none"})
    with pytest.raises(litellm.BadRequestError, match="one answer"):
        litellm.completion(messages=ASKED, n=2, **ours)
