"""The nouns of Headwater as frozen value objects.

Belongs here: what one concept is, with its fields. Not here: how any of
it is made or stored. Guarantee: nothing here does input or output; names are the table names' singular.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import StringConstraints

from headwater.knowledge_base_settings import KnowledgeBaseSettings
from headwater.media_types import MediaType

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$")]


@dataclass(frozen=True, kw_only=True, slots=True)
class KnowledgeBase:
    """A named corpus that is questioned on its own."""

    id: int
    slug: str
    name: str
    description: str
    settings: KnowledgeBaseSettings
    created_at: datetime
    updated_at: datetime


class SourceState(StrEnum):
    """Where a source stands, as its last sync left it; `deleting` until the rows of a deleted one are gone."""

    PENDING = "pending"
    SYNCING = "syncing"
    READY = "ready"
    FAILED = "failed"
    DELETING = "deleting"


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A configured origin of documents within one knowledge base."""

    id: int
    knowledge_base_id: int
    knowledge_base: str
    slug: str
    kind: str
    config: Mapping[str, Any]
    state: SourceState
    error: str | None
    document_count: int
    refresh_seconds: int | None
    tags: tuple[str, ...]
    category: str
    paused_at: datetime | None
    synced_at: datetime | None
    verified_at: datetime | None  # when it was last read whole, without trusting fingerprints
    drift_share: float | None  # of its chunks, those that a fresh cut would not make; None while nobody has counted
    next_sync_at: datetime | None  # when it is due by its own interval; None without one and while it is paused
    created_at: datetime
    skipped: tuple[Mapping[str, Any], ...] = ()  # what its last sync left out: see `headwater.skipping`

    @property
    def key(self) -> str:
        """The source's Dagster partition."""
        return f"{self.knowledge_base}/{self.slug}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Deletion:
    """The receipt of a deleted source or knowledge base: `key` is its slug or slugs, `row_id` the id it had.

    `removed` counts rows by table; it grows until `finished_at`, when the rows are gone too.
    """

    id: int
    kind: Literal["source", "knowledge_base"]
    key: str
    row_id: int
    removed: Mapping[str, int]
    files_removed: int
    requested_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedDocument:
    """The text of one document, ready to be versioned.

    `metadata` is what the document says about itself, JSON values only; `references` are the URIs that it links to
    within its source, in order of appearance. `media_type` chooses the chunker.
    """

    uri: str
    title: str
    text: str
    media_type: MediaType = "text/markdown"
    category: str = ""
    language: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what of the document could not be read, for the sync to report; not stored


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentProblem:
    """One document that could not be read, or was read in part. `uri` is empty when even that is unknown."""

    uri: str
    code: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentVersion:
    """One state of a document's text."""

    id: UUID
    document_id: UUID
    uri: str
    title: str
    text: str
    media_type: str


class ChunkKind(StrEnum):
    """Which chunker's rules a chunk follows."""

    MARKDOWN = "markdown"
    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A contiguous span of one document version: `text == version.text[start:end]`.

    `prose` is the text without multi-line code, which is what gets embedded; equal to `text` where there is no such
    code. `overlap` counts the leading characters that repeat the chunk before. `line` is 1-based. `parent` is the
    position of the chunk that it stands under, by headings or by nesting. `outgoing` are the targets of its links as
    they are written; `quality` is between 0 and 1 (CHK-3).
    """

    kind: ChunkKind
    start: int
    end: int
    text: str
    prose: str
    breadcrumb: tuple[str, ...]
    line: int
    overlap: int = 0
    parent: int | None = None
    outgoing: tuple[str, ...] = ()
    token_count: int = 0
    quality: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Lineage:
    """What made a derived row: written beside every one of them."""

    run_id: str
    code_version: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchIndex:
    """What a knowledge base answers from: (knowledge base, model, chunk settings, language), and where it lies.

    `shard` is 0 in the table that small indexes share, which is scanned exactly; `ef_search` and `recall` are what was
    measured of the HNSW index of a larger one. `gate` is the report it was last judged by.
    """

    id: int
    knowledge_base_id: int
    model: str
    dimensions: int
    """0 until the first vector of a model that does not know its own."""
    chunk_settings: Mapping[str, Any]
    settings_hash: bytes
    language: str
    state: str
    shard: int
    ef_search: int | None
    recall: float | None
    gate: Mapping[str, Any] | None
    created_at: datetime
    activated_at: datetime | None
    retained_at: datetime | None

    def is_for(self, settings: KnowledgeBaseSettings, settings_hash: bytes) -> bool:
        """Whether it is the index of some settings, whose chunk settings have this hash."""
        mine = (self.model, self.settings_hash, self.language)
        return mine == (settings.embedding_model, settings_hash, settings.language)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFilters:
    """Which part of a knowledge base to search; an empty tuple means everything.

    A category matches itself and everything beneath it: `how-tos` matches `how-tos/providers`. It is a document's own
    or its source's. A tag is its source's; one of several is enough. A document is named by its id or its URI; a
    language matches its variants too (`en` matches `en-GB` and `EN_us`). A document's date is the one it names, else
    when it was fetched; it lies from `dated_from` on and before `dated_to`.
    """

    sources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    dated_from: datetime | None = None
    dated_to: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", tuple(category.strip("/") for category in self.categories))
        languages = tuple(language.strip().lower().replace("_", "-") for language in self.languages)
        object.__setattr__(self, "languages", languages)
        for name in ("dated_from", "dated_to"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                object.__setattr__(self, name, moment.replace(tzinfo=UTC))


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """Every score that led to a passage (RET-8); None where a step did not see it.

    `vector` is the cosine similarity of the chunk and `heading` that of its breadcrumb alone; `text` is its BM25 score;
    ranks count from 1 within each leg. `fused` is the score of all legs together, `rerank` the reranker's, between
    0 and 1, `boost` the product of the rules that applied, `via` says from which passage traversal came here, and
    `trust` is the probability that it is relevant.
    """

    vector: float | None = None
    vector_rank: int | None = None
    text: float | None = None
    text_rank: int | None = None
    heading: float | None = None
    heading_rank: int | None = None
    fused: float = 0.0
    rerank: float | None = None
    boost: float = 1.0
    via: str | None = None
    trust: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A chunk that search returned, with the scores that brought it up.

    `score` is the one it is ranked by; `scores` is how it came about. `start` and `end` are offsets in the text of the
    document version, and `position` is the chunk's number in it. `language` is its document's, empty when nobody knows.
    """

    rank: int
    score: float
    scores: Scores
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    source: str
    uri: str
    title: str
    category: str
    breadcrumb: tuple[str, ...]
    start: int
    end: int
    line: int
    position: int
    kind: str
    text: str
    language: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A quoted span's evidence: `start` and `end` are offsets in the text of the document version."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """Text with citations, or an honest refusal: then `citations` is empty and `reason` says why.

    `as_of` is the past time that it was asked as of, None for the present; `notes` is what must be known to read it
    rightly.
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
