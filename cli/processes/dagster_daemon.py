"""Dagster's daemon: `python -m cli.processes.dagster_daemon`, in `headwater up` with the code server in a thread.

Belongs here: the arguments of Dagster's own command. Not here: schedules, sensors and runs, and what keeps its
connections open (`cli.dagster_instance`). Guarantee: it is the command `dagster-daemon run`.

The daemon asks the code server something every few seconds. Both use the same modules, and two processes would have
30 MB of them twice.
"""

from pathlib import Path

import click

from cli.processes.code_server import serve_in_thread
from cli.processes.dagster_command import run_command


@click.command()
@click.option("-w", "--workspace", default="workspace.yaml", show_default=True, help="Workspace file to load.")
@click.option("--socket", "place", type=click.Path(path_type=Path), help="Also serve the code, on this socket.")
def main(workspace: str, place: Path | None) -> None:
    """Run schedules, sensors and the run queue until a signal stops the process."""
    if place is not None:
        serve_in_thread(place)
    run_command("dagster-daemon", ["run", "-w", workspace])


if __name__ == "__main__":
    main()
