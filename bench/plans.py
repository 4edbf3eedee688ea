"""How Postgres plans what a sync asks: statements whose plan expects far fewer rows than it meets.

Belongs here: catching the plan of every statement while it runs, and naming nested loops that were planned for a few
rows and went through many. Not here: how long anything takes. Guarantee: plans are those of the running product; the
server's `auto_explain` sends them to the session that asked.

    python -m bench.plans [--files 5000] [--sections 20]

A nested loop over rows that were not expected is how a statement that is quick on a small corpus becomes quadratic.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click
import psycopg

from headwater.store.server import connection_pool

_AUTO_EXPLAIN = " ".join(
    f"-c {name}={value}"
    for name, value in {
        "session_preload_libraries": "auto_explain",
        "auto_explain.log_min_duration": "0",
        "auto_explain.log_analyze": "on",
        "auto_explain.log_timing": "off",
        "auto_explain.log_nested_statements": "on",
        "auto_explain.log_format": "json",
        "auto_explain.log_level": "notice",
    }.items()
)
FACTOR = 100
"""How many times the expected rows are too many."""
FEWEST = 300
"""Rows under which no plan is bad: what a portion of a sync holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Misestimate:
    """A part of a nested loop that met `rows` rows in all where `expected` were planned for."""

    query: str
    node: str
    expected: float
    rows: float

    def __str__(self) -> str:
        return f"{self.node}: {self.expected:.0f} rows expected, {self.rows:.0f} met. {self.query.strip()[:120]}"


@contextmanager
def watched(fewest: int = FEWEST) -> Iterator[list[Misestimate]]:
    """Collect the misestimates of every statement that connections opened within the block run.

    Args:
        fewest: rows under which no plan is bad.

    It needs a server on which we are superuser, such as the embedded one.
    """
    found: list[Misestimate] = []
    options, configure = connection_pool.SESSION_OPTIONS, connection_pool.configure

    def configured(connection: connection_pool.Connection) -> None:
        connection.add_notice_handler(lambda notice: found.extend(misestimates(notice.message_primary or "", fewest)))
        configure(connection)

    connection_pool.SESSION_OPTIONS, connection_pool.configure = f"{options} {_AUTO_EXPLAIN}", configured
    try:
        yield found
    finally:
        connection_pool.SESSION_OPTIONS, connection_pool.configure = options, configure


def misestimates(message: str, fewest: int = FEWEST) -> list[Misestimate]:
    """Read a notice of `auto_explain`; other notices have none."""
    _, is_plan, text = message.partition("plan:\n")
    if not is_plan:
        return []
    plan = json.loads(text)
    return [
        Misestimate(query=plan["Query Text"], node=name, expected=expected, rows=rows)
        for name, expected, rows in _in_loops(plan["Plan"])
        if rows >= fewest and rows >= FACTOR * max(expected, 1)
    ]


def _in_loops(node: dict[str, Any], *, is_looped: bool = False) -> Iterator[tuple[str, float, float]]:
    """Each part of the nested loops of a plan, with the rows expected and met, over all its repetitions."""
    is_loop = node["Node Type"] == "Nested Loop"
    if is_loop or is_looped:
        loops = node.get("Actual Loops", 0)
        name = " ".join(filter(None, (node["Node Type"], node.get("Relation Name"), node.get("Index Name"))))
        yield name, node["Plan Rows"] * loops, node.get("Actual Rows", 0) * loops
    for child in node.get("Plans", []):
        yield from _in_loops(child, is_looped=is_loop)


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--files", default=5000, show_default=True)
@click.option("--sections", default=20, show_default=True, help="Chunks of each file, about.")
def main(files: int, sections: int) -> None:
    """Sync a generated folder for the first time, unchanged, and after an edit, analysed and not."""
    from bench.ingest import write_files
    from bench.throwaway import sync, throwaway_home
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file

    with throwaway_home() as home:
        write_files(home / "tree", files, sections)
        file = home / "kb.yaml"
        file.write_text(
            "knowledge_base: {slug: bench, settings: {embedding_model: builtin/hash}}\n"
            f"sources: [{{slug: docs, kind: markdown_tree, path: {home / 'tree'}}}]\n"
        )
        edited = home / "tree" / "0000" / "000000.md"
        with watched() as found, environment() as env, dagster_instance(env.settings) as instance:
            apply(env.store, read_file(file))
            for when in ("freshly loaded", "unchanged", "edited", "edited, analysed"):
                if "edited" in when:
                    edited.write_text(f"{edited.read_text()}\n## {when}\n\nA pump lifts water, {when}.\n")
                if "analysed" in when:
                    with psycopg.connect(env.store.database.url, autocommit=True) as connection:
                        connection.execute("ANALYZE")
                part = sync(env, instance, "bench")
                click.echo(f"{when}: {part.chunk_count} chunks, {part.duration_ms:.0f} ms")
                for one in sorted(found, key=lambda one: -one.rows):
                    click.echo(f"  {one}".replace("\n", " "))
                found.clear()


if __name__ == "__main__":
    main()
