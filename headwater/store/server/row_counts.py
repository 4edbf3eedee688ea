"""Counts of rows for the metrics (API-5).

Belongs here: counting. Not here: the metrics (`query_api.prometheus`). Guarantee: one statement, over tables that stay
small.
"""

from dataclasses import dataclass
from typing import Literal

from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row

Counted = Literal["sources", "sync_sources", "index_entries", "knowledge_bases"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RowCount:
    """How many there are; `label` is a state, or empty."""

    name: Counted
    label: str
    value: int


class CountingStore:
    """Counts rows of several tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[RowCount]:
        """Return every count."""
        rows = self._database.rows("count_everything")
        return [from_row(RowCount, row, value=int(row["value"])) for row in rows]
