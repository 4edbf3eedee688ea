"""What a change costs in a summary tree, counted as requests that a model's server gets from `headwater sync` (SUM-2).

    python -m bench.summary_syncs [--documents 1000] [--changes 10] [--json FILE]

Belongs here: whole commands, one after each change, and a server on loopback that counts. Not here: trees in memory, of
other sizes (`tree_calls`). Guarantee: a temporary home, removed afterwards; the same changes every time.

Each document has about four pieces. The first sync summarises everything; then one document is edited, added or
deleted at a time.
"""

import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from bench.throwaway import throwaway_home
from headwater.settings import REPOSITORY
from tests.chat_server import MODEL, ChatRequest, ChatServer, Says, chat_server

_SECTIONS, _WORDS = 8, 110
_SEED = 20_261_124
_FILE = """knowledge_base:
  slug: trees
  settings: {{embedding_model: builtin/hash, summary_model: {model}, piece_max: 800, piece_min: 400}}
sources: [{{slug: docs, kind: markdown_tree, path: {folder}}}]
"""


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--documents", default=1_000, show_default=True, help="Markdown files of eight sections.")
@click.option("--changes", default=10, show_default=True, help="Commands after the first, each after one change.")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Also write the figures to this file.")
def main(documents: int, changes: int, file: Path | None) -> None:
    """Measure, and print a table."""
    with throwaway_home() as home, chat_server() as server:
        server.otherwise = _summary
        os.environ.update(OPENAI_API_BASE=f"{server.url}/v1", OPENAI_API_KEY=server.key)
        folder = home / "docs"
        folder.mkdir()
        for number in range(documents):
            (folder / f"{number:05}.md").write_text(_document(number), encoding="utf-8")
        (home / "trees.yaml").write_text(_FILE.format(folder=folder, model=MODEL), encoding="utf-8")
        _run("migrate")
        _run("apply", str(home / "trees.yaml"))
        found = [{"change": "first", **_sync(server)}, {"change": "nothing", **_sync(server)}]
        for change in _changes(folder, documents, changes):
            found.append({"change": change, **_sync(server)})
            click.echo(found[-1], err=True)
    click.echo("| change | requests | made | reused | seconds |\n|---|---|---|---|---|")
    for one in found:
        cells = (one["change"], one["requests"], one["summarized"], one["reused"], f"{one['seconds']:.1f}")
        click.echo(f"| {' | '.join(map(str, cells))} |")
    if file is not None:
        file.write_text(json.dumps({"documents": documents, "syncs": found}, indent=2))


def _changes(folder: Path, documents: int, changes: int) -> Iterator[str]:
    """Change one document at a time, and say how."""
    drawn = random.Random(_SEED)  # noqa: S311 - documents to change, no secret
    places = drawn.sample(range(documents), changes)
    for change, place in enumerate(places):
        path = folder / f"{place:05}.md"
        kind = ("edit", "insert", "delete")[change % 3]
        if kind == "edit":
            path.write_text(path.read_text(encoding="utf-8").replace("Section 4 says", "Section 4 now says"), "utf-8")
        elif kind == "insert":
            path.with_name(f"{place:05}-new.md").write_text(_document(documents + change), encoding="utf-8")
        else:
            path.unlink()
        yield kind


def _document(number: int) -> str:
    parts = [f"# Document {number}"]
    for section in range(_SECTIONS):
        words = " ".join(f"word{(number * 31 + section * 17 + place * 7) % 5000}" for place in range(_WORDS))
        parts.append(f"## Section {section}\n\nSection {section} says {words}.")
    return "\n\n".join(parts) + "\n"


def _summary(request: ChatRequest) -> Says:
    """A text of about 130 tokens that another prompt does not get."""
    return Says(f"{hashlib.sha256(request.prompt.encode()).hexdigest()} {'word ' * 100}")


def _sync(server: ChatServer) -> dict[str, Any]:
    asked, started = len(server.requests), time.monotonic()
    (source,) = json.loads(_run("sync", "trees", "--json"))["sources"]
    seconds = time.monotonic() - started
    counts = {name: source[name] for name in ("summarized", "reused")}
    return {"requests": len(server.requests) - asked, **counts, "seconds": seconds}


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "cli.main", *arguments]
    completed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if completed.returncode:
        raise click.ClickException(f"headwater {' '.join(arguments)} failed: {completed.stderr}")
    return completed.stdout


if __name__ == "__main__":
    main()
