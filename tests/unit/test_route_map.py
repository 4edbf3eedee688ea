"""The command line does everything the API does (API-7).

Belongs here: which command does what each route does. Not here: what commands do (`integration.test_cli`). Guarantee:
no database is needed; a route without a command or a reason fails, and so does a row without a route or a command.
"""

import re
from pathlib import Path

import click
import pytest

from cli.main import main
from headwater.settings import Settings
from query_api.app import create_app

_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
KB = "/api/v1/knowledge-bases"
COMMANDS = {
    "GET /api/v1/answers/{id}": "show",
    "GET /api/v1/answers/{id}/lineage": "trace",
    "POST /api/v1/answers/{id}/cancel": "cancel",
    "PUT /api/v1/answers/{id}/feedback": "feedback give",
    "DELETE /api/v1/answers/{id}/feedback": "feedback withdraw",
    "POST /api/v1/answers/{id}/promote": "golden promote",
    "GET /api/v1/chunks/{id}": "show",
    "GET /api/v1/chunks/{id}/lineage": "trace",
    "GET /api/v1/conversations/{id}": "conversations show",
    "PATCH /api/v1/conversations/{id}": "conversations rename",
    "DELETE /api/v1/conversations/{id}": "conversations delete",
    "GET /api/v1/conversations/{id}/export": "conversations export",
    "GET /api/v1/deletions": "deletions",
    "GET /api/v1/deletions/{id}": "deletions",
    "GET /api/v1/document-versions/{id}": "show",
    "GET /api/v1/document-versions/{id}/original": "original",
    "GET /api/v1/documents/{id}": "show",
    "GET /api/v1/documents/{id}/versions": "show --versions",
    f"GET {KB}": "status",
    f"POST {KB}": "apply",
    f"GET {KB}/{{kb}}": "status",
    f"PATCH {KB}/{{kb}}": "apply, rename",
    f"DELETE {KB}/{{kb}}": "delete",
    f"GET {KB}/{{kb}}/answers": "answers",
    f"POST {KB}/{{kb}}/answers": "ask",
    f"GET {KB}/{{kb}}/conversations": "conversations list",
    f"POST {KB}/{{kb}}/conversations": "conversations new",
    f"GET {KB}/{{kb}}/evaluations": "evaluations",
    f"POST {KB}/{{kb}}/evaluations": "eval",
    f"POST {KB}/{{kb}}/evaluations/compare": "eval --compare",
    f"POST {KB}/{{kb}}/evaluations/tune": "tune",
    f"GET {KB}/{{kb}}/feedback": "feedback list",
    f"GET {KB}/{{kb}}/feedback/export": "feedback export",
    f"GET {KB}/{{kb}}/golden-questions": "golden list, golden export",
    f"POST {KB}/{{kb}}/golden-questions": "golden add",
    f"PUT {KB}/{{kb}}/golden-questions": "golden load",
    f"POST {KB}/{{kb}}/golden-questions/generate": "golden generate",
    f"DELETE {KB}/{{kb}}/golden-questions/{{id}}": "golden remove",
    f"GET {KB}/{{kb}}/questions": "questions",
    f"POST {KB}/{{kb}}/search": "search",
    f"GET {KB}/{{kb}}/search-indexes": "index list",
    f"POST {KB}/{{kb}}/search-indexes/rollback": "index rollback",
    f"POST {KB}/{{kb}}/search-indexes/{{id}}/switch": "index switch",
    f"GET {KB}/{{kb}}/sources": "status",
    f"POST {KB}/{{kb}}/sources": "add, apply",
    f"GET {KB}/{{kb}}/sources/{{source}}": "status",
    f"PATCH {KB}/{{kb}}/sources/{{source}}": "apply",
    f"DELETE {KB}/{{kb}}/sources/{{source}}": "delete",
    f"GET {KB}/{{kb}}/sources/{{source}}/export": "export",
    f"GET {KB}/{{kb}}/sources/{{source}}/files": "files",
    f"GET {KB}/{{kb}}/sources/{{source}}/files/{{name}}": "files",
    f"PUT {KB}/{{kb}}/sources/{{source}}/files/{{name}}": "upload",
    f"DELETE {KB}/{{kb}}/sources/{{source}}/files/{{name}}": "delete",
    f"GET {KB}/{{kb}}/sources/{{source}}/tree": "tree",
    f"POST {KB}/{{kb}}/syncs": "sync",
    f"GET {KB}/{{kb}}/usage": "usage",
    "GET /api/v1/syncs": "syncs",
    "GET /api/v1/syncs/{id}": "syncs",
    "POST /api/v1/syncs/{id}/cancel": "cancel",
    "GET /api/v1/feedback/statistics": "feedback statistics",
    "GET /health/ready": "doctor",
    "POST /mcp": "mcp",
    "GET /v1/models": "status",
    "GET /v1/models/{id}": "status",
    "POST /v1/chat/completions": "ask",
    "POST /v1/context": "context",
}
"""The commands that do what a route does; a new route gets a row here, or in `REASONS`."""

REASONS = {
    "GET /api/v1/answers/{id}/events": "`ask` shows an answer while it grows; another process's has no terminal",
    "GET /api/v1/syncs/{id}/events": "`sync` shows its progress, and `syncs` the state of another process's",
    "GET /health/live": "a command does not ask whether the API's process runs; `doctor` asks whether all of it works",
}
"""Why a route has no command."""


def routes() -> set[str]:
    """Every route with its method, except the pages that describe the API."""
    return {
        method + " " + _PARAMETER.sub(r"{\1}", rule.rule)
        for rule in create_app(Settings(home=Path("home"), cache=Path("cache"))).url_map.iter_rules()
        if not rule.endpoint.startswith(("openapi.", "swagger."))
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def test_every_route_has_a_command_or_a_reason() -> None:
    """A new route fails here until it has one; a row without a route is out of date."""
    assert routes() == COMMANDS.keys() | REASONS.keys()
    assert not COMMANDS.keys() & REASONS.keys()


@pytest.mark.parametrize("named", sorted({one for commands in COMMANDS.values() for one in commands.split(", ")}))
def test_the_commands_exist(named: str) -> None:
    """With the option that is named."""
    command: click.Command = main
    *words, last = named.split(" ")
    for word in [*words, *([] if last.startswith("--") else [last])]:
        assert isinstance(command, click.Group), named
        command = command.commands[word]
    options = {option for one in command.params for option in one.opts}
    assert not last.startswith("--") or last in options
