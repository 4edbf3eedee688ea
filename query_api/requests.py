"""Shapes of requests.

Belongs here: bodies, paths and queries. Not here: responses (`payloads`). Guarantee: unknown fields are refused,
since a misspelt one would be ignored in silence.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from headwater.models import KnowledgeBaseSettings, SearchFilters, Slug

Reply = dict[str, Any] | tuple[dict[str, Any] | str, int] | tuple[dict[str, Any], int, dict[str, str]]
"""What a route returns: a body, its status, its headers. (Flask's own type cannot be read at run time.)"""


class Body(BaseModel):
    """Base of every body: no body is an empty one."""

    model_config = ConfigDict(extra="forbid")

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


class PageQuery(BaseModel):
    """Which part of a list."""

    after: str = ""
    limit: int = Field(default=50, ge=1, le=200)


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


class NewSource(Body):
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


class SourceChange(Body):
    """What to change of a source: single fields of its kind, or all of them together as `config`."""

    model_config = ConfigDict(extra="allow")

    kind: str | None = None
    config: dict[str, Any] | None = None

    def fields(self, old: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its kind after the change."""
        return {**(old if self.config is None else self.config), **(self.model_extra or {})}


class NewSync(Body):
    """Which sources to sync; all when none is named."""

    sources: list[str] = []


class Filters(BaseModel):
    """Which part of a knowledge base to search; an empty list means everything."""

    model_config = ConfigDict(extra="forbid")

    sources: list[str] = []
    categories: list[str] = []

    def to_filters(self) -> SearchFilters:
        """As the kernel takes them."""
        return SearchFilters(sources=tuple(self.sources), categories=tuple(self.categories))


class SearchBody(Body):
    """What to search for; `top_k` is the knowledge base's own number (5 unless it chose) when not given."""

    query: str
    top_k: int | None = Field(default=None, ge=1, le=100)
    filters: Filters = Filters()


class QuestionBody(Body):
    """What to answer."""

    question: str
    filters: Filters = Filters()


def merged(old: KnowledgeBaseSettings, change: dict[str, Any] | None) -> KnowledgeBaseSettings | None:
    """Merge a change into settings; None when there is none.

    Raises:
        pydantic.ValidationError: the result is not valid.
    """
    if change is None:
        return None
    return KnowledgeBaseSettings.model_validate({**old.model_dump(exclude_defaults=True), **change})
