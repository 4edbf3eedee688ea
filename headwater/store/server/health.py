"""How Postgres and what is in it are doing.

Belongs here: what `doctor` and housekeeping look at. Not here: what to say about it. Guarantee: it changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.domain.search import SearchIndex
from headwater.store.server.database import Database, Row
from headwater.store.server.typed_rows import typed

_MOST_DEAD = 0.2  # of a table's rows; autovacuum's own threshold, beyond which it is behind
_FEWEST_DEAD = 10_000  # rows; a small table is read whole in any case


@dataclass(frozen=True, kw_only=True, slots=True)
class VacuumAdvice:
    """A table that should be vacuumed, why, and the statement that does it."""

    table: str
    dead_count: int
    live_count: int
    vacuumed_at: datetime | None
    reason: str
    statement: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerFacts:
    """Which Postgres this is; `pgvector` is None where it is missing."""

    postgres: str
    pgvector: str | None
    has_autovacuum: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexStanding:
    """A search index that does not answer, or whose gate failed; then `failed` is what the gate said."""

    knowledge_base: str
    id: int
    model: str
    state: str
    retained_at: datetime | None
    is_failed: bool
    failed: tuple[str, ...] | None


class HealthStore:
    """What can be seen of the database from within."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def server(self) -> ServerFacts:
        """Return what the server says of itself."""
        with self._database.transaction() as session:
            return typed(ServerFacts, session.one("server_facts"))

    def waiting_requests(self, seconds: int) -> tuple[int, datetime | None]:
        """How many requests nobody has taken for longer than some seconds, and when the first of them was made."""
        with self._database.transaction() as session:
            row = session.one("waiting_requests", seconds=seconds)
        return row["request_count"], row["since"]

    def indexes(self) -> list[IndexStanding]:
        """Return the search indexes that do not answer, and those whose gate failed."""
        with self._database.transaction() as session:
            return [typed(IndexStanding, row) for row in session.rows("index_states")]

    def document_languages(self, index: SearchIndex) -> dict[str, int]:
        """Count the documents that an index serves by language, most first; empty where nobody knows it."""
        with self._database.transaction() as session:
            rows = session.rows("document_languages", search_index_id=index.id)
        return {row["language"]: row["document_count"] for row in rows}

    def paused(self) -> list[str]:
        """Return the keys of paused sources."""
        with self._database.transaction() as session:
            return [row["key"] for row in session.rows("paused_sources")]

    def vacuum_advice(self) -> list[VacuumAdvice]:
        """Return the tables that dead rows slow down, worst first."""
        with self._database.transaction() as session:
            has_autovacuum = session.one("server_facts")["has_autovacuum"]
            rows = session.rows("dead_rows")
        return advise(rows, has_autovacuum=has_autovacuum)


def advise(rows: Sequence[Row], *, has_autovacuum: bool) -> list[VacuumAdvice]:
    """Say which tables should be vacuumed.

    Args:
        rows: table_name, live_count, dead_count, vacuumed_at and is_off of each.
        has_autovacuum: whether the server vacuums by itself.
    """
    advice = []
    for row in rows:
        dead, live = row["dead_count"], row["live_count"]
        if dead < _FEWEST_DEAD or dead < _MOST_DEAD * (dead + live):
            continue
        reason = f"{dead:,} of {dead + live:,} rows are dead"
        if not has_autovacuum:
            reason += "; the server's autovacuum is off"
        elif row["is_off"]:
            reason += "; the table's autovacuum is off"
        else:
            reason += "; autovacuum has not come by yet"
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
