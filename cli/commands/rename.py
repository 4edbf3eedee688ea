"""The command `rename`.

Belongs here: its arguments. Not here: the rules of names (`headwater.administration.knowledge_bases`). Guarantee: as
for every command (`cli.main`).
"""

import click

from cli import result_texts
from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("knowledge_base")
@click.argument("slug")
@json_option
@reports_errors
def rename(knowledge_base: str, slug: str, as_json: bool) -> None:
    """Give a knowledge base another slug; what `apply` reads is its name and everything else."""
    from cli.environment import environment
    from headwater.administration.knowledge_bases import change_knowledge_base
    from query_api.routes.knowledge_base_payloads import KnowledgeBasePayload

    with environment() as env:
        renamed = change_knowledge_base(env.store, knowledge_base, new_slug=slug)
        categories = env.store.knowledge_bases.categories(renamed)
        summary = env.store.knowledge_base_summaries.text(renamed)
        payload = KnowledgeBasePayload.of(renamed, categories, summary).model_dump(mode="json")
    message = f"{knowledge_base} is now {slug}. Change the slug in its knowledge base file, too."
    emit(payload, as_json=as_json, text=result_texts.plain(message))
