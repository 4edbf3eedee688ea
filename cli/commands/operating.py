"""Commands for the operator: backups and housekeeping.

Belongs here: arguments, and which function does the work. Not here: the work. Guarantee: as in `cli.main`.
"""

import sys
from pathlib import Path

import click

from cli.backup.backup_texts import backup_text, restore_text
from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
@reports_errors
def backup(file: Path, force: bool, as_json: bool) -> None:
    """Write both databases, the sources' folders and the originals into FILE; Headwater may run meanwhile."""
    from cli.backup.backup import back_up

    made = back_up(file, force=force)
    emit(made, as_json=as_json, text=backup_text(made))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--keep-access", "keeps_access", is_flag=True, help="Keep keys and shared links, also those revoked since."
)
@json_option
@reports_errors
def restore(file: Path, keeps_access: bool, as_json: bool) -> None:
    """Restore a backup into an empty home and empty databases. Nobody keeps access, unless you say so."""
    from cli.backup.backup import restore as put_back

    restored = put_back(file, keeps_access=keeps_access)
    emit(restored, as_json=as_json, text=restore_text(restored))


@click.command()
@json_option
@reports_errors
def tidy(as_json: bool) -> None:
    """Remove whatever is older than its retention period: document versions, originals, syncs, Dagster runs."""
    from cli.commands.tidying import tidy_everything, tidy_text

    tidied = tidy_everything()
    emit(tidied, as_json=as_json, text=tidy_text(tidied))
    if tidied["failed"]:
        sys.exit(1)


COMMANDS = (backup, restore, tidy)
