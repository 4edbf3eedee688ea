"""The command `release`.

Belongs here: its arguments. Not here: who manages what (`headwater.administration.management`). Guarantee: as for every
command (`cli.main`).
"""

import click

from cli import result_texts
from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("knowledge_base")
@json_option
@reports_errors
def release(knowledge_base: str, as_json: bool) -> None:
    """Take a knowledge base from the Dagster project that manages it, so that people change and sync it again."""
    from cli.environment import environment
    from headwater.administration import management

    with environment() as env:
        released = management.release(env.store, knowledge_base)
    words = ", ".join(released) or "nothing; no Dagster project manages it"
    emit({"released": released}, as_json=as_json, text=result_texts.plain(f"Released {words}."))
