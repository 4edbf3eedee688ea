"""The command `show`.

Belongs here: whatever has an id, as the HTTP API shows it, and as text. Not here: lineage (`trace`). Guarantee: as for
every command (`cli.main`); text of sources cannot steer the terminal.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from cli import result_texts
from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain
from cli.summary_texts import format_summary
from headwater.domain.plurals import pluralize
from headwater.errors import GoneError, NotFoundError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from headwater.store.store import Store
    from query_api.routes.document_payloads import VersionPayload


@click.command()
@click.argument("id", type=click.UUID)
@click.option("--versions", is_flag=True, help="Of a document, list its versions.")
@click.option("--start", type=WholeNumber(0), help="Of a version, show its text from this character on.")
@click.option("--end", type=WholeNumber(0), help="Of a version, show its text up to this character.")
@json_option
@reports_errors
def show(id: UUID, versions: bool, start: int | None, end: int | None, as_json: bool) -> None:  # noqa: A002 - as in `main`
    """Read an answer, a chunk, a document, a document version or a summary again."""
    payload, kind = read_again(id, versions=versions, start=start, end=end)
    emit(payload, as_json=as_json, text=_TEXTS[kind](payload))


def _document_text(row: Mapping[str, Any]) -> str:
    gone = f", removed {row['removed_at'][:19]}" if row["removed_at"] else ""
    return "\n".join(
        [
            f"{plain(row['title'])} ({plain(row['uri'])})",
            f"    source {row['knowledge_base']}/{row['source']}, {pluralize(row['versions'], 'version')}{gone}",
            f"    current version {row['current_version_id'] or 'none'}",
        ]
    )


def _versions_text(document: Mapping[str, Any]) -> str:
    lines = [
        f"{version['id']}  {version['fetched_at'][:19]}  {version['state']}  {plain(version['title'])}"
        for version in document["versions"]
    ]
    return "\n".join(lines)


def _text(version: Mapping[str, Any]) -> str:
    """A chunk or a version with its text."""
    head = f"{plain(version['title'])} ({plain(version['uri'])}), {version.get('state') or version['kind']}"
    summary = ["", f"Summary: {plain(version['summary'])}"] if version.get("summary") else []
    return "\n".join([head, *summary, "", *map(plain, version["text"].split("\n"))])


_TEXTS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "answer": result_texts.answer_text,
    "document": _document_text,
    "versions": _versions_text,
    "version": _text,
    "chunk": _text,
    "summary": format_summary,
}


_AROUND = 200  # characters shown on each side of a span, as over HTTP


def read_again(
    row_id: UUID, *, versions: bool = False, start: int | None = None, end: int | None = None
) -> tuple[dict[str, Any], str]:
    """Read an answer, a chunk, a document, a version or a summary; returns it, and which of them it is.

    Raises:
        NotFoundError: the id names none of them. GoneError: it named one that is no longer kept.
    """
    from cli.environment import environment
    from cli.processes.development import dagster_url
    from query_api.routes.answer_payloads import AnswerPayload
    from query_api.routes.document_payloads import ChunkPayload, DocumentPayload, VersionList
    from query_api.routes.summary_payloads import NodePayload

    with environment() as env:
        url = dagster_url(env.settings)
        readers: dict[str, Callable[[], BaseModel]] = {
            "answer": lambda: (
                AnswerPayload.from_stored(env.store.answers.get(row_id))
                .with_originals(env.store.originals)
                .with_related(env.store, env.settings)
            ),
            "document": lambda: DocumentPayload.of(env.store.versions.document(row_id), url),
            "chunk": lambda: ChunkPayload.of(env.store.versions.chunk(row_id), url),
            "summary": lambda: NodePayload.of(env.store.summary_nodes.get(row_id), url),
            "version": lambda: _version(env.store, row_id, url, start, end),
        }
        if versions:
            readers = {"versions": lambda: VersionList.of(env.store.versions.history(row_id), url)}
        for kind, read in readers.items():
            try:
                return read().model_dump(mode="json"), kind
            except GoneError:
                raise
            except NotFoundError:
                continue
    what = "document" if versions else "answer, chunk, document, document version or summary"
    raise NotFoundError(f"There is no {what} {row_id}.")


def _version(store: "Store", row_id: UUID, url: str, start: int | None, end: int | None) -> "VersionPayload":
    from query_api.routes.document_payloads import VersionPayload

    return VersionPayload.part(store.versions.get(row_id), url, start=start, end=end, context=_AROUND)
