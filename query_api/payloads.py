"""Shapes of responses: what the HTTP API returns and the command line prints with `--json`.

Belongs here: response models and how they are made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.answers import Answer, Citation
from headwater.domain.corpus import Deletion, KnowledgeBase, Source
from headwater.domain.source_settings import format_interval
from query_api.links import partition_url
from query_api.search_payloads import PassagePayload
from query_api.sync_payloads import SkippedItem


class KnowledgeBasePayload(BaseModel):
    """A knowledge base with its settings, defaults included, and the categories its documents have."""

    slug: str
    name: str
    description: str
    settings: dict[str, Any]
    categories: dict[str, int]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, knowledge_base: KnowledgeBase, categories: Mapping[str, int]) -> "KnowledgeBasePayload":
        """Make it from a knowledge base."""
        return cls(
            slug=knowledge_base.slug,
            name=knowledge_base.name,
            description=knowledge_base.description,
            settings=knowledge_base.settings.model_dump(),
            categories=dict(categories),
            created_at=knowledge_base.created_at,
            updated_at=knowledge_base.updated_at,
        )


class KnowledgeBasePage(BaseModel):
    """Some knowledge bases by slug; ask again with `after=next` while `next` is there."""

    knowledge_bases: list[KnowledgeBasePayload]
    next: str | None


class SourcePayload(BaseModel):
    """A source and where it stands; `error` says why it failed, `dagster_url` is its partition in the Dagster UI.

    `refresh` is its interval, such as `6h`, and `next_sync_at` when it is due by it; both are null without one, and
    `next_sync_at` while it is paused. `verified_at` is when it was last read whole, without trusting fingerprints.
    `drift` is the share of its chunks that a fresh cut would not make, null while that is not known.
    `skipped` is what its last sync left out, by reason.
    """

    slug: str
    kind: str
    config: dict[str, Any]
    refresh: str | None
    tags: list[str]
    category: str
    paused: bool
    state: str
    error: str | None
    documents: int
    synced_at: datetime | None
    verified_at: datetime | None
    drift: float | None
    next_sync_at: datetime | None
    created_at: datetime
    dagster_url: str
    skipped: list[SkippedItem]

    @classmethod
    def of(cls, source: Source, dagster_url: str) -> "SourcePayload":
        """Make it from a source."""
        return cls(
            slug=source.slug,
            kind=source.kind,
            config=dict(source.config),
            refresh=source.refresh_seconds and format_interval(source.refresh_seconds),
            tags=list(source.tags),
            category=source.category,
            paused=source.paused_at is not None,
            state=source.state.value,
            error=source.error,
            documents=source.document_count,
            synced_at=source.synced_at,
            verified_at=source.verified_at,
            drift=source.drift_share,
            next_sync_at=source.next_sync_at,
            created_at=source.created_at,
            dagster_url=partition_url(dagster_url, "documents", source.key),
            skipped=[SkippedItem.model_validate(line) for line in source.skipped],
        )


class SourceList(BaseModel):
    """The sources of a knowledge base, by slug."""

    sources: list[SourcePayload]


class DeletionPayload(BaseModel):
    """The receipt of a deletion: `removed` counts rows by table, and grows until `finished_at`.

    `kind` is source or knowledge_base, `key` the slug, or both slugs.
    """

    id: int
    kind: str
    key: str
    removed: dict[str, int]
    files_removed: int
    requested_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, deletion: Deletion) -> "DeletionPayload":
        """Make it from a deletion."""
        return cls.model_validate(deletion, from_attributes=True)


class DeletionPage(BaseModel):
    """Some deletions, newest first; ask again with `after=next` while `next` is there."""

    deletions: list[DeletionPayload]
    next: int | None


class CitationPayload(BaseModel):
    """What a marker in the answer stands for."""

    marker: str
    title: str
    uri: str
    source: str
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    breadcrumb: list[str]
    start: int
    end: int
    score: float

    @classmethod
    def of(cls, citation: Citation) -> "CitationPayload":
        """Make it from a citation."""
        return cls.model_validate(citation, from_attributes=True)


class AnswerPayload(BaseModel):
    """An answer, or a refusal: then `reason` says why and there are no citations.

    `stale` is true once a source that it cites was deleted. `as_of` is the past time that it was asked as of, null for
    the present; `notes` say what must be known to read it rightly.
    """

    id: UUID
    knowledge_base: str
    question: str
    answer: str
    refused: bool
    reason: str | None
    citations: list[CitationPayload]
    passages: list[PassagePayload]
    model: str
    usage: dict[str, Any]
    timings_ms: dict[str, float]
    stale: bool = False
    created_at: datetime
    as_of: datetime | None
    notes: list[str]

    @classmethod
    def of(cls, answer: Answer) -> "AnswerPayload":
        """Make it from an answer just made."""
        return cls.model_validate(answer, from_attributes=True)

    @classmethod
    def stored(cls, row: Mapping[str, Any], citations: Sequence[Mapping[str, Any]]) -> "AnswerPayload":
        """Make it from the store's rows."""
        cited = [{**c, "start": c["start_offset"], "end": c["end_offset"]} for c in citations]
        return cls.model_validate(
            {**row, "refused": row["is_refused"], "stale": row["stale_at"] is not None, "citations": cited}
        )


class Problem(BaseModel):
    """What went wrong (RFC 9457); `code` is stable, `errors` names wrong fields."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[dict[str, Any]] = []


class ReadyPayload(BaseModel):
    """Whether the API can answer, and what each dependency says."""

    status: str
    dependencies: dict[str, str]
