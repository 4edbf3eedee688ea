"""Results as text for people.

Belongs here: the text that a terminal shows. Not here: JSON. Guarantee: pure; text from sources cannot control the
terminal.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from headwater.domain.plurals import pluralize
from headwater.domain.skips import format_skip
from headwater.domain.summaries import name_of

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DROPPED = 8  # dropped passages that a terminal shows with their reason
_DELETED = {
    "sources": "source", "documents": "document", "document_versions": "version", "chunks": "chunk",
    "embeddings": "vector", "summaries": "summary", "conversations": "conversation", "answers": "answer",
    "golden_questions": "golden question", "evaluations": "evaluation", "files_removed": "stored file",
}  # fmt: skip
"""What a receipt counts that people know, in this order; `--json` has the rows of every table."""


def plain(text: object) -> str:
    """Text without control characters, which a terminal would interpret."""
    return _CONTROL.sub(" ", str(text))


def answer_text(answer: Mapping[str, Any]) -> str:
    """An answer with its citations."""
    return plain(answer["answer"]) + below_answer_text(answer)


def below_answer_text(answer: Mapping[str, Any]) -> str:
    """What follows the text of an answer: its citations, further passages and notes, and how to trace it."""
    lines = ["", "", *(line for summary in answer["summaries"] for line in _summary_lines(summary, answer["cited"]))]
    lines += [format_source(citation) for citation in answer["cited"] if citation["kind"] == "passage"]
    lines += [_further_text(passage, is_closest=answer["refused"]) for passage in answer["further"]]
    if answer["readings"]:
        lines += [
            "Ask one of them in the same conversation:",
            *(f"  {plain(reading)}" for reading in answer["readings"]),
        ]
    elif answer["refused"] and not answer["notes"]:
        lines.append(f"Refused: {answer['reason']}")
    lines += map(plain, answer["notes"])
    lines += _unsupported_lines(answer["statements"])
    if answer["cached"]:
        lines.append(
            f"This is the answer of {answer['created_at']}; no document has changed since. --fresh makes a new one."
        )
    if answer["related_questions"]:
        lines += [
            "\nYou may also ask:",
            *(f"  {plain(question['question'])}" for question in answer["related_questions"]),
        ]
    lines.append(f"\nTrace it: headwater trace {answer['id']}")
    return "\n".join(lines)


def _further_text(passage: Mapping[str, Any], *, is_closest: bool) -> str:
    """A passage that the answer does not cite, in one line."""
    word = "Closest" if is_closest else "Further"
    return f"{word}: {plain(passage['title'] or passage['uri'])} ({document_text(passage)}): {plain(passage['line'])}"


def _unsupported_lines(statements: Sequence[Mapping[str, Any]]) -> list[str]:
    """What no passage supports, in one line; how many they are is said in the notes."""
    unsupported = [" ".join(plain(statement["text"]).split()) for statement in statements if not statement["supported"]]
    return [f"Without support: {' '.join(f'“{text}”' for text in unsupported)}"] if unsupported else []


def _summary_lines(summary: Mapping[str, Any], cited: Sequence[Mapping[str, Any]]) -> list[str]:
    """A summary in the list of sources, and below it the documents that it was made of."""
    own_citations = [
        citation
        for citation in cited
        if citation["node_id"] == summary["node_id"] and summary["marker"] in citation["markers"]
    ]
    name = plain(name_of(summary["of"], summary["title"]))
    maker = f"by {plain(summary['model'])}, not a quote"
    if summary["of"] == "document" and own_citations:
        return [f"{summary['marker']} summary of {name} ({document_text(own_citations[0])}; {maker})"]
    lines = [f"{summary['marker']} summary of {name} ({pluralize(summary['document_count'], 'document')}; {maker})"]
    lines += [f"    {plain(citation['title'])} ({document_text(citation)})" for citation in own_citations]
    more_count = summary["document_count"] - len(own_citations)
    return [*lines, f"    and {pluralize(more_count, 'more document')}"] if more_count > 0 else lines


def format_source(cited: Mapping[str, Any]) -> str:
    """A line of the list of sources."""
    headings = " > ".join(cited["breadcrumb"]) or cited["title"]
    trust = cited["trust"]
    details = ", ".join([document_text(cited), *([] if trust is None else [f"trust {trust:.2f}"])])
    return f"{''.join(cited['markers'])} {plain(headings)} ({details})"


def search_text(found: Mapping[str, Any]) -> str:
    """Passages, best first; or the context made of them, if requested."""
    lines = _context(found["context"]) if found["context"] else []
    if found["explanation"] or not found["context"]:
        lines += _format_summaries(found["summaries"])
        lines += _passages(found)
    if found["explanation"]:
        lines += _explanation(found["explanation"])
    return "\n".join([*lines, *map(plain, found["notes"])])


def _context(context: Mapping[str, Any]) -> list[str]:
    if not context["parts"]:
        return ["No passage has enough trust to answer from."]
    return [*map(plain, context["text"].split("\n")), "", f"About {context['token_count']} tokens."]


def _format_summaries(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for summary in summaries:
        name = plain(name_of(summary["of"], summary["title"]))
        lines.append(f"Summary of {name} ({pluralize(summary['document_count'], 'document')}; {summary['id']})")
        lines.append(f"   {plain(' '.join(summary['text'].split()))}")
    return [*lines, ""] if lines else []


def _passages(result: Mapping[str, Any]) -> list[str]:
    lines = []
    for passage in result["passages"]:
        lines.append(f"{passage['rank']}. {_headings(passage)} ({document_text(passage)})")
        lines += _passage(passage, "   ", with_scores=bool(result["explanation"]))
        for companion in passage["more"]:
            lines.append(f"   - {_headings(companion)}{label_text(companion, ' (', ')')}")
            lines += _passage(companion, "     ", with_scores=bool(result["explanation"]))
    return lines or ["Nothing found."]


def _passage(passage: Mapping[str, Any], indent: str, *, with_scores: bool) -> list[str]:
    lines = [f"{indent}{excerpt_text(passage)}"]
    return [*lines, f"{indent}{scores_text(passage)}"] if with_scores else lines


def excerpt_text(passage: Mapping[str, Any]) -> str:
    """The part of a passage that matched, in one line, with matches in bold and dots where text is cut off."""
    excerpt = passage["excerpt"]
    text, styled, position = excerpt["text"], "", 0
    for match in excerpt["matches"]:
        start = max(position, match["start"])
        styled += plain(text[position:start]) + click.style(plain(text[start : match["end"]]), bold=True)
        position = max(position, match["end"])
    line = " ".join((styled + plain(text[position:])).split())
    return f"{'… ' if excerpt['start'] else ''}{line}{' …' if excerpt['end'] < len(passage['text'].rstrip()) else ''}"


def document_text(found: Mapping[str, Any]) -> str:
    """The document of a citation or passage: its link if it has one, and its place."""
    return plain(found["link"] or found["uri"]) + label_text(found, ", ")


def label_text(found: Mapping[str, Any], before: str, after: str = "") -> str:
    """A place as people read it, such as `p. 12`; empty if it is unknown."""
    label = found["place"]["label"] if found["place"] else ""
    return f"{before}{plain(label)}{after}" if label else ""


def _headings(passage: Mapping[str, Any]) -> str:
    return plain(" > ".join(passage["breadcrumb"]) or passage["title"])


def scores_text(passage: Mapping[str, Any]) -> str:
    """A passage's scores in one line, without the steps that did not see the passage."""
    texts = [f"score {passage['score']:.3f}"]
    for name, value in passage["scores"].items():
        if value is not None and (name, value) != ("boost", 1.0):
            texts.append(f"{name.replace('_', ' ')} {value:.3f}" if isinstance(value, float) else f"{name} {value}")
    return ", ".join(texts)


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
    more_count = len(explanation["dropped"]) - _DROPPED
    if more_count > 0:
        lines.append(f"And {more_count} more; --json shows all.")
    return lines


