"""Answers without a language model: the best sentences, quoted with their citations (ANS-4).

Belongs here: turning quotes into cited text. Not here: choosing sentences (`quotes`). Guarantee: every marker in an
answer has a citation and every citation a marker.
"""

import uuid
from collections.abc import Iterator, Sequence

from headwater.answering.answerer import refuse
from headwater.answering.breadcrumbs import breadcrumb_at
from headwater.answering.events import Delta, Done, Event
from headwater.answering.evidence import Evidence
from headwater.answering.quotes import Quote, choose, find_quotes
from headwater.answering.reading import ReadQuestion
from headwater.answering.tables import table_note
from headwater.domain.answers import Citation


class ExtractiveAnswerer:
    """Quotes the sentences that answer best."""

    name: str = "builtin/extractive"

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:  # noqa: ARG002 - the protocol's
        """Yield the quoted sentences, each followed by its marker, and the citation of each marker."""
        quotes = choose(find_quotes(evidence.question, evidence.passages, evidence.embedder))
        if not quotes:
            yield from refuse(evidence)
            return
        yield from compose(quotes)
        quoted = [(quote.passage, quote.text) for quote in quotes]
        table = table_note(evidence.question, evidence.passages, (), quoted)
        yield Done(notes=(table,) if table else ())


def compose(quotes: Sequence[Quote]) -> Iterator[Delta | Citation]:
    """Join quotes into a text with markers, and yield the citation of each marker.

    A marker stands for one passage; its citation spans from the first to the last sentence quoted from it.
    """
    by_passage: dict[uuid.UUID, list[Quote]] = {}
    for quote in quotes:
        by_passage.setdefault(quote.passage.chunk_id, []).append(quote)
    gap = ""
    for number, group in enumerate(by_passage.values(), start=1):
        group.sort(key=lambda quote: quote.start)
        marker = f"[{number}]"
        for quote in group:
            yield Delta(text=f"{gap}{quote.text} {marker}")
            gap = "\n\n"
        yield _citation(marker, group)


def _citation(marker: str, group: Sequence[Quote]) -> Citation:
    passage = group[0].passage
    return Citation(
        marker=marker,
        title=passage.title,
        uri=passage.uri,
        source=passage.source,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_version_id=passage.document_version_id,
        breadcrumb=breadcrumb_at(passage.text, passage.breadcrumb, group[0].start),
        start=passage.start + group[0].start,
        end=passage.start + group[-1].end,
        score=max(quote.score for quote in group),
        place=passage.place_of(group[0].start, group[-1].end),
    )
