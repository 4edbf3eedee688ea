"""Summaries and the trees that they make.

Belongs here: what a summary is of, and the shapes in which trees are stored and read. Not here: building trees
(`headwater.summaries`). Guarantee: no imports but of the domain.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from headwater.domain.usage import Usage


class NodeKind(StrEnum):
    """What a summary is of."""

    PIECE = "piece"
    DOCUMENT = "document"
    GROUP = "group"
    SOURCE = "source"
    KNOWLEDGE_BASE = "knowledge_base"


@dataclass(frozen=True, kw_only=True, slots=True)
class PaidSummary:
    """A summary as it was made: its text, and what it cost."""

    key: bytes
    text: str
    usage: Usage = field(default_factory=Usage)


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
