"""Dagster's daemon: `python -m cli.processes.dagster_daemon`.

Belongs here: the arguments of Dagster's own command. Not here: schedules, sensors and runs, and what keeps its
connections open (`cli.dagster_instance`). Guarantee: it is the command `dagster-daemon run`.
"""

import click

from cli.processes.dagster_command import run_command


@click.command()
@click.option("-w", "--workspace", default="workspace.yaml", show_default=True, help="Workspace file to load.")
def main(workspace: str) -> None:
    """Run schedules, sensors and the run queue until a signal stops the process."""
    run_command("dagster-daemon", ["run", "-w", workspace])


if __name__ == "__main__":
    main()
