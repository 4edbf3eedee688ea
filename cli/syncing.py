"""What `sync` does.

Belongs here: asking for a sync and running it in this process. Not here: the sync itself, printing.
"""

from collections.abc import Sequence
from typing import Any

from cli.environment import dagster_instance, environment
from cli.progress import sync_progress
from headwater.errors import InvalidInputError
from query_api.payloads import SyncPayload


def sync_sources(slug: str, slugs: Sequence[str]) -> tuple[dict[str, Any], str | None]:
    """Sync some sources of a knowledge base, or all.

    Returns:
        The sync as the API shows it, and why what hangs on the knowledge base could not be refreshed (or None).

    Raises:
        NotFoundError: there is no such knowledge base or source.
        InvalidInputError: the knowledge base has no sources.
        SyncAlreadyRunningError: one of them is being synced by a live process.
    """
    with environment(size=6) as env:
        knowledge_base = env.store.knowledge_bases.get(slug)
        sources = env.store.sources.select(slug, slugs)
        if not sources:
            raise InvalidInputError(f"{slug} has no sources yet. Add some to its file and apply it.")
        sync_id, batch = env.store.syncs.request(knowledge_base.id, sources, "command_line")
        from pipelines.running import run_sync

        with dagster_instance(env.settings) as instance, sync_progress(env.store, sync_id):
            run = run_sync(instance, env.store, env.settings, sources, sync_id, batch or "")
        result = SyncPayload.of(env.store.syncs.get(sync_id)).model_dump(mode="json")
    return {**result, "run_id": run.run_id}, run.refresh_error
