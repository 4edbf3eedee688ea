"""The command `up`.

Belongs here: its options. Not here: the processes (`cli.processes.supervisor`). Guarantee: as for every command
(`cli.main`).
"""

import sys

import click

from cli.output import WholeNumber, json_option, reports_errors


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address that the API listens on.")
@click.option("--port", default=8080, show_default=True, type=WholeNumber(1, 65535), help="Port of the API.")
@click.option(
    "--dagster-port", default=3000, show_default=True, type=WholeNumber(1, 65535), help="Port of the Dagster UI."
)
@json_option
@reports_errors
def up(host: str, port: int, dagster_port: int, as_json: bool) -> None:
    """Run everything until Ctrl-C: Postgres, Dagster (code server, UI, daemon) and the API."""
    from cli.processes.supervisor import run

    sys.exit(run(host=host, port=port, dagster_port=dagster_port, as_json=as_json))
