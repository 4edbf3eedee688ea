"""Results as text for people.

Belongs here: what a terminal shows. Not here: JSON. Guarantee: pure; text of sources cannot steer the terminal.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DROPPED = 8  # passages whose reason a terminal shows


def plain(text: object) -> str:
    """Text without control characters, which a terminal would obey."""
    return _CONTROL.sub(" ", str(text))


def answer_text(answer: Mapping[str, Any]) -> str:
    """An answer with its citations."""
    lines = [plain(answer["answer"]), ""]
    for citation in answer["citations"]:
        headings = " > ".join(citation["breadcrumb"]) or citation["title"]
        where = ", ".join([document_text(citation), f"score {citation['score']:.2f}"])
        lines.append(f"{citation['marker']} {plain(headings)} ({where})")
    if answer["refused"]:
        lines.append(f"Refused: {answer['reason']}")
    lines += map(plain, answer["notes"])
    lines.append(f"\nTrace it: headwater trace {answer['id']}")
    return "\n".join(lines)


def search_text(found: Mapping[str, Any]) -> str:
    """Passages, best first; or the context made of them, where it was asked for."""
    lines = _context(found["context"]) if found["context"] else []
    if found["explanation"] or not found["context"]:
        lines += _passages(found)
    if found["explanation"]:
        lines += _explanation(found["explanation"])
    return "\n".join([*lines, *map(plain, found["notes"])])


def _context(context: Mapping[str, Any]) -> list[str]:
    if not context["parts"]:
        return ["Nothing that was found is trusted to answer from."]
    return [*map(plain, context["text"].split("\n")), "", f"Some {context['token_count']} tokens."]


def _passages(found: Mapping[str, Any]) -> list[str]:
    lines = []
    for passage in found["passages"]:
        lines.append(f"{passage['rank']}. {_headings(passage)} ({document_text(passage)})")
        lines += _passage(passage, "   ", with_scores=bool(found["explanation"]))
        for other in passage["more"]:
            lines.append(f"   - {_headings(other)}{label_text(other, ' (', ')')}")
            lines += _passage(other, "     ", with_scores=bool(found["explanation"]))
    return lines or ["Nothing found."]


def _passage(passage: Mapping[str, Any], indent: str, *, with_scores: bool) -> list[str]:
    lines = [f"{indent}{excerpt_text(passage)}"]
    return [*lines, f"{indent}{scores_text(passage)}"] if with_scores else lines


def excerpt_text(passage: Mapping[str, Any]) -> str:
    """The part of a passage that was asked for, in one line, its matches bold; what is cut off is shown as dots."""
    excerpt = passage["excerpt"]
    text, shown, at = excerpt["text"], "", 0
    for match in excerpt["matches"]:
        start = max(at, match["start"])
        shown += plain(text[at:start]) + click.style(plain(text[start : match["end"]]), bold=True)
        at = max(at, match["end"])
    line = " ".join((shown + plain(text[at:])).split())
    return f"{'… ' if excerpt['start'] else ''}{line}{' …' if excerpt['end'] < len(passage['text'].rstrip()) else ''}"


def document_text(found: Mapping[str, Any]) -> str:
    """The document of a citation or passage, by the link that opens it there if it has one, and its place."""
    return plain(found["link"] or found["uri"]) + label_text(found, ", ")


def label_text(found: Mapping[str, Any], before: str, after: str = "") -> str:
    """A place as people read it, such as `p. 12`; nothing where it is not known."""
    return f"{before}{plain(found['place']['label'])}{after}" if found["place"] else ""


def _headings(passage: Mapping[str, Any]) -> str:
    return plain(" > ".join(passage["breadcrumb"]) or passage["title"])


def scores_text(passage: Mapping[str, Any]) -> str:
    """A passage's scores in one line; those of steps that did not see it are left out."""
    parts = [f"score {passage['score']:.3f}"]
    for name, value in passage["scores"].items():
        if value is not None and (name, value) != ("boost", 1.0):
            parts.append(f"{name.replace('_', ' ')} {value:.3f}" if isinstance(value, float) else f"{name} {value}")
    return ", ".join(parts)


def _explanation(explanation: Mapping[str, Any]) -> list[str]:
    understood = [explanation["intent"], *explanation["complexity"], *map(plain, explanation["entities"])]
    lines = ["", f"Understood as: {', '.join(understood)}"]
    lines += [
        f"  {plain(term['lexeme'])}: in {term['held']} of {term['total']} entries, idf {term['idf']:.2f}"
        for term in explanation["terms"]
    ]
    for dropped in explanation["dropped"][:_DROPPED]:
        passage = dropped["passage"]
        lines.append(f"Dropped: {_headings(passage)} ({plain(passage['uri'])}). {dropped['reason']}")
    more = len(explanation["dropped"]) - _DROPPED
    if more > 0:
        lines.append(f"And {more} more; --json shows all.")
    return lines


def sync_text(sync: Mapping[str, Any]) -> str:
    """The result of a sync."""
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
        lines += _skipped(source, "  ")
    return "\n".join(lines)


