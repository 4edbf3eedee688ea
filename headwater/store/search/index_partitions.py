"""Partitions of large search indexes, with HNSW.

Belongs here: moving an index into its own partition, storing its measurements, and freeing the space of
deleted ones. Not here: the contents of an index (`publications`), measuring (`index_health`). Guarantee: no reader
waits, and none misses an entry meanwhile.
"""

from collections.abc import Sequence

import psycopg
from psycopg import sql

from headwater.domain.search import SearchIndex
from headwater.store.search.entry_kinds import ENTRY_KINDS, EntryKind
from headwater.store.server.connections import unavailable
from headwater.store.server.database import Database
from headwater.store.server.named_queries import load_queries
from headwater.store.server.query_session import Session

_ENTRY_STEPS = (
    "create_partition", "load_entries", "index_partition", "index_partition_by_vector", "analyze_partition",
    "attach_partition",
)  # fmt: skip
_WORD_STEPS = (
    "create_partition", "load_weights", "index_partition", "index_partition_by_terms", "analyze_partition",
    "attach_partition",
)  # fmt: skip
_PARTITIONED = tuple(kind for kind in ENTRY_KINDS if kind.has_partitions)


class IndexPartitions:
    """The partitions of search_entries and search_weights."""

    _database: Database

    def move_to_partition(self, index: SearchIndex, *, memory: int = 0) -> None:
        """Give a large index its own partition, with HNSW; searches and answers continue meanwhile.

        The partition is loaded and indexed as a plain table (a bulk build is 4–8 times faster than inserting into an
        index), then attached, which waits for no reader. Syncs that publish into this index wait until it is done.

        Postgres gets all steps as one command, which it finishes and commits even if this process is killed meanwhile;
        whoever builds the index next waits for that, and finds it built.

        Args:
            index: the index.
            memory: bytes that Postgres may use to build it, if its own setting is less.

        Raises:
            DatabaseUnavailableError: the connection broke, or the disk is full.
        """
        try:
            with self._database.lock_connection() as connection:
                session = Session(connection)
                session.run("lock_index_build", id=index.id)
                row = session.row("get_search_index", id=index.id)
                if row is not None and not row["shard"]:  # else dropped or moved meanwhile
                    connection.execute(_build_command(index, memory))
        except psycopg.OperationalError as error:
            raise unavailable(error) from error

    def clear_shared_entries(self, index: SearchIndex) -> None:
        """Remove the entries that a moved index left in the shared table; earlier readers still see them."""
        self._database.run("delete_shared_entries", id=index.id, kinds=[kind.name for kind in _PARTITIONED])

    def record_recall(self, index: SearchIndex, *, ef_search: int | None, recall: float) -> None:
        """Store how thoroughly an index is searched from now on, and the recall@10 of that; None means exact."""
        self._database.run("set_index_recall", id=index.id, ef_search=ef_search, recall=recall)

    def drop_orphan_partitions(self) -> int:
        """Free the space of deleted indexes, unless that would make readers wait; returns how many were removed."""
        names = [row["name"] for row in self._database.rows("orphan_partitions")]
        dropped = 0
        for name in names:
            try:
                with self._database.transaction() as session:
                    session.run("limit_lock_wait")
                    session.connection.execute(_format_query("drop_partition", table=sql.Identifier(name)))
                dropped += 1
            except psycopg.errors.LockNotAvailable:
                continue  # the next refresh tries again
        return dropped


def _build_command(index: SearchIndex, memory: int) -> sql.Composed:
    """All steps as one command of several statements, which Postgres takes for one transaction."""
    statements: list[sql.Composable] = [
        _format_query("begin_build", kilobytes=sql.Literal(memory // 1024), memory=sql.Literal(memory))
    ]
    for kind in _PARTITIONED:
        statements += _steps(index, kind, kind.entries, _ENTRY_STEPS)
        if kind.has_words:
            statements += _steps(index, kind, kind.weights, _WORD_STEPS)
    statements.append(_format_query("set_shard", id=sql.Literal(index.id)))
    return sql.SQL("-- name: build_index\n") + sql.SQL("\n").join(statements)


def _steps(index: SearchIndex, kind: EntryKind, parent: str, steps: Sequence[str]) -> list[sql.Composable]:
    names = {
        "kind": sql.Literal(kind.name),
        "parent": sql.Identifier(parent),
        "table": sql.Identifier(f"{parent}_{index.id}"),
        "id": sql.Literal(index.id),
        "dimensions": sql.Literal(index.dimensions),
    }
    return [_format_query(step, **names) for step in steps]


def _format_query(query: str, **values: sql.Composable) -> sql.Composed:
    return sql.SQL(load_queries()[query]).format(**values)
