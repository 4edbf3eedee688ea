"""The summaries of a source's chunks, one sentence each, if its knowledge base sets `chunk_summaries` (SUM-4).

Belongs here: which chunks are summarised, and what is left when the budget is spent. Not here: the sentence
(`headwater.summaries.chunk_summary`), trees (`summary_tree`, whose stage this is part of). Guarantee: a chunk keeps its
old summary until it has the new one; if no chunk changed, nothing is called or written.
"""

from uuid import UUID

from headwater.models_gateway.budget import BudgetReachedError
from headwater.models_gateway.result_cache import ResultCache
from headwater.summaries.chunk_summary import Sentence, SentenceRecipe, estimate_usage, load_maker, sentence_recipe
from headwater.syncing.job_cache import summary_payer
from headwater.syncing.source_job import SourceJob

_WINDOW = 200  # chunks that are read together


def bring_chunk_summaries(job: SourceJob, stage: str) -> ResultCache[Sentence, str] | None:
    """Summarise the chunks that lack it, or take the summaries away if the knowledge base wants none any more.

    Args:
        job: the source being synced; its counts grow.
        stage: whose progress is told.

    Returns:
        What the summaries were paid with; None if there was nothing to make.

    Raises:
        ModelUnavailableError, RateLimitedError: the model does not answer; what it had made is stored.
        FencedError: a newer sync took over.
    """
    store, recipe = job.store.chunk_summaries, sentence_recipe(job.knowledge_base.settings)
    if recipe is None:
        if store.digest(job.source)[0]:
            job.counts.rows_written += store.delete_all(job.work)
        return None
    missing = store.missing(job.source, job.indexes[-1].settings_hash, recipe.hash)
    if not missing:
        return None
    settings = job.knowledge_base.settings
    payer = summary_payer(
        job,
        recipe,
        load=lambda: load_maker(recipe, settings, job.settings),
        expected=lambda sentence: estimate_usage(sentence, recipe, settings),
    )
    completed = 0
    try:
        for start in range(0, len(missing), _WINDOW):
            _bring(job, recipe, payer, missing[start : start + _WINDOW])
            completed = min(start + _WINDOW, len(missing))
            job.progress(stage, completed, len(missing))
    except BudgetReachedError:
        job.counts.summaries_left += len(missing) - completed
    finally:
        job.counts.summarized += payer.made
        job.counts.reused += payer.reused
    return payer


def _bring(job: SourceJob, recipe: SentenceRecipe, payer: ResultCache[Sentence, str], chunk_ids: list[UUID]) -> None:
    sentences = {chunk.chunk_id: Sentence.of(chunk, recipe) for chunk in job.store.chunk_summaries.texts(chunk_ids)}
    payer({sentence.key: sentence for sentence in sentences.values()})
    keys = {chunk_id: sentence.key for chunk_id, sentence in sentences.items()}
    job.counts.rows_written += job.store.chunk_summaries.put(job.work, keys, recipe_hash=recipe.hash)
