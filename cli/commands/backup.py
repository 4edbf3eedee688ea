"""The command `backup`.

Belongs here: its arguments. Not here: the archive (`cli.backup`). Guarantee: as for every command (`cli.main`).
"""

from pathlib import Path

import click

from cli.backup.backup_texts import backup_text
from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
@reports_errors
def backup(file: Path, force: bool, as_json: bool) -> None:
    """Write both databases, the sources' folders and the originals into FILE; Headwater may run meanwhile."""
    from cli.backup.backup import back_up

    facts = back_up(file, force=force)
    emit(facts, as_json=as_json, text=backup_text(facts))
