"""Paying for summaries and questions in a sync.

Belongs here: counting the cost for the source, and the budget of the run. Not here: calls and their order
(`headwater.models_gateway.result_cache`), what is made (`summary_tree`, `chunk_summaries`, `questions`). Guarantee:
every token of the run counts towards one budget, whatever it was paid for.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from headwater.domain.usage import ModelResult, Usage
from headwater.models_gateway.budget import Budget
from headwater.models_gateway.chat_registry import EXTRACTIVE
from headwater.models_gateway.result_cache import ResultCache
from headwater.summaries.chunk_summary import SentenceRecipe
from headwater.summaries.tree import Recipe
from headwater.syncing.source_job import SourceJob

Wanted = TypeVar("Wanted")
Value = TypeVar("Value")
SummaryRecipe = Recipe | SentenceRecipe
_FREE = 500  # results without a model that are stored together


def payer_of(
    job: SourceJob,
    *,
    load: Callable[[], Callable[[Wanted], ModelResult[Value]]],
    known: Callable[[Sequence[bytes]], Mapping[bytes, Value]],
    put: Callable[[Sequence[ModelResult[Value]]], int],
    expected: Callable[[Wanted], Usage],
    batch: int = 0,
) -> ResultCache[Wanted, Value]:
    """Make what a sync pays with.

    Args:
        job: the source being synced; its counts grow.
        load: returns what makes one result; is called when the first has to be made, because a model takes a while.
        known: returns stored results by key.
        put: stores results; returns how many rows were written.
        expected: the most that making one will take.
        batch: how many are made before they are stored; by default few.
    """
    loaded = cache(load)

    def store(paid: Sequence[ModelResult[Value]]) -> None:
        for result in paid:
            job.count_model_use(result.usage.tokens, result.usage.cost)
        job.counts.rows_written += put(paid)
        job.watch.check()

    def make(wanted: Wanted) -> ModelResult[Value]:
        return loaded()(wanted)

    settings = job.knowledge_base.settings
    spent = job.store.spending.of_run(job.knowledge_base, job.lineage.run_id)
    return ResultCache(
        make=make,
        known=known,
        store=store,
        expected=expected,
        budget=Budget(limit=settings.summary_budget, spent=spent),
        batch=batch,
    )


def summary_payer(
    job: SourceJob,
    recipe: SummaryRecipe,
    *,
    load: Callable[[], Callable[[Wanted], ModelResult[str]]],
    expected: Callable[[Wanted], Usage],
) -> ResultCache[Wanted, str]:
    """Make what a sync pays with for summaries by a recipe, of trees or of chunks; the rest is as for `payer_of`."""
    return payer_of(
        job,
        load=load,
        known=job.store.summaries.texts,
        put=lambda paid: job.store.summaries.put(
            job.work, paid, model=recipe.model, prompt_version=recipe.prompt_version, by=job.lineage
        ),
        expected=expected,
        batch=_FREE if recipe.model == EXTRACTIVE else 0,
    )
