"""Summaries and trees in Postgres.

Belongs here: which documents lack a summary, paid summaries, the nodes of trees. Not here: building trees
(`headwater.summaries`). Guarantee: a paid summary is stored by itself, so no text is paid for twice; a tree changes in
one transaction, and equal nodes write nothing; every write checks the sync's fencing token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from headwater.domain.corpus import Lineage, Source
from headwater.domain.search import SearchIndex
from headwater.domain.summaries import DocumentSummary, NodeKind, PaidSummary, SummaryNode, TreeRow
from headwater.store.content.chunk_summaries import delete_unused_among
from headwater.store.search.summary_entries import publish_tree
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row, Session
from headwater.store.work.fencing_tokens import SyncLease, require_token
from headwater.store.work.sync_usage import add_spending

_MAX_LEVELS = 12  # levels that are read together
_NODES = 5_000  # rows that are written at once: the tree of a large source is too large for one value


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkToSummarize:
    """A chunk of a document's newest version."""

    document_id: UUID
    version_id: UUID
    title: str
    language: str
    chunk_id: UUID
    breadcrumb: tuple[str, ...]
    text: str
    is_code: bool


class SummaryStore:
    """The summaries, summary_tree and summarized_documents tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents_to_summarize(self, source: Source, settings_hash: bytes, recipe_hash: bytes) -> list[UUID]:
        """Documents whose newest version has chunks and is not summarised so, in the order of their URIs."""
        rows = self._rows(
            "documents_to_summarize", source_id=source.id, settings_hash=settings_hash, recipe_hash=recipe_hash
        )
        return [row["id"] for row in rows]

    def chunks_of(self, document_ids: Sequence[UUID], settings_hash: bytes) -> list[ChunkToSummarize]:
        """The chunks of some documents, each document's together and in order."""
        rows = self._rows("chunks_to_summarize", document_ids=list(document_ids), settings_hash=settings_hash)
        return [ChunkToSummarize(**{**row, "breadcrumb": tuple(row["breadcrumb"])}) for row in rows]

    def texts(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The texts of those summaries that exist, by key."""
        return {row["key"]: row["text"] for row in self._rows("summary_texts", keys=list(keys))}

    def put(self, work: SyncLease, paid: Sequence[PaidSummary], *, model: str, prompt_version: str, by: Lineage) -> int:
        """Store paid summaries; returns how many were new.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            return insert_summaries(
                session, paid, model=model, prompt_version=prompt_version, by=by, source_id=work.source.id
            )

    def document_summaries(self, source: Source, without: Sequence[UUID]) -> list[DocumentSummary]:
        """The stored summaries of a source's documents, in the order of their URIs, but for those of some documents."""
        rows = self._rows("document_summaries", source_id=source.id, without=list(without))
        return [DocumentSummary(**row) for row in rows]

    def documents_in_order(self, source: Source) -> list[UUID]:
        """The documents of a source in the order in which its tree has them."""
        return [row["id"] for row in self._rows("documents_in_order", source_id=source.id)]

    def documents_without_text(self, source: Source, settings_hash: bytes) -> list[UUID]:
        """Documents that have nodes, but were removed or have no text any more."""
        rows = self._rows("summarized_without_text", source_id=source.id, settings_hash=settings_hash)
        return [row["document_id"] for row in rows]

    def is_topless(self, source: Source) -> bool:
        """Whether the summary of a document has none above it, since that was deleted with a text that it quoted."""
        (row,) = self._rows("is_topless", source_id=source.id)
        return bool(row["is_topless"])

    def unsplit_count(self, source: Source, settings_hash: bytes) -> int:
        """How many documents of a source have no chunks by some settings yet."""
        (row,) = self._rows("unsplit_count", source_id=source.id, settings_hash=settings_hash)
        return int(row["unsplit_count"])

    def put_tree(
        self,
        work: SyncLease,
        *,
        rows: Sequence[TreeRow],
        placed: Mapping[UUID, tuple[UUID, int]],
        versions: Mapping[UUID, UUID],
        gone: Sequence[UUID],
        settings_hash: bytes,
        recipe_hash: bytes,
        indexes: Sequence[SearchIndex],
    ) -> int | None:
        """Put a source's new tree in the place of the old one, in search too.

        Args:
            work: the sync.
            rows: all nodes of the documents that changed, and all nodes above documents.
            placed: for each other document's node, its parent and its place below that.
            versions: the version of each document that changed.
            gone: documents without nodes from now on.
            settings_hash: of the chunks.
            recipe_hash: how the summaries were made.
            indexes: all that the source's documents are published into.

        Returns:
            How many rows were written or deleted. None if one of the tree's summaries was deleted with another source
            since it was looked up: then nothing is written, and the tree has to be made again.

        Raises:
            FencedError: the sync was overtaken.
        """
        document_ids = list(versions)
        kept_ids = [row.id for row in rows if row.document_id is None]
        with self._database.transaction() as session:
            require_token(session, work)
            if not hold_summaries(session, rows):
                return None
            count = session.run("delete_document_nodes", document_ids=[*document_ids, *gone])
            session.run("forget_summarized", document_ids=list(gone))
            count += session.run("delete_upper_nodes", source_id=work.source.id, kept=kept_ids)
            count += insert_nodes(session, rows, source_id=work.source.id)
            count += session.run(
                "place_nodes",
                ids=list(placed),
                parent_ids=[parent for parent, _ in placed.values()],
                positions=[position for _, position in placed.values()],
            )
            session.run(
                "note_summarized",
                document_ids=document_ids,
                version_ids=list(versions.values()),
                settings_hash=settings_hash,
                recipe_hash=recipe_hash,
            )
            return count + publish_tree(session, work.source.id, indexes)

    def publish(self, work: SyncLease, indexes: Sequence[SearchIndex]) -> int:
        """Put a source's tree, as it is, into search; returns how many rows were written or deleted.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            return publish_tree(session, work.source.id, indexes)

    def delete_tree(self, work: SyncLease, indexes: Sequence[SearchIndex]) -> int:
        """Delete a source's tree, in search too; its summaries stay for a while, in case it comes back.

        Raises:
            FencedError: the sync was overtaken.
        """
        with self._database.transaction() as session:
            require_token(session, work)
            session.run("forget_all_summarized", source_id=work.source.id)
            count = session.run("delete_trees", source_id=work.source.id)
            return count + publish_tree(session, work.source.id, indexes)

    def digest(self, source: Source) -> tuple[str, int]:
        """A digest of a source's tree, and how many nodes it has."""
        (row,) = self._rows("tree_digest", source_id=source.id)
        return row["data_version"], row["row_count"]

    def counts(self, source: Source) -> dict[NodeKind, int]:
        """How many nodes of each kind a source's tree has."""
        return {NodeKind(row["kind"]): row["count"] for row in self._rows("tree_counts", source_id=source.id)}

    def levels(self, source: Source) -> dict[str, int]:
        """How many nodes there are on each level of a source's tree, from its top down, such as `{"0 source": 1}`."""
        return {f"{row['depth']} {row['kind']}": row["count"] for row in self._rows("tree_levels", source_id=source.id)}

    def nodes(self, source: Source, *, depth: int, limit: int) -> list[SummaryNode]:
        """A source's tree down to a depth, each node before those below it; empty if it has none."""
        with self._database.transaction() as session:
            return read_nodes(session, source_ids=[source.id], depth=depth, limit=limit)

    def top_levels(self, sources: Sequence[Source], *, most: int) -> list[list[SummaryNode]]:
        """Whole levels of the trees of sources, as `whole_levels`, in one query; without those that have no tree."""
        levels: list[list[SummaryNode]] = []
        with self._database.transaction() as session:
            nodes = whole_levels(session, source_ids=[source.id for source in sources], most=most)
        for node in nodes:
            if node.depth == 0:
                levels.append([])
            levels[-1].append(node)
        return levels

    def delete_unused(self, before: datetime) -> int:
        """Delete summaries that no tree has any more, and that were made before a time; returns how many."""
        with self._database.transaction() as session:
            rows = session.rows("unused_summaries", before=before)
            return len(delete_unused_among(session, [row["key"] for row in rows]))

    def _rows(self, query: str, **values: Any) -> list[Row]:
        return self._database.rows(query, **values)


def insert_summaries(
    session: Session,
    paid: Sequence[PaidSummary],
    *,
    model: str,
    prompt_version: str,
    by: Lineage,
    source_id: int | None = None,
    knowledge_base_id: int | None = None,
) -> int:
    """Store paid summaries of a source or of a knowledge base, and what they cost; returns how many were new."""
    usages = [paid_summary.usage for paid_summary in paid]
    add_spending(session, "summaries", usages, model=model, source_id=source_id, knowledge_base_id=knowledge_base_id)
    return session.run(
        "put_summaries",
        keys=[paid_summary.key for paid_summary in paid],
        texts=[paid_summary.value for paid_summary in paid],
        prompt_tokens=[usage.prompt_tokens for usage in usages],
        completion_tokens=[usage.completion_tokens for usage in usages],
        costs=[usage.cost for usage in usages],
        model=model,
        prompt_version=prompt_version,
        source_id=source_id,
        knowledge_base_id=knowledge_base_id,
        run_id=by.run_id,
        code_version=by.code_version,
    )


def hold_summaries(session: Session, rows: Sequence[TreeRow]) -> bool:
    """Keep the summaries of nodes from being deleted until the transaction ends; returns whether all still exist."""
    keys = {row.key for row in rows}
    return len(session.rows("hold_summaries", keys=sorted(keys))) == len(keys)


def insert_nodes(
    session: Session, rows: Sequence[TreeRow], *, source_id: int | None = None, knowledge_base_id: int | None = None
) -> int:
    """Store nodes of a source or of a knowledge base; returns how many were new or different."""
    count = 0
    for start in range(0, len(rows), _NODES):
        nodes = to_json([_json(row) for row in rows[start : start + _NODES]])
        count += session.run("put_nodes", source_id=source_id, knowledge_base_id=knowledge_base_id, nodes=nodes)
    return count


def delete_above(session: Session, *, source_id: int | None = None, document_ids: Sequence[UUID] = ()) -> int:
    """Delete, within a transaction, all nodes above a source's tree, or above the summaries of documents.

    They may quote what is being deleted; the next sync makes them again without it. Returns how many there were.
    """
    return session.run("delete_nodes_above", source_id=source_id, document_ids=list(document_ids))


def read_nodes(
    session: Session,
    *,
    source_ids: Sequence[int] | None = None,
    knowledge_base_id: int | None = None,
    depth: int,
    limit: int,
    most: int | None = None,
) -> list[SummaryNode]:
    """The trees of sources, or that of a knowledge base, down to a depth, each node before those below it.

    Args:
        session: the transaction.
        source_ids: of these sources.
        knowledge_base_id: of this knowledge base, with the trees of its sources below it.
        depth: how many levels below the top.
        limit: how many nodes of each tree.
        most: of each tree only as many whole levels as have no more nodes, but at least two.
    """
    owner = {"source_ids": source_ids, "knowledge_base_id": knowledge_base_id}
    rows = session.rows("tree_nodes", **owner, depth=depth, limit=limit, most=most)
    return [SummaryNode(**{**row, "kind": NodeKind(row["kind"])}) for row in rows]


def whole_levels(
    session: Session, *, source_ids: Sequence[int] | None = None, knowledge_base_id: int | None = None, most: int
) -> list[SummaryNode]:
    """As many whole levels as have no more than `most` nodes of a tree; of the first two, no more than that."""
    return read_nodes(
        session, source_ids=source_ids, knowledge_base_id=knowledge_base_id, depth=_MAX_LEVELS, limit=most, most=most
    )


def _json(row: TreeRow) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "kind": row.kind.value,
        "identity": row.identity.hex(),
        "key": row.key.hex(),
        "parent_id": None if row.parent_id is None else str(row.parent_id),
        "position": row.position,
        "document_id": None if row.document_id is None else str(row.document_id),
        "chunk_ids": [str(chunk_id) for chunk_id in row.chunk_ids],
    }
