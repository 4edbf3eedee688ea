"""Results as text for people.

Belongs here: what a terminal shows. Not here: JSON. Guarantee: pure; text of sources cannot steer the terminal.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text: object) -> str:
    """Text without control characters, which a terminal would obey."""
    return _CONTROL.sub(" ", str(text))


def answer_text(answer: Mapping[str, Any]) -> str:
    """An answer with its citations."""
    lines = [plain(answer["answer"]), ""]
    for citation in answer["citations"]:
        place = " > ".join(citation["breadcrumb"]) or citation["title"]
        lines.append(f"{citation['marker']} {plain(place)} ({plain(citation['uri'])}, score {citation['score']:.2f})")
    if answer["refused"]:
        lines.append(f"Refused: {answer['reason']}")
    lines.append(f"\nTrace it: headwater trace {answer['id']}")
    return "\n".join(lines)


def lineage_text(lineage: Mapping[str, Any]) -> str:
    """An answer's way upstream."""
    lines = [f"Answer {lineage['answer_id']}: {plain(lineage['question'])}"]
    for citation in lineage["citations"]:
        gone = "" if citation["available"] else "  (deleted since)"
        lines += [
            f"{citation['marker']} {plain(citation['uri'])}{gone}",
            f"    chunk {citation['chunk_id']}, characters {citation['start']}–{citation['end']}",
            f"    document version {citation['document_version_id']}, fetched {citation['fetched_at']}",
            f"    source {citation['source']}, embedded by {citation['embedding_model']}",
            f"    run {citation['run_id']}, code {citation['code_version']}",
            f"    {citation['run_url']}",
        ]
    return "\n".join(lines if lineage["citations"] else [*lines, "It cites nothing."])


def search_text(found: Mapping[str, Any]) -> str:
    """Passages, best first."""
    lines = []
    for passage in found["passages"]:
        place = " > ".join(passage["breadcrumb"]) or passage["title"]
        snippet = " ".join(plain(passage["text"]).split())[:200]
        lines += [f"{passage['rank']}. {plain(place)} ({plain(passage['uri'])})", f"   {snippet}"]
    return "\n".join(lines) or "Nothing found."


def sync_text(sync: Mapping[str, Any]) -> str:
    """What a sync came to."""
    lines = []
    for source in sync["sources"]:
        lines.append(
            f"{source['source']}: {source['state']}, {source['documents']} documents"
            f" (+{source['added']} ~{source['changed']} -{source['removed']} ={source['unchanged']}),"
            f" {source['chunks']} chunks, {source['embedded']} embedded, {source['ms'] or 0:.0f} ms"
        )
        lines += [f"  {plain(e['uri'] or source['source'])}: {plain(e['message'])}" for e in source["errors"][:20]]
        if len(source["errors"]) > 20:
            lines.append(f"  … and {len(source['errors']) - 20} more")
    return "\n".join(lines)


def status_text(status: Mapping[str, Any]) -> str:
    """Knowledge bases and their sources."""
    lines: list[str] = []
    for knowledge_base in status["knowledge_bases"]:
        lines.append(f"{knowledge_base['slug']}  {plain(knowledge_base['name'])}")
        for source in knowledge_base["sources"]:
            when = source["synced_at"] or "never"
            lines.append(f"  {source['slug']}: {source['state']}, {source['documents']} documents, synced {when}")
            if source["error"]:
                lines.append(f"    {plain(source['error'])}")
    return "\n".join(lines) or "There is no knowledge base yet. Make one with `headwater apply FILE`."


def applied_text(applied: Mapping[str, Any]) -> str:
    """What applying a file did."""
    parts = [f"{applied['slug']} {applied['knowledge_base']}"]
    words = ("created", "changed", "unchanged", "deleted")
    parts += [f"{word} {', '.join(applied[word])}" for word in words if applied[word]]
    if applied["unlisted"]:
        parts.append(f"not in the file, left as they are: {', '.join(applied['unlisted'])} (--prune deletes them)")
    return "; ".join(parts) + "."


def doctor_text(checks: Sequence[Mapping[str, Any]]) -> str:
    """What is well and what is not."""
    marks = {"ok": "ok  ", "warning": "warn", "failed": "FAIL"}
    return "\n".join(f"{marks[check['state']]}  {check['name']}: {plain(check['detail'])}" for check in checks)


def backup_text(made: Mapping[str, Any]) -> str:
    """What was backed up."""
    rows = made["rows"]
    return (
        f"Wrote {plain(made['file'])}: {made['bytes'] / 1e6:.1f} MB, {rows['headwater']} rows of Headwater's,"
        f" {rows['dagster']} of Dagster's, {made['files']} files."
    )


def restore_text(restored: Mapping[str, Any]) -> str:
    """What was put back."""
    rows = restored["rows"]
    lines = [f"Restored the backup of {restored['created_at']}."]
    lines.append(f"{rows['headwater']} rows of Headwater's, {rows['dagster']} of Dagster's, {restored['files']} files.")
    if restored["applied"]:
        lines.append(f"It was of an older Headwater; applied {', '.join(restored['applied'])}.")
    if restored["interrupted_runs"]:
        lines.append(f"{restored['interrupted_runs']} runs were going on then; they count as failed. Sync again.")
    return "\n".join(lines)


def tidy_text(tidied: Mapping[str, Any]) -> str:
    """What housekeeping removed."""
    parts = [f"{count} {name.replace('_', ' ')}" for name, count in tidied["removed"].items() if count]
    lines = [f"Removed {', '.join(parts)}." if parts else "There was nothing to remove."]
    lines += [f"{found['table']}: {found['reason']}. Run: {found['statement']}" for found in tidied["vacuum"]]
    return "\n".join(lines)
