"""Statistics for Postgres's planner on the tables that syncs fill.

Belongs here: refreshing the statistics when tables have grown much. Not here: queries that depend on them. Guarantee:
tables that have not grown cost one query of the catalogue.

Without statistics the planner expects one row where there are a hundred thousand, and joins them by going through one
side for each row of the other. Autovacuum looks once a minute, which is too late for what follows a first sync.
"""

from psycopg import sql

from headwater.store.server.database import Database
from headwater.store.server.named_queries import load_queries

_TABLES = (
    "documents", "document_versions", "chunks", "chunk_sets", "version_chunks", "embeddings", "published_documents",
    "publications", "search_terms", "links", "questions", "suggestions",
)  # fmt: skip
_DIVIDED = ("search_entries", "search_weights")


class PlanningStore:
    """The statistics of content tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def analyze_grown(self) -> list[str]:
        """Analyse the tables that have grown by more than half since they were last analysed; returns their names."""
        names = [
            row["name"] for row in self._database.rows("grown_tables", names=list(_TABLES), divided=list(_DIVIDED))
        ]
        for name in names:
            with self._database.transaction() as session:
                session.connection.execute(sql.SQL(load_queries()["analyze_table"]).format(table=sql.Identifier(name)))
        return names
