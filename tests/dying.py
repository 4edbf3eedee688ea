"""A sync that dies while it pays for texts.

Belongs here: how it dies. Not here: what must be left of it. Guarantee: `sync_and_die` is killed by the system (signal
9), right after the replies that are named, so nothing of it can clean up; `sync_and_stop`, in this process, ends at the
same place by what no code catches, and starts no process, which takes as long as twenty syncs.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from headwater.models_gateway import result_cache
from headwater.syncing.source_sync import SourceSync
from tests.support import Headwater

_SCRIPT = """
import os, signal, sys
from headwater.models_gateway import result_cache
from headwater.settings import Settings
from headwater.store.store import open_store
from headwater.syncing.source_sync import SourceSync

class Nobody:
    def __getattr__(self, name):
        return print

stage, kind, together = sys.argv[1:]
real = result_cache.ResultCache._make_results
def dying(self, pool, wanted):
    done = real(self, pool, wanted)
    if kind in ("", type(wanted[0]).__name__):
        os.kill(os.getpid(), signal.SIGKILL)
    return done
result_cache.TOGETHER = int(together)
result_cache.ResultCache._make_results = dying
settings = Settings.from_env()
with open_store(settings) as store:
    SourceSync(store=store, settings=settings, listener=Nobody(), key="kb/docs", run_id="killed", batch=None,
               stages=[stage]).execute()
"""


def sync_and_die(kb: Headwater, stage: str, *, replies: int, kind: str = "") -> str:
    """Sync the source `docs`, and kill the process after so many replies of a stage; returns what it printed.

    Args:
        kb: the knowledge base.
        stage: the stage, such as `questions`.
        replies: how many texts are paid for together.
        kind: the class of what is paid for; empty for any.
    """
    environment = {
        **os.environ,
        "HEADWATER_HOME": str(kb.settings.home),
        "HEADWATER_CACHE": str(kb.settings.cache),
        "HEADWATER_DATABASE_URL": kb.settings.database_url or "",
    }
    killed = subprocess.run(
        [sys.executable, "-c", _SCRIPT, stage, kind, str(replies)],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert killed.returncode == -9, killed.stderr
    return killed.stderr


class Death(BaseException):
    """Ends a sync."""


class _Nobody:
    """Is told how the sync goes."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def sync_and_stop(
    kb: Headwater,
    stage: str,
    *,
    stored: int,
    kind: str = "",
    together: int = result_cache.TOGETHER,
    is_paid: bool = False,
) -> None:
    """Sync the source `docs` until it has stored so many batches of a stage; then it ends.

    Args:
        kb: the knowledge base.
        stage: the stage, such as `questions`.
        stored: how many batches are stored.
        kind: the class of what is paid for; empty for any.
        together: how many texts are a batch.
        is_paid: whether the next batch is paid for, but not stored.
    """
    batches = 0
    real = result_cache.ResultCache._make_results

    def make(self: Any, pool: ThreadPoolExecutor, wanted: Sequence[Any]) -> Any:
        nonlocal batches
        if kind in ("", type(wanted[0]).__name__):
            batches += 1
            if batches > stored:
                if is_paid:
                    list(pool.map(self.make, wanted))
                raise Death
        return real(self, pool, wanted)

    listener: Any = _Nobody()
    sync = SourceSync(
        store=kb.store, settings=kb.settings, listener=listener, key="kb/docs", run_id="killed", batch=None,
        stages=[stage],
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(result_cache, "TOGETHER", together)
        patch.setattr(result_cache.ResultCache, "_make_results", make)
        with pytest.raises(Death):
            sync.execute()
