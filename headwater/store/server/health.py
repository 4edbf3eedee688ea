"""The state of Postgres and of its contents.

Belongs here: what `doctor` and housekeeping check. Not here: their messages. Guarantee: it changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.domain.search import SearchIndex
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row
from headwater.store.server.typed_rows import from_row

_MAX_DEAD_SHARE = 0.2  # share of a table's rows; autovacuum's own threshold, so beyond it autovacuum is late
_MIN_DEAD_ROWS = 10_000  # rows; a smaller table is read completely anyway


@dataclass(frozen=True, kw_only=True, slots=True)
class VacuumAdvice:
    """A table that needs a vacuum, the reason, and the statement for it."""

    table: str
    dead_count: int
    live_count: int
    vacuumed_at: datetime | None
    reason: str
    statement: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerFacts:
    """The version of Postgres; `pgvector` is None if it is missing."""

    postgres: str
    pgvector: str | None
    has_autovacuum: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexStanding:
    """An inactive search index, or one whose gate failed; then `failed` is the gate's report."""

    knowledge_base: str
    id: int
    model: str
    state: str
    retained_at: datetime | None
    is_failed: bool
    failed: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryFacts:
    """The server's memory settings, and the size of its vector indexes, in bytes."""

    shared_buffers: int
    maintenance_work_mem: int
    work_mem: int
    max_connections: int
    vector_index_bytes: int
    largest_index_bytes: int


class HealthStore:
    """Information about the database, read from within."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def server(self) -> ServerFacts:
        """Return the server's information about itself."""
        return from_row(ServerFacts, self._database.one("server_facts"))

    def memory(self) -> MemoryFacts:
        """Return the server's memory settings and the size of what they must hold."""
        return from_row(MemoryFacts, self._database.one("memory_facts"))

    def count_waiting_requests(self, seconds: int) -> tuple[int, datetime | None]:
        """How many requests have waited for longer than some seconds, and when the first of them was made."""
        row = self._database.one("waiting_requests", seconds=seconds)
        return row["request_count"], row["since"]

    def indexes(self) -> list[IndexStanding]:
        """Return inactive search indexes, and those whose gate failed."""
        return [from_row(IndexStanding, row) for row in self._database.rows("index_states")]

    def document_languages(self, index: SearchIndex) -> dict[str, int]:
        """Count the documents of an index by language, most first; empty if unknown."""
        rows = self._database.rows("document_languages", search_index_id=index.id)
        return {row["language"]: row["document_count"] for row in rows}

    def paused(self) -> list[str]:
        """Return the keys of paused sources."""
        return [row["key"] for row in self._database.rows("paused_sources")]

    def find_stored_settings(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return which knowledge bases have values for some settings, with the setting's name."""
        return [(row["slug"], row["name"]) for row in self._database.rows("stored_settings", names=list(names))]

    def vacuum_advice(self) -> list[VacuumAdvice]:
        """Return the tables that dead rows slow down, worst first."""
        with self._database.transaction() as session:
            has_autovacuum = session.one("server_facts")["has_autovacuum"]
            rows = session.rows("dead_rows")
        return advise(rows, has_autovacuum=has_autovacuum)


def advise(rows: Sequence[Row], *, has_autovacuum: bool) -> list[VacuumAdvice]:
    """Return which tables need a vacuum.

    Args:
        rows: table_name, live_count, dead_count, vacuumed_at and is_off of each.
        has_autovacuum: whether the server vacuums by itself.
    """
    advice = []
    for row in rows:
        dead, live = row["dead_count"], row["live_count"]
        if dead < _MIN_DEAD_ROWS or dead < _MAX_DEAD_SHARE * (dead + live):
            continue
        reason = f"{dead:,} of {dead + live:,} rows are dead"
        if not has_autovacuum:
            reason += "; the server's autovacuum is off"
        elif row["is_off"]:
            reason += "; the table's autovacuum is off"
        else:
            reason += "; autovacuum has not processed it yet"
        advice.append(
            VacuumAdvice(
                table=row["table_name"],
                dead_count=dead,
                live_count=live,
                vacuumed_at=row["vacuumed_at"],
                reason=reason,
                statement=f"VACUUM (ANALYZE) {row['table_name']};",
            )
        )
    return advice
