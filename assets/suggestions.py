"""`suggestions`: the questions that a knowledge base offers its readers (QST-1).

Belongs here: the asset and its metadata. Not here: checking questions and answering some ahead
(`headwater.questions.suggestion_refresh`), making them (`headwater.syncing.questions`). Guarantee: Dagster shows what
the kernel did; nothing else is decided here.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.descriptions import SEARCH_LAYER, definition_metadata, describe_asset
from assets.observations import view_url
from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.domain.questions import CheckState
from headwater.questions.suggestion_refresh import Suggested, refresh_suggestions
from headwater.settings import Settings
from headwater.syncing.questions import QUESTIONS
from headwater.syncing.stage import Column

_COLUMNS = {
    "question_id": Column("uuid", "The question."),
    "search_index_id": Column("bigint", "The search index that it was checked against."),
    "version_id": Column("uuid", "The version of its document that readers saw then."),
    "state": Column("text", "`kept` if readers are offered it; otherwise `not_found` or `same`."),
    "same_as": Column("uuid", "The kept question that asks for the same."),
    "vector": Column("halfvec", "The vector; it is compared with the vectors of other questions."),
}
_REPORTED = {
    "dagster/row_count": "The number of questions that readers are offered.",
    "checked": "The number of questions that were checked now.",
    "not_found": "Questions whose own document is not among the passages that an answer would use.",
    "same": "Questions that ask for the same as another one.",
    "embedded": "The number of questions that the embedding model embedded now.",
    "embedded_tokens": "Their tokens.",
    "cost_usd": "What that cost, in US dollars.",
    "answered_ahead": "The answers that were made before anybody asked, now.",
    "ready": "The likely questions whose answer is stored and not stale, if the knowledge base sets `answer_ahead`.",
    "is_budget_spent": "Whether the budget of the day ended it.",
    "api": "The questions in Headwater's HTTP API.",
    "view": "The questions on Headwater's pages.",
}


@dg.asset(
    partitions_def=KNOWLEDGE_BASES,
    deps=["search_index", dg.AssetDep(QUESTIONS.name, partition_mapping=dg.AllPartitionMapping())],
    group_name=SEARCH_LAYER,
    kinds={"postgres"},
    code_version="1",
    output_required=False,
    description=describe_asset(
        "The questions that readers are offered. Each question of a document is searched for: it is kept if an answer "
        "would be made of its own document, and if no other kept question asks for the same. Questions are checked "
        "again only if their document or the search index has changed. If the knowledge base sets `answer_ahead`, the "
        "most likely ones are answered before somebody asks.",
        "knowledge base",
        _REPORTED,
    ),
    metadata=definition_metadata("suggestions", _COLUMNS, "docs/questions.md"),
)
def suggestions(context: dg.AssetExecutionContext, store: StoreResource) -> Iterator[dg.MaterializeResult[None]]:
    """The checked questions of one knowledge base; skipped if there is nothing to check."""
    with store.open() as (open_store, settings):
        suggested = refresh_suggestions(
            open_store, settings, context.partition_key, context.run.run_id, context.log.info
        )
    if suggested is None:
        context.log.info("No question has to be checked or answered.")
        return
    metadata = to_check_metadata(suggested, settings, context.partition_key)
    yield dg.MaterializeResult(data_version=dg.DataVersion(suggested.data_version), metadata=metadata)


def to_check_metadata(made: Suggested, settings: Settings, slug: str) -> dict[str, Any]:
    """The metadata of a refresh for people."""
    checked, ahead = made.checked, made.ahead
    cost = "unknown" if checked.cost_usd is None else checked.cost_usd
    return {
        "dagster/row_count": made.states.get(CheckState.KEPT, 0),
        "checked": checked.count,
        "not_found": made.states.get(CheckState.NOT_FOUND, 0),
        "same": made.states.get(CheckState.SAME, 0),
        "embedded": checked.embedded,
        "embedded_tokens": checked.tokens,
        "cost_usd": cost,
        "answered_ahead": ahead.made,
        "ready": ahead.ready,
        "is_budget_spent": ahead.is_spent,
        "api": dg.MetadataValue.url(f"{settings.api_url}/api/v1/knowledge-bases/{slug}/questions"),
        "view": dg.MetadataValue.url(view_url(settings, slug, "contents#questions")),
    }
