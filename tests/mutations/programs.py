"""Mutations of access and of the tools for programs.

Belongs here: who may call the API, messages of MCP, how long results are. Not here: fetching and files (`safety`).
"""

from tests.mutations.mutation import Mutation

_ACCESS = "query_api/guards/hosts.py"
_MESSAGES = "query_api/mcp/messages.py"
_PIPE = "cli/processes/mcp_pipe.py"
_MESSAGE_TESTS = ("tests/integration/test_mcp_messages.py",)
_PIPE_TESTS = ("tests/integration/test_mcp_pipe.py",)

PROGRAMS = (
    Mutation(
        file="query_api/guards/route_facts.py",
        old="scope: Scope = Scope.ADMIN",
        new="scope: Scope = Scope.OPEN",
        tests=("tests/unit/test_access.py",),
        why="a route that nobody declared is open to everyone",
    ),
    Mutation(
        file="query_api/routes/sources.py",
        old="@allow(Scope.ADMIN)\ndef create_source(",
        new="@allow(Scope.READ)\ndef create_source(",
        tests=("tests/unit/test_access.py",),
        why="whoever may ask may also decide what is read",
    ),
    Mutation(
        file=_ACCESS,
        old="if not is_same or not is_ours:",
        new="if not is_same:",
        tests=_MESSAGE_TESTS,
        why="a page of another site calls tools from an older browser",
    ),
    Mutation(
        file=_MESSAGES,
        old="if value is not None and _decode(headers.get(header)) != value:",
        new="if value is not None and headers.get(header) is None:",
        tests=_MESSAGE_TESTS,
        why="a proxy that goes by the header lets another tool through",
    ),
    Mutation(
        file=_MESSAGES,
        old="return identity if isinstance(identity, Id) and not isinstance(identity, bool) else None",
        new="return identity if isinstance(identity, Id) else None",
        tests=_MESSAGE_TESTS,
        why="true is an id",
    ),
    Mutation(
        file="query_api/mcp/errors.py",
        old='g.get("mcp_id")',
        new="None",
        tests=("tests/integration/test_mcp.py",),
        why="after an unexpected error the client waits for a reply that never comes",
    ),
    Mutation(
        file="query_api/mcp/results.py",
        old="return max(estimate_tokens(self.text()), estimate_tokens(self.model_dump_json())) > MAX_TOKENS",
        new="return estimate_tokens(self.text()) > MAX_TOKENS",
        tests=("tests/integration/test_mcp.py",),
        why="the fields of a result are longer than a model can take",
    ),
    Mutation(
        file="query_api/mcp/results.py",
        old="if estimate_tokens(json.dumps(text[:middle], ensure_ascii=False)) <= most_tokens:",
        new="if estimate_tokens(text[:middle]) <= most_tokens:",
        tests=("tests/integration/test_mcp.py",),
        why="a text full of quotation marks is too long as JSON",
    ),
    Mutation(
        file=_PIPE,
        old="self.connection.sock.shutdown(socket.SHUT_RDWR)",
        new="pass",
        tests=_PIPE_TESTS,
        why="a cancelled answer costs as much as one that is wanted",
    ),
    Mutation(
        file=_PIPE,
        old="if reply is None or call.is_cancelled:",
        new="if reply is None:",
        tests=_PIPE_TESTS,
        why="a cancelled request gets a reply, which the protocol forbids",
    ),
)
