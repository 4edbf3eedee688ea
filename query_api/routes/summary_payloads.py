"""Shapes of summary trees.

Belongs here: nodes and their tree. Not here: reading them (`headwater.store.content.summaries`).
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.summaries import NodeKind, StoredNode, SummaryNode, VersionBelow
from query_api.links import partition_url, run_url


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


class ChildPayload(BaseModel):
    """A summary below another; `title`, `uri` and `document_id` are those of its document, if it is of one."""

    id: UUID
    kind: str
    title: str
    uri: str | None
    document_id: UUID | None
    text: str


class NodePayload(BaseModel):
    """A summary with those that it was made of, in `children`; a summary at the bottom has `chunk_ids` instead.

    `cost_usd` is null if the price is unknown.
    """

    id: UUID
    kind: str
    knowledge_base: str
    source: str
    parent_id: UUID | None
    document_id: UUID | None
    uri: str | None
    title: str
    text: str
    model: str
    prompt_version: str
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    run_id: str
    run_url: str
    code_version: str
    made_at: datetime
    children: list[ChildPayload]
    chunk_ids: list[UUID]

    @classmethod
    def of(cls, node: StoredNode, dagster_url: str) -> "NodePayload":
        """Make it from a node."""
        return cls.model_validate({**asdict(node), "run_url": run_url(dagster_url, node.run_id)})


class NodeVersion(BaseModel):
    """A document version that a summary was made of, with the chunks of it; `current` says whether readers see it."""

    source: str
    uri: str
    title: str
    document_id: UUID
    document_version_id: UUID
    sequence: int
    current: bool
    fetched_at: datetime
    run_id: str
    run_url: str
    code_version: str
    parser_version: str
    chunk_ids: list[UUID]
    chunk_run_ids: list[str]


class NodeLineage(BaseModel):
    """The lineage of a summary: how it was made, and the document versions below it, the first of `version_count`."""

    node_id: UUID
    kind: str
    knowledge_base: str
    source: str
    title: str
    text: str
    model: str
    prompt_version: str
    run_id: str
    run_url: str
    dagster_url: str
    code_version: str
    made_at: datetime
    versions: list[NodeVersion]
    version_count: int

    @classmethod
    def of(cls, node: StoredNode, versions: Sequence[VersionBelow], count: int, dagster_url: str) -> "NodeLineage":
        """Make it from a node and the versions below it."""
        return cls.model_validate(
            {
                **asdict(node),
                "node_id": node.id,
                "run_url": run_url(dagster_url, node.run_id),
                "dagster_url": partition_url(dagster_url, "summary_tree", f"{node.knowledge_base}/{node.source}"),
                "versions": [
                    {**asdict(one), "current": one.is_current, "run_url": run_url(dagster_url, one.run_id)}
                    for one in versions
                ],
                "version_count": count,
            }
        )
