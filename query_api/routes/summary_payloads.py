"""Shapes of summary trees.

Belongs here: nodes, their trees, estimates. Not here: reading them (`headwater.store.content.summaries`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.summaries import MadeSummary, NodeKind, StoredNode, SummaryNode, VersionBelow
from headwater.domain.usage import Usage
from headwater.generation.plain_words import without_links
from headwater.syncing.estimate import Estimate
from query_api.response_urls import partition_url, run_url

SummaryText = Annotated[str, AfterValidator(without_links)]
"""A summary as people read it. The stored one keeps its links: what was made of it is known by its text."""


class SummaryNodePayload(BaseModel):
    """A summary in a tree; `depth` counts from 0 at the root, `chunks` is 0 unless it is a leaf.

    `title` is that of the document, the slug of the source, or the name of the knowledge base.
    """

    id: UUID
    kind: NodeKind
    parent_id: UUID | None
    depth: int
    title: str
    source: str | None
    uri: str | None
    document_id: UUID | None
    text: SummaryText
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
            source=node.source,
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
        node_payloads = [SummaryNodePayload.of(node) for node in nodes[:limit]]
        return cls(source=source, nodes=node_payloads, truncated=len(nodes) > limit)


class KnowledgeBaseTreePayload(BaseModel):
    """The tree of a knowledge base, with those of its sources below it; empty if it has none.

    Each node is before those below it; `truncated` says whether there are more than `limit`. `current` is false while a
    summary of a source, or a setting, is newer than the nodes above the sources.
    """

    knowledge_base: str
    current: bool
    nodes: list[SummaryNodePayload]
    truncated: bool

    @classmethod
    def of(
        cls, knowledge_base: str, nodes: Sequence[SummaryNode], limit: int, *, current: bool
    ) -> "KnowledgeBaseTreePayload":
        """Make it from nodes, of which one more than the limit was read."""
        node_payloads = [SummaryNodePayload.of(node) for node in nodes[:limit]]
        return cls(knowledge_base=knowledge_base, current=current, nodes=node_payloads, truncated=len(nodes) > limit)


class EstimateItem(BaseModel):
    """The most that a source's summaries and questions would cost now; `source` is null for what is above the sources.

    `question_calls` are those of the `calls` that make questions. `synced` is false for a source that was never synced,
    of which nothing is known. `unsplit` counts documents that are not part of the numbers, because only a sync splits
    them. `cost` is in US dollars, null if the price is unknown.
    """

    source: str | None
    calls: int
    question_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    synced: bool
    unsplit: int

    @classmethod
    def of(cls, found: Estimate) -> "EstimateItem":
        """Make it from the kernel's object."""
        return cls(
            source=found.source,
            calls=found.calls,
            question_calls=found.question_calls,
            synced=found.is_synced,
            unsplit=found.unsplit,
            **asdict(found.usage),
        )


class EstimatePayload(BaseModel):
    """The most that the summaries and questions of a sync would cost now, in sum and by source.

    `model` is null without summaries, `question_model` without questions; `builtin/rules` makes questions without a
    call. `budget` is the setting `summary_budget`: the most tokens of a run.
    """

    knowledge_base: str
    model: str | None
    question_model: str | None
    budget: int | None
    calls: int
    question_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    sources: list[EstimateItem]

    @classmethod
    def of(cls, knowledge_base: KnowledgeBase, found: Iterable[Estimate]) -> "EstimatePayload":
        """Make it from the kernel's objects."""
        every = list(found)
        return cls(
            knowledge_base=knowledge_base.slug,
            model=knowledge_base.settings.summary_model,
            question_model=knowledge_base.settings.question_model,
            budget=knowledge_base.settings.summary_budget,
            calls=sum(estimate.calls for estimate in every),
            question_calls=sum(estimate.question_calls for estimate in every),
            **asdict(sum((estimate.usage for estimate in every), Usage())),
            sources=[EstimateItem.of(estimate) for estimate in every],
        )


class ChildPayload(BaseModel):
    """A summary below another; `title`, `uri` and `document_id` are those of its document, if it is of one."""

    id: UUID
    kind: str
    title: str
    uri: str | None
    document_id: UUID | None
    text: SummaryText


class SummaryMaking(BaseModel):
    """A summary, and what made it."""

    text: SummaryText
    model: str
    prompt_version: str
    run_id: str
    run_url: str
    code_version: str
    made_at: datetime


class MadeSummaryPayload(SummaryMaking):
    """A summary, what made it, and what that cost; `cost_usd` is null if the price of the model is unknown."""

    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None

    @classmethod
    def of(cls, summary: MadeSummary, dagster_url: str) -> Self:
        """Make it from a stored summary."""
        return cls.model_validate({**asdict(summary), "run_url": run_url(dagster_url, summary.run_id)})


class NodePayload(MadeSummaryPayload):
    """A summary with those that it was made of, in `children`; a summary at the bottom has `chunk_ids` instead."""

    id: UUID
    kind: str
    knowledge_base: str
    source: str
    parent_id: UUID | None
    document_id: UUID | None
    uri: str | None
    title: str
    children: list[ChildPayload]
    chunk_ids: list[UUID]


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


class NodeLineage(SummaryMaking):
    """The lineage of a summary: how it was made, and the document versions below it, the first of `version_count`."""

    node_id: UUID
    kind: str
    knowledge_base: str
    source: str
    title: str
    dagster_url: str
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
                "dagster_url": _partition(node, dagster_url),
                "versions": [
                    {**asdict(version), "current": version.is_current, "run_url": run_url(dagster_url, version.run_id)}
                    for version in versions
                ],
                "version_count": count,
            }
        )


def _partition(node: StoredNode, dagster_url: str) -> str:
    """The page of the asset that made a node."""
    if node.source:
        return partition_url(dagster_url, "summary_tree", f"{node.knowledge_base}/{node.source}")
    return partition_url(dagster_url, "knowledge_base_summary", node.knowledge_base)
