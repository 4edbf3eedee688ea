"""The command `delete`.

Belongs here: describing what will be deleted, and deleting it with its partition in Dagster. Not here: asking,
printing.
"""

from typing import Any

from cli.environment import dagster_instance, environment
from headwater.administration.deletion import delete_knowledge_base, delete_source, finish_deletions, would_delete
from headwater.domain.plurals import counted
from query_api.routes.deletion_payloads import DeletionPayload


def describe(knowledge_base: str, source: str | None) -> str:
    """Describe what will be deleted.

    Raises:
        NotFoundError: there is no such knowledge base or source.
    """
    with environment() as env:
        found = would_delete(env.store, knowledge_base, source)
    if source is not None:
        return f"source {knowledge_base}/{source} with {counted(found.documents, 'document')}"
    counts = f"{counted(found.sources, 'source')}, {counted(found.documents, 'document')}"
    return f"knowledge base {knowledge_base} with {counts} and all its answers"


def delete_with_receipt(knowledge_base: str, source: str | None) -> dict[str, Any]:
    """Delete a source, or a knowledge base when none is named; returns the receipt as the API shows it.

    Also finishes deletions that an earlier process left incomplete.

    Raises:
        NotFoundError: there is no such knowledge base or source.
    """
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
