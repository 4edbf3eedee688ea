"""A sync that is killed while it pays for texts.

Belongs here: the process that dies, and starting it. Not here: what must be left of it. Guarantee: it is killed by the
system (signal 9), right after the replies that are named, so nothing of it can clean up.
"""

import os
import subprocess
import sys

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
