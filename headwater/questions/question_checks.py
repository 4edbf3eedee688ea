"""Checking questions against what readers see (QST-1).

Belongs here: which questions are kept. Not here: making them (`question_generator`), storing the results
(`headwater.store.search.suggestions`). Guarantee: a kept question has its own document among the passages from which
its answer would be made, and no other kept question asks for the same; each result is stored by itself, so a process
that is killed loses one; a question is checked again only if its document or the search index has changed.

The check needs the index that readers search, which a source's stages do not have: they run before the knowledge base
is refreshed. So it runs at the end of the refresh.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from headwater.answering.answer_evidence import gather_evidence
from headwater.chunking.chunker import embedding_hash
from headwater.domain.corpus import KnowledgeBase, Lineage
from headwater.domain.questions import CheckState, QuestionToCheck
from headwater.domain.search import Passage, SearchIndex
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.retrieval.model_languages import ModelLanguages, sure_language
from headwater.settings import Settings
from headwater.store.search.suggestions import Check
from headwater.store.store import Store
from headwater.understanding.question import understand
from headwater.understanding.same_question import asks_the_same, plain_question

SAME_SIMILARITY = 0.92
"""The cosine from which two questions count as the same.

Measured with the built-in model on the 370 questions of three knowledge bases (Nebari, Flask, Northwind): of 22 pairs
above it, all ask for the same or are answered by the same passage, such as `How do I install the Nebari package?` and
`How do I install Nebari?` (.928). Below it they begin to differ: setting up and sharing a repository (.912), deploying
on AWS and deploying (.875), backing up and restoring (.863).
"""
NEAR_SIMILARITY = 0.8
"""The cosine from which they do so if their words differ only in their forms, as `asks_the_same` says."""
_READ = 5_000  # questions that are read together: each reading looks at all of them
_BATCH = 100  # questions that are embedded together
_ROUNDS = 3  # a question may have to be checked again because the one that it was the same as is not kept any more


@dataclass(kw_only=True, slots=True)
class Checked:
    """How many questions were checked, what was found, and what their vectors cost; None if a price is unknown."""

    states: dict[CheckState, int] = field(default_factory=dict)
    embedded: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0

    @property
    def count(self) -> int:
        """How many."""
        return sum(self.states.values())


def check_questions(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    by: Lineage,
    tell: Callable[[str], None] = lambda _: None,
) -> Checked:
    """Check the questions of a knowledge base that were not checked against the active index as it is now.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        knowledge_base: the knowledge base.
        by: the run that checks.
        tell: is told the progress in words.

    Raises:
        ModelUnavailableError: the index's model does not answer; results so far are stored.
    """
    checked = Checked()
    index = store.search_indexes.active(knowledge_base.slug)
    if index is None or not index.dimensions:
        return checked
    checked_ids: set[tuple[int, UUID]] = set()
    checker = _Checker(store, settings, knowledge_base, index, by, checked)
    for turn in range(_ROUNDS):
        while questions := store.suggestions.to_check(index, limit=_READ):
            questions = [question for question in questions if (turn, question.id) not in checked_ids]
            if not questions:
                break
            checked_ids |= {(turn, question.id) for question in questions}
            for start in range(0, len(questions), _BATCH):
                checker.check(questions[start : start + _BATCH])
                tell(f"{checked.count} questions checked")
    return checked


class _Checker:
    """Checks questions against one index."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        knowledge_base: KnowledgeBase,
        index: SearchIndex,
        by: Lineage,
        checked: Checked,
    ) -> None:
        self._store = store
        self._settings = settings
        self._knowledge_base = knowledge_base
        self._index = index
        self._by = by
        self._checked = checked

    @cached_property
    def _embedder(self) -> Embedder:
        return load_embedder(self._index.model, self._settings)  # only if there is something to check

    @cached_property
    def _reading(self) -> ModelLanguages:
        return ModelLanguages.of(self._knowledge_base, self._embedder)

    def check(self, questions: Sequence[QuestionToCheck]) -> None:
        """Check some questions, and store each result."""
        texts = {question.id: understand(question.question).search_text for question in questions}
        hashes = {id_: embedding_hash((), text) for id_, text in texts.items()}
        vectors = self._vectors({hashes[id_]: text for id_, text in texts.items()})
        for question in questions:
            vector = vectors[hashes[question.id]]
            passages = self._passages(question, vector)
            same_as = self._same(question, vector, passages)
            state = CheckState.SAME if same_as else CheckState.KEPT
            if same_as is None and not _is_answered(question, passages):
                state = CheckState.NOT_FOUND
            check = Check(
                id=question.id,
                version_id=question.version_id,
                state=state,
                words=f" {plain_question(question.question)}",
                embedding_hash=hashes[question.id],
                vector=vector,
                same_as=same_as,
            )
            self._store.suggestions.put(self._index, check, self._by)
            self._checked.states[state] = self._checked.states.get(state, 0) + 1

    def _vectors(self, texts: dict[bytes, str]) -> dict[bytes, Vectors]:
        """The vectors of texts, by hash; each is made once, and stored as it arrives."""
        vectors = self._store.suggestions.vectors(self._index.model, list(texts))
        missing = [text_hash for text_hash in texts if text_hash not in vectors]
        for embedded in self._embedder.embed_counted([texts[text_hash] for text_hash in missing]):
            batch_hashes = missing[embedded.start : embedded.start + len(embedded.token_counts)]
            self._store.suggestions.put_vectors(self._index.model, batch_hashes, embedded, self._by)
            vectors |= dict(zip(batch_hashes, embedded.vectors, strict=True))
            self._checked.embedded += len(batch_hashes)
            self._checked.tokens += sum(embedded.token_counts)
            costs = (self._checked.cost_usd, embedded.cost_usd)
            self._checked.cost_usd = None if None in costs else sum(filter(None, costs))
        return vectors

    def _same(self, question: QuestionToCheck, vector: Vectors, passages: Sequence[Passage]) -> UUID | None:
        """The kept question that asks for the same, if there is one.

        Its own document answers it, and so this one, too: only questions of documents that do are compared.
        """
        documents = {passage.document_id for passage in passages}
        documents |= {question.document_id} if question.document_id else set()
        understood = self._reading.knows(sure_language(understand(question.question)))
        for neighbour in self._store.suggestions.nearest(self._index, question.id, vector, documents=list(documents)):
            is_close = understood and neighbour.similarity >= SAME_SIMILARITY
            if is_close or (
                neighbour.similarity >= NEAR_SIMILARITY and asks_the_same(neighbour.question, question.question)
            ):
                return neighbour.id
        return None

    def _passages(self, question: QuestionToCheck, vector: Vectors) -> Sequence[Passage]:
        """The passages from which an answer would be made."""
        return gather_evidence(
            self._store, self._settings, self._knowledge_base, question.question, index=self._index, vector=vector
        ).passages


def _is_answered(question: QuestionToCheck, passages: Sequence[Passage]) -> bool:
    """Whether an answer would be made of the question's own document, or of its source."""
    if question.document_id is None:
        return any(passage.source == question.source for passage in passages)
    return any(passage.document_id == question.document_id for passage in passages)
