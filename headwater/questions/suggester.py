"""Questions for a reader: before typing, while typing, and below an answer.

Belongs here: which of the kept questions are offered. Not here: checking them (`question_checks`), their shape in the
API (`query_api`). Guarantee: no model is called but one on this machine, so completing what a reader types is fast and
costs nothing.
"""

from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.questions import SuggestedQuestion
from headwater.errors import HeadwaterError
from headwater.models_gateway.embedder import Vectors
from headwater.models_gateway.embedder_registry import is_local, load_embedder
from headwater.questions.question_checks import SAME_SIMILARITY
from headwater.retrieval.model_languages import ModelLanguages, sure_language
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.understanding.question import understand
from headwater.understanding.same_question import asks_the_same, plain_question

RELATED = 4
"""The most questions below an answer."""
LIKE_SIMILARITY = 0.4
"""The least cosine of an offered question to what a reader has typed, if it does not have the same words."""
RELATED_SIMILARITY = 0.5
"""The least cosine of a question to that of an answer which does not cite its document."""
CITED_SIMILARITY = 0.2
"""The same for a document that the answer cites. Below it, a question of a long document is about something else."""
_CANDIDATES = 30


def suggest(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    *,
    like: str = "",
    source: str | None = None,
    limit: int = 10,
) -> list[SuggestedQuestion]:
    """Questions that a reader may ask.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        knowledge_base: the knowledge base.
        like: what the reader has typed so far; without it, questions of as many documents as possible.
        source: the slug of a source, None for all.
        limit: how many.

    Raises:
        NotFoundError: there is no such source.
    """
    if source is not None:
        store.sources.get(knowledge_base.slug, source)
    words = plain_question(like).split()
    if not words:
        return store.suggestions.select_varied(knowledge_base, source=source, limit=limit)
    vector = vector_of(store, settings, knowledge_base, like)
    return store.suggestions.like(knowledge_base, words, vector, similarity=LIKE_SIMILARITY, source=source, limit=limit)


def find_related_questions(
    store: Store, settings: Settings, knowledge_base: KnowledgeBase, answer_id: UUID, question: str
) -> list[SuggestedQuestion]:
    """Questions that a reader of a stored answer may ask next, at most `RELATED`, never the answer's own.

    Args:
        store: the store of the answer.
        settings: says where the models are.
        knowledge_base: the knowledge base that was asked.
        answer_id: the answer.
        question: its question; empty if it was not stored.
    """
    if knowledge_base.settings.question_model is None:
        return []
    vector = vector_of(store, settings, knowledge_base, question) if question else None
    questions = store.suggestions.related(
        answer_id, vector, similarity=RELATED_SIMILARITY, cited_similarity=CITED_SIMILARITY, limit=_CANDIDATES
    )
    other_questions = [candidate for candidate in questions if not _is_same(candidate, question)]
    return other_questions[:RELATED]


def vector_of(store: Store, settings: Settings, knowledge_base: KnowledgeBase, text: str) -> Vectors | None:
    """A text's vector, shape (dimensions,), by the index's model; None if it says nothing, or would cost something."""
    index = store.search_indexes.active(knowledge_base.slug)
    if index is None or not index.dimensions or not is_local(index.model):
        return None
    understanding = understand(text)
    try:
        embedder = load_embedder(index.model, settings)
        if not ModelLanguages.of(knowledge_base, embedder).knows(sure_language(understanding)):
            return None
        vector: Vectors = embedder.embed([understanding.search_text])[0]
    except HeadwaterError:  # the words still find questions
        return None
    return vector if len(vector) == index.dimensions else None


def _is_same(suggestion: SuggestedQuestion, question: str) -> bool:
    return (suggestion.similarity or 0.0) >= SAME_SIMILARITY or (
        bool(question) and asks_the_same(suggestion.question, question)
    )
