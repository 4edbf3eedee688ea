"""Dagster's daemon: `python -m cli.processes.dagster_daemon`.

Belongs here: the name of Dagster's own command. Not here: schedules, sensors and runs, and what keeps its connections
open (`cli.dagster_instance`). Guarantee: it is the command `dagster-daemon run` with the same arguments.
"""

import sys

from cli.processes.dagster_command import run_command

if __name__ == "__main__":
    run_command("dagster-daemon", ["run", *sys.argv[1:]])
