"""The tools of MCP, by the official client, over HTTP and through `headwater mcp` (API-7)."""

import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest

from headwater.lexical.token_estimate import estimate_tokens
from headwater.settings import REPOSITORY
from query_api.mcp.arguments import MAX_TOKENS, Narrowed
from query_api.mcp.tool_list import TOOLS, list_tools
from tests.api_server import ApiServer, api_server
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater, Later, looking

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters

mcp = Later("mcp")
stdio = Later("mcp.client.stdio")
streamable_http = Later("mcp.client.streamable_http")

FILES = {"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n\n## Oil\n\nChange it in spring.\n"}
QUESTION = "How many litres of water does the pump lift per minute?"
MODES: Any = ["auto", "legacy"]
WAYS = ["http", "stdio"]
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def anyio_backend() -> str:
    """The one that comes with Python."""
    return "asyncio"


@pytest.fixture
def served(kb: Headwater) -> Iterator[ApiServer]:
    """The API of the test's own knowledge base."""
    with api_server(kb.settings) as server:
        yield server


def pipe(url: str) -> "StdioServerParameters":
    """How programs start `headwater mcp`."""
    arguments = ["-m", "cli.main", "mcp", "--url", url]
    parameters: StdioServerParameters = mcp.StdioServerParameters(
        command=sys.executable, args=arguments, cwd=REPOSITORY
    )
    return parameters


@asynccontextmanager
async def client_of(url: str, way: str, mode: Any = "auto") -> "AsyncIterator[Client]":
    """The official client, connected."""
    transport = streamable_http.streamable_http_client(f"{url}/mcp") if way == "http" else stdio.stdio_client(pipe(url))
    async with mcp.Client(transport, mode=mode) as client:
        yield client


def text_of(result: Any) -> str:
    """The text of a result."""
    (block,) = result.content
    return str(block.text)


@pytest.mark.anyio
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", MODES)
async def test_every_tool_works(served: ApiServer, mode: Any, way: str) -> None:
    """In both forms of the protocol; the client checks every result against its schema."""
    async with client_of(served.url, way, mode) as client:
        assert client.protocol_version == VERSIONS[mode]
        assert client.server_info
        assert client.server_info.name == "headwater"
        assert "list_knowledge_bases" in (client.instructions or "")
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [
            "list_knowledge_bases", "search", "ask", "context", "read_document", "trace",
        ]  # fmt: skip
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed)
        kbs = await client.call_tool("list_knowledge_bases", {})
        assert [one["slug"] for one in kbs.structured_content["knowledge_bases"]] == ["kb"]
        found = await client.call_tool("search", {"knowledge_base": "kb", "query": QUESTION})
        first = found.structured_content["passages"][0]
        assert "forty litres" in first["text"]
        assert text_of(found).startswith(f"[1] [Pump]({served.url}/api/v1/document-versions/")
        answer = await client.call_tool("ask", {"knowledge_base": "kb", "question": QUESTION})
        assert "forty litres" in answer.structured_content["answer"]
        assert answer.structured_content["sources"][0]["marker"] == "[1]"
        assert "Sources:\n[1] [Pump](" in text_of(answer)
        further = answer.structured_content["further"]
        assert [one["line"] in text_of(answer) for one in further] == [True] * len(further)
        assert (answer.structured_content["unsupported"], answer.structured_content["degraded"]) == ([], None)
        context = await client.call_tool("context", {"knowledge_base": "kb", "question": QUESTION})
        assert "forty litres" in context.structured_content["message"]
        assert context.structured_content["passages"][0]["marker"] == "[1]"
        read = await client.call_tool("read_document", {"document_version_id": first["document_version_id"]})
        assert read.structured_content["content"] == FILES["pump.md"]
        for kind, row in (("answer", answer.structured_content["answer_id"]), ("chunk", first["chunk_id"]),
                          ("document_version", first["document_version_id"])):  # fmt: skip
            traced = await client.call_tool("trace", {"id": row})
            assert traced.structured_content["kind"] == kind
            assert traced.structured_content["origins"][0]["state"] == "current"
            assert traced.structured_content["origins"][0]["run_url"] in text_of(traced)
        links = {first["link"], answer.structured_content["sources"][0]["link"]}
    assert all(httpx.get(link).status_code == 200 for link in links)


