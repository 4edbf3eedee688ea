"""Single nodes of summary trees, with what they were made of (SUM-3, LIN-1).

Belongs here: reading a node, its children, and the document versions below it. Not here: whole trees (`summaries`),
finding nodes (`headwater.store.search.summary_entries`). Guarantee: a read sees one state of the tree.
"""

from collections.abc import Sequence
from uuid import UUID

from headwater.domain.summaries import ChildNode, NodeKind, StoredNode, VersionBelow
from headwater.errors import NotFoundError
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session
from headwater.store.server.typed_rows import from_row

MAX_VERSIONS = 500
"""How many document versions the lineage of a node names."""


class SummaryNodeStore:
    """Reads summary_tree by id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, node_id: UUID) -> StoredNode:
        """Return a node with those below it.

        Raises:
            NotFoundError: there is no such node.
        """
        with self._database.transaction(snapshot=True) as session:
            return _get(session, node_id)

    def find_ends(self, group_ids: Sequence[UUID]) -> dict[UUID, tuple[str, str]]:
        """Return the titles of the first and of the last document below groups; one without documents is missing."""
        rows = self._database.rows("ends_of_groups", ids=list(group_ids)) if group_ids else []
        titles = {(row["group_id"], row["is_last"]): row["title"] for row in rows}
        return {group: (titles[group, False], titles[group, True]) for group, is_last in titles if is_last}

    def lineage(self, node_id: UUID) -> tuple[StoredNode, list[VersionBelow], int]:
        """Return a node, the document versions that it was made of, at most `MAX_VERSIONS`, and how many there are.

        Raises:
            NotFoundError: there is no such node.
        """
        with self._database.transaction(snapshot=True) as session:
            node = _get(session, node_id)
            rows = session.rows("versions_below_node", id=node_id, limit=MAX_VERSIONS)
        return node, [from_row(VersionBelow, row) for row in rows], rows[0]["total"] if rows else 0


def _get(session: Session, node_id: UUID) -> StoredNode:
    row = session.row("get_node", id=node_id)
    if row is None:
        raise NotFoundError(f"There is no summary {node_id}. Its tree may have changed since it was named.")
    children = session.rows("children_of_node", id=node_id)
    child_nodes = tuple(from_row(ChildNode, child, kind=NodeKind(child["kind"])) for child in children)
    return from_row(StoredNode, row, kind=NodeKind(row["kind"]), children=child_nodes)
