"""From a question to a new stored answer, in the caller's thread.

Belongs here: asking and waiting. Not here: the steps (`answer_maker`), answers that are followed while they grow or
served from the store (`answer_tasks`). Guarantee: an answer is stored before it is returned.
"""

from datetime import datetime

from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerer import Answerer
from headwater.answering.answerers import choose_answerer
from headwater.answering.record import record
from headwater.domain.answers import Answer
from headwater.domain.corpus import KnowledgeBase, Lineage
from headwater.domain.search import SearchFilters
from headwater.settings import Settings
from headwater.spans import root_span
from headwater.store.store import Store


def ask(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    question: str,
    filters: SearchFilters | None = None,
    *,
    as_of: datetime | None = None,
    answerer: Answerer | None = None,
    ahead: Lineage | None = None,
) -> Answer:
    """Answer a question from a knowledge base anew, or refuse.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        knowledge_base: the knowledge base to ask.
        question: at most `QUERY_LIMIT` characters.
        filters: limits the documents; by default all.
        as_of: a past time; only documents that readers saw then count. By default the present.
        answerer: makes the answer; by default the one that the knowledge base's settings name.
        ahead: the run that makes it before anybody asks; None if somebody did.

    Raises:
        InvalidInputError: the question is empty, a filter names an unknown source, or the time is in the future.
        QuestionTooLongError: the question is too long.
        NoDocumentsError, ProcessingIncompleteError: there is nothing to answer from.
        ModelUnavailableError: the index's model cannot be loaded, or the answerer's does not answer.
        ConflictError: a cited document was deleted while the answer was made.
    """
    request = AnswerRequest(
        knowledge_base=knowledge_base, question=question, filters=filters or SearchFilters(), as_of=as_of
    )
    chosen_answerer = answerer or choose_answerer(store, settings, knowledge_base.settings)
    with root_span(settings, "ask", flushes=ahead is not None):
        return record(store, AnswerMaker(store, settings, request, chosen_answerer), ahead=ahead)
