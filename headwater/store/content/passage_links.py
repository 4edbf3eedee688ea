"""The links of published chunks: to the chunks below them, those next to them, and those they link to.

Belongs here: loading linked chunks, all at once. Not here: their scores
(`headwater.retrieval.traversal`), the meaning of a link (`headwater.parsing.link_targets`). Guarantee: only chunks that
the index publishes and the filters allow are returned; a link to a deleted document leads nowhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.parsing.link_targets import link_target
from headwater.store.search.searching import Scope, search_scope, to_passages
from headwater.store.server.database import Database, Row, Session

_PER_PASSAGE = 20  # children, and links, that are followed from one passage


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageLink:
    """A link from a chunk (`origin`) to a passage: to a child, or to a link target."""

    origin: UUID
    kind: Literal["child", "reference"]
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
    ) -> list[PassageLink]:
        """Load the children and link targets of passages: passage by passage, children first, in order.

        Args:
            index: the index where the passages were found.
            passages: published passages; one that is no longer published leads nowhere.
            filters: the part of the index that may be returned; by default all.
            vector: the question's, shape (dimensions,); with it, each passage gets its similarity.

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
            rows = {row["chunk_id"]: row for row in _leads(session, index, passages)}
            origins = [rows[passage.chunk_id] for passage in passages if passage.chunk_id in rows]
            targets = _targets(session, index, origins, scope)
            wanted = list(dict.fromkeys(chunk_id for _, _, chunk_id in targets))
            loaded = load_passages(session, index, index_row["shard"], wanted, vector)
        return [
            PassageLink(origin=origin, kind="child" if is_child else "reference", passage=loaded[chunk_id])
            for origin, is_child, chunk_id in targets
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
        with self._database.transaction() as session:
            rows = session.rows(
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
    rows = session.formatted(
        "passages_of_chunks",
        {"shard": shard, "dimensions": index.dimensions},
        search_index_id=index.id,
        settings_hash=index.settings_hash,
        chunk_ids=list(chunk_ids),
        vector=None if vector is None else HalfVector(vector),
    ).fetchall()
    return {passage.chunk_id: passage for passage in to_passages(rows)}


def _leads(session: Session, index: SearchIndex, passages: Sequence[Passage]) -> list[Row]:
    return session.rows(
        "leads_of_chunks",
        search_index_id=index.id,
        settings_hash=index.settings_hash,
        chunk_ids=[passage.chunk_id for passage in passages],
        limit=_PER_PASSAGE,
    )


def _targets(
    session: Session, index: SearchIndex, origins: Sequence[Row], scope: Scope
) -> list[tuple[UUID, bool, UUID]]:
    """(origin chunk, whether to a child, target chunk), by origin."""
    links = [
        (origin, target)
        for origin in origins
        for target in islice(
            filter(None, (link_target(link, origin["uri"]) for link in origin["outgoing"])),
            _PER_PASSAGE,
        )
    ]
    flat = [(number, origin, uri, target) for number, (origin, target) in enumerate(links) for uri in target.uris]
    rows = session.rows(
        "chunks_of_links",
        search_index_id=index.id,
        settings_hash=index.settings_hash,
        numbers=[number for number, _, _, _ in flat],
        source_ids=[origin["source_id"] for _, origin, _, _ in flat],
        uris=[uri for _, _, uri, _ in flat],
        anchors=[target.anchor for _, _, _, target in flat],
        within_sources=scope.source_ids,
        within_documents=scope.document_ids,
    )
    reached = {row["number"]: row["chunk_id"] for row in rows}
    found: list[tuple[UUID, bool, UUID]] = []
    for origin in origins:
        own = origin["chunk_id"]
        found += [(own, True, chunk_id) for chunk_id in origin["child_ids"]]
        referenced = dict.fromkeys(reached.get(number) for number, (start, _) in enumerate(links) if start is origin)
        found += [(own, False, chunk_id) for chunk_id in referenced if chunk_id is not None and chunk_id != own]
    return found
