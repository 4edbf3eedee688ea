"""The arguments of tools.

Belongs here: their shapes and their descriptions, which a model reads. Not here: what tools do (`tools`). Guarantee: an
argument that does not exist is refused, because a misspelt filter would silently search everything.
"""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from headwater.domain.closed_model import ClosedModel
from headwater.domain.search import SearchFilters
from headwater.retrieval.query import QUERY_LIMIT
from query_api.request_shapes import Filters
from query_api.routes.answer_requests import TurnBody

MAX_TOKENS = 8_000
"""Of a result, as Headwater estimates them."""
_ROOM = 2_000  # tokens around a context: titles, links, and the signs that JSON adds

_Slug = Annotated[str, Field(description="Slug of a knowledge base, from list_knowledge_bases.")]
_Past = Annotated[
    datetime | None, Field(description="A past time, ISO 8601: use what readers saw then. Leave out for the present.")
]


class ListArguments(ClosedModel):
    """A part of the list of knowledge bases."""

    after: str = Field(default="", description="Continue after this slug: `next` of the result before.")


class Narrowed(ClosedModel):
    """What limits a search to a part of a knowledge base."""

    knowledge_base: _Slug
    sources: list[str] = Field(default=[], max_length=1000, description="Only these sources, by slug.")
    categories: list[str] = Field(default=[], max_length=100, description="Only these categories and those below.")
    tags: list[str] = Field(default=[], max_length=100, description="Only sources or documents with one of these tags.")
    authors: list[str] = Field(default=[], max_length=100, description="Only documents by one of these authors.")
    documents: list[str] = Field(default=[], max_length=1000, description="Only these documents, by URI or id.")
    languages: list[str] = Field(default=[], max_length=100, description="Only these languages, such as en.")
    dated_from: datetime | None = Field(default=None, description="Only documents of this time or later, ISO 8601.")
    dated_to: datetime | None = Field(default=None, description="Only documents before this time, ISO 8601.")
    as_of: _Past = None

    def to_filters(self) -> SearchFilters:
        """The same for the kernel."""
        return Filters(**self.model_dump(include=set(Filters.model_fields))).to_filters()


class SearchArguments(Narrowed):
    """A search."""

    query: str = Field(description=f"Words or a question, at most {QUERY_LIMIT} characters.")
    top_k: int | None = Field(default=None, ge=1, le=20, description="How many results; left out: as set.")


class AskArguments(Narrowed):
    """A question."""

    question: str = Field(description=f"The question, at most {QUERY_LIMIT} characters.")
    history: list[TurnBody] = Field(
        default=[], max_length=10, description="Earlier questions and answers of this conversation, oldest first."
    )


class ContextArguments(Narrowed):
    """A question whose passages are wanted."""

    question: str = Field(description=f"The question, at most {QUERY_LIMIT} characters.")
    max_tokens: int = Field(default=4_000, ge=1, le=MAX_TOKENS - _ROOM, description="The most tokens of the context.")


class ReadArguments(ClosedModel):
    """A span of a document version."""

    document_version_id: UUID = Field(description="From a result of search, ask, context or trace.")
    start: int = Field(default=0, ge=0, description="The first character.")
    end: int | None = Field(default=None, ge=0, description="The character after the last; left out: to the end.")


class TraceArguments(ClosedModel):
    """Something to trace."""

    id: UUID = Field(description="Id of an answer, a chunk or a document version, from another result.")
