"""The command `worker`.

Belongs here: starting a worker. Not here: what a worker does (`cli.processes.worker`). Guarantee: as for every command
(`cli.main`).
"""

import click

from cli.output import reports_errors


@click.command()
@reports_errors
def worker() -> None:
    """Execute steps that runs hand out to workers, until interrupted (HEADWATER_EXECUTOR=celery)."""
    from cli.processes.worker import run_worker

    run_worker()
