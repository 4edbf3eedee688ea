"""Shapes of requests.

Belongs here: bodies, paths and queries. Not here: responses (`payloads`). Guarantee: unknown fields are refused,
since a misspelt one would be ignored in silence.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from headwater.administration.sources import SourceEdit
from headwater.domain.closed_model import ClosedModel
from headwater.domain.corpus import Slug
from headwater.domain.evaluations import GoldenQuestion
from headwater.domain.knowledge_base_settings import GroupBy, KnowledgeBaseSettings
from headwater.domain.search import SearchFilters
from headwater.domain.source_settings import CategoryPath, Interval, SourceSettings, Tags
from headwater.retrieval.finding import Mode, SearchOptions

Reply = dict[str, Any] | tuple[dict[str, Any] | str, int] | tuple[dict[str, Any], int, dict[str, str]]
"""What a route returns: a body, its status, its headers. (Flask's own type cannot be read at run time.)"""


class Body(ClosedModel):
    """Base of every body: no body is an empty one."""

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


class SearchIndexPath(KnowledgeBasePath):
    """A search index by its number."""

    id: int


class SyncPath(BaseModel):
    """A sync by its number."""

    id: int


class AnswerPath(BaseModel):
    """An answer by its id."""

    id: UUID


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
    """Which span of a text, in characters, and how many to show on each side of it."""

    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    context: int = Field(default=200, ge=0, le=10_000)


class PageQuery(BaseModel):
    """Which part of a list."""

    after: str = ""
    limit: int = Field(default=50, ge=1, le=200)


class SyncsQuery(BaseModel):
    """Which syncs: those of one knowledge base if it is named, from before a given one."""

    knowledge_base: str | None = None
    after: int | None = Field(default=None, ge=1, lt=2**63)
    limit: int = Field(default=50, ge=1, le=200)


class EvaluationsQuery(BaseModel):
    """Which part of the list of evaluations."""

    after: int | None = Field(default=None, ge=1, lt=2**63)
    limit: int = Field(default=50, ge=1, le=200)


class GoldenQuestionsBody(Body):
    """A whole golden set; an empty one removes it."""

    questions: list[GoldenQuestion]


class NewKnowledgeBase(Body):
    """A knowledge base to create; `name` is the slug when not given."""

    slug: Slug
    name: str | None = Field(default=None, max_length=200)
    description: str = Field(default="", max_length=4000)
    settings: KnowledgeBaseSettings = KnowledgeBaseSettings()


class KnowledgeBaseChange(Body):
    """What to change of a knowledge base; `settings` are merged into those it has."""

    slug: Slug | None = None
    name: str | None = Field(default=None, max_length=200)
    description: str | None = Field(default=None, max_length=4000)
    settings: dict[str, Any] | None = None


class DeletionPath(BaseModel):
    """A deletion by its number."""

    id: int


class DeletionQuery(BaseModel):
    """Which part of the list: from after a deletion, that is before it in time."""

    after: int | None = None
    limit: int = Field(default=50, ge=1, le=200)


class NewSource(Body, SourceSettings):
    """A source to register, in the words of a knowledge base file: `slug`, `kind`, and the fields of its kind.

    The fields may also be given together as `config`, which is how responses show them.
    """

    model_config = ConfigDict(extra="allow")

    slug: Slug
    kind: str
    config: dict[str, Any] = Field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        """The fields of its kind."""
        return {**self.config, **(self.model_extra or {})}

    def settings(self) -> SourceSettings:
        """How it is kept."""
        return SourceSettings(**self.model_dump(include=set(SourceSettings.model_fields)))


class SourceChange(Body):
    """What to change of a source: single fields of its kind, or all of them together as `config`.

    A null clears `refresh`, `tags`, `category` or `paused`.
    """

    model_config = ConfigDict(extra="allow")

    kind: str | None = None
    config: dict[str, Any] | None = None
    refresh: Interval = None
    tags: Tags | None = None
    category: CategoryPath | None = None
    paused: bool | None = None

    def edit(self) -> SourceEdit:
        """As the kernel takes it."""
        settings = self.model_dump(include=self.model_fields_set & set(SourceSettings.model_fields))
        return SourceEdit(kind=self.kind, config=self.config, fields=self.model_extra or {}, settings=settings)


class NewSync(Body):
    """Which sources to sync, all when none is named; `full` reads every document, without trusting fingerprints."""

    sources: list[str] = Field(default=[])
    full: bool = False


class Filters(ClosedModel):
    """Which part of a knowledge base to search; an empty list means everything.

    `documents` are ids or URIs. A document's date is the one it names, else when it was fetched; it lies from
    `dated_from` on and before `dated_to`, ISO 8601, UTC when they name no zone.
    """

    sources: list[str] = Field(default=[])
    categories: list[str] = Field(default=[])
    tags: list[str] = Field(default=[])
    documents: list[str] = Field(default=[], max_length=1000)
    languages: list[str] = Field(default=[])
    dated_from: datetime | None = None
    dated_to: datetime | None = None

    def to_filters(self) -> SearchFilters:
        """As the kernel takes them."""
        values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in self}
        return SearchFilters(**values)


class SearchBody(Body):
    """What to search for; `top_k` is the knowledge base's own number (5 unless it chose) when not given.

    `group_by` says what `top_k` counts: `document`, each with its best passages, or `passage`; the knowledge base's own
    choice when not given, and `passage` where a `context` is asked for, which is made of passages.
    `mode` searches by words and by vector, or by one of them alone. `as_of` searches what readers saw at a past time,
    ISO 8601, UTC when it names no zone. `traversal_depth` is how many links to follow from what was found, the
    knowledge base's own number when not given. `neighbours` merges hits with the chunks beside them; `context` adds the
    text that a language model would be given, which does so by itself. `explain` tells how the query was understood and
    what was dropped.
    """

    query: str
    group_by: GroupBy | None = None
    top_k: int | None = Field(default=None, ge=1, le=100)
    mode: Mode = "hybrid"
    traversal_depth: int | None = Field(default=None, ge=0, le=3)
    neighbours: bool = False
    context: bool = False
    explain: bool = False
    filters: Filters = Filters()
    as_of: datetime | None = None

    def to_options(self) -> SearchOptions:
        """As the kernel takes them."""
        return SearchOptions(
            top_k=self.top_k,
            filters=self.filters.to_filters(),
            mode=self.mode,
            as_of=self.as_of,
            traversal_depth=self.traversal_depth,
            with_neighbours=self.neighbours,
            group_by=self.group_by or ("passage" if self.context else None),
        )

    @model_validator(mode="after")
    def _merges_once(self) -> "SearchBody":
        if self.context and self.neighbours:
            raise ValueError("a context merges neighbours by itself: ask for context or neighbours, not both")
        return self


class QuestionBody(Body):
    """What to answer; `as_of` asks what readers saw at a past time, ISO 8601, UTC when it names no zone."""

    question: str
    filters: Filters = Filters()
    as_of: datetime | None = None
