"""`suggestions`: the questions that a knowledge base offers its readers (QST-1).

Belongs here: checking questions after a change, answering some ahead, and the metadata of both. Not here: the check
itself (`headwater.questions.checking`), making questions (`headwater.syncing.questions`). Guarantee: if no question has
to be checked or answered, nothing is made.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import dagster as dg

import headwater
from assets.describing import SEARCH_LAYER, definition_metadata, described
from assets.observing import view_url
from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.domain.corpus import Lineage
from headwater.domain.questions import CheckState
from headwater.identity import content_hash
from headwater.questions.ahead import Ahead, answer_ahead
from headwater.questions.checking import Checked, check_questions
from headwater.settings import Settings
from headwater.store.store import Store
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggested:
    """What a refresh of the suggestions did; `states` counts questions by result, `data_version` identifies both."""

    checked: Checked
    ahead: Ahead
    states: dict[CheckState, int]
    data_version: str
    url: str
    view: str


@dg.asset(
    partitions_def=KNOWLEDGE_BASES,
    deps=["search_index", dg.AssetDep(QUESTIONS.name, partition_mapping=dg.AllPartitionMapping())],
    group_name=SEARCH_LAYER,
    kinds={"postgres"},
    code_version="1",
    output_required=False,
    description=described(
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
    with store.open() as (opened, settings):
        made = refresh_suggestions(opened, settings, context.partition_key, context.run.run_id, context.log.info)
    if made is None:
        context.log.info("No question has to be checked or answered.")
        return
    yield dg.MaterializeResult(data_version=dg.DataVersion(made.data_version), metadata=checked_metadata(made))


def refresh_suggestions(
    store: Store, settings: Settings, slug: str, run_id: str, tell: Callable[[str], None]
) -> Suggested | None:
    """Check the questions of a knowledge base that need it, and answer the likely ones.

    Returns:
        What was done; None if there was nothing to do.

    Raises:
        NotFoundError: there is no such knowledge base.
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed; results so far are kept.
    """
    knowledge_base, by = store.knowledge_bases.get(slug), Lineage(run_id=run_id, code_version=headwater.__version__)
    checked = check_questions(store, settings, knowledge_base, by, tell)
    ahead = answer_ahead(store, settings, knowledge_base, by, tell)
    if not (checked.count or ahead.made or ahead.refused):
        return None
    states, digest = store.suggestions.counts(knowledge_base)
    return Suggested(
        checked=checked,
        ahead=ahead,
        states=states,
        data_version=content_hash(digest).hex(),
        url=f"{settings.api_url}/api/v1/knowledge-bases/{slug}/questions",
        view=view_url(settings, slug, "contents#questions"),
    )


def checked_metadata(made: Suggested) -> dict[str, Any]:
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
        "api": dg.MetadataValue.url(made.url),
        "view": dg.MetadataValue.url(made.view),
    }
