"""The command `login`.

Belongs here: printing links. Not here: sessions (`headwater.administration.callers`). Guarantee: as for every command
(`cli.main`); a link opens one session.
"""

import click

from cli.output import emit, json_option, reports_errors


@click.command()
@json_option
@reports_errors
def login(as_json: bool) -> None:
    """Print links that log a browser in as an administrator, each once and within ten minutes."""
    from cli.environment import environment
    from cli.processes.development import dagster_url
    from cli.processes.up_file import api_url
    from headwater.administration.callers import make_link

    with environment() as env:
        pages = f"{api_url(env.settings)}/login?link={make_link(env.store)}"
        dagster = f"{dagster_url(env.settings)}/headwater/login?link={make_link(env.store)}"
    emit({"pages": pages, "dagster": dagster}, as_json=as_json, text=f"Pages    {pages}\nDagster  {dagster}")
