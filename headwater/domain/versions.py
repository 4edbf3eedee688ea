"""Stored documents, versions and chunks, with the run that made them and when readers saw them (LIN-1).

Belongs here: these classes and their fields. Not here: what a sync writes (`documents`), answers and their citations
(`answers`). Guarantee: nothing here does input or output; offsets count characters of a version's whole text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from headwater.domain.places import PlaceRange
from headwater.domain.summaries import MadeSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class Publication:
    """A period in which readers saw a version: until now if `withdrawn_at` is None, else until `replaced_by` came."""

    published_at: datetime
    withdrawn_at: datetime | None
    replaced_by: UUID | None


def is_current(visible: Sequence[Publication]) -> bool:
    """Whether readers see a version now, given the periods in which they saw it."""
    return any(publication.withdrawn_at is None for publication in visible)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredDocument:
    """A document as its newest version describes it; `current_version_id` is the version that readers see."""

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
    version_count: int
    removed_at: datetime | None
    created_at: datetime
    run_id: str
    outside_url: str | None  # of the project's Dagster whose run made it; None if that was Headwater's own


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkSet:
    """One way in which a version was split; the settings are None if no index has them any more."""

    chunk_settings: Mapping[str, Any] | None
    chunk_count: int
    embedding_models: tuple[str, ...] | None
    run_id: str
    code_version: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredVersion:
    """A stored version; `text` is None in lists."""

    id: UUID
    document_id: UUID
    knowledge_base: str
    source: str
    uri: str
    sequence: int
    title: str
    media_type: str
    category: str
    language: str
    metadata: Mapping[str, Any]
    outgoing: tuple[str, ...]
    text: str | None
    fetched_at: datetime
    run_id: str
    code_version: str
    parser_version: str
    is_newest: bool
    outside_url: str | None  # of the project's Dagster whose run made it; None if that was Headwater's own
    chunk_sets: tuple[ChunkSet, ...]
    visible: tuple[Publication, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkGroup:
    """The chunks of a version from number `first` to `last`, counted from 1; `id` is that of the first.

    `quality` is their mean, between 0 and 1; `character_count` is their sum. `is_chosen` is true if one of them was
    asked for.
    """

    id: UUID
    first: int
    last: int
    quality: float
    character_count: int
    is_chosen: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkSpan:
    """Where a chunk is in one version, its number, and the chunks beside it; None at either end of the version."""

    id: UUID
    number: int
    start: int
    end: int
    line: int
    before: UUID | None
    after: UUID | None


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionChunks:
    """The chunks of a version in groups of neighbours, and one by one around the chosen one, if there is one.

    `around` is empty if every chunk is a group of its own. `chosen` is None if the version has no such chunk.
    """

    groups: tuple[ChunkGroup, ...]
    around: tuple[ChunkGroup, ...]
    chosen: ChunkSpan | None

    @property
    def count(self) -> int:
        """How many chunks the version has."""
        return self.groups[-1].last if self.groups else 0


@dataclass(frozen=True, kw_only=True, slots=True)
class TextPart:
    """A part of a version's text, which has `character_count` characters in all; `start` is the offset of the part."""

    text: str
    start: int
    character_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredChunk:
    """A chunk in one version; `is_current` says whether readers see that version.

    `place` is its position in the original, None if unknown; `summary` is one sentence, None if it has none.
    """

    id: UUID
    document_id: UUID
    document_version_id: UUID
    knowledge_base: str
    source: str
    uri: str
    title: str
    kind: str
    breadcrumb: tuple[str, ...]
    position: int
    start: int
    end: int
    line: int
    text: str
    character_count: int
    token_count: int
    quality: float
    outgoing: tuple[str, ...]
    parent: UUID | None
    children: tuple[UUID, ...]
    chunk_settings: Mapping[str, Any] | None
    run_id: str
    code_version: str
    is_current: bool
    place: PlaceRange | None
    summary: str | None
    outside_url: str | None  # of the project's Dagster whose run made it; None if that was Headwater's own


@dataclass(frozen=True, kw_only=True, slots=True)
class HoldingVersion:
    """A version that contains a chunk, and the chunk's `place` in the original, None if unknown."""

    document_version_id: UUID
    sequence: int
    breadcrumb: tuple[str, ...]
    start: int
    end: int
    line: int
    embedding_models: tuple[str, ...] | None
    fetched_at: datetime
    run_id: str
    code_version: str
    parser_version: str
    is_newest: bool
    visible: tuple[Publication, ...]
    place: PlaceRange | None
    outside_url: str | None  # of the project's Dagster whose run made it; None if that was Headwater's own


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkOrigin:
    """The origin of a chunk: the run that made it, its summary, and every version that contains it, newest first."""

    chunk_id: UUID
    text: str
    knowledge_base: str
    source: str
    uri: str
    document_id: UUID
    chunk_settings: Mapping[str, Any] | None
    chunk_run_id: str
    chunk_code_version: str
    chunk_outside_url: str | None  # as `outside_url`
    summary: MadeSummary | None
    versions: tuple[HoldingVersion, ...]
