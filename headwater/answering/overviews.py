"""Answers from summaries, and their citations (SUM-4).

Belongs here: a broad question's answer without a chat model, the citations of a summary, summaries as parts of a chat
model's context. Not here: which summaries answer a question (`headwater.retrieval.overviews`). Guarantee: a summary is
never passed off as a quote: its marker has a citation of the summary, and citations of the documents below it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from headwater.answering.events import Delta, Done, Event
from headwater.chunking.sentences import sentence_spans
from headwater.domain.answers import Citation, SummaryCitation
from headwater.domain.search import Passage, Scores
from headwater.domain.summaries import DocumentBelow, FoundSummary, NodeKind, name_of
from headwater.generation.plain_words import without_links
from headwater.retrieval.context import Context, assemble

LISTED = 12
"""How many documents an overview lists, of all its summaries together."""
CITED = 8
"""How many documents the citation of a summary names."""
_LEAST_LISTED = 2  # of each summary
_LONGEST = 300  # characters of a document's line
_MARKER = re.compile(r"\[(\d{1,3})\]")
_HEADING = re.compile(r"^#{1,6} +")
_SPACE = re.compile(r"\s+")


def overview(summaries: Sequence[FoundSummary]) -> Iterator[Event]:
    """Yield an answer that consists of summaries, each with a line for every document below it.

    Args:
        summaries: at least one.
    """
    writing = _Writing()
    is_headed = len(summaries) > 1
    each = max(_LEAST_LISTED, LISTED // len(summaries))
    for number, found in enumerate(summaries):
        gap = "\n\n" if number else ""
        head = f"**{_plain(found.title)}**\n\n" if is_headed else ""
        body = without_title(found.text, found.title)
        yield Delta(text=f"{gap}{head}{plain_text(body)} ")
        yield from writing.cite(found)
        if found.kind in (NodeKind.DOCUMENT, NodeKind.KNOWLEDGE_BASE):  # below the latter come its sources
            continue
        listed = found.documents[:each]
        if not is_headed:
            yield Delta(text=f"\n\n{_leading(found, len(listed))}\n")
        for place, document in enumerate(listed):
            line = first_sentence(without_title(document.summary, document.title))
            gap = "\n\n" if is_headed and not place else "\n"
            yield Delta(text=f"{gap}- **{_plain(document.title)}**: {line} ")
            yield from writing.cite_document(found, document)
    yield Done()


def cite(marker: str, found: FoundSummary, score: float) -> Iterator[SummaryCitation | Citation]:
    """Yield the citation of a summary, and those of the documents that it was made of.

    Args:
        marker: stands behind what the summary says.
        found: the summary.
        score: of the documents.
    """
    yield SummaryCitation(
        marker=marker,
        node_id=found.id,
        kind=found.kind,
        title=found.title,
        text=found.text,
        document_count=found.document_count,
        summary_key=found.summary_key,
        model=found.model,
        prompt_version=found.prompt_version,
        run_id=found.run_id,
        code_version=found.code_version,
        made_at=found.made_at,
    )
    for document in found.documents[:CITED]:
        yield Citation(
            marker=marker,
            title=document.title,
            uri=document.uri,
            source=document.source,
            chunk_id=document.chunk_id,
            document_id=document.document_id,
            document_version_id=document.document_version_id,
            breadcrumb=(),
            start=0,
            end=document.length,
            score=score,
            node_id=found.id,
        )


class Summarized:
    """Summaries as passages of a chat model's context, which are told apart by their ids."""

    def __init__(self, summaries: Sequence[FoundSummary]) -> None:
        self._found: Mapping[UUID, FoundSummary] = {one.id: one for one in summaries}

    def context(self, buckets: Sequence[Sequence[Passage]], budget: int) -> Context:
        """The context of the summaries, and then of passages.

        Args:
            buckets: the passages, by document.
            budget: tokens.
        """
        return assemble([*([_as_passage(one)] for one in self._found.values()), *buckets], budget)

    def cited(self, events: Iterator[Event]) -> Iterator[Event]:
        """Replace the citations of summaries among an answer's events."""
        for event in events:
            found = self._found.get(event.document_version_id) if isinstance(event, Citation) else None
            if isinstance(event, Citation) and found is not None:
                yield from cite(event.marker, found, event.score)
            else:
                yield event


def without_title(text: str, title: str) -> str:
    """A summary without the title that it may begin with."""
    head = f"{title}:"
    return text[len(head) :].strip() if title and text.startswith(head) else text


def first_sentence(text: str) -> str:
    """The first sentence of a summary, in one line."""
    text = plain_text(_HEADING.sub("", text))
    spans = sentence_spans(text)
    line = _SPACE.sub(" ", text[spans[0][0] : spans[0][1]] if spans else text).strip()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rsplit(' ', 1)[0]} …"


class _Writing:
    """Numbers the markers of an answer."""

    def __init__(self) -> None:
        self._count = 0

    def cite(self, found: FoundSummary) -> Iterator[Event]:
        """Yield the next marker and its citations."""
        self._count += 1
        marker = f"[{self._count}]"
        yield Delta(text=marker)
        yield from cite(marker, found, found.similarity or 1.0)

    def cite_document(self, above: FoundSummary, document: DocumentBelow) -> Iterator[Event]:
        """Yield the next marker and its citation of a document's summary."""
        yield from self.cite(document.found(above))


def _leading(found: FoundSummary, listed: int) -> str:
    if found.document_count > listed:
        return f"It has {found.document_count:,} documents. Those that say most of this:"
    return "Its documents:"


def _plain(title: str) -> str:
    return plain_text(_SPACE.sub(" ", title).strip().replace("*", ""))


def plain_text(text: str) -> str:
    """A summary's text without links, and without what would read as a marker in an answer."""
    return _MARKER.sub(r"(\1)", without_links(text))


def _as_passage(found: FoundSummary) -> Passage:
    """A summary as a passage; its version has the node's id, so that it never joins a passage of a document."""
    below = ", ".join(document.title for document in found.documents[:CITED])
    return Passage(
        rank=1,
        score=found.similarity or 1.0,
        scores=Scores(),
        chunk_id=found.id,
        document_id=found.id,
        document_version_id=found.id,
        source=found.source,
        uri=f"made from {found.document_count} documents, such as: {below}" if found.document_count > 1 else below,
        title=f"Summary of {name_of(found.kind, found.title)}, not a quote",
        category="",
        breadcrumb=(),
        start=0,
        end=len(found.text),
        line=1,
        position=0,
        kind="summary",
        text=found.text,
    )
