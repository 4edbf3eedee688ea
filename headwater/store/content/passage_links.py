"""The links of published chunks: to the chunks below them, those next to them, and those they link to.

Belongs here: loading linked chunks, all at once. Not here: their scores
(`headwater.retrieval.traversal`), what a link leads to (the view `resolved_links`). Guarantee: only chunks that
the index publishes and the filters allow are returned; a link to a deleted document leads nowhere.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from headwater.domain.links import LinkKind
from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.store.search.passage_search import FilterResult, search_scope, to_passages
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session

_PER_PASSAGE = 20  # children, and links, that are followed from one passage

LeadKind = Literal["child", "reference", "call", "import"]
"""How a passage leads to another: to one below its heading, or by a link."""
LINK_LEADS: tuple[LeadKind, ...] = ("reference", "call", "import")
_LEADS: Mapping[LinkKind, LeadKind] = {
    LinkKind.REFERENCES: "reference", LinkKind.CALLS: "call", LinkKind.IMPORTS: "import",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageLink:
    """A link from a chunk (`origin`) to a passage: to a child, or to a link target."""

    origin: UUID
    kind: LeadKind
    passage: Passage


class PassageLinkStore:
    """Reads version_chunks and the links of chunks, of what an index publishes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def follow(
        self,
        index: SearchIndex,
        passages: Sequence[Passage],
        *,
        filters: SearchFilters | None = None,
        vector: NDArray[np.float32] | None = None,
        kinds: Collection[LeadKind] = ("child", "reference"),
    ) -> list[PassageLink]:
        """Load the children and link targets of passages: passage by passage, children first, in order.

        Args:
            index: the index where the passages were found.
            passages: published passages; one that is no longer published leads nowhere.
            filters: the part of the index that may be returned; by default all.
            vector: the question's, shape (dimensions,); with it, each passage gets its similarity.
            kinds: how passages may lead to others.

        Returns:
            At most 20 children and 20 link targets per passage.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction(snapshot=True) as session:
            index_row = session.row("get_search_index", id=index.id)
            if index_row is None or not passages:  # deleted since the caller looked
                return []
            scope = search_scope(session, index, filters or SearchFilters())
            chunk_ids = [passage.chunk_id for passage in passages]
            children = _children(session, index, chunk_ids) if "child" in kinds else {}
            linked = _follow_links(session, index, chunk_ids, scope, kinds)
            leads = [
                lead
                for origin in dict.fromkeys(chunk_ids)
                for lead in (*children.get(origin, ()), *linked[origin][:_PER_PASSAGE])
            ]
            led_to_ids = list(dict.fromkeys(chunk_id for _, _, chunk_id in leads))
            loaded = load_passages(session, index, index_row["shard"], led_to_ids, vector)
        return [
            PassageLink(origin=origin, kind=kind, passage=loaded[chunk_id])
            for origin, kind, chunk_id in leads
            if chunk_id in loaded
        ]

    def nearby(self, passages: Sequence[Passage], *, reach: int) -> list[Passage]:
        """Load the chunks next to passages, in the document versions where they were found.

        Args:
            passages: of any version, published or not.
            reach: the largest distance in positions.

        Returns:
            Passages without scores, by document version and position, including the given ones.
        """
        rows = self._database.rows(
            "nearby_chunks",
            version_ids=[passage.document_version_id for passage in passages],
            chunk_ids=[passage.chunk_id for passage in passages],
            reach=reach,
        )
        return list(to_passages(rows))


def load_passages(
    session: Session,
    index: SearchIndex,
    shard: int,
    chunk_ids: Sequence[UUID],
    vector: NDArray[np.float32] | None,
) -> Mapping[UUID, Passage]:
    """Load published chunks, by id, with their similarity to a vector if it is given.

    Args:
        session: a transaction.
        index: the index; chunks that it does not publish are left out.
        shard: the shard of the index.
        chunk_ids: the chunks.
        vector: shape (dimensions,), or None.
    """
    rows = session.run_template(
        "passages_of_chunks",
        {"shard": shard, "dimensions": index.dimensions},
        search_index_id=index.id,
        settings_hash=index.settings_hash,
        chunk_ids=list(chunk_ids),
        vector=None if vector is None else HalfVector(vector),
    ).fetchall()
    return {passage.chunk_id: passage for passage in to_passages(rows)}


_Lead = tuple[UUID, LeadKind, UUID]  # origin chunk, how, target chunk


def _children(session: Session, index: SearchIndex, chunk_ids: Sequence[UUID]) -> dict[UUID, list[_Lead]]:
    rows = session.rows(
        "children_of_chunks",
        search_index_id=index.id,
        settings_hash=index.settings_hash,
        chunk_ids=list(chunk_ids),
        limit=_PER_PASSAGE,
    )
    return {row["chunk_id"]: [(row["chunk_id"], "child", child) for child in row["child_ids"]] for row in rows}


def _follow_links(
    session: Session, index: SearchIndex, chunk_ids: Sequence[UUID], scope: FilterResult, kinds: Collection[LeadKind]
) -> Mapping[UUID, list[_Lead]]:
    """What the links of chunks lead to, each chunk once for each kind."""
    link_kinds = [link.value for link, lead in _LEADS.items() if lead in kinds]
    leads_by_origin: defaultdict[UUID, dict[_Lead, None]] = defaultdict(dict)
    if link_kinds:
        rows = session.rows(
            "links_of_chunks",
            search_index_id=index.id,
            settings_hash=index.settings_hash,
            chunk_ids=list(chunk_ids),
            kinds=link_kinds,
            within_sources=scope.source_ids,
            within_documents=scope.document_ids,
        )
        for row in rows:
            if row["chunk_id"] != row["origin_id"]:
                leads_by_origin[row["origin_id"]][row["origin_id"], _LEADS[LinkKind(row["kind"])], row["chunk_id"]] = (
                    None
                )
    return defaultdict(list, {origin: list(leads) for origin, leads in leads_by_origin.items()})
