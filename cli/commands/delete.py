"""The command `delete`.

Belongs here: confirmation, and the receipt or the uploaded file that is deleted. Not here: deleting
(`headwater.administration`). Guarantee: as for every command (`cli.main`); nothing is deleted without `--yes` or an
answer on a terminal.
"""

import sys
from typing import Any

import click

from cli import result_texts
from cli.output import emit, json_option, reports_errors
from headwater.domain.plurals import pluralize


@click.command()
@click.argument("knowledge_base")
@click.argument("source", required=False)
@click.argument("file", required=False)
@click.option("--yes", is_flag=True, help="Do not ask first.")
@json_option
@reports_errors
def delete(knowledge_base: str, source: str | None, file: str | None, yes: bool, as_json: bool) -> None:
    """Delete a knowledge base, one source of it, or one uploaded file of that, with everything that came from it."""
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("There is no terminal to confirm on. Add --yes to delete without confirmation.")
        what = f"the file {file}" if file is not None else describe(knowledge_base, source)
        click.confirm(f"Delete {what}?", abort=True, err=True)
    if source is not None and file is not None:
        deleted = delete_file(knowledge_base, source, file)
        message = f"Deleted {file}. Run `headwater sync {knowledge_base} {source}` to remove its document."
        emit(deleted, as_json=as_json, text=result_texts.plain(message))
        return
    receipt = delete_with_receipt(knowledge_base, source)
    emit(receipt, as_json=as_json, text=result_texts.deletion_text(receipt))


def describe(knowledge_base: str, source: str | None) -> str:
    """Describe what will be deleted.

    Raises:
        NotFoundError: there is no such knowledge base or source.
    """
    from cli.environment import environment
    from headwater.administration.deletion import would_delete

    with environment() as env:
        doomed = would_delete(env.store, knowledge_base, source)
    if source is not None:
        return f"source {knowledge_base}/{source} with {pluralize(doomed.documents, 'document')}"
    counts = f"{pluralize(doomed.sources, 'source')}, {pluralize(doomed.documents, 'document')}"
    return f"knowledge base {knowledge_base} with {counts} and all its answers"


def delete_with_receipt(knowledge_base: str, source: str | None) -> dict[str, Any]:
    """Delete a source, or a knowledge base when none is named; returns the receipt as the API shows it.

    Also finishes deletions that an earlier process left incomplete.

    Raises:
        NotFoundError: there is no such knowledge base or source.
    """
    from cli.environment import dagster_instance, environment
    from headwater.administration.deletion import delete_knowledge_base, delete_source, finish_deletions
    from query_api.routes.deletion_payloads import DeletionPayload

    with environment() as env:
        if source is None:
            deletion = delete_knowledge_base(env.settings, env.store, knowledge_base)
        else:
            deletion = delete_source(env.settings, env.store, knowledge_base, source)
        finish_deletions(env.settings, env.store)
        from pipelines.in_process_run import register_partitions

        with dagster_instance(env.settings) as instance:
            register_partitions(instance, env.store)
    return DeletionPayload.of(deletion).model_dump(mode="json")


def delete_file(knowledge_base: str, source: str, name: str) -> dict[str, Any]:
    """Delete an uploaded file; returns the same as the API.

    Raises:
        NotFoundError: there is no such knowledge base, source or file.
    """
    from cli.environment import environment
    from headwater.administration.uploads import delete_upload
    from query_api.routes.upload_payloads import DeletedUploadPayload

    with environment() as env:
        deleted = delete_upload(env.settings, env.store, knowledge_base, source, name)
    return DeletedUploadPayload(name=deleted, sync=None).model_dump(mode="json")