def status_text(status: Mapping[str, Any]) -> str:
    """Knowledge bases and their sources."""
    lines: list[str] = []
    for knowledge_base in status["knowledge_bases"]:
        lines.append(f"{knowledge_base['slug']}  {plain(knowledge_base['name'])}")
        for source in knowledge_base["sources"]:
            lines.append(f"  {source['slug']}: {_standing(source)}")
            if source["error"]:
                lines.append(f"    {plain(source['error'])}")
            lines += _skipped(source, "    ")
    return "\n".join(lines) or "There is no knowledge base yet. Make one with `headwater apply FILE`."


def _skipped(source: Mapping[str, Any], indent: str) -> list[str]:
    """What was left out, with an example or two."""
    return [
        f"{indent}Skipped: {plain(line['message'])}"
        + (f" Such as {', '.join(map(plain, line['examples'][:2]))}" if line["examples"] else "")
        for line in source["skipped"]
    ]


def _standing(source: Mapping[str, Any]) -> str:
    """Where a source stands, and how it is kept."""
    parts = [source["state"], *(["paused"] if source["paused"] else []), f"{source['documents']} documents"]
    if source["unreadable"]:
        parts.append(f"{source['unreadable']} could not be read")
    parts.append(f"{'last tried' if source['state'] == 'failed' else 'synced'} {source['synced_at'] or 'never'}")
    if source["refresh"]:
        parts.append(f"every {source['refresh']}")
    if source["next_sync_at"]:
        parts.append(f"next {source['next_sync_at']}")
    if source["drift"]:
        parts.append(f"{source['drift']:.0%} of its chunks differ from a fresh cut")
    if source["category"]:
        parts.append(f"category {plain(source['category'])}")
    if source["tags"]:
        parts.append(f"tags {' '.join(source['tags'])}")
    return ", ".join(parts)


def deletion_text(receipt: Mapping[str, Any]) -> str:
    """What went."""
    rows = ", ".join(f"{count} {table}" for table, count in receipt["removed"].items()) or "nothing was stored of it"
    lines = [f"Deleted {receipt['key']} (receipt {receipt['id']}): {rows}; {receipt['files_removed']} stored files."]
    if not receipt["finished_at"]:
        lines.append("It is out of sight; another process is still deleting its rows.")
    return "\n".join(lines)


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


def golden_text(changed: Mapping[str, Any]) -> str:
    """What loading a golden set changed."""
    counts = ", ".join(f"{changed[word]} {word}" for word in ("added", "changed", "removed", "unchanged"))
    return f"{changed['question_count']} golden questions ({counts})."


def evaluation_text(found: Mapping[str, Any]) -> str:
    """The result of a golden set, and the questions that did worst."""
    names = {"ndcg_at_10": "nDCG@10", "recall_at_10": "recall@10", "mrr": "MRR"}
    lines = [f"{found['question_count']} questions, {found['model']}, search index {found['search_index_id']}"]
    lines += [f"{name:<9}  {found['metrics'][key]:.4f}" for key, name in names.items()]
    lines += ["", "Worst questions:"] if found["worst"] else []
    for result in found["worst"]:
        wanted = ", ".join(_document(document) for document in result["relevant"])
        instead = ", ".join(result["found"][:3]) or "nothing"
        lines += [
            f"  {result['metrics']['ndcg_at_10']:.2f}  {plain(result['question'])}",
            f"        wanted {plain(wanted)}; found {plain(instead)}",
        ]
    return "\n".join(lines)


def _document(wanted: Mapping[str, Any]) -> str:
    """A right document as the found ones are named: a page by its number behind its URI."""
    return wanted["uri"] if wanted["page"] is None else f"{wanted['uri']}#page={wanted['page']}"


def backup_text(made: Mapping[str, Any]) -> str:
    """What was backed up."""
    rows = made["rows"]
    return (
        f"Wrote {plain(made['file'])}: {made['bytes'] / 1e6:.1f} MB, {rows['headwater']} rows of Headwater's,"
        f" {rows['dagster']} of Dagster's, {made['files']} files, {made['originals']} originals."
        f"{_elsewhere(made)}"
    )


def _elsewhere(backup: Mapping[str, Any]) -> str:
    """Where the originals are that a backup does not hold."""
    where = backup["originals_elsewhere"]
    return "" if where is None else f" Originals are not in it: they are in {plain(where)}, as HEADWATER_FILES says."


def restore_text(restored: Mapping[str, Any]) -> str:
    """What was put back."""
    rows = restored["rows"]
    lines = [f"Restored the backup of {restored['created_at']}."]
    lines.append(
        f"{rows['headwater']} rows of Headwater's, {rows['dagster']} of Dagster's, {restored['files']} files,"
        f" {restored['originals']} originals.{_elsewhere(restored)}"
    )
    if restored["applied"]:
        lines.append(f"It was of an older Headwater; applied {', '.join(restored['applied'])}.")
    if restored["interrupted_runs"]:
        lines.append(f"{restored['interrupted_runs']} runs were going on then; they count as failed. Sync again.")
    return "\n".join(lines)


def tidy_text(tidied: Mapping[str, Any]) -> str:
    """What housekeeping removed."""
    parts = [f"{count} {name.replace('_', ' ')}" for name, count in tidied["removed"].items() if count]
    lines = [f"Removed {', '.join(parts)}." if parts else "There was nothing to remove."]
    lines += [f"Failed: {failure}" for failure in tidied["failed"]]
    lines += [f"{found['table']}: {found['reason']}. Run: {found['statement']}" for found in tidied["vacuum"]]
    return "\n".join(lines)