def sync_text(sync: Mapping[str, Any]) -> str:
    """The result of a sync."""
    lines = []
    for source in sync["sources"]:
        lines.append(
            f"{source['source']}: {source['state']}, {pluralize(source['documents'], 'document')}"
            f" (+{source['added']} ~{source['changed']} -{source['removed']} ={source['unchanged']}),"
            f" {pluralize(source['chunks'], 'chunk')}, {source['embedded']} embedded, {source['ms'] or 0:.0f} ms"
        )
        lines += _summaries(source)
        lines += [f"  {plain(e['uri'] or source['source'])}: {plain(e['message'])}" for e in source["errors"][:20]]
        if len(source["errors"]) > 20:
            lines.append(f"  … and {len(source['errors']) - 20} more")
        lines += format_skips(source, "  ", but=("unreadable", "duplicate") if source["errors"] else ())
    lines += [plain(sync["advice"])] if sync.get("advice") else []
    return "\n".join(lines)


def _summaries(source: Mapping[str, Any]) -> list[str]:
    """What is left to summarise, if anything is; what was made costs nothing by default, so `--json` alone says it."""
    lines = []
    if source["summaries_left"]:
        summaries_left = source["summaries_left"]
        remain = "1 summary remains" if summaries_left == 1 else f"at most {summaries_left:,} summaries remain"
        lines.append(f"  Summaries stopped at the budget, {remain}. The next sync goes on.")
    if source["questions_left"]:
        remain = pluralize(source["questions_left"], "document")
        lines.append(f"  Questions stopped at the budget, before {remain}. The next sync goes on.")
    return lines


def format_skips(source: Mapping[str, Any], indent: str, *, but: Sequence[str] = ()) -> list[str]:
    """What was left out, with one or two examples; `but` are reasons that are shown already."""
    return [
        f"{indent}Skipped: {plain(format_skip(line['message'], line['count'], line['examples'][:2]))}"
        for line in source["skipped"]
        if line["reason"] not in but
    ]


def deletion_text(receipt: Mapping[str, Any]) -> str:
    """What went."""
    counts = {**receipt["removed"], "files_removed": receipt["files_removed"]}
    things = ", ".join(pluralize(counts[name], noun) for name, noun in _DELETED.items() if counts.get(name))
    lines = [f"Deleted {receipt['key']} (receipt {receipt['id']}): {things or 'it was empty'}."]
    if not receipt["finished_at"]:
        lines.append("It is hidden; another process is still removing its rows.")
    return "\n".join(lines)


def format_changes(applied: Mapping[str, Any]) -> str:
    """What applying a file did."""
    texts = [f"{applied['slug']} {applied['knowledge_base']}"]
    words = ("created", "changed", "unchanged", "deleted")
    texts += [f"{word} {', '.join(applied[word])}" for word in words if applied[word]]
    if applied["unlisted"]:
        texts.append(f"not in the file, left unchanged: {', '.join(applied['unlisted'])} (--prune deletes them)")
    texts += [f"widget {slug} {outcome}" for slug, outcome in applied["widgets"].items() if outcome != "unlisted"]
    return "; ".join(texts) + "."


def doctor_text(checks: Sequence[Mapping[str, Any]]) -> str:
    """The findings, good and bad."""
    marks = {"ok": "ok  ", "warning": "warn", "failed": "FAIL"}
    return "\n".join(f"{marks[check['state']]}  {check['name']}: {plain(check['detail'])}" for check in checks)
