"""Partitions of large search indexes, with HNSW.

Belongs here: moving an index into a partition of its own, noting what was measured of it, and reclaiming the space of
deleted ones. Not here: what an index answers (`search_indexes`), measuring (`index_health`). Guarantee: no reader
waits, and none misses an entry meanwhile.
"""

import psycopg
from psycopg import sql

from headwater.domain.search import SearchIndex
from headwater.store.server.database import Connection, Database
from headwater.store.server.named_queries import named_queries

_STEPS = (
    "create_partitions", "load_partitions", "index_partitions", "index_partition_by_vector", "analyze_partitions",
    "attach_partitions",
)  # fmt: skip


class IndexPartitions:
    """The partitions of search_entries and search_weights."""

    _database: Database

    def move_to_partition(self, index: SearchIndex) -> None:
        """Give a large index a partition of its own, with HNSW; readers and their answers go on meanwhile.

        The partition is loaded and indexed as a plain table (a bulk build is 4–8 times faster than inserting into an
        index), then attached, which waits for no reader. Publishers into this index wait until it is there.
        """
        names = {name: sql.Identifier(f"search_{name}_{index.id}") for name in ("entries", "weights")}
        numbers = {"id": sql.Literal(index.id), "dimensions": sql.Literal(index.dimensions)}
        with self._database.transaction() as session:
            session.run("own_index_lock", id=index.id)
            row = session.row("get_search_index", id=index.id)
            if row is None or row["shard"]:  # dropped or moved meanwhile
                return
            session.run("raise_build_memory")
            for step in _STEPS:
                _run_on_tables(session.connection, step, **names, **numbers)
            session.run("set_shard", id=index.id)

    def clear_shared_entries(self, index: SearchIndex) -> None:
        """Take what an index with a partition of its own left in the shared table; earlier readers still see it."""
        with self._database.transaction() as session:
            session.run("delete_entries_of_index", id=index.id, shard=0)

    def record_recall(self, index: SearchIndex, *, ef_search: int | None, recall: float) -> None:
        """Remember how thoroughly an index is searched from now on, and what recall@10 that gave; None is exact."""
        with self._database.transaction() as session:
            session.run("set_index_recall", id=index.id, ef_search=ef_search, recall=recall)

    def drop_orphan_partitions(self) -> int:
        """Reclaim the space of deleted indexes, unless that would make readers wait; returns how many went."""
        with self._database.transaction() as session:
            names = [row["name"] for row in session.rows("orphan_partitions")]
        dropped = 0
        for name in names:
            try:
                with self._database.transaction() as session:
                    session.run("limit_lock_wait")
                    _run_on_tables(session.connection, "drop_partition", table=sql.Identifier(name))
                dropped += 1
            except psycopg.errors.LockNotAvailable:
                continue  # the next refresh tries again
        return dropped


def _run_on_tables(connection: Connection, query: str, **values: sql.Composable) -> None:
    connection.execute(sql.SQL(named_queries()[query]).format(**values))
