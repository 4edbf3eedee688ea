"""The command `apply`.

Belongs here: its arguments. Not here: the file and what it changes (`headwater.administration`). Guarantee: as for
every command (`cli.main`).
"""

from pathlib import Path

import click

from cli import result_texts
from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--prune", is_flag=True, help="Delete sources that the file does not name.")
@json_option
@reports_errors
def apply(file: Path, prune: bool, as_json: bool) -> None:
    """Create or change the knowledge base that FILE describes."""
    from dataclasses import asdict

    from cli.environment import environment
    from headwater.administration.knowledge_base_changes import apply_and_delete
    from headwater.administration.knowledge_base_file import read_file

    spec = read_file(file)
    for note in spec.notes:
        click.echo(note, err=True)
    with environment() as env:
        applied = asdict(apply_and_delete(env.settings, env.store, spec, prune=prune))
    emit(applied, as_json=as_json, text=result_texts.format_changes(applied))