@pytest.mark.anyio
@pytest.mark.parametrize("way", WAYS)
async def test_a_model_can_act_on_errors(served: ApiServer, way: str) -> None:
    """They are results that say what to do; what no model can mend is an error of the protocol."""
    async with client_of(served.url, way) as client:
        for arguments, words in (
            ({"knowledge_base": "kbb", "query": "a"}, "There is no knowledge base kbb. Did you mean `kb`? (NOT_FOUND)"),
            ({"knowledge_base": "kb"}, "`query` is missing. (INVALID_INPUT)"),
            ({"knowledge_base": "kb", "query": "a", "topk": 3}, "topk: there is no such field. Did you mean `top_k`?"),
            ({"knowledge_base": "kb", "query": "a", "sources": ["x"]}, "(INVALID_INPUT)"),
            ({"knowledge_base": "kb", "query": "a", "as_of": "3001-01-01"}, "(INVALID_INPUT)"),
        ):
            found = await client.call_tool("search", arguments)
            assert found.is_error
            assert words in text_of(found)
        with pytest.raises(mcp.MCPError, match=r"There is no tool delete\. There are: list_knowledge_bases, search"):
            await client.call_tool("delete", {})
        missing = await client.call_tool("trace", {"id": "00000000-0000-0000-0000-000000000007"})
        assert missing.is_error
        refused = await client.call_tool("ask", {"knowledge_base": "kb", "question": "Who won the cup in 1954?"})
        assert not refused.is_error
        assert refused.structured_content["refused"]
        assert refused.structured_content["sources"] == []
        assert "This is a refusal" in text_of(refused)


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_an_unexpected_error_leaves_nobody_waiting(served: ApiServer, kb: Headwater, mode: Any) -> None:
    """It is an error of the protocol with the request's id, by which clients go, and names the log, not the fault."""
    async with client_of(served.url, "http", mode) as client:
        looking(kb.store.database.url).execute("ALTER TABLE knowledge_bases RENAME COLUMN description TO about")
        with pytest.raises(mcp.MCPError, match=r"unexpected error occurred\. See the server's log"):
            await client.call_tool("list_knowledge_bases", {})
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "list_knowledge_bases"}}
    response = await anyio.to_thread.run_sync(lambda: httpx.post(f"{served.url}/mcp", json=call))
    assert (response.status_code, response.json()["id"]) == (500, 7)


SAID = '"The" "pump" "of" "house" {} "lifts" "forty" "litres" "of" "water". ' * 200
MANY = {f"d{number}.md": f"# Pump {number}\n\n{SAID.format(*[number] * 200)}" for number in range(9)}


@pytest.mark.anyio
@pytest.mark.synced(files=MANY)
async def test_results_fit_into_a_context(served: ApiServer) -> None:
    """Neither the text nor the fields are longer; what was left out is counted, and a document is read in parts."""
    async with client_of(served.url, "http") as client:
        for tool, arguments in (
            ("search", {"query": "pump water litres", "top_k": 20}),
            ("ask", {"question": "How many litres of water do the pumps lift?"}),
            ("context", {"question": "How many litres of water do the pumps lift?", "max_tokens": 6000}),
        ):
            found = await client.call_tool(tool, {"knowledge_base": "kb", **arguments})
            assert estimate_tokens(text_of(found)) <= MAX_TOKENS
            assert estimate_tokens(json.dumps(found.structured_content, ensure_ascii=False)) <= MAX_TOKENS
        found = await client.call_tool("search", {"knowledge_base": "kb", "query": "pump water litres", "top_k": 20})
        left = found.structured_content["left_out"]
        assert left > 0
        assert f"{left} more did not fit here." in text_of(found)
        version, text, start = found.structured_content["passages"][0], "", 0
        while start is not None:
            given = {"document_version_id": version["document_version_id"], "start": start}
            part = await client.call_tool("read_document", given)
            assert estimate_tokens(text_of(part)) <= MAX_TOKENS
            assert estimate_tokens(json.dumps(part.structured_content, ensure_ascii=False)) <= MAX_TOKENS
            text += part.structured_content["content"]
            start = part.structured_content["next"]
        assert text in MANY.values()


