"""Dagster's daemon: `python -m cli.processes.dagster_daemon -w WORKSPACE`.

Belongs here: running the daemon as its own command does, over connections that are kept. Not here: what it runs.
Guarantee: it ends quietly at a signal, as Dagster's command does.

Dagster's own opens a connection for each of its statements, some ten in a second when nothing happens: two thirds of
the processor time that an idle `headwater up` took was Postgres starting a process for each.
"""

from pathlib import Path

import click


@click.command()
@click.option("-w", "--workspace", default="workspace.yaml", show_default=True, help="Which code is run.")
def main(workspace: str) -> None:
    """Run schedules, sensors and the queue until a signal comes."""
    from dagster import DagsterInstance
    from dagster._core.workspace.load_target import WorkspaceFileTarget
    from dagster._daemon.controller import DEFAULT_DAEMON_HEARTBEAT_TOLERANCE_SECONDS, daemon_controller_from_instance
    from dagster._utils.interrupts import capture_interrupts, setup_interrupt_handlers

    from assets.connections import keep_connections

    setup_interrupt_handlers()
    target = WorkspaceFileTarget(paths=[str(Path(workspace).resolve())])
    try:
        with capture_interrupts(), DagsterInstance.get() as instance:
            keep_connections(instance)
            with daemon_controller_from_instance(
                instance,
                workspace_load_target=target,
                heartbeat_tolerance_seconds=DEFAULT_DAEMON_HEARTBEAT_TOLERANCE_SECONDS,
            ) as controller:
                controller.check_daemon_loop()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
