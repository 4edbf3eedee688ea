"""What the summaries of a sync would cost, without calling a model.

Belongs here: counting the calls that trees would need now. Not here: making summaries (`summarizing`). Guarantee:
nothing is called or written; the same trees are built as in a sync.

The texts of summaries that do not exist yet are not known, so that of each is taken to be as long as it may be, and
different from all others. Therefore the numbers are upper bounds, as long as a model keeps to the length of summaries:
where a new summary says what the old one said, a sync stops earlier. Documents that the next sync will find changed,
or split again, are not known either.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.domain.corpus import KnowledgeBase, Source
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.usage import Usage
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat_registry import EXTRACTIVE
from headwater.store.store import Store
from headwater.summaries.knowledge_base_tree import stored_node, top_of
from headwater.summaries.sentences import Sentence, sentence_recipe
from headwater.summaries.sentences import expected_usage as sentence_usage
from headwater.summaries.source_tree import NewTree, changes_of
from headwater.summaries.summarizing import expected_usage, recipe_of
from headwater.summaries.tree import Node, Recipe, Wanted, summarize_all

_WINDOW = 500  # chunks that are read together


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The most that the summaries of a source, or of a knowledge base above its sources, would cost now.

    `source` is None for the knowledge base. `is_synced` is whether it was ever synced: if not, nothing is known of it.
    `unsplit` counts documents that are not part of the numbers, because only a
    sync splits them. `usage.cost` is None if the model's price is unknown.
    """

    source: str | None
    calls: int
    usage: Usage
    is_synced: bool = True
    unsplit: int = 0


@dataclass(kw_only=True, slots=True)
class _Counting:
    """Looks summaries up, and counts those that do not exist."""

    store: Store
    recipe: Recipe
    chosen: KnowledgeBaseSettings
    expected: dict[bytes, str] = field(default_factory=dict)
    sentences: set[bytes] = field(default_factory=set)
    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    def __call__(self, wanted: Sequence[Wanted]) -> list[str]:
        """The texts of summaries: those that exist, or texts as long as they may be."""
        texts = self.store.summaries.texts(list({one.key for one in wanted} - self.expected.keys())) | self.expected
        for one in wanted:
            if one.key not in texts:
                self.calls += 1
                self.usage += expected_usage(one, self.recipe, self.chosen)
                self.expected[one.key] = texts[one.key] = _longest(one.key, self.recipe.summary_tokens)
        return [texts[one.key] for one in wanted]

    def estimate(self, source: str | None, *, is_synced: bool = True, unsplit: int = 0) -> Estimate:
        """What was counted; the next estimate begins at 0."""
        usage = _priced(self.recipe.model, self.usage)
        found = Estimate(source=source, calls=self.calls, usage=usage, is_synced=is_synced, unsplit=unsplit)
        self.calls, self.usage = 0, Usage()
        return found


def estimate_source(
    store: Store, source: Source, settings_hash: bytes, recipe: Recipe, chosen: KnowledgeBaseSettings
) -> Estimate:
    """What the summaries of a source would cost at most; `settings_hash` is that of its chunks."""
    counting = _Counting(store=store, recipe=recipe, chosen=chosen)
    _root(counting, source, settings_hash)
    return counting.estimate(source.slug)


def estimate_all(store: Store, knowledge_base: KnowledgeBase, sources: Sequence[Source]) -> list[Estimate]:
    """What the summaries of a sync of some sources would cost at most: of each source, and then of the knowledge base.

    Returns:
        The estimates; none if the knowledge base has no summary model.
    """
    chosen = knowledge_base.settings
    if chosen.summary_model is None:
        return []
    recipe, chunks = recipe_of(chosen, chosen.summary_model), settings_hash(chunk_settings(chosen))
    counting = _Counting(store=store, recipe=recipe, chosen=chosen)
    found, roots = [], {}
    for source in sources:
        roots[source.id] = _root(counting, source, chunks)
        _count_sentences(counting, source, chunks)
        unsplit, is_synced = store.summaries.unsplit_count(source, chunks), source.synced_at is not None
        found.append(counting.estimate(source.slug, is_synced=is_synced, unsplit=unsplit))
    stored = {
        one.source_id: stored_node(one) for one in store.knowledge_base_summaries.source_summaries(knowledge_base)
    }
    every = [roots.get(one.id) or stored.get(one.id) for one in store.sources.all(knowledge_base.slug)]
    if nodes := [replace(node, children=()) for node in every if node is not None]:
        summarize_all(nodes, top_of(knowledge_base), recipe, counting)
    return [*found, counting.estimate(None)]


def _root(counting: _Counting, source: Source, chunks: bytes) -> Node | None:
    """A source's new summary; None if it stays as it is."""
    changes = changes_of(counting.store.summaries, source, chunks, counting.recipe)
    tree = NewTree(counting.store.summaries, source, chunks, counting.recipe, counting)
    return tree.build(changes) if changes else None


def _count_sentences(counting: _Counting, source: Source, chunks: bytes) -> None:
    """Count the summaries of single chunks that do not exist."""
    recipe, store = sentence_recipe(counting.chosen), counting.store
    if recipe is None:
        return
    missing = store.chunk_summaries.missing(source, chunks, recipe.hash)
    for start in range(0, len(missing), _WINDOW):
        texts = store.chunk_summaries.texts(missing[start : start + _WINDOW])
        wanted = {one.key: one for one in (Sentence.of(text, recipe) for text in texts)}
        new = wanted.keys() - store.summaries.texts(list(wanted)).keys() - counting.sentences
        counting.sentences |= new
        counting.calls += len(new)
        counting.usage += sum((sentence_usage(wanted[key], recipe, counting.chosen) for key in new), Usage())


def _longest(key: bytes, tokens: int) -> str:
    """A text that no other key has, as long as a summary may be."""
    own = key.hex()
    return own + " word" * max(0, tokens - estimate_tokens(own))


def _priced(model: str, usage: Usage) -> Usage:
    """Tokens with their price."""
    if model == EXTRACTIVE or not usage.prompt_tokens:
        return Usage(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)
    from headwater.models_gateway.litellm_client import price_of_reply  # takes seconds to load

    return Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost=price_of_reply(model, usage.prompt_tokens, usage.completion_tokens),
    )
