"""Answers and their citations.

Belongs here: these classes and their fields. Not here: how an answer is made. Guarantee: nothing here does input or
output; names are the table names' singular.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from headwater.domain.places import PlaceRange
from headwater.domain.search import Passage
from headwater.domain.versions import Publication

AnswerState = Literal["generating", "done", "cancelled", "interrupted", "failed"]
"""`generating` grows; `cancelled` on request and `interrupted` by the end of its process keep the text so far."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """An earlier question of a conversation, and its answer's text.

    `search_text` is the question as it was searched for, `documents` are those that the answer cites, in the order of
    its markers; both are empty if they are unknown.
    """

    question: str
    answer: str = ""
    search_text: str = ""
    documents: tuple[UUID, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """The evidence for a marker: `start` and `end` are offsets in the text of the document version.

    `place` is the position of the span in the original, or of its deciding sentences in a transcript; None if unknown.
    `trust` is that of the passage, None for a document below a summary; `score` says how well the span fits the answer.
    """

    marker: str
    title: str
    uri: str
    source: str
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    breadcrumb: tuple[str, ...]
    start: int
    end: int
    score: float
    place: PlaceRange | None = None
    node_id: UUID | None = None
    """The summary that the marker stands behind, if it quotes none: then the span is the whole document."""
    trust: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryCitation:
    """The evidence for a marker that stands behind what a summary says, with a copy of it and of how it was made.

    `kind` says what the summary is of: a document, a group, a source or a knowledge base. The documents that it was
    made of, `document_count`, are citations with the same marker; not all of many are cited.
    """

    marker: str
    node_id: UUID
    kind: str
    title: str
    text: str
    document_count: int
    summary_key: bytes
    model: str
    prompt_version: str
    run_id: str
    code_version: str
    made_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """A sentence, list item, table or block of code of an answer that a chat model wrote.

    `supported` says whether a source of the model says the same; `markers` are those of the citations that do.
    """

    text: str
    supported: bool
    markers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FurtherPassage:
    """A passage below an answer, which the answer does not cite: where it is, and one line of it.

    `start` and `end` are offsets in the text of the document version, `place` is their position in the original.
    """

    title: str
    uri: str
    source: str
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    breadcrumb: tuple[str, ...]
    start: int
    end: int
    line: str
    place: PlaceRange | None = None


Degraded = Literal["model_unavailable", "too_slow", "broke_off", "declined"]
"""Why an answer is not what the model was asked for: it was away, took too long, broke off, or found no answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """Text with citations, or a refusal: then `citations` is empty and `reason` says why.

    `summaries` are the citations of summaries.

    `as_of` is the past time of the question, None for the present; `notes` is what a reader must know to interpret
    the answer. `title`, `slug`, `description` and `intent` are those of `ReadQuestion`. `prompt_version` is None
    without a model. `error_code` and `error_detail` say why it failed. `saved_at` is when a growing
    answer was last saved. `search_text` is the question as it was searched for, empty before it was read. An answer of
    a conversation follows the one with the id `parent_id`, None at a beginning.

    `statements` are those of a chat model's reply; `quote` is the marker of the quote beneath it, empty without one;
    `further` are passages that it does not cite. `degraded` says why a quote stands in for the model. `readings` are
    the questions that a turn may mean, if the answer asks which. `asked_by` is the id of the key that asked, while it
    grows.
    """

    id: UUID
    knowledge_base: str
    question: str
    answer: str
    refused: bool
    reason: str | None
    citations: tuple[Citation, ...]
    passages: tuple[Passage, ...]
    model: str
    usage: Mapping[str, Any]
    timings_ms: Mapping[str, float]
    created_at: datetime
    as_of: datetime | None = None
    notes: tuple[str, ...] = ()
    state: AnswerState = "done"
    saved_at: datetime | None = None
    error_code: str | None = None
    error_detail: str | None = None
    title: str = ""
    slug: str = ""
    description: str = ""
    intent: str = ""
    prompt_version: str | None = None
    search_text: str = ""
    conversation_id: UUID | None = None
    parent_id: UUID | None = None
    summaries: tuple[SummaryCitation, ...] = ()
    statements: tuple[Statement, ...] = ()
    further: tuple[FurtherPassage, ...] = ()
    quote: str = ""
    degraded: Degraded | None = None
    readings: tuple[str, ...] = ()
    asked_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredCitation:
    """A stored citation with its copy of the lineage, and the current state of what it cites.

    If the version was removed, `is_available` is false and fields read from the version are None; `has_source` and
    `source_deleted_at` say why.
    """

    marker: str
    title: str
    uri: str
    source: str
    breadcrumb: tuple[str, ...]
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    start: int
    end: int
    score: float
    fetched_at: datetime
    run_id: str
    code_version: str
    embedding_model: str
    knowledge_base: str
    is_available: bool
    has_source: bool
    source_deleted_at: datetime | None
    sequence: int | None
    parser_version: str | None
    is_newest: bool | None
    chunk_run_id: str | None
    chunk_code_version: str | None
    chunk_settings: Mapping[str, Any] | None
    visible: tuple[Publication, ...]
    place: PlaceRange | None
    node_id: UUID | None
    outside_url: str | None  # of the project's Dagster whose run fetched it; None if that was Headwater's own
    upstream: tuple[Mapping[str, Any], ...]  # the project's assets that the source was made of in that run
    trust: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerSummary:
    """A line in a list of answers; `is_stale` means that it is made anew when its question is asked again."""

    id: UUID
    question: str
    title: str
    state: AnswerState
    is_refused: bool
    reason: str | None
    model: str
    is_stale: bool
    created_at: datetime
    as_of: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedSource:
    """A source with documents, tags or a category that are new or changed since the search for an answer, and when."""

    source: str
    changed_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredAnswer:
    """A stored answer; `stale_at` is when a source that it cites was deleted.

    `changed_sources` are those that its request selects, `changed_summaries` the markers of cited summaries that were
    made again since, or are gone. `source_revisions` is None if changes of documents do not
    make it stale: for an answer as of a past time, or from a release that did not keep revisions. `passages` are the
    JSON that was written by the release which made the answer. `further` are those whose version is still kept.
    """

    id: UUID
    knowledge_base: str
    question: str
    answer: str
    is_refused: bool
    reason: str | None
    citations: tuple[StoredCitation, ...]
    passages: tuple[Mapping[str, Any], ...]
    model: str
    embedding_model: str
    usage: Mapping[str, Any]
    timings_ms: Mapping[str, float]
    stale_at: datetime | None
    source_revisions: Mapping[str, int] | None
    changed_sources: tuple[ChangedSource, ...]
    created_at: datetime
    as_of: datetime | None
    notes: tuple[str, ...]
    state: AnswerState
    saved_at: datetime | None
    error_code: str | None
    error_detail: str | None
    title: str
    slug: str
    description: str
    intent: str
    prompt_version: str | None
    search_text: str
    conversation_id: UUID | None
    parent_id: UUID | None
    summaries: tuple[SummaryCitation, ...]
    changed_summaries: tuple[str, ...]
    statements: tuple[Statement, ...] = ()
    further: tuple[FurtherPassage, ...] = ()
    quote: str = ""
    degraded: Degraded | None = None
    readings: tuple[str, ...] = ()
