"""Breadcrumbs as an index of their own (EMB-3): what a section is about, without the noise of its text.

Belongs here: publishing the breadcrumbs of documents, the nearest ones to a vector, the chunks below them. Not here:
embedding them (`headwater.syncing.embeddings`), what they count in a search (`headwater.retrieval.headings`).
Guarantee: an index has exactly the breadcrumbs of the chunks that it publishes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.store.content.passage_links import load_passages
from headwater.store.search.searching import search_scope
from headwater.store.server.database import Database, Session


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    """A breadcrumb of a published document, and its cosine similarity to what was asked."""

    document_id: UUID
    embedding_hash: bytes
    breadcrumb: tuple[str, ...]
    similarity: float


class HeadingStore:
    """Reads search_headings."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def nearest(
        self, index: SearchIndex, vector: NDArray[np.float32], *, filters: SearchFilters | None = None, limit: int
    ) -> list[Heading]:
        """Find the breadcrumbs that are nearest to a vector, nearest first; every one is compared.

        Args:
            index: the index to ask.
            vector: the question's, shape (dimensions,).
            filters: which part of it to search; all when not given.
            limit: how many at most.

        Raises:
            InvalidInputError: a filter names a source that is not there.
        """
        with self._database.transaction(snapshot=True) as session:
            scope = search_scope(session, index, filters or SearchFilters())
            session.row("index_to_search", id=index.id, is_filtered=scope.entry_count is not None)
            rows = session.formatted(
                "nearest_headings",
                {"dimensions": index.dimensions},
                search_index_id=index.id,
                vector=HalfVector(vector),
                source_ids=scope.source_ids,
                document_ids=scope.document_ids,
                limit=limit,
            ).fetchall()
        return [Heading(**{**row, "breadcrumb": tuple(row["breadcrumb"])}) for row in rows]

    def passages(
        self, index: SearchIndex, headings: Sequence[Heading], vector: NDArray[np.float32], *, limit: int
    ) -> list[Passage]:
        """Load the published chunks below breadcrumbs: heading by heading, those nearest to the vector first.

        Args:
            index: whose breadcrumbs they are.
            headings: the breadcrumbs, best first.
            vector: the question's, shape (dimensions,).
            limit: how many chunks at most.

        Returns:
            Passages with the similarity of the chunk and of its breadcrumb, and the breadcrumb's rank.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_search_index", id=index.id)
            if row is None or not headings:  # deleted since the caller looked
                return []
            found = session.formatted(
                "chunks_of_headings",
                {"shard": row["shard"], "dimensions": index.dimensions},
                search_index_id=index.id,
                settings_hash=index.settings_hash,
                document_ids=[heading.document_id for heading in headings],
                hashes=[heading.embedding_hash for heading in headings],
                vector=HalfVector(vector),
                limit=limit,
            ).fetchall()
            loaded = load_passages(session, index, row["shard"], [each["chunk_id"] for each in found], vector)
        passages = []
        for place, each in enumerate(found, start=1):
            passage, number = loaded[each["chunk_id"]], each["number"]
            scores = replace(passage.scores, heading=headings[number - 1].similarity, heading_rank=number)
            passages.append(replace(passage, rank=place, score=headings[number - 1].similarity, scores=scores))
        return passages


def publish_headings(session: Session, index: SearchIndex, document_ids: Sequence[UUID]) -> int:
    """Make an index have the breadcrumbs of the newest state of some documents; returns how many rows changed.

    Args:
        session: the transaction that publishes the documents.
        index: where to.
        document_ids: the documents; vanished ones lose theirs.
    """
    values = {
        "search_index_id": index.id,
        "document_ids": list(document_ids),
        "settings_hash": index.settings_hash,
    }
    gone = session.run("delete_old_headings", **values)
    return gone + session.run("insert_new_headings", **values, model=index.model)
