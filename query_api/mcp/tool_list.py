"""The list of tools, as a model reads it, and calling one of them.

Belongs here: names, descriptions, schemas; which errors are results. Not here: what tools do (`tools`). Guarantee: a
result has the shape that its tool's schema says, and holds no invisible characters of documents; an error that a model
can act on is a result, with the stable code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import getdoc
from typing import Any, get_type_hints

from pydantic import ValidationError

from headwater.domain.wrong_fields import wrong_fields
from headwater.errors import DatabaseUnavailableError, HeadwaterError, InvalidInputError
from headwater.prompts.invisible import without_invisible
from query_api.mcp import tools
from query_api.mcp.messages import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from query_api.mcp.results import Result

_HINTS = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
_MAX_WRONG_FIELDS = 3  # fields that a message names


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool: its name, its title for people, and the function that does it."""

    name: str
    title: str
    does: Callable[[Any], Result]

    def listed(self) -> dict[str, Any]:
        """Its entry in the list of tools."""
        types = get_type_hints(self.does)
        return {
            "name": self.name,
            "title": self.title,
            "description": getdoc(self.does),
            "inputSchema": _plain(types["given"].model_json_schema()),
            "outputSchema": _plain(types["return"].model_json_schema(mode="serialization")),
            "annotations": {"title": self.title, **_HINTS},
        }

    def call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a call."""
        try:
            result = self.does(get_type_hints(self.does)["given"].model_validate(arguments)).fit()
        except ValidationError as error:
            return _to_error(InvalidInputError.code, _wrong(error))
        except DatabaseUnavailableError as error:
            raise RpcError(INTERNAL_ERROR, str(error), {"code": error.code}) from error
        except HeadwaterError as error:
            again = f" Try again in {error.retry_after:.0f} seconds." if error.retry_after else ""
            return _to_error(error.code, f"{error}{again}")
        content = [{"type": "text", "text": without_invisible(result.text())}]
        return {"content": content, "structuredContent": _as_seen(result.model_dump(mode="json")), "isError": False}


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(name="list_knowledge_bases", title="List knowledge bases", does=tools.list_knowledge_bases),
        Tool(name="search", title="Search documents", does=tools.search_passages),
        Tool(name="ask", title="Ask the documents", does=tools.ask),
        Tool(name="context", title="Get context for a question", does=tools.context),
        Tool(name="read_document", title="Read a document", does=tools.read_document),
        Tool(name="trace", title="Trace to the source", does=tools.trace),
    )
}
"""Every tool by its name, in the order in which they are listed."""


@cache
def list_tools() -> list[dict[str, Any]]:
    """The list of tools."""
    return [tool.listed() for tool in TOOLS.values()]


def call_tool(params: Mapping[str, Any]) -> dict[str, Any]:
    """Call the tool that a request names.

    Raises:
        RpcError: there is no such tool, or its arguments are no object; or Postgres cannot be reached.
    """
    name, arguments = params.get("name"), params.get("arguments")
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise RpcError(INVALID_PARAMS, f"There is no tool {str(name)[:64]}. There are: {', '.join(TOOLS)}.")
    if not isinstance(arguments, Mapping | None):
        raise RpcError(INVALID_PARAMS, "arguments must be an object.")
    return tool.call(arguments or {})


def _to_error(code: str, message: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": f"{message} ({code})"}], "isError": True}


def _wrong(error: ValidationError) -> str:
    fields = wrong_fields(error)[:_MAX_WRONG_FIELDS]
    return " ".join(": ".join(filter(None, (".".join(map(str, field.place)), field.message))) for field in fields)


def _as_seen(value: Any) -> Any:
    """A value of JSON whose texts hold nothing that a model reads and no person sees."""
    if isinstance(value, str):
        return without_invisible(value)
    if isinstance(value, dict):
        return {name: _as_seen(member) for name, member in value.items()}
    return [_as_seen(item) for item in value] if isinstance(value, list) else value


def _plain(schema: Any) -> Any:
    """A schema without pydantic's titles, which only repeat the names."""
    if isinstance(schema, list):
        return [_plain(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _plain(value) for name, value in schema.items() if name != "title" or not isinstance(value, str)}
