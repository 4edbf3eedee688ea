"""Dagster's daemon: `python -m cli.processes.dagster_daemon`.

Belongs here: running the daemon like Dagster's own command, but with connections that stay open. Not here: schedules,
sensors and runs. Guarantee: it ends quietly when it gets a signal, like Dagster's command.

Dagster's own command opens a connection for each statement, about ten per second even when idle. Postgres starts a
process for each, which took two thirds of the processor time of an idle `headwater up`.
"""

import click

from cli.processes.code_server import build_workspace_target


@click.command()
@click.option("--socket", "place", help="Socket of the code server, instead of a workspace file.")
@click.option("-w", "--workspace", default="workspace.yaml", show_default=True, help="Workspace file to load.")
def main(place: str | None, workspace: str) -> None:
    """Run schedules, sensors and the run queue until a signal stops the process."""
    from dagster import DagsterInstance
    from dagster._daemon.controller import DEFAULT_DAEMON_HEARTBEAT_TOLERANCE_SECONDS, daemon_controller_from_instance
    from dagster._utils.interrupts import capture_interrupts, setup_interrupt_handlers

    from assets.connections import keep_connections

    setup_interrupt_handlers()
    target = build_workspace_target(place, workspace)
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
