"""Removing whatever is older than its retention period.

Belongs here: how long each thing is kept, and the order of removal. Not here: Dagster's runs
(`pipelines.housekeeping`). Guarantee: active data is left alone; one process at a time; a killed process leaves
nothing half done, and the next one continues.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from headwater.administration.original_access import remove_unheld_originals
from headwater.errors import FilesUnavailableError
from headwater.files.file_store import open_files
from headwater.settings import Settings
from headwater.store.search.search_indexes import INDEX_RETENTION_DAYS
from headwater.store.store import Store
from headwater.syncing.source_folders import remove_orphan_folders

HISTORY_RETENTION_DAYS = 30
"""How long finished syncs, the messages to bots and widgets, and Dagster runs without results are kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tidied:
    """How many of each were removed."""

    documents: int
    document_versions: int
    chunks: int
    embeddings: int
    summaries: int
    question_sets: int
    syncs: int
    search_indexes: int
    partitions: int
    folders: int
    kept_responses: int
    sessions: int
    audit_entries: int
    bot_events: int
    widget_questions: int
    originals: int
    failures: tuple[str, ...] = ()
    """What could not be removed, although the rest was."""


def tidy(store: Store, settings: Settings) -> Tidied:
    """Remove whatever is older than its retention period.

    Raises:
        ConflictError: another process is doing the same.
    """
    now = datetime.now(UTC)
    cutoff = now - timedelta(days=settings.version_retention_days)
    with store.housekeeping.alone():
        store.limits.prune()
        store.outside_runs.prune(now - timedelta(days=HISTORY_RETENTION_DAYS))
        pruned = store.housekeeping.prune_versions(cutoff)
        tidied = Tidied(
            documents=pruned.documents,
            document_versions=pruned.document_versions,
            chunks=pruned.chunks,
            embeddings=store.housekeeping.prune_embeddings(),
            summaries=store.summaries.delete_unused(cutoff),
            question_sets=store.questions.delete_unused_sets(cutoff),
            syncs=store.housekeeping.prune_syncs(now - timedelta(days=HISTORY_RETENTION_DAYS)),
            search_indexes=store.search_indexes.drop_expired(INDEX_RETENTION_DAYS),
            partitions=store.search_indexes.drop_orphan_partitions(),
            folders=remove_orphan_folders(settings, store),
            kept_responses=store.kept_responses.prune(),
            sessions=store.sessions.prune(),
            audit_entries=store.audit.prune(now - timedelta(days=settings.audit_retention_days)),
            bot_events=store.bots.prune_events(now - timedelta(days=HISTORY_RETENTION_DAYS)),
            widget_questions=store.widget_questions.prune(now - timedelta(days=HISTORY_RETENTION_DAYS)),
            originals=0,
        )
        try:  # last, because a remote store may be unavailable
            return replace(tidied, originals=remove_unheld_originals(store, open_files(settings)))
        except FilesUnavailableError as error:
            return replace(tidied, failures=(str(error),))
