"""The commands `bot …`.

Belongs here: their options. Not here: bots (`integrations`), where they answer (`bots`). Guarantee: as for every
command (`cli.main`).
"""

import click

from cli.output import reports_errors

_url = click.option("--url", help="Address of the API; by default that of `headwater up`, or HEADWATER_API_URL.")


@click.group()
def bot() -> None:
    """Run a bot that answers questions in a chat platform; `headwater up` does so if its token is set."""


@bot.command()
@_url
@reports_errors
def slack(url: str | None) -> None:
    """Answer in Slack until interrupted."""
    from cli.processes.bot_runner import run_bot

    run_bot("slack", url)


@bot.command()
@_url
@reports_errors
def discord(url: str | None) -> None:
    """Answer in Discord until interrupted."""
    from cli.processes.bot_runner import run_bot

    run_bot("discord", url)
