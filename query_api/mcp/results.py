"""The results of tools: fields for programs, and the same as text for a model.

Belongs here: their shapes, their text, and how long they may be. Not here: making them (`tools`). Guarantee: pure; by
`estimate_tokens`, neither the fields nor the text of a result from `fit` has more than `MAX_TOKENS`; whatever was
left out is counted, and the text says how to get it.
"""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar, Self
from uuid import UUID

from pydantic import BaseModel

from headwater.lexical.token_estimate import estimate_tokens
from query_api.mcp.arguments import MAX_TOKENS
from query_api.response_urls import Span

_MAX_TEXT_CHARS = 100_000  # characters of one text; spaces count as no tokens
_CUT = " …"
_SPECIAL = re.compile(r"([\\\[\]`*_<>])")


class Result(BaseModel):
    """Base of all results."""

    def text(self) -> str:
        """The result for a model."""
        raise NotImplementedError

    def fit(self) -> Self:
        """Shorten a result that is too long; returns itself."""
        return self


class ListResult(Result):
    """Base of results with a list; `left_out` counts what was left out of it because the result would be too long."""

    LIST: ClassVar[str]
    MORE: ClassVar[str]
    """How to get what was left out."""

    left_out: int = 0

    def fit(self) -> Self:
        """Leave out the last parts of a list that is too long; returns itself."""
        items: list[Any] = getattr(self, self.LIST)
        while items and self._is_too_long():
            items.pop()
            self.left_out += 1
        return self

    def _is_too_long(self) -> bool:
        return max(estimate_tokens(self.text()), estimate_tokens(self.model_dump_json())) > MAX_TOKENS

    def ending(self) -> list[str]:
        """What follows the text if something was left out."""
        return [f"{self.left_out} more did not fit here. {self.MORE}"] if self.left_out else []


class KnowledgeBaseItem(BaseModel):
    """A knowledge base; `categories` are those of its documents, with their number."""

    slug: str
    name: str
    description: str
    categories: dict[str, int]


class KnowledgeBaseList(ListResult):
    """The knowledge bases by slug; if `next` is not null, ask again with `after` set to it."""

    LIST = "knowledge_bases"
    MORE = "Ask again with `after`."

    knowledge_bases: list[KnowledgeBaseItem]
    next: str | None

    def fit(self) -> Self:
        """Leave out the last ones if there are too many; the next request continues with them."""
        super().fit()
        if self.left_out and self.knowledge_bases:
            self.next = self.knowledge_bases[-1].slug
        return self

    def text(self) -> str:
        """A line for each."""
        lines = [
            f"- {base.slug}: {one_line('. '.join(filter(None, (base.name, base.description))))}"
            for base in self.knowledge_bases
        ]
        hint = [f"There are more: ask again with after={self.next}."] if self.next else []
        return "\n".join([*lines, *hint]) or "There are no knowledge bases."


class Passage(BaseModel):
    """A passage: the text of a document version from `start` to `end`; `link` is where people can read it."""

    number: int
    title: str
    breadcrumb: list[str]
    link: str
    source: str
    uri: str
    place: str | None = None
    text: str
    chunk_id: UUID | None = None
    document_version_id: UUID
    start: int
    end: int
    score: float | None = None

    def shown(self) -> str:
        """It as text, with its number and its link."""
        head = " > ".join([self.title, *self.breadcrumb[self.breadcrumb[:1] == [self.title] :]])
        return f"[{self.number}] {format_link(head, self)}\n{self.text}"


class SearchResult(ListResult):
    """What a search found, best first; `notes` are for the reader."""

    LIST = "passages"
    MORE = "Narrow the search with filters, or ask for fewer with top_k."

    passages: list[Passage]
    notes: list[str]

    def text(self) -> str:
        """The passages with their links."""
        texts = [passage.shown() for passage in self.passages] or ["Nothing was found."]
        return "\n\n".join([*texts, *self.notes, *self.ending()])


class Source(BaseModel):
    """What a marker in a text, such as `[1]`, stands for."""

    marker: str
    title: str
    link: str
    uri: str
    place: str | None
    document_version_id: UUID
    start: int
    end: int


class Further(BaseModel):
    """A passage that an answer does not cite; `line` is one line of it."""

    title: str
    link: str
    uri: str
    place: str | None
    line: str
    document_version_id: UUID
    start: int
    end: int


