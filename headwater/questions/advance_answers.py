"""Answering questions before somebody asks.

Belongs here: which questions, and within which budget. Not here: making answers (`headwater.answering`), questions
(`question_checks`). Guarantee: a question whose stored answer still holds costs nothing; once the budget of the day is
spent, nothing more is made; a question whose answer is refused is no longer offered.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from headwater.answering.answer_request import AnswerRequest, with_settings
from headwater.answering.direct_answer import ask
from headwater.answering.reuse import find_reusable
from headwater.domain.corpus import KnowledgeBase, Lineage
from headwater.domain.questions import SuggestedQuestion
from headwater.settings import Settings
from headwater.store.store import Store

_AGE = timedelta(days=30)
_ANSWERS = 200  # newest answers whose documents say what readers are interested in


@dataclass(kw_only=True, slots=True)
class Ahead:
    """How many questions have an answer that holds, how many answers were made for that, and what stopped it."""

    ready: int = 0
    made: int = 0
    refused: int = 0
    is_spent: bool = False
    """Whether the budget of the day ended it."""


def answer_ahead(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    by: Lineage,
    tell: Callable[[str], None] = lambda _: None,
) -> Ahead:
    """Answer the questions that readers are likely to ask next, as many as the knowledge base's settings say.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        knowledge_base: the knowledge base.
        by: the run that answers.
        tell: is told the progress in words.

    Raises:
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed; answers so far are kept.
    """
    knowledge_base_settings, ahead = knowledge_base.settings, Ahead()
    if not knowledge_base_settings.answer_ahead or not (
        knowledge_base_settings.reuse_answers and knowledge_base_settings.store_questions
    ):
        return ahead
    strict = with_settings(knowledge_base, quote_when_model_fails=False)  # nobody waits, so no quote stands in
    for question in likely_questions(store, knowledge_base, knowledge_base_settings.answer_ahead):
        request = AnswerRequest(knowledge_base=knowledge_base, question=question.question)
        if find_reusable(store, settings, request).kept is not None:
            ahead.ready += 1
            continue
        if ahead.is_spent or _is_spent(store, knowledge_base):
            ahead.is_spent = True
            continue
        answer = ask(store, settings, strict, question.question, ahead=by)
        if answer.refused:
            store.suggestions.refuse(question.id)
            ahead.refused += 1
            continue
        ahead.made += 1
        ahead.ready += 1
        tell(f"{ahead.made} questions answered ahead")
    return ahead


def likely_questions(store: Store, knowledge_base: KnowledgeBase, count: int) -> list[SuggestedQuestion]:
    """The questions that readers are likely to ask next.

    These are the questions of the documents that the newest answers cite, then those that a reader is offered first.
    """
    likely = store.suggestions.likely(knowledge_base, age=_AGE, answers=_ANSWERS, limit=count)
    offered = store.suggestions.select_varied(knowledge_base, source=None, limit=count)
    return list({question.id: question for question in (*likely, *offered)}.values())[:count]


def _is_spent(store: Store, knowledge_base: KnowledgeBase) -> bool:
    """Whether today's budget is spent; answers whose price is unknown count by their number."""
    spent, settings = store.suggestions.count_spent_ahead(knowledge_base), knowledge_base.settings
    return 0 < spent.cost >= settings.answer_ahead_budget or spent.unknown_count >= settings.answer_ahead
