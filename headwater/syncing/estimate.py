"""What the summaries and questions of a sync would cost, without calling a model.

Belongs here: counting the calls that trees, chunks and questions would need now. Not here: making summaries
(`headwater.summaries`) and questions (`headwater.questions`); answers ahead, which have a budget of their own.
Guarantee: nothing is called or written; the same trees are built, and the same is asked about, as in a sync.

The texts of summaries that do not exist yet are not known, so that of each is taken to be as long as it may be, and
different from all others. Therefore the numbers are upper bounds, as long as a model keeps to the length of summaries:
where a new summary says what the old one said, a sync stops earlier. Documents that the next sync will find changed,
or split again, are not known either.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.domain.corpus import KnowledgeBase, Source
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.usage import Usage
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat_registry import EXTRACTIVE, RULES
from headwater.questions.question_generator import Recipe as QuestionRecipe
from headwater.questions.question_generator import Subject
from headwater.questions.question_generator import estimate_usage as question_usage
from headwater.questions.question_generator import recipe_of as question_recipe
from headwater.questions.subjects import subjects_of
from headwater.store.store import Store
from headwater.summaries.chunk_summary import Sentence, sentence_recipe
from headwater.summaries.chunk_summary import estimate_usage as sentence_usage
from headwater.summaries.knowledge_base_tree import to_node, top_of
from headwater.summaries.source_tree import NewTree, changes_of
from headwater.summaries.summarizer import estimate_usage, recipe_of
from headwater.summaries.tree import Node, Recipe, Wanted, summarize_all

_WINDOW = 500  # chunks that are read together


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The most that the summaries and questions of a source, or a knowledge base above its sources, would cost now.

    `source` is None for the knowledge base. `question_calls` are those of the `calls` that make questions. `is_synced`
    is whether it was ever synced: if not, nothing is known of it. `unsplit` counts documents that are not part of the
    numbers, because only a sync splits them. `usage.cost` is None if the price of a model is unknown.
    """

    source: str | None
    calls: int
    question_calls: int
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
        texts = self.store.summaries.texts(list({item.key for item in wanted} - self.expected.keys())) | self.expected
        for item in wanted:
            if item.key not in texts:
                self.calls += 1
                self.usage += estimate_usage(item, self.recipe, self.chosen)
                self.expected[item.key] = texts[item.key] = _longest(item.key, self.recipe.summary_tokens)
        return [texts[item.key] for item in wanted]

    def take(self) -> tuple[int, Usage]:
        """How many calls were counted, and what they take; the next count begins at 0."""
        counted = self.calls, _add_price(self.recipe.model, self.usage)
        self.calls, self.usage = 0, Usage()
        return counted


@dataclass(kw_only=True, slots=True)
class _Asking:
    """Counts the subjects that a model would be asked about; `recipe` is None if none would be asked."""

    store: Store
    recipe: QuestionRecipe | None
    chosen: KnowledgeBaseSettings
    counted: set[bytes] = field(default_factory=set)

    @classmethod
    def of(cls, store: Store, chosen: KnowledgeBaseSettings) -> "_Asking":
        """How a knowledge base has questions made; rules cost nothing."""
        model = None if chosen.question_model == RULES else chosen.question_model
        return cls(store=store, recipe=None if model is None else question_recipe(chosen, model), chosen=chosen)

    def count(self, source: Source, chunks: bytes, tree: NewTree | None, root: Node | None) -> tuple[int, Usage]:
        """The calls that the questions of a source need, and what they take.

        Args:
            source: the source.
            chunks: the hash of its chunk settings.
            tree: its new tree, if it gets one.
            root: the summary of the source in that.
        """
        calls, usage = 0, Usage()
        if self.recipe is None:
            return calls, usage
        for subjects in self._subjects(source, chunks, self.recipe, tree, root):
            subjects_by_key = {subject.key(self.recipe): subject for subject in subjects}
            new = subjects_by_key.keys() - self.store.questions.sets(list(subjects_by_key)).keys() - self.counted
            self.counted |= new
            calls += len(new)
            usage += sum((question_usage(subjects_by_key[key], self.recipe, self.chosen) for key in new), Usage())
        return calls, _add_price(self.recipe.model, usage)

    def _subjects(
        self, source: Source, chunks: bytes, recipe: QuestionRecipe, tree: NewTree | None, root: Node | None
    ) -> Iterator[list[Subject]]:
        """What would be asked about: the new summaries, documents whose questions are out of date, the whole source."""
        by_summary = self.chosen.has_written_summaries
        new = tree.summarized if tree is not None and by_summary else {}
        yield [
            Subject(document_id=id_, title=document.title, text=text, language=document.language)
            for id_, (document, text) in new.items()
        ]
        changed_documents = self.store.questions.documents_to_question(
            source, chunks, recipe.hash, by_summary=by_summary
        )
        ids = [id_ for id_ in changed_documents if id_ not in new]
        for start in range(0, len(ids), _WINDOW):
            batch = {id_: changed_documents[id_] for id_ in ids[start : start + _WINDOW]}
            yield [subject for _, (_, subject) in subjects_of(self.store, batch, chunks, by_rules=False)]
        text = None
        if by_summary:
            text = root.text if root else self.store.questions.source_summary(source)
        yield [] if text is None else [Subject(document_id=None, title=source.slug, text=text)]


