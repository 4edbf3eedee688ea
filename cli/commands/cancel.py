"""The command `cancel`.

Belongs here: cancelling a sync or an answer, whichever has the id. Not here: how they end
(`headwater.administration.sync_requests`). Guarantee: as for every command (`cli.main`).
"""

from typing import Any
from uuid import UUID

import click

from cli import result_texts
from cli.output import emit, json_option, reports_errors


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
    result = cancel_sync(which) if isinstance(which, int) else cancel_answer(which)
    text = result_texts.sync_text if isinstance(which, int) else result_texts.answer_text
    emit(result, as_json=as_json, text=text(result))


def cancel_sync(sync_id: int) -> dict[str, Any]:
    """Cancel a sync; returns it as the API shows it.

    Raises:
        NotFoundError: there is no sync with that id.
    """
    from cli.environment import environment
    from headwater.administration import sync_requests
    from query_api.routes.sync_payloads import SyncPayload

    with environment() as env:
        sync_requests.cancel_sync(env.store, sync_id)
        return SyncPayload.of(env.store.syncs.get(sync_id)).model_dump(mode="json")


def cancel_answer(answer_id: UUID) -> dict[str, Any]:
    """Cancel an answer that another process makes; returns it as the API shows it.

    Raises:
        NotFoundError: there is no answer with that id.
    """
    from cli.environment import environment
    from query_api.routes.answer_payloads import AnswerPayload

    with environment() as env:
        env.store.answers.cancel(answer_id)
        return AnswerPayload.from_stored(env.store.answers.get(answer_id)).model_dump(mode="json")
