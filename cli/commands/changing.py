"""The commands `rename`, `release` and `cancel`.

Belongs here: their arguments. Not here: their work (`headwater.administration`, `cli.sync_run`). Guarantee: as for
every command (`main`).
"""

from typing import Any
from uuid import UUID

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
        changed = change_knowledge_base(env.store, knowledge_base, new_slug=slug)
        categories = env.store.knowledge_bases.categories(changed)
        summary = env.store.knowledge_base_summaries.text(changed)
        found = KnowledgeBasePayload.of(changed, categories, summary).model_dump(mode="json")
    words = f"{knowledge_base} is now {slug}. Change the slug in its knowledge base file, too."
    emit(found, as_json=as_json, text=result_texts.plain(words))


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


class _SyncOrAnswer(click.ParamType[int | UUID]):
    """The number of a sync, or the id of an answer."""

    name = "sync or answer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | UUID:
        """Read it."""
        try:
            return int(value) if str(value).isdecimal() else UUID(value)
        except ValueError:
            self.fail(f"{value!r} is neither the number of a sync nor the id of an answer.", param, ctx)


@click.command()
@click.argument("which", metavar="SYNC|ANSWER", type=_SyncOrAnswer())
@json_option
@reports_errors
def cancel(which: int | UUID, as_json: bool) -> None:
    """Cancel the rest of a sync, or an answer that is being made; what is there so far stays."""
    from cli.sync_run import cancel_answer, cancel_sync

    result = cancel_sync(which) if isinstance(which, int) else cancel_answer(which)
    text = result_texts.sync_text if isinstance(which, int) else result_texts.answer_text
    emit(result, as_json=as_json, text=text(result))


COMMANDS = (rename, release, cancel)
