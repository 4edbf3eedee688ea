"""Where published chunks lead: to what stands under them and beside them, and to what they link to.

Belongs here: loading the chunks that others lead to, all at once. Not here: what such a chunk is worth
(`headwater.retrieval.traversal`), what a link means (`headwater.parsing.link_targets`). Guarantee: only what the index
publishes, and the filters leave, is returned; a link to what is gone leads nowhere.
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

_PER_PASSAGE = 20  # children, and links, that are followed of one passage


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageLink:
    """That a chunk (`origin`) leads to a passage: to one that stands under it, or to one that it links to."""

    origin: UUID
    kind: Literal["child", "reference"]
    passage: Passage


class PassageLinkStore:
    """Reads version_chunks and the links of chunks, as far as an index publishes them."""

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
        """Load the children of passages and what they link to: passage by passage, children first, in their order.

        Args:
            index: where the passages were found.
            passages: published ones; what is not published any more leads nowhere.
            filters: which part of the index may be returned; all when not given.
            vector: the question's, shape (dimensions,): then each passage has its similarity.

        Returns:
            At most 20 children and 20 references of each passage.

        Raises:
            InvalidInputError: a filter names a source that is not there.
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
        """Load the chunks that stand beside passages, in the document versions where they were found.

        Args:
            passages: of any version, published or not.
            reach: how many places away at most.

        Returns:
            Passages without scores, by document version and place; those given are among them.
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
    """Load published chunks, by id, with their similarity to a vector when it is given.

    Args:
        session: a transaction.
        index: what publishes them; chunks that it does not publish are left out.
        shard: where the index lies.
        chunk_ids: which ones.
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
    """(from which chunk, whether to a child, to which chunk), origin by origin."""
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
