"""Shapes of requests.

Belongs here: bodies, paths and queries. Not here: responses (`routes/*_payloads`). Guarantee: unknown fields are
refused, so that a misspelt field is not silently ignored.
"""

from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from headwater.administration.sources import NewAddress, SourceEdit
from headwater.domain.closed_model import ClosedModel
from headwater.domain.corpus import Slug
from headwater.domain.knowledge_base_settings import GroupBy, KnowledgeBaseSettings
from headwater.domain.search import SearchFilters
from headwater.domain.source_settings import CategoryPath, CronLine, Interval, Share, SourceSettings, Tags, TimeZone
from headwater.retrieval.finder import Mode, SearchOptions
from headwater.retrieval.query import QUERY_LIMIT

Reply = dict[str, Any] | tuple[dict[str, Any] | str, int] | tuple[dict[str, Any], int, dict[str, str]]
"""The result of a route: a body, its status, its headers. (Flask's own type cannot be read at run time.)"""


class Body(ClosedModel):
    """Base of every body: a missing body counts as an empty one."""

    @model_validator(mode="before")
    @classmethod
    def _absent(cls, value: Any) -> Any:
        return {} if value is None else value


class KnowledgeBasePath(BaseModel):
    """A knowledge base by its slug."""

    kb: str


class SourcePath(KnowledgeBasePath):
    """A source by its slug."""

    source: str


class TreeQuery(BaseModel):
    """How much of a summary tree to show: `depth` levels below its top, and at most `limit` summaries."""

    depth: int = Field(default=2, ge=0, le=30)
    limit: int = Field(default=500, ge=1, le=5_000)


class EstimateQuery(BaseModel):
    """The sources of a sync; all by default."""

    source: list[str] = []


class SymbolQuery(BaseModel):
    """A symbol of code by its name, or the end of its qualified name."""

    name: str = Field(min_length=1, max_length=500)


class DrawingQuery(BaseModel):
    """Which summary trees to draw: of one `source` or of all; `depth` levels below their tops, or as many as fit."""

    source: str | None = None
    depth: int | None = Field(default=None, ge=0, le=30)


class NodePath(BaseModel):
    """A summary by its id."""

    id: UUID


class QuestionsQuery(BaseModel):
    """Which questions to offer: `like` is what a reader has typed, `source` the slug of a source."""

    like: str = Field(default="", max_length=QUERY_LIMIT)
    limit: int = Field(default=10, ge=1, le=50)
    source: str | None = None


class UploadPath(SourcePath):
    """An uploaded file by its name, which may contain folders."""

    name: str


class UploadQuery(BaseModel):
    """Whether to request a sync once the upload is stored, or deleted."""

    sync: bool = False


class UploadsQuery(BaseModel):
    """A part of the list of uploads."""

    after: str = ""
    limit: int = Field(default=50, ge=1, le=200)


class SearchIndexPath(KnowledgeBasePath):
    """A search index by its number."""

    id: int


class SyncPath(BaseModel):
    """A sync by its number."""

    id: int


class ChunkPath(BaseModel):
    """A chunk by its id."""

    id: UUID


class DocumentPath(BaseModel):
    """A document by its id."""

    id: UUID


class VersionPath(BaseModel):
    """A document version by its id."""

    id: UUID


class SpanQuery(BaseModel):
    """A span of a text, in characters, and how many to show on each side of it."""

    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    context: int = Field(default=200, ge=0, le=10_000)


class PageQuery(BaseModel):
    """A part of a list."""

    after: str = ""
    limit: int = Field(default=50, ge=1, le=200)


class SyncsQuery(BaseModel):
    """Which syncs: those of one knowledge base if it is named, from before a given one."""

    knowledge_base: str | None = None
    after: int | None = Field(default=None, ge=1, lt=2**63)
    limit: int = Field(default=50, ge=1, le=200)


class NewKnowledgeBase(Body):
    """A knowledge base to create; `name` defaults to the slug."""

    slug: Slug
    name: str | None = Field(default=None, max_length=200)
    description: str = Field(default="", max_length=4000)
    settings: KnowledgeBaseSettings = KnowledgeBaseSettings()


class KnowledgeBaseChange(Body):
    """Changes to a knowledge base; single `settings` that are not given stay."""

    slug: Slug | None = None
    name: str | None = Field(default=None, max_length=200)
    description: str | None = Field(default=None, max_length=4000)
    settings: dict[str, Any] | None = None


class DeletionPath(BaseModel):
    """A deletion by its number."""

    id: int


class DeletionQuery(BaseModel):
    """A part of the list: the deletions before a given one."""

    after: int | None = None
    limit: int = Field(default=50, ge=1, le=200)


