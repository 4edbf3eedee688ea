"""Messages of commands.

Belongs here: wrong use, wrong files, wrong settings, and what commands say of what they find. Not here: HTTP.
Guarantee: nothing is left running.
"""

import os
import socket
import threading
import uuid
from pathlib import Path

import pytest

from cli.output import explain_error
from cli.processes import supervisor
from cli.processes.api_server import check_port
from cli.processes.service import Service
from headwater.errors import FilesUnavailableError, HeadwaterError, InvalidInputError
from headwater.files.file_store import open_files
from headwater.settings import Settings
from tests.messages.collecting import Collected


def wrong_use(found: Collected, folder: Path) -> None:
    """Commands that cannot be meant so."""
    found.command("An unknown command", "sinc", "kb")
    found.command("A command without its argument", "ask", "kb")
    found.command("An option of the wrong kind", "search", "kb", "pump", "--top-k", "many")
    found.command("No time", "ask", "kb", "pump?", "--as-of", "yesterday")
    found.command("A deletion that nobody confirms", "delete", "kb")
    found.command("A context with neighbours", "search", "kb", "pump", "--context", "--neighbours")
    found.command("An API for strangers", "serve", "--host", "0.0.0.0", code="INVALID_INPUT")
    found.command("A worker without an executor that has any", "worker", code="INVALID_CONFIGURATION")
    found.command("An address where nothing is", "add", "kb", "no-such-folder", code="INVALID_CONFIGURATION")
    found.command("A page that no kind reads", "add", "kb", "gopher://example.org/", code="INVALID_CONFIGURATION")
    found.command("A name for several addresses", "add", "kb", "a", "b", "--slug", "c")
    taken = socket.create_server(("127.0.0.1", 0))
    with taken:
        port = taken.getsockname()[1]
        found.call("A taken port: `headwater up`", InvalidInputError, lambda: check_port("127.0.0.1", port))
    found.command("A backup over an old one", "backup", str(folder / "kb.yaml"))
    found.command("A backup that is not there", "restore", str(folder / "none.tar"))


def wrong_files(found: Collected, folder: Path) -> None:
    """Knowledge base files and golden sets that cannot be read."""
    head = "knowledge_base: {slug: other}\nsources:\n  - "
    texts = {
        "A file that is not YAML": "knowledge_base: [",
        "An unknown field of the knowledge base": "knowledge_base: {slug: a, nmae: A}",
        "An unknown setting": "knowledge_base:\n  slug: a\n  settings: {topk: 3}",
        "A setting out of its range": "knowledge_base:\n  slug: a\n  settings: {chunk_max: 10}",
        "A model that does not exist": "knowledge_base:\n  slug: a\n  settings: {embedding_model: builtin/mini}",
        "A kind of source that does not exist": f"{head}{{slug: s, kind: markdwn, path: x}}",
        "An unknown field of a source": f"{head}{{slug: s, kind: markdown_tree, paht: x}}",
        "A source without what it needs": f"{head}{{slug: s, kind: jsonl}}",
        "A slug with a space": "knowledge_base: {slug: my notes}",
    }
    for situation, text in texts.items():
        file = folder / "notes.yaml"
        file.write_text(text, encoding="utf-8")
        found.command(situation, "apply", str(file))
    found.command("A file that is not there", "apply", str(folder / "nothing.yaml"))
    golden = folder / "golden.jsonl"
    golden.write_text('{"question": "Which oil?", "relevnt": []}\n', encoding="utf-8")
    found.command("A golden question with a wrong field", "golden", "load", "kb", str(golden))


def wrong_names(found: Collected) -> None:
    """What is not there, or not in that state."""
    nobody = str(uuid.UUID(int=7))
    found.command("A knowledge base that does not exist", "ask", "nots", "When are backups made?")
    found.command("A source that does not exist", "sync", "kb", "dcos")
    found.command("A sync that does not exist", "cancel", "99999")
    found.command("An id of nothing", "trace", nobody)
    found.command("An id of nothing to read", "show", nobody)
    found.command("A document without a version list", "show", nobody, "--versions")
    found.command("A deletion that never was", "deletions", "99999")
    found.command("An answer that does not exist, to be cancelled", "cancel", nobody)
    found.command("Neither a sync nor an answer", "cancel", "x")
    found.command("A new slug that is none", "rename", "kb", "A B")
    found.command("A pipe to no address", "mcp", "--url", "127.0.0.1:8080")
    found.command("A key in a variable that is not set", "mcp", "--key-env", "NO_SUCH_KEY")
    found.command("A filter by a source that does not exist", "search", "kb", "pump", "--source", "dcos")
    found.command("A time still to come", "ask", "kb", "pump?", "--as-of", "2999-01-01")
    found.command("An empty question", "ask", "kb", " ")
    found.command("A question that is too long", "ask", "kb", "why " * 1100)
    found.command("An index that does not exist", "index", "switch", "kb", "99999")
    found.command("Nothing to go back to", "index", "rollback", "kb")
    found.command("An evaluation without golden questions", "eval", "kb")


def refusals(found: Collected) -> None:
    """Questions without an answer, and searches without a hit."""
    for situation, code, arguments in (
        ("A question beside the documents", "nothing_relevant", ("What is the capital of France?",)),
        ("A question whose answer is in a table", "answered", ("What is the price a month of the Harbour plan?",)),
        ("A category that does not exist", None, ("How much?", "--category", "guids")),
        ("A tag that does not exist", None, ("How much?", "--tag", "handbok")),
        ("Filters that leave nothing", None, ("How much?", "--before", "1999-01-01")),
        ("A time before the first publication", None, ("How much?", "--as-of", "1999-01-01")),
    ):
        found.command(situation, "ask", "kb", *arguments, code=code)
    found.command("A search behind a wrong filter", "search", "kb", "pump", "--tag", "handbok", code="no hit")
    found.command("A question to a knowledge base without sources", "ask", "empty", "How much?")
    found.command("A question before the first sync", "ask", "remote", "How much?")
    found.command("A sync of a knowledge base without sources", "sync", "empty")
    found.command("The list of syncs before the first", "syncs", "empty", code="none")


def surroundings(found: Collected, folder: Path) -> None:
    """Settings, files and a database that are not as they should be."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("HEADWATER_CONCURRENT_RUNS", "many"), ("HEADWATER_EXECUTOR", "dask"), ("HEADWATER_SYNC_SCHEDULE", "daily"),
        ):  # fmt: skip
            patch.setenv(name, value)
            found.command(f"{name}={value}", "status")
            patch.delenv(name)
        patch.setenv("HEADWATER_DATABASE_URL", "postgresql://127.0.0.1:1/none")
        found.command("Postgres is away", "status")
    (folder / "file").write_text("no folder", encoding="utf-8")
    blocked = Settings(home=folder, cache=folder, files=str(folder / "file"))
    found.call("HEADWATER_FILES is a file", FilesUnavailableError, lambda: open_files(blocked).put(b"original"))
    dead = Service("api", ["false"], folder / "api.log")
    dead.start(dict(os.environ))
    found.call(
        "A process of `headwater up` ends at once",
        HeadwaterError,
        lambda: supervisor._wait("API", lambda: False, [dead], threading.Event()),
    )
    found.add("Something that nobody foresaw, in a command", HeadwaterError.code, str(explain_error(ValueError("odd"))))
    found.command("A look at what stands where", "status", code="status")
    found.command("A look at what is wrong", "doctor", code="doctor")
