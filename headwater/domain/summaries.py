"""Summaries and the trees that they make.

Belongs here: what a summary is of, and the shapes in which trees are stored and read. Not here: building trees
(`headwater.summaries`). Guarantee: no imports but of the domain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from headwater.domain.usage import ModelResult

SECTIONS = "Sections:"
"""Begins the list of a document's sections in a summary that no model made."""


class NodeKind(StrEnum):
    """What a summary is of."""

    PIECE = "piece"
    DOCUMENT = "document"
    GROUP = "group"
    SOURCE = "source"
    KNOWLEDGE_BASE = "knowledge_base"


PaidSummary = ModelResult[str]
"""A summary as it was made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeRow:
    """A node to store. `document_id` is that of a document's nodes; a leaf has chunks, any other node has none."""

    id: UUID
    kind: NodeKind
    identity: bytes
    key: bytes
    parent_id: UUID | None
    position: int
    document_id: UUID | None = None
    chunk_ids: Sequence[UUID] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentSummary:
    """The stored summary of a document, as the levels above need it."""

    id: UUID
    document_id: UUID
    identity: bytes
    key: bytes
    text: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceSummary:
    """The stored summary of a source, as the levels above need it."""

    id: UUID
    source_id: int
    identity: bytes
    key: bytes
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryNode:
    """A stored node as people read it: `child_count` counts nodes, `chunk_count` the chunks of a leaf.

    `title` is that of the document, or the name of the source or the knowledge base.
    """

    id: UUID
    kind: NodeKind
    parent_id: UUID | None
    position: int
    depth: int
    title: str
    source: str | None
    uri: str | None
    document_id: UUID | None
    text: str
    model: str
    prompt_version: str
    run_id: str
    created_at: datetime
    child_count: int
    chunk_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentBelow:
    """A document below a node, in the version that was summarised; `length` is that of its text, in characters."""

    node_id: UUID
    document_id: UUID
    document_version_id: UUID
    chunk_id: UUID
    """Its first chunk."""
    source: str
    uri: str
    title: str
    length: int
    summary: str
    summary_key: bytes
    model: str
    prompt_version: str
    run_id: str
    code_version: str
    made_at: datetime

    def found(self, above: "RankedSummary") -> "RankedSummary":
        """Its own summary, as if it had been found like one above it."""
        return RankedSummary(
            id=self.node_id,
            kind=NodeKind.DOCUMENT,
            source=self.source,
            title=self.title,
            text=self.summary,
            similarity=above.similarity,
            documents=(self,),
            document_count=1,
            summary_key=self.summary_key,
            model=self.model,
            prompt_version=self.prompt_version,
            run_id=self.run_id,
            code_version=self.code_version,
            made_at=self.made_at,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedSummary:
    """A node that a search found, with how it was made.

    `similarity` is its cosine similarity to the question; None if it was found by its place in the tree. `documents`
    are the first of those below it, of `document_count`.
    """

    id: UUID
    kind: NodeKind
    source: str
    title: str
    text: str
    similarity: float | None
    documents: tuple[DocumentBelow, ...]
    document_count: int
    summary_key: bytes
    model: str
    prompt_version: str
    run_id: str
    code_version: str
    made_at: datetime


_DATA_ENDINGS = (".yml", ".yaml", ".json", ".toml", ".ini", ".cfg", ".xml")
"""Of files that configure something, or hold values: a list of pages or members seldom means them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentName:
    """What a document is called, and whether it is an image."""

    document_id: UUID
    source: str
    uri: str
    title: str
    is_image: bool = False

    @property
    def is_data(self) -> bool:
        """Whether its file holds data for programs, such as `_category_.yml` beside the pages of a site."""
        return self.uri.lower().endswith(_DATA_ENDINGS)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChildNode:
    """A node below another."""

    id: UUID
    kind: NodeKind
    document_id: UUID | None
    uri: str | None
    title: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MadeSummary:
    """A summary and how it was made; the cost is in US dollars, None if the price is unknown."""

    text: str
    model: str
    prompt_version: str
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    run_id: str
    code_version: str
    made_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredNode(MadeSummary):
    """A stored node with those below it, and with what made its summary; a leaf has chunks instead.

    `source` is empty for a node above the sources.
    """

    id: UUID
    kind: NodeKind
    knowledge_base: str
    source: str
    parent_id: UUID | None
    document_id: UUID | None
    uri: str | None
    title: str
    summary_key: bytes
    children: tuple[ChildNode, ...]
    chunk_ids: tuple[UUID, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionBelow:
    """A document version that a node was made of; `chunk_ids` are its chunks below the node.

    `is_current` says whether readers see the version now.
    """

    document_id: UUID
    document_version_id: UUID
    source: str
    uri: str
    title: str
    sequence: int
    fetched_at: datetime
    run_id: str
    code_version: str
    parser_version: str
    is_current: bool
    chunk_ids: tuple[UUID, ...]
    chunk_run_ids: tuple[str, ...]


def name_of(kind: str, title: str) -> str:
    """What a summary is of, for people."""
    return {"group": "a group of documents"}.get(kind, f"the {kind.replace('_', ' ')} “{title}”")
