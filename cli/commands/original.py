"""The command `original`.

Belongs here: writing the file that a version was read from. Not here: originals
(`headwater.administration.original_access`). Guarantee: as for every command (`cli.main`).
"""

import sys
from pathlib import Path
from uuid import UUID

import click

from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("version", type=click.UUID)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@json_option
@reports_errors
def original(version: UUID, file: Path, as_json: bool) -> None:
    """Write the file that a document version was read from, such as a PDF, to FILE, or to stdout with -."""
    from cli.environment import environment
    from headwater.administration.atomic_file import write_file
    from headwater.administration.original_access import original_of
    from headwater.files.file_store import open_files

    is_piped = str(file) == "-"
    if is_piped and as_json:
        raise click.UsageError("--json prints a summary on stdout. Name a file, or leave out --json.")
    with environment() as env:
        served = original_of(env.store, version)
        blocks = open_files(env.settings).blocks(served.hash)
        if is_piped:
            for block in blocks:
                sys.stdout.buffer.write(block)
            return
        size = write_file(file, blocks)
    message = f"Wrote {size / 1e6:,.1f} MB to {file}."
    emit({"file": str(file), "size": size}, as_json=as_json, text=message)
