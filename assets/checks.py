"""Checks of the active search index of a knowledge base, as Dagster runs and shows them (OPS-3).

Belongs here: their specs, when Dagster runs them, and their results as Dagster's. Not here: the checks themselves
(`headwater.indexing.index_checks`), the gate, which is part of the asset. Guarantee: each can be run alone, for one
knowledge base, if Dagster supports that.
"""

from collections.abc import Collection, Iterator

import dagster as dg
from pydantic import Field

from assets.check_specs import knowledge_base_check, log_results, severity
from assets.resources import StoreResource
from headwater.indexing import index_checks
from headwater.indexing.index_checks import CHECKS, describe_check
from headwater.indexing.preparation import ENOUGH_RECALL, MIN_RECALL
from headwater.store.store import Store

_COUNTED = "Metadata: `count` is the number of defects, `examples` names some of them."
_MEANING = {
    "recall_at_10": f"Below {MIN_RECALL:.0%} is an error, below {ENOUGH_RECALL:.0%} a warning. Metadata: "
    "`recall_at_10` is the share that search finds, `access` and `ef_search` say how it searches.",
    "links": f"{_COUNTED} `unread_documents` counts documents whose links are not read yet; these are a warning.",
    "dead_links": "Dead links are a warning. Metadata: `count` is their number, `examples` lists up to 50, "
    "`references` counts all links to documents, `resolved_share` is the share that leads to one; the others lead "
    "outside. `sources` has these numbers for each source.",
    "freshness": f"{_COUNTED} `overdue_sources` counts sources that are late; these are a warning.",
}
_WHEN = (
    "It runs after each sync that changed something, every week, and for every knowledge base when you choose "
    "Execute all. `form` is `full` if it checked everything, and `spot` if it checked only changes and a sample."
)


def _spec(name: str) -> dg.AssetCheckSpec:
    what = f"{describe_check(name)} {_MEANING.get(name, _COUNTED)} {_WHEN}"
    return knowledge_base_check("search_index", name, what)


class CheckConfig(dg.Config):
    """How much the checks cover."""

    spot: bool = Field(
        default=False,
        description="Check only changes since the last check and some random documents, instead of everything.",
    )


@dg.multi_asset_check(name="search_index_checks", specs=[_spec(name) for name in CHECKS], can_subset=True)
def search_index_checks(
    context: dg.AssetCheckExecutionContext, config: CheckConfig, store: StoreResource
) -> Iterator[dg.AssetCheckResult]:
    """Look for defects in the search index of a knowledge base."""
    selected = {key.name for key in context.selected_asset_check_keys}
    with store.open() as (open_store, _):
        if context.has_partition_key:
            yield from check_search_index(open_store, context.partition_key, selected, is_spot=config.spot)
            return
        # "Execute all" on Dagster's page of the checks names no partition.
        for knowledge_base in open_store.knowledge_bases.all(limit=100_000):
            results = check_search_index(open_store, knowledge_base.slug, selected, is_spot=config.spot)
            log_results(context, results, "search_index", knowledge_base.slug)


def check_search_index(
    store: Store, slug: str, names: Collection[str] = CHECKS, *, is_spot: bool
) -> Iterator[dg.AssetCheckResult]:
    """Run checks of one knowledge base, as `headwater.indexing.index_checks` does."""
    for name, outcome in index_checks.check_search_index(store, slug, names, is_spot=is_spot):
        yield dg.AssetCheckResult(
            check_name=name,
            passed=outcome.severity is None,
            severity=severity(outcome.severity),
            description=outcome.words,
            metadata=dict(outcome.facts),
        )
