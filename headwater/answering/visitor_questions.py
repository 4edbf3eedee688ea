"""Questions of visitors of a widget (INT-2).

Belongs here: what a visitor may be answered from, what goes along from earlier questions, and the budget. Not here: who
the visitor is (`headwater.administration.visitors`), making the answer (`answer_tasks`). Guarantee: nothing of a
private source is searched or answered from; a question is counted before its answer begins; a visitor reads, judges and
follows up only answers to questions of their own.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_task import AnswerTask
from headwater.answering.answer_tasks import AnswerTasks
from headwater.domain.answers import StoredAnswer, Turn
from headwater.domain.conversations import Vote
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchFilters
from headwater.domain.widgets import PRIVATE, Visitor, WidgetQuestion
from headwater.errors import BudgetSpentError, NoDocumentsError, NotFoundError
from headwater.models_gateway.cost_meter import metered
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search as find
from headwater.retrieval.search_result import SearchResult
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.store.work.answers import unknown_answer_error

_SPENT = "The questions for today are used up. Questions are answered again after midnight UTC; search still works."
_NOTHING = "There is nothing here that visitors may search."


def public_filters(store: Store, knowledge_base: KnowledgeBase) -> SearchFilters:
    """The sources that visitors may be answered from, by name: all but those with the tag `private`.

    Raises:
        NoDocumentsError: there are none.
    """
    public_sources = _public_sources(store, knowledge_base.slug)
    if not public_sources:
        raise NoDocumentsError(_NOTHING)
    return SearchFilters(sources=tuple(public_sources))


def search(store: Store, settings: Settings, visitor: Visitor, query: str, top_k: int) -> SearchResult:
    """Find documents for a visitor; what the query's vector costs counts for the widget's budget of today.

    Raises:
        NoDocumentsError: there is nothing that visitors may search. HeadwaterError: as `headwater.retrieval.search`.
    """
    knowledge_base = store.knowledge_bases.get(visitor.widget.knowledge_base)
    options = SearchOptions(top_k=top_k, filters=public_filters(store, knowledge_base), group_by="document")
    with metered() as meter:
        try:
            return find(store, settings, knowledge_base, query, options)
        finally:
            if meter.cost:
                store.widget_questions.add_search_cost(visitor.widget, meter.cost)


def ask(store: Store, tasks: AnswerTasks, visitor: Visitor, question: str, follows: UUID | None = None) -> AnswerTask:
    """Begin the answer to a visitor's question.

    Args:
        store: the store.
        tasks: make the answer.
        visitor: who asks.
        question: the question.
        follows: the visitor's question before it, if there is one.

    Raises:
        NotFoundError: `follows` is no question of this visitor. BudgetSpentError: the widget's budget is spent.
        InvalidInputError: the question is empty or too long. HeadwaterError: as `AnswerTasks.start`.
    """
    knowledge_base = store.knowledge_bases.get(visitor.widget.knowledge_base)
    request = AnswerRequest(
        knowledge_base=knowledge_base,
        question=question,
        filters=public_filters(store, knowledge_base),
        history=_history(store, visitor, follows) if follows else (),
    )
    if not store.widget_questions.count(visitor, request.id, follows):
        raise BudgetSpentError(_SPENT, retry_after=_until_midnight())
    try:
        return tasks.start(request, is_followed=True, is_for_visitor=True)
    except BaseException:
        store.widget_questions.give_back(request.id)
        raise


def get_question(store: Store, visitor: Visitor, question_id: UUID) -> WidgetQuestion:
    """A question of a visitor.

    Raises:
        NotFoundError: there is none, or it is another visitor's.
    """
    question = store.widget_questions.get(visitor, question_id)
    if question is None:
        raise unknown_answer_error(question_id)
    return question


def record_answer(store: Store, visitor: Visitor, question: WidgetQuestion, answer_id: UUID) -> WidgetQuestion:
    """A visitor's question with the stored answer that serves it, also if the reader left before its end."""
    if answer_id in (question.id, question.answer_id):
        return question
    store.widget_questions.serve(question.id, answer_id)
    return get_question(store, visitor, question.id)


def answer_to(store: Store, visitor: Visitor, question: WidgetQuestion) -> StoredAnswer:
    """The stored answer to a visitor's question.

    Raises:
        NotFoundError: it is not stored, or it shows something of a source that has become private.
    """
    answer = store.answers.get(question.answer_id)
    used_sources = {
        *(citation.source for citation in answer.citations),
        *(passage.source for passage in answer.further),
    }
    if not used_sources.issubset(_public_sources(store, visitor.widget.knowledge_base)):
        raise unknown_answer_error(question.id)
    return answer


def require_public(store: Store, visitor: Visitor, task: AnswerTask) -> None:
    """Make sure that a visitor may follow an answer which is being made.

    Raises:
        NotFoundError: it was deleted, or a source that it is made of was deleted or has become private.
    """
    task.require()
    if not task.sources.issubset(_public_sources(store, visitor.widget.knowledge_base)):
        raise unknown_answer_error(task.id)


def vote(store: Store, visitor: Visitor, question_id: UUID, given: Vote, comment: str = "") -> None:
    """Store what a visitor thinks of an answer to their question.

    Raises:
        NotFoundError: there is no such question of this visitor, or no stored answer.
    """
    if not store.widget_questions.vote(get_question(store, visitor, question_id), given, comment):
        raise unknown_answer_error(question_id)


def _public_sources(store: Store, knowledge_base: str) -> list[str]:
    return [source.source for source in store.sources.names(knowledge_base) if PRIVATE not in source.tags]


def _history(store: Store, visitor: Visitor, follows: UUID) -> tuple[Turn, ...]:
    """The visitor's questions so far, and the last answer, as in every conversation (`conversation_questions`).

    An answer that may not be read again does not go along: a model could repeat it.
    """
    question = get_question(store, visitor, follows)
    turns = store.widget_questions.conversation(visitor, follows)
    try:
        answer_to(store, visitor, question)
        recent_turns = turns[-1:]
    except NotFoundError:
        recent_turns = []
    return tuple(turn if turn in recent_turns else replace(turn, answer="") for turn in turns)


def _until_midnight() -> float:
    now = datetime.now(UTC)
    following = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (following - now).total_seconds()
