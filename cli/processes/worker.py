"""The command `worker`: a process that executes steps.

Belongs here: the command line of each executor's worker. Not here: the work of a step. Guarantee: one step at a time,
in a process that has the settings and Dagster's database.
"""

import os
import sys
from typing import NoReturn

from cli.environment import worker_environ
from headwater.errors import InvalidConfigurationError
from headwater.settings import REPOSITORY, Settings


def run_worker() -> NoReturn:
    """Replace this process with a worker of the executor that the settings name.

    Raises:
        InvalidConfigurationError: that executor has no workers, or cannot work here.
    """
    from pipelines.executors import check

    settings = Settings.from_env()
    check(settings)
    command = worker_command(settings)
    environ = worker_environ(settings)
    os.chdir(REPOSITORY)
    os.execve(sys.executable, [sys.executable, *command], environ)  # noqa: S606 - no shell is meant


def worker_command(settings: Settings) -> list[str]:
    """Python's arguments that start a worker.

    Raises:
        InvalidConfigurationError: the executor has no workers.
    """
    name = f"headwater-{os.getpid()}"
    if settings.executor == "celery":
        # Workers do not need to know each other.
        alone = ["--without-gossip", "--without-mingle"]
        one_process = ["--pool", "prefork", "--concurrency", "1"]
        return [
            "-m",
            "celery",
            "--app",
            "pipelines.celery_worker",
            "worker",
            *one_process,
            *alone,
            "--hostname",
            f"{name}@%h",
        ]
    raise InvalidConfigurationError(
        f"No worker is needed: HEADWATER_EXECUTOR is {settings.executor}, which has no workers, so each sync does its "
        "own work. For workers, set it to celery for this command and for `headwater up`, and start both again."
    )
