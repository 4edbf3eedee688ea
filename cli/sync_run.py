"""A sync in this process, for the command `sync`.

Belongs here: requesting a sync, following it, cancelling it on Ctrl-C. Not here: the sync itself, printing
(`cli.commands.sync`).
"""

import dataclasses
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from cli.environment import dagster_instance, environment
from cli.imports import many_imports
from cli.output import explain_error
from cli.processes.up_file import api_url
from cli.progress import sync_progress
from headwater.administration import sync_requests
from headwater.administration.language_advice import advise_on_documents
from headwater.errors import HeadwaterError
from query_api.routes.sync_payloads import SyncPayload


def sync_sources(
    slug: str,
    slugs: Sequence[str],
    *,
    is_full: bool = False,
    confirms_deletions: bool = False,
    tell: Callable[[str], None] | None = None,
) -> tuple[dict[str, Any], str | None]:
    """Sync some sources of a knowledge base, or all of them; Ctrl-C cancels the sync.

    Args:
        slug: the knowledge base.
        slugs: its sources; empty means all.
        is_full: read every document again, without trusting fingerprints.
        confirms_deletions: remove the documents that the last sync of each source held back.
        tell: gets lines that say how far the sync is, instead of stderr.

    Returns:
        The sync as the API shows it, and an error that is not one of a source (or None).

    Raises:
        NotFoundError: there is no such knowledge base or source.
        InvalidInputError: the knowledge base has no sources.
        SyncAlreadyRunningError: one of them is being synced by a live process.
    """
    with environment(size=6) as env:
        batch = uuid.uuid4().hex
        with env.store.workers.hold_batch(batch):
            sync_id, sources = sync_requests.request_sync(
                env.store, slug, slugs, "command_line", batch, is_full=is_full, confirms_deletions=confirms_deletions
            )
            with many_imports():
                from pipelines.in_process_run import run_sync

            linked = dataclasses.replace(env.settings, api_url=api_url(env.settings))
            try:
                with dagster_instance(linked) as instance, sync_progress(env.store, sync_id, tell):
                    run = run_sync(instance, env.store, env.settings, sources, batch, is_full=is_full)
            except KeyboardInterrupt:
                env.store.worker_failures.cancel_run("", batch)
                raise
            except Exception as problem:
                with suppress(HeadwaterError):  # then the next sync closes it
                    env.store.worker_failures.fail_rows("", batch, str(explain_error(problem)))
                raise
        result = SyncPayload.of(env.store.syncs.get(sync_id)).model_dump(mode="json")
        advice = advise_on_documents(env.store, env.settings, env.store.knowledge_bases.get(slug))
    gone = sorted({source.slug for source in sources} - {source["source"] for source in result["sources"]})
    error = f"{', '.join(gone)} was deleted during the sync" if gone else run.refresh_error
    return {**result, "run_id": run.run_id, "advice": advice}, error
