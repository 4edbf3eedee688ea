"""The command `mcp`: the tools of a running Headwater for a program that talks over stdin and stdout.

Belongs here: its arguments. Not here: passing messages on (`cli.processes.mcp_pipe`), tools (`query_api.mcp`).
Guarantee: as for every command (`main`), except that stdout holds messages of MCP.
"""

import sys

import click

from cli.output import reports_errors


@click.command()
@click.option("--url", help="Address of the API; by default that of `headwater up`, or HEADWATER_API_URL.")
@click.option("--key-env", metavar="NAME", help="The variable that holds the API key, if the API asks for one.")
@reports_errors
def mcp(url: str | None, key_env: str | None) -> None:
    """Offer the tools of a running Headwater on stdin and stdout, for Claude Desktop, editors and other MCP clients."""
    from cli.processes.mcp_pipe import Pipe
    from cli.processes.up_file import api_url
    from headwater.errors import InvalidInputError
    from headwater.settings import Settings, variable

    key = variable(key_env) if key_env else ""
    if key_env and not key:
        raise InvalidInputError(f"--key-env {key_env}: this variable is not set, or it is empty.")
    Pipe(url or api_url(Settings.from_env()), key, sys.stdout.buffer).run(sys.stdin.buffer)
