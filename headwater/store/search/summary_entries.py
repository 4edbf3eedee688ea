"""Summaries as entries: publishing them with their tree, and finding them (SUM-4, EMB-3).

Belongs here: the entries of trees, the nodes nearest to a vector or highest in a filter, what is below them. Not here:
the trees (`headwater.store.content.summaries`), entries of versions (`entries`). Guarantee: an entry appears, changes
and goes in the transaction that changes its tree, so a reader never finds a node that is gone; filters are exact: a
summary of more than a filter leaves is not found.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.domain.summaries import DocumentBelow, DocumentName, NodeKind, RankedSummary
from headwater.store.content.passage_links import load_passages
from headwater.store.search.passage_search import search_scope
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session
from headwater.store.server.typed_rows import from_row

_DOCUMENTS = 20
"""How many documents of a node are named."""


class SummaryText(NamedTuple):
    """A summary's text that has no vector yet."""

    embedding_hash: bytes
    text: str


class SummaryEntryStore:
    """The entries of summaries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def lacking(self, source_id: int, index: SearchIndex) -> list[bytes]:
        """The keys of a source's summaries that an index lacks."""
        rows = self._database.rows("nodes_without_entry", source_id=source_id, search_index_id=index.id)
        return [row["summary_key"] for row in rows]

    def to_embed(self, keys: Sequence[bytes], model: str) -> list[SummaryText]:
        """The texts of some summaries that have no vector of a model, each once."""
        rows = self._database.rows("summaries_to_embed", keys=list(keys), model=model)
        return [SummaryText(row["embedding_hash"], row["text"]) for row in rows]

    def near(
        self, index: SearchIndex, vector: NDArray[np.float32], *, filters: SearchFilters, limit: int
    ) -> list[RankedSummary]:
        """The summaries nearest to a vector, with what is below them.

        Args:
            index: the index to search.
            vector: the question's, shape (dimensions,).
            filters: a summary of more than they leave is not found.
            limit: how many.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.run_template(
                "nearest_summaries",
                {"dimensions": index.dimensions},
                **_scope(session, index, filters),
                vector=HalfVector(vector),
                limit=limit,
            ).fetchall()
            return _with_documents(session, index, rows)

    def highest(self, index: SearchIndex, *, filters: SearchFilters, limit: int) -> list[RankedSummary]:
        """The highest summaries of what filters leave: of whole sources, or else of documents.

        Args:
            index: the index to search.
            filters: a summary of more than they leave is not found.
            limit: how many.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("highest_summaries", **_scope(session, index, filters), limit=limit)
            return _with_documents(session, index, rows)

    def chunks_below(
        self,
        index: SearchIndex,
        node_ids: Sequence[UUID],
        vector: NDArray[np.float32],
        *,
        filters: SearchFilters,
        limit: int,
    ) -> dict[UUID, list[Passage]]:
        """The chunks below nodes, by node, those nearest to a vector first, as far as filters leave them.

        Args:
            index: the index; chunks that it does not serve are left out.
            node_ids: the nodes.
            vector: the question's, shape (dimensions,).
            filters: the part of the index that may be returned.
            limit: how many of each node.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_search_index", id=index.id)
            if row is None:  # deleted since the caller looked
                return {}
            places = session.run_template(
                "chunks_below",
                {"dimensions": index.dimensions, "shard": row["shard"]},
                **_scope(session, index, filters),
                ids=list(node_ids),
                vector=HalfVector(vector),
                limit=limit,
            ).fetchall()
            loaded = load_passages(session, index, row["shard"], [place["chunk_id"] for place in places], vector)
        passages_by_node: dict[UUID, list[Passage]] = {}
        for place in places:
            if place["chunk_id"] in loaded:
                passages_by_node.setdefault(place["top"], []).append(loaded[place["chunk_id"]])
        return passages_by_node

    def of_documents(self, index: SearchIndex, document_ids: Sequence[UUID]) -> list[RankedSummary]:
        """The summaries of documents that an index serves, in the order of the ids; none of those without one.

        Args:
            index: the index.
            document_ids: the documents.
        """
        with self._database.transaction(snapshot=True) as session:
            rows = session.rows("summaries_of_documents", ids=list(document_ids))
            summaries = _with_documents(session, index, rows)
        places = {document_id: place for place, document_id in enumerate(document_ids)}
        return sorted(summaries, key=lambda summary: places[summary.documents[0].document_id])

    def names(self, index: SearchIndex, *, filters: SearchFilters, limit: int) -> list[DocumentName]:
        """What the summarised documents that filters leave are called, by source and URI.

        Args:
            index: the index.
            filters: the part of the index that counts.
            limit: how many.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction() as session:
            rows = session.rows("summarized_names", **_scope(session, index, filters), limit=limit)
        return [from_row(DocumentName, row) for row in rows]

    def texts(
        self, index: SearchIndex, document_ids: Sequence[UUID], *, characters: int | None = None
    ) -> dict[UUID, str]:
        """What some documents that an index serves say, each in one text: all of it, or the first characters."""
        rows = self._database.rows(
            "served_texts", search_index_id=index.id, ids=list(document_ids), characters=characters
        )
        return {row["document_id"]: row["text"] for row in rows}

    def passages_at(self, index: SearchIndex, document_id: UUID, places: Sequence[int]) -> dict[int, Passage]:
        """The chunks of a document that hold offsets of its text as an index serves it, by offset.

        Args:
            index: the index.
            document_id: the document.
            places: the offsets; one that no chunk holds is left out.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_search_index", id=index.id)
            if row is None:
                return {}
            values = {"search_index_id": index.id, "settings_hash": index.settings_hash}
            rows = session.rows("chunks_at", **values, document_id=document_id, places=list(places))
            loaded = load_passages(session, index, row["shard"], [chunk_row["chunk_id"] for chunk_row in rows], None)
        return {
            chunk_row["place"]: loaded[chunk_row["chunk_id"]] for chunk_row in rows if chunk_row["chunk_id"] in loaded
        }

    def find_dated(
        self,
        index: SearchIndex,
        *,
        in_text: str,
        in_heading: str,
        filters: SearchFilters,
        most: int,
        limit: int,
        document_ids: Collection[UUID] | None = None,
    ) -> list[Passage]:
        """The chunks that name a version or a date, in the order of their documents.

        Args:
            index: the index.
            in_text: a regular expression for a place in a text.
            in_heading: the same for a heading above it.
            filters: the part of the index that counts.
            most: how many chunks are looked through.
            limit: how many are returned.
            document_ids: only these documents are looked through, which the filters leave; by default all that they do.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction(snapshot=True) as session:
            row = session.row("get_search_index", id=index.id)
            if row is None:
                return []
            scope = _scope(session, index, filters)
            if document_ids is not None:
                scope["document_ids"] = list(document_ids)
            rows = session.rows(
                "dated_chunks",
                **scope,
                most=most,
                settings_hash=index.settings_hash,
                in_text=in_text,
                in_heading=in_heading,
                limit=limit,
            )
            loaded = load_passages(session, index, row["shard"], [dated_row["chunk_id"] for dated_row in rows], None)
        return sorted(loaded.values(), key=lambda passage: (passage.source, passage.uri, passage.position))

    def renewed(
        self, index: SearchIndex, day: date, *, filters: SearchFilters, limit: int
    ) -> list[tuple[RankedSummary, date]]:
        """The documents that were written or changed on a day or later, the latest first, with when that was.

        Args:
            index: the index.
            day: the first day.
            filters: the part of the index that counts.
            limit: how many.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction() as session:
            rows = session.rows("renewed_documents", **_scope(session, index, filters), day=day, limit=limit)
        days = {row["document_id"]: row["changed_at"].date() for row in rows}
        return [(summary, days[summary.documents[0].document_id]) for summary in self.of_documents(index, list(days))]

    def has_any(self, index: SearchIndex) -> bool:
        """Whether there is any summary of what an index serves."""
        return bool(self._database.one("has_summaries", search_index_id=index.id)["has_any"])

    def has_vectors(self, index: SearchIndex) -> bool:
        """Whether any of these summaries has a vector: those that a model wrote."""
        return bool(self._database.one("has_summaries", search_index_id=index.id)["has_vectors"])


def publish_tree(session: Session, source_id: int, indexes: Sequence[SearchIndex]) -> int:
    """Update the entries of a source's summaries in indexes; returns how many rows changed.

    Args:
        session: the transaction that changes the tree, after it did.
        source_id: the source.
        indexes: all that its documents are published into; one that was dropped meanwhile is left out.
    """
    total = 0
    for index in sorted(indexes, key=lambda index: index.id):  # as in deletions, so that locks are taken in one order
        session.run("share_index_lock", id=index.id)
        row = session.row("get_search_index", id=index.id)
        if row is None:
            continue
        values = {"search_index_id": index.id, "source_id": source_id}
        count = session.run("delete_old_tree_entries", **values)
        count += session.run("insert_new_tree_entries", **values, model=index.model)
        if count and row["state"] == "active":  # an answer that was made from the old tree is stale
            session.run("revise_source", source_id=source_id)
        total += count
    return total


def _scope(session: Session, index: SearchIndex, filters: SearchFilters) -> dict[str, Any]:
    scope = search_scope(session, index, filters)
    return {"search_index_id": index.id, "source_ids": scope.source_ids, "document_ids": scope.document_ids}


def _with_documents(session: Session, index: SearchIndex, summary_rows: Sequence[Row]) -> list[RankedSummary]:
    if not summary_rows:
        return []
    rows = session.run_template(
        "documents_below",
        {"dimensions": index.dimensions},
        ids=[row["id"] for row in summary_rows],
        search_index_id=index.id,
        limit=_DOCUMENTS,
    ).fetchall()
    rows_by_top: Mapping[UUID, list[Row]] = {
        top: list(group) for top, group in groupby(rows, key=lambda row: row["top"])
    }
    return [_from_rows(row, rows_by_top[row["id"]]) for row in summary_rows if row["id"] in rows_by_top]


def _from_rows(row: Row, below: Sequence[Row]) -> RankedSummary:
    return from_row(
        RankedSummary,
        row,
        kind=NodeKind(row["kind"]),
        title=row["title"] or row["source"],
        documents=tuple(from_row(DocumentBelow, document_row) for document_row in below),
        document_count=below[0]["total"],
    )
