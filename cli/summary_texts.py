"""The lineage of summaries as text, for `trace` and `show`.

Belongs here: summaries that an answer cites, and single ones. Not here: lineage itself (`query_api.lineage_lookup`),
answers and chunks (`cli.commands.trace`). Guarantee: pure; text from sources cannot control the terminal.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cli.result_texts import document_text, plain
from headwater.domain.plurals import pluralize
from headwater.domain.summaries import name_of

_SNIPPET = 80  # characters


def summary_lines(summary: Mapping[str, Any], citations: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A summary that an answer cites, and the documents that it was made of."""
    name = plain(name_of(summary["of"], summary["title"]))
    yield f"{summary['marker']} summary of {name}, not a quote: {_snippet(summary['text'])}"
    yield f"    summary {summary['node_id']}, made of {pluralize(summary['document_count'], 'document')}"
    yield f"    {_format_origin(summary)}"
    own_citations = [
        citation
        for citation in citations
        if (citation["marker"], citation["node_id"]) == (summary["marker"], summary["node_id"])
    ]
    for citation in own_citations:
        ordinal = f" (number {citation['sequence']})" if citation["sequence"] else ""
        yield f"    source {plain(citation['source'])}: {document_text(citation)}, {citation['state']}"
        yield f"        document version {citation['document_version_id']}{ordinal}, fetched {citation['fetched_at']}"
        yield f"        run {citation['run_id']}, code {citation['code_version']}"
    more_count = summary["document_count"] - len(own_citations)
    if more_count > 0:
        yield f"    and {pluralize(more_count, 'more document')}: headwater trace {summary['node_id']}"


def node_text(node: Mapping[str, Any]) -> str:
    """The lineage of a summary."""
    return "\n".join(_lineage(node))


def format_summary(node: Mapping[str, Any]) -> str:
    """A summary with those below it."""
    lines = [_head(node), f"    source {node['knowledge_base']}/{node['source']}", f"    {_format_origin(node)}", ""]
    lines += [plain(node["text"]), ""]
    for child in node["children"]:
        lines.append(f"{child['id']}  {plain(name_of(child['kind'], child['title']))}")
        lines.append(f"    {_snippet(child['text'])}")
    if node["chunk_ids"]:
        lines.append(f"Made of {pluralize(len(node['chunk_ids']), 'chunk')}:")
        lines += [f"    {chunk_id}" for chunk_id in node["chunk_ids"]]
    return "\n".join(lines)


def _lineage(node: Mapping[str, Any]) -> Iterator[str]:
    yield f"{_head(node)}: {_snippet(node['text'])}"
    yield f"    source {node['knowledge_base']}/{node['source']}"
    yield f"    {_format_origin(node)}"
    yield f"    {node['run_url']}"
    for version in node["versions"]:
        seen = "current" if version["current"] else "replaced or withdrawn"
        version_name = f"{version['document_version_id']} (number {version['sequence']})"
        yield f"Document version {version_name} of {plain(version['uri'])}"
        yield f"    {seen}, fetched {version['fetched_at']}, parser {version['parser_version']}"
        yield f"    run {version['run_id']}, code {version['code_version']}"
        runs = ", ".join(version["chunk_run_ids"])
        chunks = version["chunk_ids"]
        yield f"    {pluralize(len(chunks), 'chunk')}, such as {chunks[0]}, made by run {runs}"
    if node["version_count"] > len(node["versions"]):
        yield f"and {pluralize(node['version_count'] - len(node['versions']), 'more document version')}"


def _head(node: Mapping[str, Any]) -> str:
    return f"Summary {node.get('node_id') or node['id']} of {plain(name_of(node['kind'], node['title']))}"


def _format_origin(summary: Mapping[str, Any]) -> str:
    model = f"made {summary['made_at']} by {plain(summary['model'])}, prompt {plain(summary['prompt_version'])}"
    return f"{model}, run {summary['run_id']}, code {summary['code_version']}"


def _snippet(text: str) -> str:
    return " ".join(plain(text).split())[:_SNIPPET]
