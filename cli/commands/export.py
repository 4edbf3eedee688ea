"""The command `export`.

Belongs here: its arguments, and what it says. Not here: the form of the file
(`headwater.administration.source_export`). Guarantee: as for every command (`main`); with `-`, stdout holds the lines
and nothing else.
"""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("knowledge_base")
@click.argument("source")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@json_option
@reports_errors
def export(knowledge_base: str, source: str, file: Path, as_json: bool) -> None:
    """Write the documents of a source to FILE, or to stdout with -, as a source of kind `jsonl` reads them."""
    from cli.environment import environment
    from headwater.administration.source_export import export_lines, export_to
    from headwater.domain.plurals import pluralize

    is_piped = str(file) == "-"
    if is_piped and as_json:
        raise click.UsageError("--json prints a summary on stdout. Name a file, or leave out --json.")
    with environment() as env:
        stored_source = env.store.sources.get(knowledge_base, source)
        if is_piped:
            for line in export_lines(env.store, stored_source):
                sys.stdout.buffer.write(line)
            return
        exported = export_to(env.store, stored_source, file)
    message = f"Wrote {pluralize(exported.documents, 'document')}, {exported.size / 1e6:,.1f} MB, to {file}."
    emit({"file": str(file), **asdict(exported)}, as_json=as_json, text=message)
