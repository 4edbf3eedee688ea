"""The state of a source, as Dagster shows it beside its materialisations.

Belongs here: the observation of a source's row, the check that all documents were read, the cause of a failure. Not
here: when they are reported (`source_run`, `sources`), materialisations (`dagster_events`, `reports`). Guarantee: only
the source's row is read, so each can be reported at any time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from assets.partitions import SOURCES
from headwater.domain.corpus import Source
from headwater.settings import Settings
from headwater.syncing.stage import ROOT, root_version
from headwater.syncing.stages import STAGES

OBSERVED = {
    "kind": "The connector that reads it.",
    "path": "Its location: a folder, a file or an address.",
    "state": "Its state: `pending` before its first sync, then `ready` or `failed`.",
    "error": "The reason why its last sync failed; empty if it succeeded.",
    "document_count": "How many documents it has now.",
    "last_sync_at": "The time when its last sync ended, even if it failed.",
    "next_sync_at": "The time of its next sync; null if it has neither an interval nor a schedule.",
    "schedule": "Its cron line with its time zone; null if it has none.",
    "paused_at": "The time when it was paused; null if it is not.",
    "registered_as": "Its kind and its configuration; a change of either is a materialisation.",
    "api": "The source in Headwater's HTTP API.",
    "view": "The source on Headwater's pages.",
}
"""The meaning of each metadata of an observation."""

READABLE = "all_documents_read"
CHECKED_ASSET = STAGES[0].name
_VIEW = "sources/{source}"
_VERSION = "dagster/data_version"
"""The page of a source, below that of its knowledge base."""
_PLACES = ("git", "url", "path")  # the names of a location in the configs of connectors, the outermost first

readable_check = dg.AssetCheckSpec(
    READABLE,
    asset=CHECKED_ASSET,
    partitions_def=SOURCES,
    description=(
        "The last sync of the source could read every document. A failure is only a warning: a document that cannot be "
        "read keeps its last version. It runs with each sync that makes `documents`, with each sync while it warns, "
        "and for every source when you choose Execute all. Dagster's list of checks shows the newest result; the tab "
        "Partitions shows that of each source. Metadata: `unreadable` is the number of documents that were not "
        "read, `reasons` says why and names some of them."
    ),
)


def source_url(settings: Settings, key: str) -> str:
    """The address of a source in the API; the source is named by its key."""
    knowledge_base, _, source = key.partition("/")
    return f"{settings.api_url}/api/v1/knowledge-bases/{knowledge_base}/sources/{source}"


def view_url(settings: Settings, key: str, view: str) -> str:
    """The address of the page that shows what an asset has of a partition: a source, or a knowledge base.

    Args:
        settings: they have the address of the pages.
        key: the partition.
        view: the page, below that of the knowledge base; `{source}` stands for the source.
    """
    knowledge_base, _, source = key.partition("/")
    return f"{settings.api_url}/kb/{knowledge_base}/{view.format(source=source)}"


def observation(source: Source, settings: Settings) -> dg.AssetObservation:
    """A source's row, as Dagster's page of its partition shows it."""
    fields: dict[str, Any] = {
        "kind": source.kind,
        "path": _place(source),
        "state": str(source.state),
        "error": source.error or "",
        "document_count": source.document_count,
        "last_sync_at": source.synced_at and dg.MetadataValue.timestamp(source.synced_at),
        "next_sync_at": source.next_sync_at and dg.MetadataValue.timestamp(source.next_sync_at),
        "schedule": source.schedule and f"{source.schedule} ({source.time_zone})",
        "paused_at": source.paused_at and dg.MetadataValue.timestamp(source.paused_at),
        "api": dg.MetadataValue.url(source_url(settings, source.key)),
        "view": dg.MetadataValue.url(view_url(settings, source.key, _VIEW)),
    }
    return dg.AssetObservation(
        ROOT,
        partition=source.key,
        description=f"{source.kind}, {source.state}" + (f": {source.error}" if source.error else ""),
        # Dagster's page keeps the value of an older observation under each name that a newer one leaves out.
        metadata={name: dg.MetadataValue.null() if value is None else value for name, value in fields.items()},
        tags={"dagster/data_version": root_version(source)},
    )


def load_registered_versions(instance: dg.DagsterInstance, keys: Sequence[str]) -> dict[str, str]:
    """The newest version of each source that Dagster has a materialisation of, by its key."""
    tags = instance.event_log_storage.get_latest_tags_by_partition(
        dg.AssetKey(ROOT), dg.DagsterEventType.ASSET_MATERIALIZATION, [_VERSION], asset_partitions=list(keys)
    )
    return {key: values[_VERSION] for key, values in tags.items() if _VERSION in values}


def registration(source: Source, registered: Mapping[str, str]) -> dg.AssetMaterialization | None:
    """The materialisation of a source's kind and configuration; None if Dagster has it already.

    Dagster colours a partition by its materialisations only: a source that was only observed would look missing.

    Args:
        source: the source.
        registered: as `load_registered_versions` returns it: asked for each source, it was a tenth of a quiet sync.
    """
    version = root_version(source)
    if registered.get(source.key) == version:
        return None
    return dg.AssetMaterialization(
        ROOT,
        partition=source.key,
        description="The source was registered, or its configuration has changed.",
        metadata={"registered_as": dg.MetadataValue.json({"kind": source.kind, **source.config})},
        tags={_VERSION: version},
    )


def _place(source: Source) -> dg.MetadataValue[Any] | None:
    places = [str(source.config[name]) for name in _PLACES if source.config.get(name)]
    if not places:
        return None
    if "://" in places[0]:
        return dg.MetadataValue.url(places[0]) if len(places) == 1 else dg.MetadataValue.text(" ".join(places))
    return dg.MetadataValue.path(places[0])


def readable_result(source: Source) -> dg.AssetCheckResult:
    """Whether every document of a source could be read in its last sync."""
    lines = source.unread
    metadata: dict[str, Any] = {"unreadable": sum(line.count for line in lines)}
    if lines:
        metadata["reasons"] = dg.MetadataValue.json({line.message: list(line.examples) for line in lines})
    words = "; ".join(f"{line.message} Such as {', '.join(line.examples)}" for line in lines)
    return dg.AssetCheckResult(
        asset_key=dg.AssetKey(CHECKED_ASSET),
        check_name=READABLE,
        passed=not lines,
        severity=dg.AssetCheckSeverity.WARN,
        description=words or "Every document could be read.",
        metadata=metadata,
    )


def cause(stage: str, key: str, reason: str, code: str, settings: Settings) -> dg.AssetObservation:
    """Why a partition of a stage failed: Dagster's page of the partition names only the run."""
    return dg.AssetObservation(
        stage,
        partition=key,
        description=f"Not made: {reason}",
        metadata={
            "failed_because": reason,
            "error_code": code,
            "api": dg.MetadataValue.url(source_url(settings, key)),
            "view": dg.MetadataValue.url(view_url(settings, key, _VIEW)),
        },
    )
