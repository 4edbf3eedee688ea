"""`summary_tree`: the summaries of a source's documents, and of the source.

Belongs here: which documents are summarised again, and putting the new tree in place. Not here: what is summarised
together (`headwater.summaries`), single chunks (`chunk_summaries`), vectors (`summary_vectors`), storing
(`headwater.store.content.summaries`). Guarantee: readers see the old tree until the new one is complete; if nothing
changed, nothing is called or written; a failure, and a budget that is spent, leave the old tree (SUM-2).
"""

from functools import cached_property

from headwater.domain.summaries import NodeKind
from headwater.domain.usage import Usage
from headwater.models_gateway.budget import BudgetReachedError
from headwater.models_gateway.result_cache import ResultCache
from headwater.summaries.chunk_summary import Sentence
from headwater.summaries.source_tree import Changes, NewTree, changes_of
from headwater.summaries.summarizer import estimate_usage, load_maker, recipe_of, texts_by
from headwater.summaries.tree import Recipe, Wanted
from headwater.syncing.chunk_summaries import bring_chunk_summaries
from headwater.syncing.estimate import estimate_tree
from headwater.syncing.job_cache import summary_payer
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Column, Digest, HandOn, Report, Stage, StageWork
from headwater.syncing.stage_failures import note_dropped_replies
from headwater.syncing.summary_vectors import embed_summaries, serve_tree

_ATTEMPTS = 5  # a summary that it shares with another source may be deleted meanwhile, again and again


class SummaryTreeWork(StageWork):
    """Keeps a source's summary tree, and the summaries of its chunks, if its knowledge base wants them."""

    def __init__(self, job: SourceJob, hand_on: HandOn) -> None:
        super().__init__(job, hand_on)
        self._of_tree: ResultCache[Wanted, str] | None = None
        self._of_chunks: ResultCache[Sentence, str] | None = None

    def complete(self) -> None:
        """Summarise what changed, up to the source, and then single chunks.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: the model failed; the old tree stays.
            FencedError: a newer sync took over.
        """
        job, recipe = self.job, self._recipe
        if recipe is not None:
            self._bring_tree(recipe)
        elif job.store.summaries.counts(job.source):
            job.counts.rows_written += job.store.summaries.delete_tree(job.work, job.indexes)
        self._of_chunks = bring_chunk_summaries(job, SUMMARY_TREE.name)
        dropped = sum(payer.dropped for payer in self._payers)
        model = job.knowledge_base.settings.summary_model
        note_dropped_replies(job, dropped, model=model, instead="sentences of the texts are their summaries")

    def _bring_tree(self, recipe: Recipe) -> None:
        job = self.job
        serve_tree(job)
        settings_hash = job.indexes[-1].settings_hash
        changes = changes_of(job.store.summaries, job.source, settings_hash, recipe)
        if not changes:
            return
        self._of_tree = payer = self._payer(recipe)
        try:
            for _ in range(_ATTEMPTS):
                if self._put_tree(
                    NewTree(job.store.summaries, job.source, settings_hash, recipe, texts_by(payer)), changes
                ):
                    break
        except BudgetReachedError:
            settings = job.knowledge_base.settings
            job.counts.summaries_left = estimate_tree(job.store, job.source, settings_hash, recipe, settings)
        finally:
            job.counts.summarized += payer.made
            job.counts.reused += payer.reused

    def _put_tree(self, tree: NewTree, changes: Changes) -> bool:
        """Make a tree, and put it in place; returns False if it has to be made again."""
        job = self.job
        tree.build(changes, lambda count, total: job.progress(SUMMARY_TREE.name, count, total))
        embed_summaries(job, {index.id: tree.keys for index in job.indexes})
        row_count = tree.put(job.work, job.indexes)
        job.counts.rows_written += row_count or 0
        return row_count is not None

    def digest(self, _: str) -> Digest:
        """The version depends on the summaries' keys and on where they hang; the count is the number of nodes."""
        version, count = self.job.store.summaries.digest(self.job.source)
        return Digest(version + self.job.store.chunk_summaries.digest(self.job.source)[0], count)

    def report(self) -> Report:
        """What was made and what it cost, and how many nodes there are of each kind and on each level."""
        store, source = self.job.store, self.job.source
        counts = store.summaries.counts(source)
        usage = sum((payer.usage for payer in self._payers), Usage())
        return {
            "summarized": sum(payer.made for payer in self._payers),
            "reused": sum(payer.reused for payer in self._payers),
            "dropped": sum(payer.dropped for payer in self._payers),
            "left": self.job.counts.summaries_left,
            "summary_tokens": usage.tokens,
            **({} if usage.cost is None else {"summary_cost_usd": usage.cost}),
            **{f"{kind.value}_nodes": counts.get(kind, 0) for kind in NodeKind if kind in counts},
            "chunk_summaries": store.chunk_summaries.digest(source)[1],
            "levels": store.summaries.levels(source),
        }

    def summary(self) -> str:
        """What was made."""
        if not self._payers:
            return ""
        new_count, reused = (sum(getattr(payer, name) for payer in self._payers) for name in ("made", "reused"))
        message = f"{new_count} summaries made, {reused} reused"
        summaries_left = self.job.counts.summaries_left
        return f"{message}, stopped at the budget with at most {summaries_left} left" if summaries_left else message

    @property
    def _payers(self) -> "list[ResultCache[Wanted, str] | ResultCache[Sentence, str]]":
        return [payer for payer in (self._of_tree, self._of_chunks) if payer is not None]

    @cached_property
    def _recipe(self) -> Recipe | None:
        settings = self.job.knowledge_base.settings
        return None if settings.summary_model is None else recipe_of(settings, settings.summary_model)

    def _payer(self, recipe: Recipe) -> ResultCache[Wanted, str]:
        job, settings = self.job, self.job.knowledge_base.settings
        return summary_payer(
            job,
            recipe,
            load=lambda: load_maker(recipe, settings, job.settings),
            expected=lambda item: estimate_usage(item, recipe, settings),
        )


SUMMARY_TREE = Stage(
    name="summary_tree",
    parent="chunks",
    doing="summarising",
    view="contents?source={source}#summaries",
    description=(
        "Summaries of the documents, of groups of them, and of the whole source, each made of those below it. Only "
        "what changed is summarised again. There are none unless the knowledge base sets `summary_model`. With "
        "`chunk_summaries` each chunk has one of a sentence, too."
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
        "dropped": "The number of replies of the model that were of no use; sentences of the texts replace them.",
        "left": "At most how many summaries the budget left for the next sync; the old tree is still in place.",
        "summary_tokens": "The tokens that those summaries took.",
        "summary_cost_usd": "Their cost in US dollars; missing if the price of the model is not known.",
        "piece_nodes": "Summaries of pieces of documents.",
        "document_nodes": "Summaries of documents.",
        "group_nodes": "Summaries of groups of summaries.",
        "source_nodes": "Summaries of the source: one.",
        "chunk_summaries": "Chunks that have a summary of one sentence.",
        "levels": "The number of nodes on each level, from the source's summary down.",
    },
    page="docs/summaries.md",
    work=SummaryTreeWork,
    is_searched=True,
)
