"""Shapes of documents, their versions and chunks.

Belongs here: response models of stored documents. Not here: the lineage of answers (`lineage_payloads`).
Guarantee: as in `payloads`; offsets count characters of the version's whole text.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, model_validator

from headwater.domain.versions import StoredChunk, StoredDocument, StoredVersion
from headwater.errors import InvalidInputError
from query_api.response_urls import find_run_url, partition_url, run_url
from query_api.routes.lineage_payloads import KeptVersion
from query_api.routes.place_payloads import PlacePayload, place_link
from query_api.routes.summary_payloads import SummaryText


class DocumentPayload(BaseModel):
    """A document as its newest version describes it; `current_version_id` is the version that readers see, or null.

    `run_id` is the run that fetched the newest version; `removed_at` is when the document disappeared from its source.
    """

    id: UUID
    knowledge_base: str
    source: str
    uri: str
    title: str
    media_type: str
    category: str
    language: str
    newest_version_id: UUID
    current_version_id: UUID | None
    versions: int
    removed_at: datetime | None
    created_at: datetime
    run_id: str
    run_url: str
    dagster_url: str

    @classmethod
    def of(cls, document: StoredDocument, dagster_url: str) -> "DocumentPayload":
        """Make it from a stored document."""
        links = _links(document, "documents", dagster_url)
        return cls.model_validate({**asdict(document), "versions": document.version_count, **links})


class ChunkSetPayload(BaseModel):
    """One way in which a version was split; the settings are null if no index has them any more."""

    chunk_settings: dict[str, Any] | None
    chunk_count: int
    embedding_models: list[str] | None
    run_id: str
    code_version: str


class VersionSummary(KeptVersion):
    """A version without its text: the run, parser and chunkers that made it, and when readers saw it."""

    id: UUID
    document_id: UUID
    title: str
    dagster_url: str
    chunk_sets: list[ChunkSetPayload]

    @classmethod
    def of(cls, version: StoredVersion, dagster_url: str) -> "VersionSummary":
        """Make it from a stored version."""
        return cls.model_validate(_version(version, dagster_url))


class VersionList(BaseModel):
    """The versions of a document that are kept, newest first."""

    versions: list[VersionSummary]

    @classmethod
    def of(cls, versions: Sequence[StoredVersion], dagster_url: str) -> "VersionList":
        """Make it from stored versions."""
        return cls(versions=[VersionSummary.of(version, dagster_url) for version in versions])


class SpanPayload(BaseModel):
    """A part of a version's text: `text == version.text[start:end]`."""

    start: int
    end: int
    text: str


class VersionPayload(VersionSummary):
    """A version with its text. If a span was requested, `text` is the span with its context, from `text_start` on."""

    knowledge_base: str
    source: str
    uri: str
    media_type: str
    category: str
    language: str
    metadata: dict[str, Any]
    references: list[str]
    characters: int
    text: str
    text_start: int
    span: SpanPayload | None

    @classmethod
    def part(
        cls, version: StoredVersion, dagster_url: str, *, start: int | None, end: int | None, context: int
    ) -> "VersionPayload":
        """Make it from a stored version.

        Args:
            version: the version with its whole text.
            dagster_url: the Dagster UI's address.
            start: start of the span; by default the text's beginning.
            end: end of the span; by default the text's end.
            context: characters to show on each side of it.

        Raises:
            InvalidInputError: the text has no such span.
        """
        full_text = version.text or ""
        span, text, text_start = None, full_text, 0
        if start is not None or end is not None:
            first, last = start or 0, len(full_text) if end is None else end
            if not first <= last <= len(full_text):
                raise InvalidInputError(
                    f"There is no span from {first} to {last}: the text has {len(full_text)} characters."
                )
            span = SpanPayload(start=first, end=last, text=full_text[first:last])
            text_start = max(0, first - context)
            text = full_text[text_start : last + context]
        fields = {"text": text, "text_start": text_start, "span": span, "characters": len(full_text)}
        return cls.model_validate({**_version(version, dagster_url), "references": version.outgoing, **fields})


class ChunkPayload(BaseModel):
    """A chunk in the version that readers see (`current`), or else in the newest that contains it.

    `parent` and `children` are the chunks above and below it, `outgoing` are the targets of its links,
    as written. `tokens` is an estimate; `quality` is between 0 and 1. `place` is the position of the chunk in
    the original, null if unknown; `link` opens the document there, null if its URI is not an address. `summary` is one
    sentence, null if it has none.
    """

    id: UUID
    knowledge_base: str
    source: str
    uri: str
    title: str
    document_id: UUID
    document_version_id: UUID
    current: bool
    kind: str
    breadcrumb: list[str]
    position: int
    start: int
    end: int
    line: int
    characters: int
    tokens: int
    quality: float
    parent: UUID | None
    children: list[UUID]
    outgoing: list[str]
    text: str
    summary: SummaryText | None
    chunk_settings: dict[str, Any] | None
    run_id: str
    run_url: str
    dagster_url: str
    code_version: str
    place: PlacePayload | None = None
    link: str | None = None

    @model_validator(mode="after")
    def _add_url(self) -> "ChunkPayload":
        self.link = place_link(self.uri, self.place)
        return self

    @classmethod
    def of(cls, chunk: StoredChunk, dagster_url: str) -> "ChunkPayload":
        """Make it from a stored chunk."""
        sizes = {"characters": chunk.character_count, "tokens": chunk.token_count, "current": chunk.is_current}
        return cls.model_validate({**asdict(chunk), **sizes, **_links(chunk, "chunks", dagster_url)})


def _version(version: StoredVersion, dagster_url: str) -> dict[str, Any]:
    return {**KeptVersion.values(version, dagster_url), **_links(version, "documents", dagster_url)}


def _links(stored: StoredDocument | StoredVersion | StoredChunk, asset: str, dagster_url: str) -> dict[str, str]:
    return {
        "run_url": run_url(stored.outside_url or dagster_url, stored.run_id),
        "dagster_url": find_run_url(stored.outside_url, stored.run_id)
        or partition_url(dagster_url, asset, f"{stored.knowledge_base}/{stored.source}"),
    }