def estimate_tree(
    store: Store, source: Source, settings_hash: bytes, recipe: Recipe, chosen: KnowledgeBaseSettings
) -> int:
    """How many summaries a source's tree needs at most; `settings_hash` is that of its chunks."""
    counting = _Counting(store=store, recipe=recipe, chosen=chosen)
    _build(counting, source, settings_hash)
    return counting.calls


def estimate_all(store: Store, knowledge_base: KnowledgeBase, sources: Sequence[Source]) -> list[Estimate]:
    """What a sync of some sources would cost at most: of each source, and then of the knowledge base.

    Returns:
        The estimates; none if the knowledge base has neither a summary model nor a chat model that makes questions.
    """
    settings, chunks = knowledge_base.settings, settings_hash(chunk_settings(knowledge_base.settings))
    asking = _Asking.of(store, settings)
    counting = None
    if settings.summary_model is not None:
        recipe = recipe_of(settings, settings.summary_model)
        counting = _Counting(store=store, recipe=recipe, chosen=settings)
    elif asking.recipe is None:
        return []
    estimates, roots = [], {}
    for source in sources:
        tree, root, calls, usage = None, None, 0, Usage()
        if counting is not None:
            tree, root = _build(counting, source, chunks)
            roots[source.id] = root
            _count_sentences(counting, source, chunks)
            calls, usage = counting.take()
        question_calls, usage_of_questions = asking.count(source, chunks, tree, root)
        estimates.append(
            Estimate(
                source=source.slug,
                calls=calls + question_calls,
                question_calls=question_calls,
                usage=usage + usage_of_questions,
                is_synced=source.synced_at is not None,
                unsplit=store.summaries.unsplit_count(source, chunks),
            )
        )
    return [*estimates, *([] if counting is None else [_above(counting, knowledge_base, roots)])]


def _above(counting: _Counting, knowledge_base: KnowledgeBase, roots: Mapping[int, Node | None]) -> Estimate:
    """What the summaries above the sources would cost, given the new ones of some sources."""
    store = counting.store
    stored = {
        summary.source_id: to_node(summary)
        for summary in store.knowledge_base_summaries.source_summaries(knowledge_base)
    }
    every = [roots.get(source.id) or stored.get(source.id) for source in store.sources.all(knowledge_base.slug)]
    if nodes := [replace(node, children=()) for node in every if node is not None]:
        summarize_all(nodes, top_of(knowledge_base), counting.recipe, counting)
    calls, usage = counting.take()
    return Estimate(source=None, calls=calls, question_calls=0, usage=usage)


def _build(counting: _Counting, source: Source, chunks: bytes) -> tuple[NewTree | None, Node | None]:
    """A source's new tree and its summary; None if they stay as they are."""
    changes = changes_of(counting.store.summaries, source, chunks, counting.recipe)
    tree = NewTree(counting.store.summaries, source, chunks, counting.recipe, counting)
    return (tree, tree.build(changes)) if changes else (None, None)


def _count_sentences(counting: _Counting, source: Source, chunks: bytes) -> None:
    """Count the summaries of single chunks that do not exist."""
    recipe, store = sentence_recipe(counting.chosen), counting.store
    if recipe is None:
        return
    missing = store.chunk_summaries.missing(source, chunks, recipe.hash)
    for start in range(0, len(missing), _WINDOW):
        texts = store.chunk_summaries.texts(missing[start : start + _WINDOW])
        sentences = {sentence.key: sentence for sentence in (Sentence.of(text, recipe) for text in texts)}
        new = sentences.keys() - store.summaries.texts(list(sentences)).keys() - counting.sentences
        counting.sentences |= new
        counting.calls += len(new)
        counting.usage += sum((sentence_usage(sentences[key], recipe, counting.chosen) for key in new), Usage())


def _longest(key: bytes, tokens: int) -> str:
    """A text that no other key has, as long as a summary may be."""
    digits = key.hex()
    return digits + " word" * max(0, tokens - estimate_tokens(digits))


def _add_price(model: str, usage: Usage) -> Usage:
    """Tokens with their price."""
    if model == EXTRACTIVE or not usage.prompt_tokens:
        return Usage(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)
    from headwater.models_gateway.litellm_client import price_of_reply  # takes seconds to load

    return Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost=price_of_reply(model, usage.prompt_tokens, usage.completion_tokens),
    )
