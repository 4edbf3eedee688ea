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
from tests import quick_apps

_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
KB = "/api/v1/knowledge-bases"
COMMANDS = {
    "GET /api/v1/audit": "audit",
    "GET /api/v1/keys": "keys list",
    "POST /api/v1/keys": "keys create",
    "GET /api/v1/keys/{id}": "keys list",
    "DELETE /api/v1/keys/{id}": "keys revoke",
    "POST /api/v1/keys/{id}/rotate": "keys rotate",
    "GET /api/v1/answers/{id}": "show",
    "GET /api/v1/answers/{id}/lineage": "trace",
    "POST /api/v1/answers/{id}/cancel": "cancel",
    "PUT /api/v1/answers/{id}/feedback": "feedback give",
    "DELETE /api/v1/answers/{id}/feedback": "feedback withdraw",
    "POST /api/v1/answers/{id}/promote": "golden promote",
    "GET /api/v1/bots/channels": "bots list",
    "PUT /api/v1/bots/{platform}/channels/{workspace}/{channel}": "bots set",
    "DELETE /api/v1/bots/{platform}/channels/{workspace}/{channel}": "bots remove",
    "POST /api/v1/bots/{platform}/channels/{workspace}/{channel}/test": "bots test",
    "GET /api/v1/bots/{platform}/events/{id}": "bots test",
    "POST /api/v1/bots/{platform}/events": "bot slack, bot discord",
    "POST /api/v1/bots/{platform}/events/take": "bot slack, bot discord",
    "PATCH /api/v1/bots/{platform}/events/{id}": "bot slack, bot discord",
    "GET /api/v1/chunks/{id}": "show",
    "GET /api/v1/chunks/{id}/lineage": "trace",
    "GET /api/v1/conversations/{id}": "conversations show",
    "PATCH /api/v1/conversations/{id}": "conversations rename",
    "DELETE /api/v1/conversations/{id}": "conversations delete",
    "GET /api/v1/conversations/{id}/export": "conversations export",
    "PUT /api/v1/conversations/{id}/share": "conversations share",
    "DELETE /api/v1/conversations/{id}/share": "conversations unshare",
    "GET /api/v1/deletions": "deletions",
    "GET /api/v1/deletions/{id}": "deletions",
    "GET /api/v1/document-versions/{id}": "show",
    "GET /api/v1/document-versions/{id}/original": "original",
    "GET /api/v1/documents/{id}": "show",
    "GET /api/v1/documents/{id}/links": "links",
    "GET /api/v1/documents/{id}/links.svg": "links --svg",
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
    f"GET {KB}/{{kb}}/dead-links": "links --dead",
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
    f"GET {KB}/{{kb}}/symbols": "links",
    f"GET {KB}/{{kb}}/symbols.svg": "links --svg",
    f"GET {KB}/{{kb}}/tree.svg": "tree",
    "GET /api/v1/summary-nodes/{id}": "show",
    "GET /api/v1/summary-nodes/{id}/lineage": "trace",
    f"POST {KB}/{{kb}}/syncs": "sync",
    f"GET {KB}/{{kb}}/summary-estimate": "sync --estimate",
    f"GET {KB}/{{kb}}/tree": "tree",
    f"GET {KB}/{{kb}}/usage": "usage",
    f"GET {KB}/{{kb}}/widgets": "widgets list",
    f"POST {KB}/{{kb}}/widgets": "widgets create",
    f"GET {KB}/{{kb}}/widgets/{{widget}}": "widgets show, widgets snippet",
    f"PATCH {KB}/{{kb}}/widgets/{{widget}}": "widgets edit",
    f"DELETE {KB}/{{kb}}/widgets/{{widget}}": "widgets delete",
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
    "GET /palette": "a part of every page; `status`, `conversations list` and `search` find the same",
    "GET /account": "a page; a command acts as the user of the machine",
    "GET /audit": "a page; `audit` lists changes",
    "GET /bots": "a page; `bots list` lists channels",
    "POST /bots": "the forms of a page; `bots` sets, tests and removes channels",
    "GET /keys": "a page; `keys list` lists keys",
    "POST /keys": "the forms of a page; `keys` makes, rotates and revokes keys",
    "GET /login": "a page; `login` prints its address with a link that works once",
    "POST /login": "the form of a page; commands need no session",
    "POST /logout": "a button of every page; `logout` ends all sessions",
    "GET /metrics": "for Prometheus; `doctor`, `usage` and `syncs` are for people",
    "POST /": "the form of a page; `apply` creates a knowledge base",
    "GET /kb/{kb}/chat": "a page; `ask` asks",
    "POST /kb/{kb}/chat": "the form of a page; `ask` asks",
    "GET /kb/{kb}/chat/{conversation_id}": "a page; `conversations show` shows a conversation",
    "POST /kb/{kb}/chat/{conversation_id}": "the form of a page; `ask --conversation` asks in one",
    "GET /kb/{kb}/chat/{conversation_id}/events": "the events of a page; `conversations show` shows a conversation",
    "GET /kb/{kb}/history": "a part of a page; `conversations list` lists them",
    "POST /language": "a button of every page; commands are in English",
    "GET /kb/{kb}/turns/{answer_id}": "a part of a page; `show` shows an answer",
    "GET /kb/{kb}/turns/{answer_id}/candidates": "a part of a page; `search` finds passages",
    "GET /kb/{kb}/contents": "a page; `tree`, `questions` and `links --dead` show the same",
    "GET /kb/{kb}/summaries/{node_id}": "a page; `show` shows a summary",
    "GET /kb/{kb}/documents": "a page; `export` writes the documents of a source",
    "GET /kb/{kb}/documents/{document_id}": "a page; `show` shows a document, its versions and chunks",
    "GET /kb/{kb}/lineage/{answer_id}": "a page; `trace` traces an answer",
    "GET /kb/{kb}/sources/{source}/edit": "a page; `status` shows a source",
    "POST /kb/{kb}/sources/{source}/edit": "the form of a page; `apply` changes a source",
    "GET /kb/{kb}/sources/{source}/syncs/{sync}": "a page; `syncs` shows a sync",
    "GET /kb/{kb}/search": "a page; `search --explain` shows the same",
    "POST /kb/{kb}/search": "a button of a page; `golden add` adds a golden question",
    "POST /kb/{kb}/sources/{source}/sync": "buttons of a page; `sync`, `cancel` and `delete` do the same",
    "GET /kb/{kb}/settings": "a page; `status` shows settings",
    "GET /kb/{kb}/settings/delete": "a page; `delete` asks before it deletes",
    "POST /kb/{kb}/settings": "the form of a page; `apply`, `rename` and `delete` change a knowledge base",
    "GET /kb/{kb}/status": "a page; `status`, `index list`, `evaluations` and `syncs` show the same",
    "GET /kb/{kb}/passages/{version_id}/page": "a picture on a page; `original` writes the file",
    "GET /kb/{kb}/passages/{version_id}": "a page; `show` reads a span of a version",
    "GET /shared/{token}": "a page for people with a link; `conversations show` shows a conversation",
    "GET /docs/{name}": "a page of the documentation, to which Dagster links",
    "GET /": "a page; `status` lists the knowledge bases",
    "GET /kb/{kb}": "leads to a page; `status` shows a knowledge base",
    "GET /kb/{kb}/guess": "a part of a page; `add` says what an address is",
    "GET /kb/{kb}/new-source": "a page; `apply` reads the fields of a kind from a file",
    "POST /kb/{kb}/new-source": "the form of a page; see above",
    "GET /kb/{kb}/source-events": "the events of a page; `sync` shows progress",
    "GET /kb/{kb}/sources": "a page; `status` lists the sources",
    "POST /kb/{kb}/sync": "a button of a page; `sync` does the same",
    "POST /kb/{kb}/sources": "the form of a page; `add` adds a source",
    "GET /kb/{kb}/sources/{source}": "a page; `status` and `files` show a source",
    "POST /kb/{kb}/sources/{source}": "the form of a page; `sync`, `cancel`, `apply` and `delete` do it",
    "GET /kb/{kb}/sources/{source}/card": "a part of a page; `status` shows a source",
    "GET /kb/{kb}/sources/{source}/delete": "a page that asks; `delete` asks too",
    "GET /kb/{kb}/sources/{source}/rows": "a part of a page; `files` lists them",
    "GET /kb/{kb}/widgets": "a page; `widgets list` lists the widgets",
    "POST /kb/{kb}/widgets": "the form of a page; `widgets create` makes one",
    "GET /kb/{kb}/widgets/{widget}": "a page; `widgets show` shows a widget",
    "POST /kb/{kb}/widgets/{widget}": "the form of a page; `widgets edit` and `widgets delete` do it",
    "GET /kb/{kb}/widgets/{widget}/delete": "a page that asks; `widgets delete` deletes",
    "GET /widget.js": "the script of widgets, for browsers",
    "GET /widget/v1/files/{version}/{name}": "modules of that script",
    "GET /widget/v1/widgets/{id}": "for visitors of a web site; `widgets show` shows a widget",
    "POST /widget/v1/sessions": "for visitors of a web site; commands need no session",
    "POST /widget/v1/search": "for visitors of a web site; `search` searches",
    "POST /widget/v1/ask": "for visitors of a web site; `ask` asks",
    "GET /widget/v1/answers/{id}/events": "for visitors of a web site; `show` shows an answer",
    "POST /widget/v1/answers/{id}/cancel": "for visitors of a web site; `cancel` cancels",
    "PUT /widget/v1/answers/{id}/feedback": "for visitors of a web site; `feedback give` votes",
    "GET /static/{version}/{name}": "scripts and styles of pages",
    "GET /favicon.ico": "the icon of pages",
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
    existing, listed = routes(), COMMANDS.keys() | REASONS.keys()
    assert not existing - listed, f"Add a row to COMMANDS, or a reason to REASONS: {sorted(existing - listed)}"
    assert not listed - existing, f"Remove the rows of routes that do not exist: {sorted(listed - existing)}"
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


def test_apps_of_tests_build_the_addresses_of_any_app() -> None:
    """What `tests.quick_apps` remembers is what each rule would compile."""
    rules = list(create_app(Settings(home=Path("own"), cache=Path("own"))).url_map.iter_rules())
    assert len(rules) > 100
    for rule in rules:
        values = dict.fromkeys(rule.arguments, "11111111-1111-1111-1111-111111111111")
        for build, append_unknown in ((rule._build, False), (rule._build_unknown, True)):
            compiled = quick_apps._compile_builder(rule, append_unknown)
            assert build(**values) == compiled(rule, **values)
