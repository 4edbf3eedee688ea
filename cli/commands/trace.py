"""The command `trace`.

Belongs here: lineage as text. Not here: finding it (`query_api.lineage_lookup`). Guarantee: as for every command
(`cli.main`); text of sources cannot steer the terminal.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

import click

from cli.output import emit, json_option, reports_errors
from cli.result_texts import document_text, label_text, plain
from cli.summary_texts import node_text, summary_lines
from headwater.domain.plurals import pluralize


@click.command()
@click.argument("id", type=click.UUID)
@json_option
@reports_errors
def trace(id: UUID, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Follow an answer, a chunk, a document version or a summary upstream: chunk, version, source, run."""
    lineage = trace_upstream(id)
    emit(lineage, as_json=as_json, text=trace_text(lineage))


def trace_upstream(row_id: UUID) -> dict[str, Any]:
    """Trace an answer, a chunk, a document version or a summary, as the API does.

    Raises:
        NotFoundError: the id names none of them. GoneError: it named one that is no longer kept.
    """
    from cli.environment import environment
    from cli.processes.development import dagster_url
    from query_api.lineage_lookup import lineage_of

    with environment() as env:
        return lineage_of(env.store, row_id, dagster_url(env.settings)).model_dump(mode="json")


def trace_text(lineage: Mapping[str, Any]) -> str:
    """Lineage for people."""
    if "answer_id" in lineage:
        return _answer_text(lineage)
    if "node_id" in lineage:
        return node_text(lineage)
    return _chunk_text(lineage) if "chunk_id" in lineage else _version_text(lineage)


def _answer_text(lineage: Mapping[str, Any]) -> str:
    lines = [f"Answer {lineage['answer_id']}: {plain(lineage['question']) or 'the question is not stored'}"]
    if lineage["as_of"]:
        lines.append(f"    asked {lineage['created_at']} as of {lineage['as_of']}")
    lines += [f"    stale: {plain(reason)}" for reason in lineage["stale_because"]]
    for summary in lineage["summaries"]:
        lines += summary_lines(summary, lineage["citations"])
    for citation in lineage["citations"]:
        if citation["kind"] == "summary":
            continue
        place = f"{citation['chunk_id']}, characters {citation['start']}–{citation['end']}"
        version = f"{citation['document_version_id']}{_number(citation['sequence'])}"
        lines += [
            f"{citation['marker']} {document_text(citation)}",
            f"    chunk {place}{_settings(citation['chunk_settings'])}",
            f"    document version {version}, fetched {citation['fetched_at']}{_parser(citation['parser_version'])}",
            f"    {_format_state(citation)}",
            f"    source {citation['source']}, embedded by {citation['embedding_model']}",
            f"    run {citation['run_id']}, code {citation['code_version']}",
            f"    {citation['run_url']}",
            *(_upstream(asset) for asset in citation["upstream"]),
        ]
    return "\n".join(lines if lineage["citations"] or lineage["summaries"] else [*lines, "It has no citations."])


def _upstream(asset: Mapping[str, Any]) -> str:
    """An asset of the project that the source was made of."""
    run_text = f", made {asset['materialized_at']} by {plain(asset['run_url'])}" if asset["run_id"] else ""
    return f"    upstream {plain(asset['asset'])}{run_text}"


def _summary_lines(summary: Mapping[str, Any] | None) -> list[str]:
    """The summary of a chunk, and how it was made."""
    if summary is None:
        return []
    cost = "unknown cost" if summary["cost_usd"] is None else f"{summary['cost_usd']:.4f} USD"
    tokens = f"{summary['prompt_tokens']:,} + {summary['completion_tokens']:,} tokens"
    return [
        f"Summary: {plain(summary['text'])}",
        f"    by {plain(summary['model'])}, prompt {summary['prompt_version']}, {tokens}, {cost}",
        f"    run {summary['run_id']}, code {summary['code_version']}",
        f"    {summary['run_url']}",
    ]


def _chunk_text(lineage: Mapping[str, Any]) -> str:
    lines = [
        f"Chunk {lineage['chunk_id']} of {plain(lineage['uri'])}: {_snippet(lineage['text'])}",
        f"    source {lineage['knowledge_base']}/{lineage['source']}{_settings(lineage['chunk_settings'])}",
        f"    run {lineage['run_id']}, code {lineage['code_version']}",
        f"    {lineage['run_url']}",
        *_summary_lines(lineage["summary"]),
    ]
    for version in lineage["versions"]:
        models = ", ".join(version["embedding_models"]) or "no model"
        shown_id = f"{version['document_version_id']}{_number(version['sequence'])}"
        lines += [
            f"Document version {shown_id}, characters {version['start']}–{version['end']}{label_text(version, ', ')}",
            f"    fetched {version['fetched_at']}{_parser(version['parser_version'])}, embedded by {models}",
            *_history(version),
            f"    run {version['run_id']}, code {version['code_version']}",
            f"    {version['run_url']}",
        ]
    return "\n".join(lines)


def _version_text(version: Mapping[str, Any]) -> str:
    version_name = f"{version['id']}{_number(version['sequence'])}"
    lines = [
        f"Document version {version_name} of {plain(version['uri'])}: {plain(version['title'])}",
        f"    source {version['knowledge_base']}/{version['source']}, {pluralize(version['characters'], 'character')}",
        f"    fetched {version['fetched_at']}{_parser(version['parser_version'])}",
        *_history(version),
        f"    run {version['run_id']}, code {version['code_version']}",
        f"    {version['run_url']}",
    ]
    for cut in version["chunk_sets"]:
        models = ", ".join(cut["embedding_models"] or []) or "no model"
        lines.append(
            f"    {pluralize(cut['chunk_count'], 'chunk')}{_settings(cut['chunk_settings'])}, embedded by {models}"
        )
        lines.append(f"        run {cut['run_id']}, code {cut['code_version']}")
    return "\n".join(lines)


_STANDINGS: Mapping[str, Callable[[str], str]] = {
    "current": lambda when: f"current: readers have seen it since {when}",
    "replaced": lambda when: f"replaced: readers have seen another version since {when}",
    "withdrawn": lambda when: f"withdrawn: readers have not seen it since {when}",
    "unpublished": lambda _: "not published yet",
    "deleted": lambda when: f"deleted with its source, {when}",
    "expired": lambda _: "no longer kept: it is older than its retention period",
}


def _format_state(row: Mapping[str, Any]) -> str:
    return _STANDINGS[row["state"]](row["state_at"] or "a time that was not recorded")


def _history(row: Mapping[str, Any]) -> Sequence[str]:
    closed = [time for time in row["visible"] if time["withdrawn_at"]]
    return [
        f"    {_format_state(row)}",
        *(f"    visible from {time['published_at']} until {time['withdrawn_at']}" for time in closed),
    ]


def _settings(settings: Mapping[str, Any] | None) -> str:
    if settings is None:
        return ""
    sizes = "/".join(str(settings[name]) for name in ("minimum", "maximum", "overlap"))
    return f", cut to {sizes} (minimum/maximum/overlap) by chunker {settings['chunker_version']}"


def _number(sequence: int | None) -> str:
    return f" (number {sequence})" if sequence else ""


def _parser(version: str | None) -> str:
    return f", parser {version}" if version else ""


def _snippet(text: str) -> str:
    return " ".join(plain(text).split())[:80]
