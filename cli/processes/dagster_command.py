"""Dagster's own commands, as it installs them.

Belongs here: finding a command and running it in this process. Not here: its arguments. Guarantee: only names of
commands are used, which are what Dagster documents.
"""

import sys
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points

from headwater.private_files import private_umask

COMMANDS = ("dagster", "dagster-daemon", "dagster-webserver")


def load_command(name: str) -> Callable[[], object]:
    """Import one of Dagster's commands; returns its function, which reads `sys.argv`."""
    [script, *_] = entry_points(group="console_scripts", name=name)
    command: Callable[[], object] = script.load()
    return command


def run_command(name: str, arguments: Sequence[str]) -> None:
    """Run one of Dagster's commands until it ends; only the owner can read the files that it makes."""
    private_umask()
    command = load_command(name)
    sys.argv = [name, *arguments]
    command()
