"""The tree of a knowledge base, made of the summaries of its sources.

Belongs here: what it is made of, its rows, refreshing it. Not here: what is summarised together (`tree`), the trees of
sources (`source_tree`), storing (`headwater.store.content.knowledge_base_summaries`). Guarantee: an unchanged source
costs nothing; readers see the old tree until the new one is complete; the tree of a knowledge base with one source has
that one's text, without a call.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase, Lineage
from headwater.domain.summaries import NodeKind, PaidSummary, SourceSummary, TreeRow
from headwater.identity import content_hash, content_id
from headwater.models_gateway.budget import Budget, BudgetReachedError
from headwater.models_gateway.result_cache import ResultCache
from headwater.settings import Settings
from headwater.store.content.knowledge_base_summaries import KnowledgeBaseSummaryStore
from headwater.store.store import Store
from headwater.summaries.summarizer import estimate_usage, load_maker, recipe_of, texts_by
from headwater.summaries.tree import Node, Recipe, Summarize, Top, Wanted, summarize_all

_ATTEMPTS = 5  # a source may be deleted meanwhile, again and again


@dataclass(frozen=True, kw_only=True, slots=True)
class Refreshed:
    """What a refresh did: `is_over_budget` if it stopped at the budget, so that the old tree is still in place."""

    made: int
    reused: int
    tokens: int
    cost_usd: float | None
    is_over_budget: bool = False


class NewTop:
    """The tree above the sources that is to take the place of the old one."""

    def __init__(
        self, store: KnowledgeBaseSummaryStore, knowledge_base: KnowledgeBase, recipe: Recipe, summarize: Summarize
    ) -> None:
        """Read the summaries of sources as they are now."""
        self._store = store
        self._knowledge_base = knowledge_base
        self._recipe = recipe
        self._summarize = summarize
        self._sources = store.source_summaries(knowledge_base)
        self._rows: list[TreeRow] = []
        self._placed: dict[UUID, tuple[UUID, int]] = {}

    def build(self) -> None:
        """Summarise the summaries of the sources."""
        nodes = [to_node(source) for source in self._sources]
        if nodes:
            root = summarize_all(nodes, top_of(self._knowledge_base), self._recipe, self._summarize)
            self._hang(root, None, 0, {source.identity: source.id for source in self._sources})

    def put(self) -> bool:
        """Put the tree in place; returns False if a source was deleted meanwhile, so that it has to be made again."""
        return self._store.put_tree(
            self._knowledge_base,
            rows=self._rows,
            placed=self._placed,
            inputs=inputs_of(self._knowledge_base, self._recipe, self._sources),
        )

    def _hang(self, node: Node, parent_id: UUID | None, place: int, sources: Mapping[bytes, UUID]) -> None:
        """Hang a node and those below it, down to the summaries of sources, which only move."""
        if parent_id is not None and node.identity in sources:
            self._placed[sources[node.identity]] = (parent_id, place)
            return
        id_ = content_id("summary node of a knowledge base", self._knowledge_base.id, node.identity.hex())
        self._rows.append(
            TreeRow(id=id_, kind=node.kind, identity=node.identity, key=node.key, parent_id=parent_id, position=place)
        )
        for position, child in enumerate(node.children):
            self._hang(child, id_, position, sources)


def top_of(knowledge_base: KnowledgeBase) -> Top:
    """What the tree of a knowledge base is of."""
    return Top(kind=NodeKind.KNOWLEDGE_BASE, id=str(knowledge_base.id), title=knowledge_base.name)


def to_node(one: SourceSummary) -> Node:
    """The summary of a source as a node of the tree above it."""
    return Node(identity=one.identity, kind=NodeKind.SOURCE, key=one.key, text=one.text)


def inputs_of(knowledge_base: KnowledgeBase, recipe: Recipe, sources: Sequence[SourceSummary]) -> bytes:
    """What the tree of a knowledge base is made of: equal inputs, equal trees."""
    return content_hash(
        recipe.hash.hex(), knowledge_base.name, [(str(source.id), source.key.hex()) for source in sources]
    )


def is_current(store: Store, knowledge_base: KnowledgeBase) -> bool:
    """Whether the tree of a knowledge base is the one of its sources' summaries as they are now."""
    summaries, model = store.knowledge_base_summaries, knowledge_base.settings.summary_model
    if model is None:
        return not summaries.has_tree(knowledge_base)
    sources = summaries.source_summaries(knowledge_base)
    inputs = inputs_of(knowledge_base, recipe_of(knowledge_base.settings, model), sources)
    return summaries.inputs(knowledge_base) == inputs and summaries.has_tree(knowledge_base) == bool(sources)


def refresh(store: Store, settings: Settings, knowledge_base: KnowledgeBase, by: Lineage) -> Refreshed:
    """Bring the tree of a knowledge base up to date.

    Args:
        store: the open store.
        settings: the settings of the environment.
        knowledge_base: which one.
        by: the run; its budget is that of the sources' summaries, too.

    Raises:
        ModelUnavailableError, RateLimitedError: the model does not answer; the old tree stays.
    """
    model = knowledge_base.settings.summary_model
    if model is None:
        store.knowledge_base_summaries.delete_tree(knowledge_base)
        return Refreshed(made=0, reused=0, tokens=0, cost_usd=0.0)
    recipe = recipe_of(knowledge_base.settings, model)
    payer = _payer(store, settings, knowledge_base, recipe, by)
    is_over_budget = False
    try:
        for _ in range(_ATTEMPTS):
            tree = NewTop(store.knowledge_base_summaries, knowledge_base, recipe, texts_by(payer))
            tree.build()
            if tree.put():
                break
    except BudgetReachedError:
        is_over_budget = True
    return Refreshed(
        made=payer.made,
        reused=payer.reused,
        tokens=payer.usage.tokens,
        cost_usd=payer.usage.cost,
        is_over_budget=is_over_budget,
    )


def _payer(
    store: Store, settings: Settings, knowledge_base: KnowledgeBase, recipe: Recipe, by: Lineage
) -> ResultCache[Wanted, str]:
    knowledge_base_settings = knowledge_base.settings

    def put(paid: Sequence[PaidSummary]) -> None:
        store.knowledge_base_summaries.put(
            knowledge_base, paid, model=recipe.model, prompt_version=recipe.prompt_version, by=by
        )

    return ResultCache(
        make=load_maker(recipe, knowledge_base_settings, settings),
        known=store.summaries.texts,
        store=put,
        expected=lambda item: estimate_usage(item, recipe, knowledge_base_settings),
        budget=Budget(
            limit=knowledge_base_settings.summary_budget, spent=store.spending.of_run(knowledge_base, by.run_id)
        ),
    )
