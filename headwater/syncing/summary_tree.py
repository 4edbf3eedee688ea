"""`summary_tree`: the summaries of a source's documents, and of the source.

Belongs here: which documents are summarised again, and putting the new tree in place. Not here: what is summarised
together (`headwater.summaries`), vectors (`summary_vectors`), storing (`headwater.store.content.summaries`). Guarantee:
readers see the old tree until the new one is complete; if nothing changed, nothing is called or written; a failure, and
a budget that is spent, leave the old tree (SUM-2).
"""

from collections.abc import Sequence
from functools import cached_property

from headwater.domain.summaries import NodeKind, PaidSummary
from headwater.domain.usage import Usage
from headwater.summaries.budget import Budget, BudgetReachedError
from headwater.summaries.estimating import estimate_source
from headwater.summaries.source_tree import NewTree, changes_of
from headwater.summaries.summarizing import Summarizer, expected_usage, load_maker, recipe_of
from headwater.summaries.tree import Recipe
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Column, Digest, HandOn, Report, Stage, StageWork
from headwater.syncing.summary_vectors import embed_summaries, serve_tree


class SummaryTreeWork(StageWork):
    """Keeps a source's summary tree, if its knowledge base names a `summary_model`."""

    def __init__(self, job: SourceJob, hand_on: HandOn) -> None:
        super().__init__(job, hand_on)
        self._summarizer: Summarizer | None = None

    def complete(self) -> None:
        """Summarise what changed, up to the source.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: the model failed; the old tree stays.
            FencedError: a newer sync took over.
        """
        job, recipe = self.job, self._recipe
        if recipe is None:
            if job.store.summaries.counts(job.source):
                job.counts.rows_written += job.store.summaries.delete_tree(job.work, job.indexes)
            return
        serve_tree(job)
        settings_hash = job.indexes[-1].settings_hash
        changes = changes_of(job.store.summaries, job.source, settings_hash, recipe)
        if not changes:
            return
        self._summarizer = self._load(recipe)
        tree = NewTree(job.store.summaries, job.source, settings_hash, recipe, self._summarizer)
        try:
            tree.build(changes, lambda done, total: job.progress(SUMMARY_TREE.name, done, total))
        except BudgetReachedError:
            chosen = job.knowledge_base.settings
            job.counts.summaries_left = estimate_source(job.store, job.source, settings_hash, recipe, chosen).calls
        else:
            embed_summaries(job, {index.id: tree.keys for index in job.indexes})
            job.counts.rows_written += tree.put(job.work, job.indexes)
        finally:
            job.counts.summarized += self._summarizer.made
            job.counts.reused += self._summarizer.reused

    def digest(self, _: str) -> Digest:
        """The version depends on the summaries' keys and on where they hang; the count is the number of nodes."""
        return Digest(*self.job.store.summaries.digest(self.job.source))

    def report(self) -> Report:
        """What was made and what it cost, and how many nodes there are of each kind and on each level."""
        made, store = self._summarizer, self.job.store.summaries
        counts = store.counts(self.job.source)
        usage = made.usage if made else Usage()
        return {
            "summarized": made.made if made else 0,
            "reused": made.reused if made else 0,
            "left": self.job.counts.summaries_left,
            "summary_tokens": usage.prompt_tokens + usage.completion_tokens,
            **({} if usage.cost is None else {"summary_cost_usd": usage.cost}),
            **{f"{kind.value}_nodes": counts.get(kind, 0) for kind in NodeKind if kind in counts},
            "levels": store.levels(self.job.source),
        }

    def summary(self) -> str:
        """What was made."""
        made, left = self._summarizer, self.job.counts.summaries_left
        if made is None:
            return ""
        words = f"{made.made} summaries made, {made.reused} reused"
        return f"{words}, stopped at the budget with at most {left} left" if left else words

    @cached_property
    def _recipe(self) -> Recipe | None:
        chosen = self.job.knowledge_base.settings
        return None if chosen.summary_model is None else recipe_of(chosen, chosen.summary_model)

    def _load(self, recipe: Recipe) -> Summarizer:
        job = self.job

        def store(paid: Sequence[PaidSummary]) -> None:
            for one in paid:
                job.count_model_use(one.usage.prompt_tokens + one.usage.completion_tokens, one.usage.cost)
            job.counts.rows_written += job.store.summaries.put(
                job.work, paid, model=recipe.model, prompt_version=recipe.prompt_version, by=job.lineage
            )
            job.watch.check()

        chosen = job.knowledge_base.settings
        budget = Budget(
            limit=chosen.summary_budget,
            spent=job.store.spending.of_run(job.knowledge_base, job.lineage.run_id),
            estimate=lambda wanted: expected_usage(wanted, recipe, chosen),
        )
        make = load_maker(recipe, chosen, job.settings)
        return Summarizer(make=make, known=job.store.summaries.texts, store=store, budget=budget)


SUMMARY_TREE = Stage(
    name="summary_tree",
    parent="chunks",
    doing="summarising",
    description=(
        "Summaries of the documents, of groups of them, and of the whole source, each made of those below it. Only "
        "what changed is summarised again. There are none unless the knowledge base sets `summary_model`."
    ),
    columns={
        "id": Column("uuid", "The node's id, which stays the same while its text changes."),
        "kind": Column("text", "What the summary is of: a piece of a document, a document, a group, or the source."),
        "summary_key": Column("bytea", "The hash of what is summarised, and how."),
        "parent_id": Column("uuid", "The node above; above that of the source are those of the knowledge base."),
        "document_id": Column("uuid", "The document, if the summary is of one or of a piece of one."),
        "chunk_ids": Column("uuid[]", "The chunks that a leaf summarises."),
    },
    reported={
        "summarized": "The number of summaries that were made in this sync.",
        "reused": "The number of summaries that the new tree needed and that existed: calls that were saved.",
        "left": "At most how many summaries the budget left for the next sync; the old tree is still in place.",
        "summary_tokens": "The tokens that those summaries took.",
        "summary_cost_usd": "Their cost in US dollars; missing if the price of the model is not known.",
        "piece_nodes": "Summaries of pieces of documents.",
        "document_nodes": "Summaries of documents.",
        "group_nodes": "Summaries of groups of summaries.",
        "source_nodes": "Summaries of the source: one.",
        "levels": "The number of nodes on each level, from the source's summary down.",
    },
    page="docs/summaries.md",
    work=SummaryTreeWork,
    is_searched=True,
)
