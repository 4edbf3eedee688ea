"""Thirty calls of OpenAI's client: what a program gets from Headwater, errors and cut connections included.

Belongs here: the calls, and whether each gave what it should. Not here: the server (`openai_clients`). Guarantee: only
OpenAI's client and the standard library are imported, so that any version of it can run this file.

    python bench/openai_calls.py URL QUOTING WRITING EMPTY

The arguments are the address of the API and the slugs of three knowledge bases: without a model, with one, and without
documents.
"""

import json
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

import openai
from openai import OpenAI

QUESTION = "How many litres of water does the pump lift per minute?"
ASKED: Any = [{"role": "user", "content": QUESTION}]
TOOLS: Any = [{"type": "function", "function": {"name": "lift", "parameters": {"type": "object", "properties": {}}}}]
FRESH = {"headwater": {"fresh": True}}


class Calls:
    """The calls, one method each; a method returns what is printed, and fails by an assertion."""

    def __init__(self, url: str, quoting: str, writing: str, empty: str) -> None:
        self.url, self.quoting, self.writing, self.empty = url, f"headwater/{quoting}", f"headwater/{writing}", empty
        self.client = OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)

    def ask(self, model: str = "", **more: Any) -> Any:
        """A chat completion."""
        given = {"model": model or self.quoting, "messages": ASKED, **more}
        return self.client.chat.completions.create(**given)

    def models(self) -> str:
        """The knowledge bases."""
        return ", ".join(model.id for model in self.client.models.list())

    def one_model(self) -> str:
        """One by its name, whose slash this version may encode."""
        return self.client.models.retrieve(self.quoting).id

    def bare_model(self) -> str:
        """One by its slug."""
        return self.client.models.retrieve(self.quoting.partition("/")[2]).id

    def no_model(self) -> str:
        """One that does not exist."""
        return failed(404, lambda: self.client.models.retrieve("headwater/none"))

    def whole(self) -> str:
        """An answer that quotes."""
        found = self.ask()
        assert "[1]" in found.choices[0].message.content
        return f"{found.choices[0].message.content!r} {found.usage.total_tokens} tokens"

    def annotated(self) -> str:
        """Its annotations."""
        found = self.ask()
        link = found.choices[0].message.annotations[0].url_citation
        assert found.choices[0].message.content[link.start_index : link.end_index] == "[1]"
        return f"{link.title} {link.url}"

    def fields(self) -> str:
        """Its fields that OpenAI does not have."""
        extra = self.ask(extra_body={"headwater": {"sources": "fields"}}).model_extra
        return f"{extra['citations']} answer {extra['headwater']['answer_id']} cached {extra['headwater']['cached']}"

    def streamed(self) -> str:
        """An answer in pieces, with usage."""
        chunks = list(self.ask(stream=True, stream_options={"include_usage": True}))
        assert chunks[-1].usage is not None
        return f"{len(chunks)} chunks, {text_of(chunks)[:60]!r}"

    def helper(self) -> str:
        """The client's own gathering of a stream."""
        with self.client.chat.completions.stream(model=self.quoting, messages=ASKED) as stream:
            kinds = sorted({event.type for event in stream})
            final = stream.get_final_completion().choices[0].message
        assert final.annotations
        return f"{kinds}, {len(final.annotations)} annotation"

    def raw(self) -> str:
        """The headers of a response."""
        found = self.client.chat.completions.with_raw_response.create(model=self.quoting, messages=ASKED)
        return str(found.headers["x-request-id"])

    def conversation(self) -> str:
        """A follow-up."""
        said = self.ask().choices[0].message.content
        more = [*ASKED, {"role": "assistant", "content": said}, {"role": "user", "content": "When does it stop?"}]
        found = self.ask(messages=more).choices[0].message.content
        assert "90" in found
        return repr(found)

    def refused(self) -> str:
        """A question that the documents do not answer."""
        found = self.ask(messages=[{"role": "user", "content": "Who won the world cup in 1954?"}])
        assert found.model_extra["headwater"]["refused"]
        return repr(found.choices[0].message.content)

    def filtered(self) -> str:
        """A source that does not exist."""
        extra = {"headwater": {"filters": {"sources": ["none"]}}}
        return failed(400, lambda: self.ask(extra_body=extra))

    def past(self) -> str:
        """A time before there were documents."""
        return failed(409, lambda: self.ask(extra_body={"headwater": {"as_of": "2001-01-01"}}, stream=True))

    def several(self) -> str:
        """Two choices."""
        return failed(400, lambda: self.ask(n=2))

    def nobody(self) -> str:
        """No question."""
        return failed(400, lambda: self.ask(messages=[{"role": "system", "content": "x"}]))

    def picture(self) -> str:
        """A picture."""
        parts = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
        return failed(400, lambda: self.ask(messages=[{"role": "user", "content": parts}]))

    def too_long(self) -> str:
        """A question that is too long."""
        return failed(400, lambda: self.ask(messages=[{"role": "user", "content": "why " * 2000}]))

    def too_large(self) -> str:
        """A body that is too large, which the server refuses before it has arrived."""
        return failed(413, lambda: self.ask(messages=[{"role": "user", "content": "x" * 3_000_000}]))

    def responses(self) -> str:
        """The Responses API."""
        return failed(404, lambda: self.client.responses.create(model=self.quoting, input=QUESTION))

    def no_documents(self) -> str:
        """A knowledge base without documents: not repeated, although the client would repeat any 409."""
        begun, repeating = time.monotonic(), self.client.with_options(max_retries=3)
        asked: Any = {"model": self.empty, "messages": ASKED}
        said = failed(409, lambda: repeating.chat.completions.create(**asked))
        return f"{said} in {time.monotonic() - begun:.1f} s"

    def tools_without_model(self) -> str:
        """Tools where there is no model."""
        return failed(400, lambda: self.ask(tools=TOOLS))

    def written(self) -> str:
        """An answer by a model."""
        found = self.ask(self.writing, temperature=0.5, extra_body=FRESH)
        assert found.usage.completion_tokens > 0
        return f"{found.choices[0].message.content!r} {found.usage.total_tokens} tokens"

    def written_stream(self) -> str:
        """The same in pieces."""
        return repr(text_of(self.ask(self.writing, stream=True, extra_body=FRESH)))

    def tools(self) -> str:
        """Tools, whole and streamed."""
        call = self.ask(self.writing, tools=TOOLS).choices[0].message.tool_calls[0]
        chunks = list(self.ask(self.writing, tools=TOOLS, stream=True))
        parts = [part for chunk in chunks for choice in chunk.choices for part in choice.delta.tool_calls or []]
        assert parts[0].function.name == call.function.name == "lift"
        return f"{call.function.name}({call.function.arguments})"

    def broken(self) -> str:
        """A model that breaks off in the middle of a stream."""
        return broke(self.ask(self.writing, messages=question("break off"), stream=True))

    def silent(self) -> str:
        """A model that is silent for six seconds before it answers."""
        begun = time.monotonic()
        said = text_of(self.ask(self.writing, messages=question("be slow"), stream=True, extra_body=FRESH))
        return f"{said!r} after {time.monotonic() - begun:.1f} s"

    def left(self) -> str:
        """A client that leaves in the middle of a stream; the next call is served."""
        stream = self.ask(self.writing, messages=question("hang"), stream=True)
        next(iter(stream))
        stream.close()
        return self.one_model()

    def cut(self) -> str:
        """A connection that is cut while the model is silent, without a stream."""
        host, _, port = self.url.rpartition("/")[2].partition(":")
        body = json.dumps({"model": self.writing, "messages": question("hang")}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        with socket.create_connection((host, int(port))) as opened:
            opened.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            time.sleep(1.5)
        return self.one_model()

    def context(self) -> str:
        """The context of a question, by the client's own way to other addresses."""
        body = {"model": self.quoting, "messages": ASKED, "max_tokens": 400}
        found: Any = self.client.post("/context", body=body, cast_to=object)
        assert found["token_count"] <= 400
        return f"{found['token_count']} tokens, intent {found['intent']}"


def question(words: str) -> Any:
    """The question, with what the model is to do."""
    return [{"role": "user", "content": f"{QUESTION} Then {words}."}]


def text_of(chunks: Any) -> str:
    """The text of a stream."""
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


def failed(status: int, call: Callable[[], Any]) -> str:
    """The error of a call that must fail."""
    found: openai.APIStatusError | None = None
    try:
        call()
    except openai.APIStatusError as error:
        found = error
    assert found is not None, "it did not fail"
    assert found.status_code == status, found
    assert found.request_id, found
    words = str(found.body["message"])[:110] if isinstance(found.body, dict) else str(found)
    return f"{type(found).__name__} {found.code} {found.param or ''}: {words}"


def broke(stream: Any) -> str:
    """The error in the middle of a stream, and the text before it."""
    text = ""
    try:
        for chunk in stream:
            text += chunk.choices[0].delta.content or ""
    except openai.APIError as error:
        return f"{text!r}, then {type(error).__name__} {error.code}"
    raise AssertionError("it did not break off")


def run_all(client: str, calls: Any) -> int:
    """Make every call of an object, in the order of its methods, and print one line each.

    Args:
        client: its name and version.
        calls: its public methods are calls, but for `ask` and `given`.

    Returns:
        How many went wrong.
    """
    names = [name for name in vars(type(calls)) if not name.startswith("_") and name not in ("ask", "given")]
    wrong = 0
    print(f"{client}: {len(names)} calls")
    for number, name in enumerate(names, start=1):
        try:
            said = getattr(calls, name)()
        except Exception as error:  # noqa: BLE001 - the others are called
            wrong += 1
            said = f"WRONG: {type(error).__name__}: {error}"
        print(f"{number:2} {name}: {said}", flush=True)
    print(f"{wrong} of {len(names)} went wrong", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(bool(run_all(f"openai {openai.__version__}", Calls(*sys.argv[1:5]))))
