"""The trees above sources in Postgres: those of knowledge bases.

Belongs here: what such a tree is made of, its summaries and its nodes. Not here: the trees of sources (`summaries`),
building trees (`headwater.summaries`). Guarantee: a tree changes in one transaction, and equal nodes write nothing; a
tree is never put above a source that is being deleted.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase, Lineage
from headwater.domain.summaries import NodeKind, PaidSummary, SourceSummary, SummaryNode, TreeRow
from headwater.store.content.summaries import (
    hold_summaries,
    insert_nodes,
    insert_summaries,
    read_nodes,
    whole_levels,
)
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row


class KnowledgeBaseSummaryStore:
    """The nodes of knowledge bases in summary_tree, and the summarized_knowledge_bases table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def source_summaries(self, knowledge_base: KnowledgeBase) -> list[SourceSummary]:
        """The summaries of the sources that have one, in the order in which the tree has them."""
        rows = self._database.rows("source_summaries", knowledge_base_id=knowledge_base.id)
        return [from_row(SourceSummary, row) for row in rows]

    def inputs(self, knowledge_base: KnowledgeBase) -> bytes | None:
        """What the stored tree was made of; None if there never was one."""
        row = self._database.row("inputs_of_tree", knowledge_base_id=knowledge_base.id)
        return None if row is None else row["inputs"]

    def has_tree(self, knowledge_base: KnowledgeBase) -> bool:
        """Whether there is a summary of the knowledge base."""
        return self.text(knowledge_base) is not None

    def text(self, knowledge_base: KnowledgeBase) -> str | None:
        """The summary of a knowledge base; None if it has none."""
        row = self._database.row("knowledge_base_summary", knowledge_base_id=knowledge_base.id)
        return None if row is None else str(row["text"])

    def nodes(self, knowledge_base: KnowledgeBase, *, depth: int, limit: int) -> list[SummaryNode]:
        """The tree of a knowledge base, with those of its sources below it, down to a depth; empty if it has none."""
        with self._database.transaction() as session:
            return read_nodes(session, knowledge_base_id=knowledge_base.id, depth=depth, limit=limit)

    def top_levels(self, knowledge_base: KnowledgeBase, *, most: int) -> list[SummaryNode]:
        """Whole levels of the tree of a knowledge base, as `whole_levels`; empty if it has none."""
        with self._database.transaction() as session:
            return whole_levels(session, knowledge_base_id=knowledge_base.id, most=most)

    def put(
        self,
        knowledge_base: KnowledgeBase,
        paid: Sequence[PaidSummary],
        *,
        model: str,
        prompt_version: str,
        by: Lineage,
    ) -> int:
        """Store paid summaries; returns how many were new."""
        with self._database.transaction() as session:
            return insert_summaries(
                session, paid, model=model, prompt_version=prompt_version, by=by, knowledge_base_id=knowledge_base.id
            )

    def put_tree(
        self,
        knowledge_base: KnowledgeBase,
        *,
        rows: Sequence[TreeRow],
        placed: Mapping[UUID, tuple[UUID, int]],
        inputs: bytes,
    ) -> bool:
        """Put a new tree in the place of the old one.

        Args:
            knowledge_base: whose tree.
            rows: all nodes above sources.
            placed: for the node of each source, its parent and its place below that.
            inputs: what the tree was made of.

        Returns:
            Whether it is in place; if not, a source, or a summary that the tree shares with another one, was deleted
            meanwhile.
        """
        with self._database.transaction() as session:
            # A deletion locks the same row first: it sees this tree, or this sees that the source is gone.
            session.row("hold_knowledge_base", id=knowledge_base.id)
            if session.one("count_live_sources", ids=list(placed))["live_count"] != len(placed):
                return False
            if not hold_summaries(session, rows):
                return False
            owner = {"knowledge_base_id": knowledge_base.id}
            session.run("delete_nodes_above_sources", **owner, kept=[row.id for row in rows])
            insert_nodes(session, rows, source_id=None, **owner)
            session.run(
                "place_nodes",
                ids=list(placed),
                parent_ids=[parent for parent, _ in placed.values()],
                positions=[position for _, position in placed.values()],
            )
            session.run("note_inputs", **owner, inputs=inputs)
        return True

    def delete_tree(self, knowledge_base: KnowledgeBase) -> int:
        """Delete the nodes above sources; returns how many there were."""
        with self._database.transaction() as session:
            session.run("forget_inputs", knowledge_base_id=knowledge_base.id)
            return session.run("delete_nodes_above_sources", knowledge_base_id=knowledge_base.id, kept=[])

    def digest(self, knowledge_base: KnowledgeBase) -> tuple[str, int]:
        """A digest of the nodes above sources, and how many they are."""
        row = self._database.one("digest_above_sources", knowledge_base_id=knowledge_base.id)
        return row["data_version"], row["row_count"]

    def counts(self, knowledge_base: KnowledgeBase) -> dict[NodeKind, int]:
        """How many nodes of each kind the whole tree has, with those of its sources."""
        rows = self._database.rows("counts_of_whole_tree", knowledge_base_id=knowledge_base.id)
        return {NodeKind(row["kind"]): row["count"] for row in rows}

    def chunks_off_the_tree(self, knowledge_base: KnowledgeBase) -> tuple[int, list[str]]:
        """Count chunks of summarised documents that are not below exactly one path to the root; with some examples."""
        row = self._database.one("chunks_off_the_tree", knowledge_base_id=knowledge_base.id)
        return row["count"], row["examples"] or []
