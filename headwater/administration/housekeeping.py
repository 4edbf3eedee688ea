"""What is removed once its time has passed.

Belongs here: how long each thing is kept, and the order of removing. Not here: Dagster's runs
(`pipelines.housekeeping`). Guarantee: what answers now is left alone; one process at a time; a killed one leaves
nothing half done, and the next goes on.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from headwater.administration.originals import remove_unheld_originals
from headwater.errors import FilesUnavailableError
from headwater.files.file_store import open_files
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.syncing.source_folders import remove_orphan_folders


@dataclass(frozen=True, kw_only=True, slots=True)
class Tidied:
    """How much was removed of each."""

    documents: int
    document_versions: int
    chunks: int
    embeddings: int
    syncs: int
    search_indexes: int
    partitions: int
    folders: int
    originals: int
    failures: tuple[str, ...] = ()
    """What could not be done, while the rest was."""


def tidy(store: Store, settings: Settings) -> Tidied:
    """Remove what its retention has passed.

    Raises:
        ConflictError: another process does so at this moment.
    """
    now = datetime.now(UTC)
    with store.housekeeping.alone():
        pruned = store.housekeeping.prune_versions(now - timedelta(days=settings.version_retention_days))
        tidied = Tidied(
            documents=pruned.documents,
            document_versions=pruned.document_versions,
            chunks=pruned.chunks,
            embeddings=store.housekeeping.prune_embeddings(),
            syncs=store.housekeeping.prune_syncs(now - timedelta(days=settings.history_retention_days)),
            search_indexes=store.search_indexes.drop_expired(settings.index_retention_days),
            partitions=store.search_indexes.drop_orphan_partitions(),
            folders=remove_orphan_folders(settings, store),
            originals=0,
        )
        try:  # last: what is elsewhere may be away
            return replace(tidied, originals=remove_unheld_originals(store, open_files(settings)))
        except FilesUnavailableError as error:
            return replace(tidied, failures=(str(error),))
