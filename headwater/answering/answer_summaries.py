"""Summaries in answers: their texts, their citations, and as parts of a chat model's context (SUM-4).

Belongs here: what all answers from summaries share. Not here: which summaries answer a question
(`headwater.retrieval.broad_summaries`), a broad question's answer without a chat model (`broad_answers`). Guarantee: a
summary is never passed off as a quote: its marker has a citation of it, and citations of the documents below it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from urllib.parse import unquote
from uuid import UUID

from headwater.answering.events import Delta, Event
from headwater.chunking.sentences import sentence_spans
from headwater.domain.answers import Citation, SummaryCitation
from headwater.domain.plurals import pluralize
from headwater.domain.search import Passage, Scores
from headwater.domain.summaries import SECTIONS, NodeKind, RankedSummary, name_of
from headwater.generation.plain_words import without_links
from headwater.quote.breadcrumbs import format_heading
from headwater.quote.inline_cleanup import without_emphasis
from headwater.retrieval.broad_summaries import Overview
from headwater.retrieval.context import Context, assemble
from headwater.retrieval.members import Family
from headwater.understanding.reader_texts import DOCUMENTS, MORE, SECTION_LIST, has_texts, reader_text
from headwater.understanding.words import count_words

CITED = 8
"""How many documents the citation of a summary names."""
_MAX_LINE_CHARS = 300  # characters of a document's line
_MARKER = re.compile(r"\[(\d{1,3})\]")
_HEADING = re.compile(r"^#{1,6} +")
_SPACE = re.compile(r"\s+")
_MORE_NAMES = re.compile(r"; and ([\d,]+) more\.")
_COUNTED = re.compile(r"(?P<count>[\d,]+) documents(?: with (?P<words>“[^”]+”(?:, “[^”]+”)*) in their titles)?: ")


def cite(marker: str, found: RankedSummary, score: float) -> Iterator[SummaryCitation | Citation]:
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
            title=format_heading(document.title, document.uri),
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

    def __init__(self, overview: Overview) -> None:
        members = [*([overview.introduction.document] if overview.introduction else []), *overview.shown.values()]
        self._found: Mapping[UUID, RankedSummary] = {summary.id: summary for summary in (*overview.summaries, *members)}
        self._family = overview.family

    def context(self, buckets: Sequence[Sequence[Passage]], budget: int) -> Context:
        """The context of the summaries, and then of passages.

        Args:
            buckets: the passages, by document.
            budget: tokens.
        """
        summary_buckets = [[_as_passage(summary, self._family)] for summary in self._found.values()]
        return assemble([*summary_buckets, *buckets], budget)

    def cited(self, events: Iterator[Event]) -> Iterator[Event]:
        """Replace the citations of summaries among an answer's events."""
        for event in events:
            summary = self._found.get(event.document_version_id) if isinstance(event, Citation) else None
            if isinstance(event, Citation) and summary is not None:
                yield from cite(event.marker, summary, event.score)
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
    return line if len(line) <= _MAX_LINE_CHARS else f"{line[:_MAX_LINE_CHARS].rsplit(' ', 1)[0]} …"


def cut_words(text: str, words: int) -> str:
    """The first words of a text; its first characters where words are not apart."""
    text_words = text.split()
    first = text if len(text_words) <= words else " ".join(text_words[:words])
    if count_words(first) > words:
        first = first[: bisect_right(range(len(first)), words, key=lambda length: count_words(first[:length])) - 1]
    return text if len(first) == len(text) else f"{first} …"


class SummaryWriting:
    """Numbers the markers of an answer."""

    def __init__(self) -> None:
        self._count = 0

    def take(self) -> int:
        """The next number, for a marker that stands behind something else."""
        self._count += 1
        return self._count

    def cite(self, found: RankedSummary) -> Iterator[Event]:
        """Yield the next marker and its citations."""
        marker = f"[{self.take()}]"
        yield Delta(text=marker)
        yield from cite(marker, found, found.similarity or 1.0)


def summary_title(found: RankedSummary) -> str:
    """What a summary is of, in one line; a document without a title is called like its file."""
    return plain_title(format_heading(found.title, found.documents[0].uri) if _is_document(found) else found.title)


def _is_document(summary: RankedSummary) -> bool:
    return summary.kind is NodeKind.DOCUMENT and bool(summary.documents)


def distinguish_titles(summaries: Sequence[RankedSummary], titles: Sequence[str]) -> list[str]:
    """Titles of summaries, those of documents with the same one followed by the end of each document's address.

    Two sources may have documents with the same address, such as `README.md`: then its source stands before it.

    Args:
        summaries: of documents or groups.
        titles: the title of each, perhaps shortened.
    """
    addresses: dict[str, list[list[str]]] = {}
    for summary, title in zip(summaries, titles, strict=True):
        addresses.setdefault(title, []).append(_split_address(summary))
    return [
        f"{title} ({plain_title(_shortest_ending(_split_address(summary), addresses[title]))})"
        if len(addresses[title]) > 1 and _is_document(summary)
        else title
        for summary, title in zip(summaries, titles, strict=True)
    ]


def _split_address(summary: RankedSummary) -> list[str]:
    if not summary.documents:
        return []
    document = summary.documents[0]
    return [document.source, *unquote(document.uri).rstrip("/").split("/")]


def _shortest_ending(address: list[str], addresses: Sequence[list[str]]) -> str:
    """As many of the last parts of an address as no other one ends with."""
    for count in range(1, len(address) + 1):
        ending = address[-count:]
        if sum(other_address[-count:] == ending for other_address in addresses) == 1:
            break
    return "/".join(ending)


def plain_title(title: str) -> str:
    """A title in one line, as a part of an answer."""
    plain = plain_text(_SPACE.sub(" ", unescape(title)).strip().replace("*", ""))
    return plain if "`" in plain else without_emphasis(plain)


def plain_text(text: str) -> str:
    """A summary's text without links, and without what would read as a marker in an answer."""
    return _MARKER.sub(r"(\1)", without_links(text))


def translate_frame(text: str, language: str) -> str:
    """A summary that no model made, with what stands between the documents' words in a language that has texts."""
    if not has_texts(language):
        return text
    text = _MORE_NAMES.sub(lambda match: f"; {reader_text(MORE, language, count=match[1])}", text)
    if head := _COUNTED.match(text):
        shared_words = f" ({head['words']})" if head["words"] else ""
        text = f"{reader_text(DOCUMENTS, language, documents=head['count'])}{shared_words}: {text[head.end() :]}"
    return text.replace(SECTIONS, reader_text(SECTION_LIST, language), 1)


def _as_passage(found: RankedSummary, family: Family | None) -> Passage:
    """A summary as a passage; its version has the node's id, so that it never joins a passage of a document.

    Of a member of a family the first sentence is enough, but a model is told how many members there are.
    """
    text = found.text if family is None else f"{found.title}: {first_sentence(without_title(found.text, found.title))}"
    among = "" if family is None else f", one of {pluralize(len(family.members), 'document')} {family.label}".rstrip()
    document_titles = ", ".join(document.title for document in found.documents[:CITED])
    return Passage(
        rank=1,
        score=found.similarity or 1.0,
        scores=Scores(),
        chunk_id=found.id,
        document_id=found.id,
        document_version_id=found.id,
        source=found.source,
        uri=f"made from {found.document_count} documents, such as: {document_titles}"
        if found.document_count > 1
        else document_titles,
        title=f"Summary of {name_of(found.kind, found.title)}{among}, not a quote",
        category="",
        breadcrumb=(),
        start=0,
        end=len(text),
        line=1,
        position=0,
        kind="summary",
        text=text,
    )