@pytest.mark.anyio
@pytest.mark.synced(files=FILES, answer_model=MODEL)
@pytest.mark.parametrize("way", WAYS)
async def test_a_client_that_leaves_ends_the_answer(
    served: ApiServer, kb: Headwater, chat: ChatServer, way: str
) -> None:
    """Over HTTP the connection is cut; on stdin comes a cancellation. The model's caller leaves."""
    chat.otherwise = Says("The pump lifts forty litres of water, and it stops by", ending="hangs")
    async with client_of(served.url, way) as client:
        with anyio.move_on_after(60) as scope:
            async with anyio.create_task_group() as tasks:

                async def leave() -> None:
                    while not chat.requests:
                        await anyio.sleep(0.02)
                    scope.cancel()

                tasks.start_soon(leave)
                await client.call_tool("ask", {"knowledge_base": "kb", "question": QUESTION})
        assert await anyio.to_thread.run_sync(chat.requests[0].left.wait, 20)
        assert not (await client.call_tool("list_knowledge_bases", {})).is_error
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and kb.query("SELECT state FROM answers") != [{"state": "cancelled"}]:
        time.sleep(0.05)
    assert kb.query("SELECT state FROM answers") == [{"state": "cancelled"}]


@pytest.mark.anyio
async def test_the_page_connects_programs(served: ApiServer) -> None:
    """The configuration for programs that start a command, and the program, work as docs/mcp.md shows them."""
    page = (REPOSITORY / "docs" / "mcp.md").read_text(encoding="utf-8").replace("http://127.0.0.1:8080", served.url)
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (configuration,) = [body for language, body in blocks if language == "json" and "mcpServers" in body]
    (program,) = [body for language, body in blocks if language == "python"]
    started = json.loads(configuration)["mcpServers"]["headwater"]
    bin_folder = str(Path(sys.executable).parent)
    parameters = mcp.StdioServerParameters(**started, env={"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"})
    async with mcp.Client(stdio.stdio_client(parameters)) as client:
        assert len((await client.list_tools()).tools) == len(TOOLS)
    program = program.replace('"notes"', '"kb"').replace("When is the backup?", QUESTION)
    done = await anyio.run_process([sys.executable, "-c", program])
    assert b"forty litres" in done.stdout


def test_every_tool_is_documented() -> None:
    """Each has a row in docs/mcp.md that names its arguments, and nothing else has one."""
    page = (REPOSITORY / "docs" / "mcp.md").read_text(encoding="utf-8")
    filters = set(Narrowed.model_fields) - {"knowledge_base"}
    assert filters <= set(re.findall(r"`(\w+)`", page.partition("The filters are")[2].partition("\n")[0]))
    rows = dict(
        re.findall(r"^\| `(\w+)` \| (`[^|]*?) \|", page.partition("## Tools")[2].partition("## Errors")[0], re.M)
    )
    assert list(rows) == list(TOOLS)
    for tool in list_tools():
        named = set(re.findall(r"`(\w+)`", rows[tool["name"]]))
        assert named == set(tool["inputSchema"]["properties"]) - (filters if "filters" in rows[tool["name"]] else set())
        assert len(tool["description"]) < 200
        assert set(tool["outputSchema"]["properties"]) >= set(tool["outputSchema"].get("required", ()))