class AskResult(ListResult):
    """An answer with its sources, or a refusal: then `reason` says why.

    With the reason `unclear`, the answer asks which of `readings` is meant. `further` are passages that it does not
    cite, the closest ones below a refusal. `unsupported` are the sentences of a model that no passage supports.
    `degraded` says why a quote stands in for the model, null if none does.
    """

    LIST = "sources"
    MORE = "The tool trace lists all of them."

    answer_id: UUID
    answer: str
    refused: bool
    reason: str | None
    sources: list[Source]
    further: list[Further] = []
    unsupported: list[str] = []
    degraded: str | None = None
    readings: list[str] = []
    notes: list[str]

    def text(self) -> str:
        """The answer, its numbered sources, further passages, and its id."""
        sources = [_sources_text(self.sources)] if self.sources else []
        is_refusal = self.refused and not self.readings
        reason = [f"This is a refusal ({self.reason}): the documents do not answer it."] if is_refusal else []
        word = "Closest" if self.refused else "Further"
        further = ["\n".join(f"{word}: {_further_text(passage)}" for passage in self.further)] if self.further else []
        unsupported = [f"No passage supports: {' '.join(map(one_line, self.unsupported))}"] if self.unsupported else []
        traced = f"Answer {self.answer_id}; the tool trace leads from it to the runs that fetched its sources."
        return "\n\n".join(
            [self.answer, *reason, *sources, *further, *self.notes, *unsupported, *self.ending(), traced]
        )


class ContextResult(ListResult):
    """A question with the passages that may answer it; `message` has them, `system_message` says how to use them.

    `passages` name what the numbers in `message` stand for.
    """

    LIST = "passages"
    MORE = "The numbers of the others are in the message."

    message: str
    system_message: str
    token_count: int
    intent: str
    passages: list[Source]
    notes: list[str]

    def text(self) -> str:
        """Both messages and the links of the passages."""
        sources = _sources_text(self.passages) if self.passages else "No passage is trusted to answer this."
        return "\n\n".join([self.system_message, self.message, sources, *self.notes, *self.ending()])


class ReadResult(Result):
    """A span of a document version; if `next` is not null, read on from there.

    `state` is `current` if readers see this version; otherwise it is `replaced`, `withdrawn` or `unpublished`.
    """

    document_version_id: UUID
    document_id: UUID
    title: str
    uri: str
    link: str
    knowledge_base: str
    source: str
    state: str
    fetched_at: datetime
    characters: int
    start: int
    end: int
    next: int | None
    content: str

    def text(self) -> str:
        """The span, below what it is."""
        hint = [f"Read on with start={self.next}."] if self.next is not None else []
        head = f"{format_link(self.title, self)}, {self.state}, {self.characters} characters in all"
        return "\n\n".join([head, self.content, *hint])


def cut(text: str, most_tokens: int) -> str:
    """The beginning of a text, with a mark if it is cut."""
    shortened = beginning(text, most_tokens)
    return shortened if shortened == text else shortened + _CUT


def beginning(text: str, most_tokens: int) -> str:
    """As much of a text as some tokens hold, as JSON too, which has more signs."""
    text = text[:_MAX_TEXT_CHARS]
    low, high = 0, len(text)
    while low < high:
        middle = high if low == 0 and high == len(text) else (low + high + 1) // 2
        if estimate_tokens(json.dumps(text[:middle], ensure_ascii=False)) <= most_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def one_line(text: str) -> str:
    """A text without line breaks."""
    return " ".join(text.split())


def format_link(title: str, span: Span) -> str:
    """A title with its link, and the span to read with `read_document`."""
    label = _SPECIAL.sub(r"\\\1", one_line(title))
    return f"[{label}]({span.link}) (version {span.document_version_id}, characters {span.start}-{span.end})"


def _further_text(passage: Further) -> str:
    return f"{format_link(passage.title, passage)}{f', {passage.place}' if passage.place else ''}: {passage.line}"


def _sources_text(sources: Sequence[Source]) -> str:
    lines = [
        f"{source.marker} {format_link(source.title, source)}{f', {source.place}' if source.place else ''}"
        for source in sources
    ]
    return "\n".join(["Sources:", *lines])
