"""A request for an answer.

Belongs here: what a person or program asks, checked, and settings that one question may replace. Not here: making the
answer (`answer_maker`). Guarantee: a request is valid once it exists.
"""

import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from headwater.domain.answers import Turn
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchFilters
from headwater.errors import InvalidInputError
from headwater.models_gateway.chat_registry import EXTRACTIVE
from headwater.retrieval.finder import Mode
from headwater.retrieval.query import check_query


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerRequest:
    """A question to a knowledge base.

    `as_of` is a past time whose documents are used, None for the present. `mode` searches by words and by vector, or
    only by one of them. `history` are the earlier turns of a conversation, oldest first. `instructions` are wishes
    about tone, language and form, which a chat model follows as far as the rules of answers allow. `is_fresh` means
    that no stored answer may be served. `id` will be the answer's. With `conversation_id` the answer will be a turn of
    that conversation, after the turn `parent_id`, or at a beginning if that is None; `follows_last` means that no other
    turn may have been asked meanwhile. `asked_by` is the id of the key that asks, None without one.
    `headwater.answering.conversation_questions` makes such requests.

    Raises:
        InvalidInputError: the question is empty. QuestionTooLongError: it is too long.
    """

    knowledge_base: KnowledgeBase
    question: str
    filters: SearchFilters = field(default_factory=SearchFilters)
    as_of: datetime | None = None
    mode: Mode = "hybrid"
    history: tuple[Turn, ...] = ()
    instructions: str = ""
    is_fresh: bool = False
    conversation_id: UUID | None = None
    parent_id: UUID | None = None
    follows_last: bool = False
    asked_by: str | None = None
    id: UUID = field(default_factory=uuid.uuid4)

    def __post_init__(self) -> None:
        object.__setattr__(self, "question", check_query(self.question))


def with_settings(knowledge_base: KnowledgeBase, **given: Any) -> KnowledgeBase:
    """The knowledge base with other settings for one question.

    Args:
        knowledge_base: the knowledge base that is asked.
        given: values by the names of settings; None leaves a setting as it is.

    Raises:
        InvalidInputError: `answer_model` is none of those that `answer_models` names: the knowledge base decides who
            may be sent its texts, and who is paid.
    """
    changes = {name: value for name, value in given.items() if value is not None}
    model, models = changes.get("answer_model"), answer_models(knowledge_base)
    if model is not None and model not in models:
        raise InvalidInputError(f"{knowledge_base.slug} does not answer with {model}. Choose {' or '.join(models)}.")
    return (
        replace(knowledge_base, settings=knowledge_base.settings.model_copy(update=changes))
        if changes
        else knowledge_base
    )


def answer_models(knowledge_base: KnowledgeBase) -> tuple[str, ...]:
    """The models that a question may choose: those of the settings, the first one by default, and quoting."""
    settings = knowledge_base.settings
    return tuple(dict.fromkeys((settings.answer_model, *settings.answer_fallbacks, EXTRACTIVE)))
