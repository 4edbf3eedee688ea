"""Commands that show what is stored: `show`, `original`, `deletions`, `evaluations`.

Belongs here: their arguments, and the results as text. Not here: shapes (`query_api`), lineage (`tracing`). Guarantee:
as for every command (`main`); text from sources cannot control the terminal.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from cli import result_texts
from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain
from cli.summary_texts import shown_text
from headwater.domain.plurals import counted

_LIMIT = click.option("--limit", default=20, show_default=True, type=WholeNumber(1, 200), help="How many to show.")
_AFTER = click.option("--after", type=WholeNumber(1), help="Show those older than the one with this id.")


@click.command()
@click.argument("id", type=click.UUID)
@click.option("--versions", is_flag=True, help="Of a document, list its versions.")
@click.option("--start", type=WholeNumber(0), help="Of a version, show its text from this character on.")
@click.option("--end", type=WholeNumber(0), help="Of a version, show its text up to this character.")
@json_option
@reports_errors
def show(id: UUID, versions: bool, start: int | None, end: int | None, as_json: bool) -> None:  # noqa: A002 - as in `main`
    """Read an answer, a chunk, a document, a document version or a summary again."""
    from cli.commands.reading import read_again

    found, kind = read_again(id, versions=versions, start=start, end=end)
    emit(found, as_json=as_json, text=_TEXTS[kind](found))


@click.command()
@click.argument("version", type=click.UUID)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@json_option
@reports_errors
def original(version: UUID, file: Path, as_json: bool) -> None:
    """Write the file that a document version was read from, such as a PDF, to FILE, or to stdout with -."""
    from cli.environment import environment
    from headwater.administration.atomic_file import write_file
    from headwater.administration.original_access import original_of
    from headwater.files.file_store import open_files

    is_piped = str(file) == "-"
    if is_piped and as_json:
        raise click.UsageError("--json prints a summary on stdout. Name a file, or leave out --json.")
    with environment() as env:
        found = original_of(env.store, version)
        blocks = open_files(env.settings).blocks(found.hash)
        if is_piped:
            for block in blocks:
                sys.stdout.buffer.write(block)
            return
        size = write_file(file, blocks)
    words = f"Wrote {size / 1e6:,.1f} MB to {file}."
    emit({"file": str(file), "size": size}, as_json=as_json, text=words)


@click.command()
@click.argument("id", required=False, type=WholeNumber(1))
@_LIMIT
@_AFTER
@json_option
@reports_errors
def deletions(id: int | None, limit: int, after: int | None, as_json: bool) -> None:  # noqa: A002 - as in `main`
    """List the receipts of deletions, newest first, or read the one with ID."""
    from cli.environment import environment
    from query_api.routes.deletion_payloads import DeletionPage, DeletionPayload

    with environment() as env:
        if id is not None:
            receipt = DeletionPayload.of(env.store.deletions.get(id)).model_dump(mode="json")
            emit(receipt, as_json=as_json, text=result_texts.deletion_text(receipt))
            return
        found = env.store.deletions.all(before=after, limit=limit + 1)
    page = DeletionPage.of(found, limit).model_dump(mode="json")
    lines = [f"{one['id']}  {one['requested_at'][:19]}  {one['kind']} {plain(one['key'])}" for one in page["deletions"]]
    emit(page, as_json=as_json, text=_listed(lines, page, "headwater deletions", "Nothing was ever deleted."))


@click.command()
@click.argument("knowledge_base")
@_LIMIT
@_AFTER
@json_option
@reports_errors
def evaluations(knowledge_base: str, limit: int, after: int | None, as_json: bool) -> None:
    """List the recorded evaluations of a knowledge base, newest first."""
    from cli.environment import environment
    from query_api.routes.evaluation_payloads import EvaluationPage

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        found = env.store.evaluations.all(owner, before=after, limit=limit + 1)
    page = EvaluationPage.of(found, limit).model_dump(mode="json")
    lines = [_evaluation_line(one) for one in page["evaluations"]]
    nothing = f"{knowledge_base} was never evaluated. `headwater eval {knowledge_base}` does it."
    emit(page, as_json=as_json, text=_listed(lines, page, f"headwater evaluations {knowledge_base}", nothing))


COMMANDS = (show, original, deletions, evaluations)


def _listed(lines: list[str], page: Mapping[str, Any], command: str, nothing: str) -> str:
    more = [f"Older ones: {command} --after {page['next']}"] if page["next"] else []
    return "\n".join([*lines, *more]) or nothing


def _evaluation_line(one: Mapping[str, Any]) -> str:
    figures = ", ".join(f"{name} {value:.3f}" for name, value in sorted(one["metrics"].items()))
    return f"{one['id']}  {one['created_at'][:19]}  {counted(one['question_count'], 'question')}: {figures}"


def _document_text(found: Mapping[str, Any]) -> str:
    gone = f", removed {found['removed_at'][:19]}" if found["removed_at"] else ""
    return "\n".join(
        [
            f"{plain(found['title'])} ({plain(found['uri'])})",
            f"    source {found['knowledge_base']}/{found['source']}, {counted(found['versions'], 'version')}{gone}",
            f"    current version {found['current_version_id'] or 'none'}",
        ]
    )


def _versions_text(found: Mapping[str, Any]) -> str:
    lines = [
        f"{one['id']}  {one['fetched_at'][:19]}  {one['state']}  {plain(one['title'])}" for one in found["versions"]
    ]
    return "\n".join(lines)


def _text(found: Mapping[str, Any]) -> str:
    """A chunk or a version with its text."""
    head = f"{plain(found['title'])} ({plain(found['uri'])}), {found.get('state') or found['kind']}"
    summary = ["", f"Summary: {plain(found['summary'])}"] if found.get("summary") else []
    return "\n".join([head, *summary, "", *map(plain, found["text"].split("\n"))])


_TEXTS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "answer": result_texts.answer_text,
    "document": _document_text,
    "versions": _versions_text,
    "version": _text,
    "chunk": _text,
    "summary": shown_text,
}
