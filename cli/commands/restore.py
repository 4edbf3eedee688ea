"""The command `restore`.

Belongs here: its arguments. Not here: the archive (`cli.backup`). Guarantee: as for every command (`cli.main`).
"""

from pathlib import Path

import click

from cli.backup.backup_texts import restore_text
from cli.output import emit, json_option, reports_errors


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
