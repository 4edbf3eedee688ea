"""Runs of other people's Dagster in Postgres.

Belongs here: where such a run is shown, and what it found upstream of a source. Not here: the run itself
(`headwater.syncing`), reading it with lineage, which the queries of answers and versions do. Guarantee: a run that
wrote nothing leaves no row.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from headwater.domain.corpus import Source
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json


class OutsideRunStore:
    """The outside_runs table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run_id: str, source: Source, *, dagster_url: str, upstream: Sequence[Mapping[str, Any]]) -> None:
        """Note a run before it writes.

        Args:
            run_id: its id in its own Dagster.
            source: the source that it syncs.
            dagster_url: the address of that Dagster's UI.
            upstream: the assets that the source is made of, each with its last materialisation.
        """
        values = {"run_id": run_id, "source_id": source.id, "dagster_url": dagster_url.rstrip("/")}
        self._database.run("put_outside_run", **values, upstream=to_json([dict(entry) for entry in upstream]))

    def forget(self, run_id: str, source: Source) -> None:
        """Forget a run that wrote nothing."""
        self._database.run("delete_outside_run", run_id=run_id, source_id=source.id)

    def prune(self, before: datetime) -> int:
        """Forget runs that began before a time and of which nothing is left; returns how many."""
        return self._database.run("delete_old_outside_runs", before=before)
