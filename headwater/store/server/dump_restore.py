"""Loading the rows of a backup into tables that Headwater created itself.

Belongs here: the transaction that fills a database from a dump. Not here: reading the dump (`dump_text`), the
backup's file (`cli.backup`). Guarantee: the schema is ours, created by our migrations or by Dagster; only rows of its
tables and columns are loaded, by a role that may do nothing else; completely or not at all.
"""

import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, LiteralString, cast

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from headwater.store.server.connection_pool import Connection
from headwater.store.server.connections import connect_directly, unavailable
from headwater.store.server.dump_text import Rows, Sequence, dump_text, items
from headwater.store.server.dumps import BackupError
from headwater.store.server.named_queries import load_queries
from headwater.store.server.query_session import Session

_MAX_LEDGER_BYTES = 1 << 16  # bytes; the rows that name the schema take a few hundred
_PARTITION = re.compile(r"(search_[a-z_]+)_(\d{1,18})")
_BUILD_KILOBYTES = 512 * 1024  # of memory for indexes that are built over the loaded rows


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to fill a database."""

    name: str
    """The member of the backup with its dump."""
    size: int
    """Its bytes."""
    rows: Mapping[str, int]
    """How many rows each table has, including its partitions."""
    ledger: tuple[str, str]
    """The table and column that identify the schema."""
    prepare: Callable[[Connection], None]
    """Creates the schema, in the transaction that fills it; does nothing if it exists."""
    finish: Callable[[Session, Mapping[str, Collection[str]]], None] | None = None
    """Changes the rows before anybody can read them; is given the columns of each table."""


@dataclass(frozen=True, kw_only=True)
class _Table:
    columns: list[str]
    is_divided: bool
    parent: str | None


@dataclass
class _Loading:
    """A database that is being filled."""

    session: Session
    plan: Plan
    schema: str = ""
    role: sql.Identifier | None = None
    tables: dict[str, _Table] = field(default_factory=dict)
    sequences: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    loaded: dict[str, int] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    partitions: list[tuple[str, str, int]] = field(default_factory=list)

    def run(self, query: str, **values: sql.Composable) -> None:
        """Run a named query on our own tables."""
        self.session.connection.execute(sql.SQL(load_queries()[query]).format(**values))


def load(url: str, dump: BinaryIO, plan: Plan, tell: Callable[[int], object]) -> None:
    """Fill an empty database with the rows of a dump, completely or not at all.

    Args:
        url: the database.
        dump: the output of pg_dump.
        plan: the required result.
        tell: is told how many bytes have been read.

    Raises:
        BackupError: the dump is not what Headwater writes. Nothing was restored.
        DatabaseUnavailableError: the server cannot be reached.
    """
    try:
        with connect_directly(url, row_factory=dict_row) as connection:
            loading = _Loading(session=Session(connection), plan=plan)
            plan.prepare(connection)
            _look(loading)
            ties = _untie(loading)
            _be_loader(loading)
            with dump_text(dump, tell) as text:
                for item in items(text, plan.size):
                    _take(loading, item)
            _be_ourselves(loading)
            _attach(loading)
            for name, table, definition in ties:
                loading.run("add_foreign_key", name=name, table=table, definition=definition)
            _count(loading)
            if plan.finish is not None:
                plan.finish(loading.session, {name: table.columns for name, table in loading.tables.items()})
    except psycopg.OperationalError as error:
        raise unavailable(error) from error
    except psycopg.Error as error:
        first = str(error).strip().splitlines()[0]
        raise BackupError(
            f"{plan.name} does not fit into Headwater's tables: {first}. Nothing was restored."
        ) from error


def _look(loading: _Loading) -> None:
    """Read the schema, and compare it with the rows to load."""
    session = loading.session
    session.run("raise_build_memory", kilobytes=_BUILD_KILOBYTES)
    loading.schema = session.one("own_schema")["name"]
    loading.tables = {
        row["name"]: _Table(columns=row["columns"], is_divided=row["is_divided"], parent=row["parent"])
        for row in session.rows("loadable_tables")
    }
    loading.sequences = {row["name"] for row in session.rows("own_sequences")}
    table, column = map(sql.Identifier, loading.plan.ledger)
    statement = sql.SQL(load_queries()["ledger_rows"]).format(column=column, table=table)
    loading.made = {row["name"] for row in session.connection.execute(statement)}
    unknown = sorted(table for table in loading.plan.rows if table not in loading.tables)
    if unknown:
        raise _backup_error(loading, f"it has rows of {unknown[0]}, which is not a table of Headwater")


def _untie(loading: _Loading) -> list[tuple[sql.Identifier, sql.Identifier, sql.SQL]]:
    """Drop foreign keys, and rows that creating the schema inserted; returns the keys."""
    ties = []
    for row in loading.session.rows("foreign_keys"):
        name, table = sql.Identifier(row["name"]), sql.Identifier(*row["table_name"].replace('"', "").split("."))
        ties.append((name, table, sql.SQL(cast("LiteralString", row["definition"]))))  # from the catalogue
        loading.run("drop_foreign_key", name=name, table=table)
    for table_name in loading.tables:
        if table_name != loading.plan.ledger[0]:
            loading.run("empty_table", table=sql.Identifier(table_name))
    return ties


def _be_loader(loading: _Loading) -> None:
    """Switch to a role that may only insert rows.

    A user who cannot create roles is unprivileged already and stays as it is.
    """
    schema = sql.Identifier(loading.schema)
    if loading.role is None and loading.session.one("own_schema")["makes_roles"]:
        loading.role = sql.Identifier(f"headwater_restore_{secrets.token_hex(8)}")
        loading.run("make_loader", role=loading.role, schema=schema)
    if loading.role is not None:
        loading.run("be_loader", role=loading.role)


def _be_ourselves(loading: _Loading) -> None:
    if loading.role is not None:
        loading.run("be_ourselves")
        loading.run("drop_loader", role=loading.role, schema=sql.Identifier(loading.schema))
        loading.role = None


def _take(loading: _Loading, item: Rows | Sequence) -> None:
    if item.schema != loading.schema and item.schema != "public":
        raise _backup_error(loading, f"it names the schema {item.schema}")
    if isinstance(item, Sequence):
        if item.name not in loading.sequences:
            raise _backup_error(loading, f"it sets {item.name}, which is not a sequence of Headwater")
        _as_owner(loading, lambda: _set_sequence(loading, item))
    elif item.table == loading.plan.ledger[0]:
        _compare_ledger(loading, item)
    else:
        _load_rows(loading, item)


def _set_sequence(loading: _Loading, item: Sequence) -> None:
    loading.session.run("set_sequence", name=item.name, value=item.value, is_called=item.is_called)


def _as_owner(loading: _Loading, act: Callable[[], Any]) -> None:
    """Do what the loading role may not: on our own tables, with checked names and numbers."""
    if loading.role is None:
        act()
        return
    loading.run("be_ourselves")
    act()
    loading.run("be_loader", role=loading.role)


def _compare_ledger(loading: _Loading, item: Rows) -> None:
    """Refuse rows of a different schema than the one that was created."""
    table, column = loading.plan.ledger
    if column not in item.columns:
        raise _backup_error(loading, f"{table} has no column {column}")
    place = item.columns.index(column)
    content = bytearray()
    for block, _ in item.blocks:
        content += block
        if len(content) > _MAX_LEDGER_BYTES:
            raise _backup_error(loading, f"{table} has more than {_MAX_LEDGER_BYTES} bytes, more than in any release")
    text = content.decode("utf-8", "replace")
    theirs = {line.split("\t")[place] for line in text.splitlines() if line.count("\t") >= place}
    if theirs != loading.made:
        raise _backup_error(
            loading,
            f"it has the schema {', '.join(sorted(theirs))[:1000] or 'without a name'}, but this release creates"
            f" {', '.join(sorted(loading.made))}; restore it with the release that wrote it, then upgrade",
        )
    loading.loaded[table] = len(theirs)


def _load_rows(loading: _Loading, item: Rows) -> None:
    table = loading.tables.get(item.table) or _partition(loading, item.table)
    if item.table in loading.seen:
        raise _backup_error(loading, f"it has rows of {item.table} twice")
    loading.seen.add(item.table)
    if sorted(item.columns) != sorted(table.columns):
        wrong = sorted(set(item.columns) ^ set(table.columns)) or item.columns
        raise _backup_error(loading, f"{item.table} has columns that are not Headwater's: {', '.join(wrong[:5])}")
    root_table = table.parent or item.table
    statement = sql.SQL(load_queries()["load_rows"]).format(
        table=sql.Identifier(loading.schema, item.table),
        columns=sql.SQL(", ").join(map(sql.Identifier, item.columns)),
    )
    with loading.session.connection.cursor().copy(statement) as copy:
        for block, count in item.blocks:
            loading.loaded[root_table] = loading.loaded.get(root_table, 0) + count
            if loading.loaded[root_table] > loading.plan.rows.get(root_table, 0):
                expected = loading.plan.rows.get(root_table, 0)
                raise _backup_error(loading, f"{root_table} has more rows than the {expected} in its manifest")
            copy.write(block)


def _partition(loading: _Loading, name: str) -> _Table:
    """Create the partition of a large index, which no migration creates."""
    match = _PARTITION.fullmatch(name)
    parent = loading.tables.get(match[1]) if match else None
    if not match or parent is None or not parent.is_divided:
        raise _backup_error(loading, f"it has rows of {name}, which is not a table of Headwater")
    names = {"table": sql.Identifier(name), "parent": sql.Identifier(match[1])}
    loading.partitions.append((name, match[1], int(match[2])))

    def make() -> None:
        loading.run("make_restored_partition", **names)
        if loading.role is not None:
            loading.run("let_load", table=names["table"], role=loading.role)

    _as_owner(loading, make)
    partition_table = _Table(columns=parent.columns, is_divided=False, parent=parent.parent or match[1])
    loading.tables[name] = partition_table
    return partition_table


def _attach(loading: _Loading) -> None:
    """Attach the partitions of large indexes to the searched tables, and build HNSW again."""
    for name, parent, index_id in loading.partitions:
        index = loading.session.row("restored_index", id=index_id)
        if index is None or index["shard"] != index_id:
            raise _backup_error(loading, f"{name} belongs to no search index")
        table = sql.Identifier(name)
        if parent.startswith("search_entries"):
            loading.run("index_partition_by_vector", table=table, dimensions=sql.Literal(index["dimensions"]))
        loading.run("attach_restored_partition", parent=sql.Identifier(parent), table=table, id=sql.Literal(index_id))


def _count(loading: _Loading) -> None:
    """Refuse a dump with fewer rows than its manifest says."""
    for table, expected in loading.plan.rows.items():
        if loading.loaded.get(table, 0) != expected:
            raise _backup_error(loading, f"{table} has {loading.loaded.get(table, 0)} rows, not {expected}")


def _backup_error(loading: _Loading, why: str) -> BackupError:
    return BackupError(f"{loading.plan.name} was refused: {why}. Nothing was restored.")
