"""The context of a question, for a chat model that the caller runs (API-4).

Belongs here: reading the question, finding and judging passages, in the order in which answers do. Not here: the steps
(`question_reader`, `answer_evidence`, `passage_grades`), the messages (`context_message`). Guarantee: nothing is
stored.
"""

from dataclasses import dataclass, field

from headwater.answering.answer_evidence import Evidence, gather_evidence
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.context_message import ContextMessage, augment
from headwater.answering.corpus_readiness import require_documents
from headwater.answering.passage_grades import grade_evidence
from headwater.answering.question_reader import ReadQuestion, finish_reading, read_question
from headwater.answering.turn_evidence import search_turn
from headwater.domain.usage import Usage
from headwater.retrieval.context_builder import with_nearby
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.understanding.intents import Intent


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionContext:
    """A question with its context; `search_text` is the question as it can be understood without its conversation.

    `usage` is what the knowledge base's cheap model cost, if it has one; `notes` are for the reader.
    """

    augmented: ContextMessage
    intent: Intent
    search_text: str
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


def provide(
    store: Store, settings: Settings, request: AnswerRequest, *, max_tokens: int | None = None
) -> QuestionContext:
    """Find the passages that may answer a question, and put them before it.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        request: the question; small talk gets no passages.
        max_tokens: the most tokens of the message and the proposed system message; by default the passages alone may
            have as many as the knowledge base's `context_tokens`.

    Raises:
        InvalidInputError: a filter names an unknown source, the time is in the future, or `max_tokens` is too small for
            the question alone.
        NoDocumentsError, ProcessingIncompleteError: there is nothing to answer from.
        ModelUnavailableError: the index's model cannot be loaded or does not answer.
    """
    budget = request.knowledge_base.settings.context_tokens
    read = read_question(settings, request)
    if read.is_small_talk:
        alone = augment(request.question, (), context_tokens=budget, max_tokens=max_tokens)
        return QuestionContext(augmented=alone, intent=read.intent, search_text=read.search_text, notes=read.notes)

    def search(read: ReadQuestion) -> Evidence:
        return gather_evidence(
            store,
            settings,
            request.knowledge_base,
            read.search_text,
            request.filters,
            as_of=request.as_of,
            concept_model=read.concepts,
            unsaid=read.unsaid,
            spoken_of=read.spoken_of,
        )

    turn = search_turn(search, read)
    require_documents(store, turn.evidence)
    read = finish_reading(turn.read)
    evidence, graded = grade_evidence(settings, turn.evidence)
    buckets = with_nearby(store, evidence.passages) if evidence.passages else []
    return QuestionContext(
        augmented=augment(request.question, buckets, context_tokens=budget, max_tokens=max_tokens),
        intent=read.intent,
        search_text=read.search_text,
        notes=(*read.notes, *evidence.found.notes),
        usage=read.usage + graded,
    )
