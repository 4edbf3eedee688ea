"""A temporary home with a knowledge base.

Belongs here: what every measurement needs before it measures. Not here: measuring. Guarantee: whatever the environment
says, the database is the home's own.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import psutil

from headwater.domain.syncs import SyncPart
from headwater.settings import REPOSITORY

HOME, DATABASE = "HEADWATER_HOME", "HEADWATER_DATABASE_URL"
COMMAND = (sys.executable, "-m", "cli.main")
"""`headwater`, to be run in `REPOSITORY`."""
_START_LIMIT_SECONDS = 300


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


@contextmanager
def running_up(home: Path) -> Iterator[psutil.Process]:
    """A running `headwater up` of a home from `throwaway_home`, for the length of a block."""
    from tests.support import free_port

    ports = ("--port", str(free_port()), "--dagster-port", str(free_port()))
    with (home / "up.log").open("wb") as log:
        process = subprocess.Popen([*COMMAND, "up", *ports, "--json"], cwd=REPOSITORY, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + _START_LIMIT_SECONDS
        while b'"api"' not in (home / "up.log").read_bytes():
            if process.poll() is not None or time.monotonic() > deadline:
                raise click.ClickException((home / "up.log").read_text(encoding="utf-8"))
            time.sleep(0.5)
        yield psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


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
