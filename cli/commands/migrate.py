"""The command `migrate`.

Belongs here: its result as text. Not here: migrations (`headwater.store.server.migrations`). Guarantee: as for every
command (`cli.main`).
"""

import click

from cli.output import emit, json_option, reports_errors


@click.command()
@json_option
@reports_errors
def migrate(as_json: bool) -> None:
    """Create the databases and bring the schema up to date."""
    from cli.environment import write_dagster_yaml
    from headwater.settings import Settings
    from headwater.store.server.database_urls import database_url
    from headwater.store.server.migrations import migrate as run_migrations

    settings = Settings.from_env()
    applied = run_migrations(database_url(settings))
    write_dagster_yaml(settings)  # for processes that this command does not start, such as those in containers
    message = f"Applied {', '.join(applied)}." if applied else "Up to date."
    emit({"applied": applied}, as_json=as_json, text=message)
