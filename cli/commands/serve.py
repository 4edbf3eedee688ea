"""The command `serve`.

Belongs here: its options. Not here: the server (`cli.processes.api_server`). Guarantee: as for every command
(`cli.main`).
"""

import click

from cli.output import WholeNumber, reports_errors


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8080, show_default=True, type=WholeNumber(1, 65535))
@reports_errors
def serve(host: str, port: int) -> None:
    """Run the API alone (`up` runs it with the rest)."""
    from cli.processes.api_server import serve_api

    serve_api(host, port)
