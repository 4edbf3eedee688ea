"""Thirty calls of litellm as a client: what its proxy and programs built on it get from Headwater, errors included.

Belongs here: the calls, and whether each gave what it should. Not here: the server (`openai_clients`), the same for
OpenAI's client (`openai_calls`). Guarantee: litellm is loaded as Headwater loads it, and gets an address of ours.

    python bench/litellm_calls.py URL QUOTING WRITING EMPTY

The arguments are those of `openai_calls`.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

from bench.openai_calls import ASKED, FRESH, TOOLS, question, run_all, text_of
from headwater.models_gateway.litellm_client import load_litellm

litellm: Any = load_litellm()
SAID = "forty litres"


class Calls:
    """The calls, one method each; a method returns what is printed, and fails by an assertion."""

    def __init__(self, url: str, quoting: str, writing: str, empty: str) -> None:
        self.url, self.quoting, self.writing, self.empty = url, quoting, writing, empty

    def given(self, model: str = "", **more: Any) -> dict[str, Any]:
        """What a call is made with."""
        name = f"headwater/{model or self.quoting}"
        ours = {"model": f"openai/{name}", "api_base": f"{self.url}/v1", "api_key": "any", "max_retries": 0}
        return {"messages": ASKED, "_skip_mcp_handler": True, **ours, **more}

    def ask(self, model: str = "", **more: Any) -> Any:
        """A chat completion."""
        return litellm.completion(**self.given(model, **more))

    def whole(self) -> str:
        """An answer that quotes."""
        return self._told(self.ask())

    def bare_model(self) -> str:
        """A knowledge base by its slug alone."""
        return self._told(litellm.completion(**{**self.given(), "model": f"openai/{self.quoting}"}))

    def annotated(self) -> str:
        """Its annotations."""
        message = self.ask().choices[0].message
        link = message.annotations[0]["url_citation"]
        assert message.content[link["start_index"] : link["end_index"]] == "[1]"
        return str(link["title"])

    def without_list(self) -> str:
        """Sources in fields alone."""
        found = self.ask(extra_body={"headwater": {"sources": "fields"}})
        assert "Sources" not in found.choices[0].message.content
        return self._told(found)

    def usage(self) -> str:
        """Tokens of a model."""
        found = self.ask(self.writing, extra_body=FRESH).usage
        assert found.completion_tokens > 0
        return f"{found.prompt_tokens} + {found.completion_tokens} tokens"

    def streamed(self) -> str:
        """An answer in pieces."""
        chunks = list(self.ask(stream=True))
        assert SAID in text_of(chunks)
        return f"{len(chunks)} chunks"

    def stream_usage(self) -> str:
        """A stream with usage."""
        more = {"stream": True, "stream_options": {"include_usage": True}, "extra_body": FRESH}
        chunks = list(self.ask(self.writing, **more))
        found = [chunk.usage for chunk in chunks if getattr(chunk, "usage", None)]
        assert found[-1].completion_tokens > 0
        return f"{found[-1].total_tokens} tokens"

    def built(self) -> str:
        """A stream that litellm puts together again, as its proxy does for its logs."""
        made: Any = litellm.stream_chunk_builder(list(self.ask(stream=True)), messages=ASKED)
        return self._told(made)

    def asynchronous(self) -> str:
        """Called from asyncio."""
        return self._told(asyncio.run(litellm.acompletion(**self.given())))

    def asynchronous_stream(self) -> str:
        """A stream in asyncio."""

        async def gather() -> list[Any]:
            stream: Any = await litellm.acompletion(**self.given(stream=True))
            return [chunk async for chunk in stream]

        chunks = asyncio.run(gather())
        assert SAID in text_of(chunks)
        return f"{len(chunks)} chunks"

    def batch(self) -> str:
        """Three questions at once."""
        shared = {name: value for name, value in self.given().items() if name != "messages"}
        found = litellm.batch_completion(messages=[ASKED] * 3, **shared)
        return " | ".join(self._told(one)[:40] for one in found)

    def router(self) -> str:
        """By the router of its proxy."""
        return self._told(self._router(self.quoting).completion(model="notes", messages=ASKED))

    def router_falls_back(self) -> str:
        """The router goes on to another knowledge base when the first has no documents."""
        return self._told(self._router(self.empty).completion(model="notes", messages=ASKED))

    def left(self) -> str:
        """A caller that leaves in the middle of a stream; the next call is served."""
        stream = self.ask(self.writing, messages=question("hang"), stream=True)
        begun = next(iter(stream)).choices[0].delta.content
        stream.completion_stream.close()
        return f"{begun!r}; {self.whole()[:40]}"

    def health(self) -> str:
        """The health check of its proxy."""
        found = self.ask(messages=[{"role": "user", "content": "test from litellm"}], max_tokens=5)
        return repr(found.choices[0].message.content[:60])

    def conversation(self) -> str:
        """A follow-up."""
        said = self.ask().choices[0].message.content
        more = [*ASKED, {"role": "assistant", "content": said}, {"role": "user", "content": "When does it stop?"}]
        found = self.ask(messages=more).choices[0].message.content
        assert "90" in found
        return repr(found[:80])

    def instructed(self) -> str:
        """A system message."""
        asked = [{"role": "system", "content": "Be short."}, *ASKED]
        return self._told(self.ask(self.writing, messages=asked, extra_body=FRESH))

    def further_fields(self) -> str:
        """Fields that Headwater ignores."""
        more = {"temperature": 0.2, "top_p": 0.9, "seed": 1, "stop": ["END"], "user": "someone", "logit_bias": {}}
        return self._told(self.ask(self.writing, **more))

    def tools(self) -> str:
        """Tools."""
        call = self.ask(self.writing, tools=TOOLS).choices[0].message.tool_calls[0]
        assert call.function.name == "lift"
        return f"{call.function.name}({call.function.arguments})"

    def tools_streamed(self) -> str:
        """Tools in pieces."""
        chunks = list(self.ask(self.writing, tools=TOOLS, stream=True))
        parts = [part for chunk in chunks for choice in chunk.choices for part in choice.delta.tool_calls or []]
        assert parts[0].function.name == "lift"
        return f"{len(chunks)} chunks"

    def refused(self) -> str:
        """A question that the documents do not answer."""
        found = self.ask(messages=[{"role": "user", "content": "Who won the world cup in 1954?"}])
        return repr(found.choices[0].message.content[:80])

    def no_model(self) -> str:
        """A knowledge base that does not exist."""
        return failed(litellm.NotFoundError, lambda: self.ask("none"))

    def several(self) -> str:
        """Two choices."""
        return failed(litellm.BadRequestError, lambda: self.ask(n=2))

    def too_long(self) -> str:
        """A question that is too long."""
        return failed(litellm.BadRequestError, lambda: self.ask(messages=[{"role": "user", "content": "why " * 2000}]))

    def tools_without_model(self) -> str:
        """Tools where there is no model."""
        return failed(litellm.BadRequestError, lambda: self.ask(tools=TOOLS))

    def no_documents(self) -> str:
        """A knowledge base without documents: not repeated, although litellm would repeat it."""
        begun = time.monotonic()
        said = failed(litellm.APIError, lambda: self.ask(self.empty, max_retries=3))
        assert time.monotonic() - begun < 2, "it was repeated"
        return said

    def not_there(self) -> str:
        """An address below ours that does not exist."""
        gone = {**self.given(), "api_base": f"{self.url}/v1/none"}
        return failed(litellm.BadRequestError, lambda: litellm.completion(**gone))  # litellm's name of any 404 but one

    def broken(self) -> str:
        """A model that breaks off in the middle of a stream."""
        stream = self.ask(self.writing, messages=question("break off"), stream=True)
        return failed(Exception, lambda: list(stream))

    def slow(self) -> str:
        """A model that is silent for six seconds before it answers."""
        begun = time.monotonic()
        said = text_of(self.ask(self.writing, messages=question("be slow"), stream=True, extra_body=FRESH))
        return f"{said[:50]!r} after {time.monotonic() - begun:.1f} s"

    def impatient(self) -> str:
        """A caller that waits for one second; the next call is served."""
        asked = {"messages": question("hang"), "timeout": 1}
        said = failed(litellm.Timeout, lambda: self.ask(self.writing, **asked))
        return f"{said}; {self.whole()[:40]}"

    def _told(self, found: Any) -> str:
        text = str(found.choices[0].message.content)
        assert SAID in text, text
        return repr(text[:80])

    def _router(self, first: str) -> Any:
        chosen = {name: value for name, value in self.given(first).items() if name != "messages"}
        other = {name: value for name, value in self.given().items() if name != "messages"}
        models = [
            {"model_name": "notes", "litellm_params": chosen},
            {"model_name": "other", "litellm_params": other},
        ]
        return litellm.Router(model_list=models, fallbacks=[{"notes": ["other"]}], num_retries=0)


def failed(kind: type[Exception], call: Callable[[], Any]) -> str:
    """The error of a call that must fail."""
    try:
        call()
    except kind as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
    raise AssertionError("it did not fail")


if __name__ == "__main__":
    sys.exit(bool(run_all("litellm", Calls(*sys.argv[1:5]))))
