"""Shapes of summary trees.

Belongs here: nodes and their tree. Not here: reading them (`headwater.store.content.summaries`).
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.summaries import NodeKind, SummaryNode


class SummaryNodePayload(BaseModel):
    """A summary in a tree; `depth` counts from 0 at the root, `chunks` is 0 unless it is a leaf."""

    id: UUID
    kind: NodeKind
    parent_id: UUID | None
    depth: int
    title: str
    uri: str | None
    document_id: UUID | None
    text: str
    model: str
    prompt_version: str
    run_id: str
    created_at: datetime
    children: int
    chunks: int

    @classmethod
    def of(cls, node: SummaryNode) -> "SummaryNodePayload":
        """Make it from a node."""
        return cls(
            id=node.id,
            kind=node.kind,
            parent_id=node.parent_id,
            depth=node.depth,
            title=node.title,
            uri=node.uri,
            document_id=node.document_id,
            text=node.text,
            model=node.model,
            prompt_version=node.prompt_version,
            run_id=node.run_id,
            created_at=node.created_at,
            children=node.child_count,
            chunks=node.chunk_count,
        )


class SummaryTreePayload(BaseModel):
    """The tree of a source, each node before those below it; `truncated` if there are more than `limit`."""

    source: str
    nodes: list[SummaryNodePayload]
    truncated: bool

    @classmethod
    def of(cls, source: str, nodes: Sequence[SummaryNode], limit: int) -> "SummaryTreePayload":
        """Make it from nodes, of which one more than the limit was read."""
        shown = [SummaryNodePayload.of(node) for node in nodes[:limit]]
        return cls(source=source, nodes=shown, truncated=len(nodes) > limit)
