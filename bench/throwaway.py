"""A temporary home with a knowledge base.

Belongs here: what every measurement needs before it measures. Not here: measuring. Guarantee: whatever the environment
says, the database is the home's own.
"""

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from headwater.domain.syncs import SyncPart

HOME, DATABASE = "HEADWATER_HOME", "HEADWATER_DATABASE_URL"


@contextmanager
def throwaway_home() -> Iterator[Path]:
    """A folder with an embedded Postgres of its own, for the length of a block; the environment points there."""
    home = Path(tempfile.mkdtemp(prefix="headwater-bench-"))
    before = {name: os.environ.pop(name, None) for name in (HOME, DATABASE)}
    os.environ[HOME] = str(home / "home")
    try:
        yield home
    finally:
        from headwater.store.server import embedded_postgres

        embedded_postgres.stop(home / "home" / "postgres")
        shutil.rmtree(home, ignore_errors=True)
        os.environ.pop(HOME)
        os.environ.update({name: value for name, value in before.items() if value is not None})


def sync(env: Any, instance: Any, slug: str) -> SyncPart:
    """Sync every source of a knowledge base as the command line does.

    Returns:
        What became of its first source.

    Raises:
        click.ClickException: the source failed.
    """
    from pipelines.in_process_run import run_sync

    sources = env.store.sources.select(slug, [])
    batch = uuid.uuid4().hex
    with env.store.workers.hold_batch(batch):
        sync_id = env.store.syncs.request(env.store.knowledge_bases.get(slug).id, sources, "command_line", batch)
        run_sync(instance, env.store, env.settings, sources, batch)
    part: SyncPart = env.store.syncs.get(sync_id).sources[0]
    if part.state != "ready":
        raise click.ClickException(f"The sync of {slug} ended as {part.state}: {part}")
    return part
