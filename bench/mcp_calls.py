"""Calls of MCP's official client: what a program with a language model gets from `headwater up`, errors included.

Belongs here: the calls, and whether each gave what it should, in both forms of the protocol, over HTTP and through
`headwater mcp`. Not here: the server (`client_server`). Guarantee: everything is temporary.

    python -m bench.mcp_calls
"""

import asyncio
import http.client
import json
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Literal

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from bench.client_server import SLUGS, headwater
from bench.openai_calls import QUESTION, run_all
from headwater.settings import REPOSITORY

Way = Literal["http", "stdin"]
Mode = Literal["auto", "legacy"]


class Calls:
    """The calls, one method each; a method returns what is printed, and fails by an assertion."""

    def __init__(self, url: str, way: Way, mode: Mode) -> None:
        self.url, self.way, self.mode = url, way, mode
        self.quoting, self.writing, self.empty = SLUGS

    def ask(self, knowledge_base: str, words: str = QUESTION, *, is_fresh: bool = False) -> Any:
        """An answer; a fresh one is as of now, because that was never asked before."""
        now = {"as_of": datetime.now(UTC).isoformat()} if is_fresh else {}
        return self._call("ask", knowledge_base=knowledge_base, question=words, **now)

    def connects(self) -> str:
        """The version that both speak."""

        async def look(client: Client) -> str:
            return f"{client.protocol_version} {client.server_info and client.server_info.name}"

        return self._with(look)

    def tools(self) -> str:
        """The tools."""

        async def look(client: Client) -> str:
            return ", ".join(tool.name for tool in (await client.list_tools()).tools)

        return self._with(look)

    def knowledge_bases(self) -> str:
        """The knowledge bases."""
        return text_of(self._call("list_knowledge_bases"))

    def search(self) -> str:
        """Passages."""
        return text_of(self._call("search", knowledge_base=self.quoting, query="water"))

    def quotes(self) -> str:
        """An answer without a model."""
        return text_of(self.ask(self.quoting))

    def writes(self) -> str:
        """An answer by a model."""
        return text_of(self.ask(self.writing, is_fresh=True))

    def follows_up(self) -> str:
        """A question that needs the one before it."""
        turn = {"question": QUESTION, "answer": "Forty litres [1]."}
        given = {"knowledge_base": self.quoting, "question": "When does it stop?", "history": [turn]}
        found = self._call("ask", **given)
        assert "90" in text_of(found)
        return text_of(found)

    def refuses(self) -> str:
        """A question that the documents do not answer."""
        found = self.ask(self.quoting, "Who won the world cup in 1954?")
        assert found.structured_content["refused"]
        return text_of(found)

    def context(self) -> str:
        """Passages for a model of one's own."""
        found = self._call("context", knowledge_base=self.quoting, question=QUESTION, max_tokens=600)
        assert found.structured_content["token_count"] <= 600
        return f"{found.structured_content['token_count']} tokens"

    def reads(self) -> str:
        """A span of a document."""
        source = self.ask(self.quoting).structured_content["sources"][0]
        found = self._call("read_document", document_version_id=source["document_version_id"], start=2, end=6)
        assert found.structured_content["content"] == "Pump"
        return text_of(found)

    def traces(self) -> str:
        """An answer, to the run that fetched its source."""
        return text_of(self._call("trace", id=self.ask(self.quoting).structured_content["answer_id"]))

    def searches_a_source(self) -> str:
        """Passages of one source, two at most."""
        found = self._call("search", knowledge_base=self.quoting, query="water", sources=["docs"], top_k=2)
        assert 0 < len(found.structured_content["passages"]) <= 2
        return f"{len(found.structured_content['passages'])} passages"

    def traces_a_chunk(self) -> str:
        """A chunk of a passage, to its source."""
        found = self._call("search", knowledge_base=self.quoting, query="water")
        return text_of(self._call("trace", id=found.structured_content["passages"][0]["chunk_id"]))

    def three_at_once(self) -> str:
        """Three questions over one connection."""

        async def ask(client: Client) -> str:
            given = {"knowledge_base": self.quoting, "question": QUESTION}
            said: list[str] = []

            async def one() -> None:
                said.append(text_of(await client.call_tool("ask", given)))

            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(one)
            assert len(set(said)) == 1
            return f"{len(said)} equal answers"

        return str(self._with(ask))

    def too_small(self) -> str:
        """A budget that the question alone exceeds."""
        return self._failed("context", "INVALID_INPUT", knowledge_base=self.quoting, question=QUESTION, max_tokens=5)

    def reads_nothing(self) -> str:
        """A document version that does not exist."""
        nothing = "00000000-0000-0000-0000-000000000007"
        return self._failed("read_document", "NOT_FOUND", document_version_id=nothing)

    def no_knowledge_base(self) -> str:
        """One that does not exist."""
        return self._failed("search", "NOT_FOUND", knowledge_base="quotin", query="water")

    def no_documents(self) -> str:
        """One without documents."""
        return self._failed("ask", "NO_DOCUMENTS", knowledge_base=self.empty, question=QUESTION)

    def misspelt(self) -> str:
        """An argument that does not exist."""
        return self._failed("search", "INVALID_INPUT", knowledge_base=self.quoting, query="a", topk=3)

    def unknown_source(self) -> str:
        """A filter that names nothing."""
        return self._failed("search", "INVALID_INPUT", knowledge_base=self.quoting, query="a", sources=["x"])

    def past(self) -> str:
        """A time before there were documents."""
        given = {"knowledge_base": self.quoting, "question": QUESTION, "as_of": "2001-01-01"}
        return self._failed("ask", "NO_DOCUMENTS", **given)

    def too_long(self) -> str:
        """A question that is too long."""
        return self._failed("ask", "QUESTION_TOO_LONG", knowledge_base=self.quoting, question="why " * 2000)

    def traces_nothing(self) -> str:
        """An id of nothing."""
        return self._failed("trace", "NOT_FOUND", id="00000000-0000-0000-0000-000000000007")

    def no_tool(self) -> str:
        """A tool that does not exist."""
        return self._broke(lambda: self._call("delete_everything"))

    def too_large(self) -> str:
        """A message that is too large."""
        return self._broke(lambda: self._call("search", knowledge_base=self.quoting, query="x" * 1_500_000))

    def breaks_off(self) -> str:
        """A model that breaks off."""
        given = {"knowledge_base": self.writing, "question": f"{QUESTION} Then break off."}
        return self._failed("ask", "GENERATION_FAILED", **given)

    def is_slow(self) -> str:
        """A model that is silent for six seconds."""
        begun = time.monotonic()
        found = text_of(self.ask(self.writing, f"{QUESTION} Then be slow.", is_fresh=True))
        assert time.monotonic() - begun > 5
        return f"after {time.monotonic() - begun:.1f} s: {found}"

    def leaves(self) -> str:
        """A client that gives up while the model is silent; its next call is served."""

        async def leave(client: Client) -> str:
            with anyio.move_on_after(1.5):
                await client.call_tool("ask", {"knowledge_base": self.writing, "question": f"{QUESTION} Then hang."})
            return text_of(await client.call_tool("list_knowledge_bases", {}))

        return self._with(leave)

    def cut(self) -> str:
        """A connection that is cut while the model is silent."""
        params = {"name": "ask", "arguments": {"knowledge_base": self.writing, "question": f"{QUESTION} Then hang."}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        host, _, port = self.url.rpartition("/")[2].partition(":")
        head = f"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        with socket.create_connection((host, int(port))) as opened:
            opened.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            time.sleep(1.5)
        return self.connects()

    def malformed(self) -> str:
        """What is no JSON, sent without the client."""
        connection = http.client.HTTPConnection(self.url.rpartition("/")[2])
        connection.request("POST", "/mcp", b"{", {"Content-Type": "application/json"})
        response = connection.getresponse()
        found = json.load(response)
        assert (response.status, found["error"]["code"]) == (400, -32700)
        return str(found["error"]["message"])

    def _call(self, tool: str, **arguments: Any) -> Any:
        async def call(client: Client) -> Any:
            return await client.call_tool(tool, arguments)

        return self._with(call)

    def _failed(self, tool: str, code: str, **arguments: Any) -> str:
        found = self._call(tool, **arguments)
        assert found.is_error, found
        assert f"({code})" in found.content[0].text, found
        return text_of(found)

    def _broke(self, call: Callable[[], Any]) -> str:
        try:
            call()
        except BaseException as error:
            found: BaseException = error
            while isinstance(found, BaseExceptionGroup):
                found = found.exceptions[0]
            if not isinstance(found, MCPError):
                raise
            return f"{found.code}: {found}"
        raise AssertionError("it did not fail")

    def _with(self, do: Callable[[Client], Awaitable[Any]]) -> Any:
        async def connected() -> Any:
            async with self._client() as client:
                return await do(client)

        return asyncio.run(connected())

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        arguments = ["-m", "cli.main", "mcp", "--url", self.url]
        piped = StdioServerParameters(command=sys.executable, args=arguments, cwd=REPOSITORY)
        way = streamable_http_client(f"{self.url}/mcp") if self.way == "http" else stdio_client(piped)
        async with Client(way, mode=self.mode) as client:
            yield client


def text_of(found: Any) -> str:
    """The text of a result, on one line."""
    (block,) = found.content
    return " ".join(block.text.split())[:150]


def main() -> None:
    """Serve, and make the calls in every way."""
    with headwater("up") as server:
        wrong = 0
        for way in ("http", "stdin"):
            for mode in ("auto", "legacy"):
                wrong += run_all(f"mcp over {way}, {mode}", Calls(server.url, way, mode))  # type: ignore[arg-type]
        are_left = server.report()
    sys.exit(wrong > 0 or not are_left)


if __name__ == "__main__":
    main()