class NewSource(Body, SourceSettings):
    """A source to register, with the fields of a knowledge base file: `slug`, `kind`, and the fields of its kind.

    The fields of the kind may also be given together as `config`, as in responses. With an `address`, a path or an
    https:// address, the slug, the kind and its fields are guessed if they are not given.
    """

    model_config = ConfigDict(extra="allow")

    slug: Slug | None = None
    kind: str | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    address: Annotated[str, StringConstraints(min_length=1, max_length=2_000)] | None = None

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        missing = [name for name in ("slug", "kind") if getattr(self, name) is None]
        if self.address is None and missing:
            raise ValueError(f"{missing[0]} is missing: give it, or an address from which it is guessed")
        return self

    def new_address(self, text: str) -> NewAddress:
        """The same for the kernel, for a body with an address."""
        return NewAddress(text=text, kind=self.kind, slug=self.slug, fields=self.fields(), settings=self.settings())

    def fields(self) -> dict[str, Any]:
        """The fields of its kind."""
        return {**self.config, **(self.model_extra or {})}

    def settings(self) -> SourceSettings:
        """The settings that every source has."""
        return SourceSettings(**self.model_dump(include=set(SourceSettings.model_fields)))


class SourceChange(Body):
    """Changes to a source: single fields of its kind, or all of them together as `config`.

    A null clears `refresh`, `schedule`, `time_zone`, `tags`, `category`, `paused`, `deletion_guard` or `workers`.
    """

    model_config = ConfigDict(extra="allow")

    kind: str | None = None
    config: dict[str, Any] | None = None
    refresh: Interval = None
    schedule: CronLine = None
    time_zone: TimeZone | None = None
    tags: Tags | None = None
    category: CategoryPath | None = None
    paused: bool | None = None
    deletion_guard: Share | None = None
    workers: int | None = Field(default=None, ge=1, le=64)

    def edit(self) -> SourceEdit:
        """The same for the kernel."""
        settings = self.model_dump(include=self.model_fields_set & set(SourceSettings.model_fields))
        return SourceEdit(kind=self.kind, config=self.config, fields=self.model_extra or {}, settings=settings)


class NewSync(Body):
    """The sources, by default all; `full` reads all again, `confirm_deletions` removes what the last sync held back."""

    sources: list[str] = Field(default=[])
    full: bool = False
    confirm_deletions: bool = False


class Filters(ClosedModel):
    """The part of a knowledge base to search; an empty list means no limit.

    `sources` and `documents` (ids or URIs) may have up to 1,000 values, the other lists up to 100. A document's date is
    the one in its metadata, or else when it was fetched: from `dated_from` on, before `dated_to` (ISO 8601, or UTC).
    """

    sources: list[str] = Field(default=[], max_length=1000)
    categories: list[str] = Field(default=[], max_length=100)
    tags: list[str] = Field(default=[], max_length=100)
    authors: list[str] = Field(default=[], max_length=100)
    documents: list[str] = Field(default=[], max_length=1000)
    languages: list[str] = Field(default=[], max_length=100)
    dated_from: datetime | None = None
    dated_to: datetime | None = None

    def to_filters(self) -> SearchFilters:
        """The same for the kernel."""
        values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in self}
        return SearchFilters(**values)


class SearchBody(Body):
    """What to search for; `top_k` defaults to the knowledge base's setting.

    `group_by` is what `top_k` counts: `document`, each with its best passages, or `passage`, which is the
    default with `context`, because that consists of passages. `mode` searches by words and by vector, or only by one of
    them. `as_of` searches what readers saw at a past time, ISO 8601, in UTC if it names no zone.
    `traversal_depth` is how many links to follow from the hits, and `follow_links` also follows calls and imports of
    code; both default to the knowledge base's settings. `neighbours` merges hits with the chunks next to them;
    `context` adds the text that a language model would get, with neighbours already merged. `explain` adds how the
    query was understood and what was dropped.
    """

    query: str
    group_by: GroupBy | None = None
    top_k: int | None = Field(default=None, ge=1, le=100)
    mode: Mode = "hybrid"
    traversal_depth: int | None = Field(default=None, ge=0, le=3)
    follow_links: bool | None = None
    neighbours: bool = False
    context: bool = False
    explain: bool = False
    filters: Filters = Filters()
    as_of: datetime | None = None

    def to_options(self) -> SearchOptions:
        """The same for the kernel."""
        return SearchOptions(
            top_k=self.top_k,
            filters=self.filters.to_filters(),
            mode=self.mode,
            as_of=self.as_of,
            traversal_depth=self.traversal_depth,
            follow_links=self.follow_links,
            with_neighbours=self.neighbours,
            group_by=self.group_by or ("passage" if self.context else None),
        )

    @model_validator(mode="after")
    def _merges_once(self) -> "SearchBody":
        if self.context and self.neighbours:
            raise ValueError("a context already merges neighbours: give context or neighbours, not both")
        return self
