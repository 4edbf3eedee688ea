"""Ask Headwater through its MCP tools, as a program with a language model does.

pip install mcp
python mcp_tools.py http://127.0.0.1:8080 notes "How often do I descale the coffee machine?"
"""

import asyncio
import sys
from typing import Any

from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, knowledge_base: str, question: str) -> None:
    """List the tools, ask, read around the first source, and trace the answer."""
    async with Client(streamable_http_client(f"{url}/mcp")) as client:
        tools = (await client.list_tools()).tools
        print("Tools:", ", ".join(tool.name for tool in tools), "\n")

        answer = await call(client, "ask", knowledge_base=knowledge_base, question=question)
        if not answer["sources"]:
            return
        source = answer["sources"][0]
        await call(
            client,
            "read_document",
            document_version_id=source["document_version_id"],
            start=max(0, source["start"] - 200),
            end=source["end"] + 200,
        )
        await call(client, "trace", id=answer["answer_id"])


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and print the text that a model would read; returns the same as fields."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    print(f"--- {tool}\n{text}\n")
    if result.is_error:  # the text says what to do about it
        sys.exit(1)
    return result.structured_content or {}


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
