"""The command `deletions`.

Belongs here: receipts as text. Not here: deleting (`delete`). Guarantee: as for every command (`cli.main`).
"""

import click

from cli import result_texts
from cli.output import WholeNumber, emit, json_option, limit_option, older_than_option, page_text, reports_errors
from cli.result_texts import plain


@click.command()
@click.argument("id", required=False, type=WholeNumber(1))
@limit_option
@older_than_option
@json_option
@reports_errors
def deletions(id: int | None, limit: int, after: int | None, as_json: bool) -> None:  # noqa: A002 - as in `main`
    """List the receipts of deletions, newest first, or read the one with ID."""
    from cli.environment import environment
    from query_api.routes.deletion_payloads import DeletionPage, DeletionPayload

    with environment() as env:
        if id is not None:
            receipt = DeletionPayload.of(env.store.deletions.get(id)).model_dump(mode="json")
            emit(receipt, as_json=as_json, text=result_texts.deletion_text(receipt))
            return
        receipts = env.store.deletions.all(before=after, limit=limit + 1)
    page = DeletionPage.of(receipts, limit).model_dump(mode="json")
    lines = [
        f"{deletion['id']}  {deletion['requested_at'][:19]}  {deletion['kind']} {plain(deletion['key'])}"
        for deletion in page["deletions"]
    ]
    emit(page, as_json=as_json, text=page_text(lines, page, "headwater deletions", "Nothing was ever deleted."))
