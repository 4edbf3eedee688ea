"""Questions of a conversation (CNV-1).

Belongs here: beginning and sharing a conversation, what a question gets of the turns before it, and deleting a
conversation whose answers are being made. Not here: rewriting a follow-up (`question_reader`), storing turns
(`headwater.store.work.conversations`). Guarantee: a question gets the turns of its own branch only, from the beginning
to its parent: the questions, and the last answer.
"""

import secrets
from dataclasses import replace
from uuid import UUID

from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_tasks import AnswerTasks
from headwater.domain.conversations import Conversation
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import ConflictError, InvalidInputError, NotFoundError
from headwater.store.store import Store

LAST = "last"
"""The parent of a question that follows the turn which was asked last."""


def begin_conversation(store: Store, knowledge_base: KnowledgeBase, title: str = "") -> Conversation:
    """Begin a conversation; without a title its first question gives it one.

    Raises:
        ConflictError: the knowledge base stores no questions.
    """
    _check_stored(knowledge_base)
    return store.conversations.add(knowledge_base, title)


def in_conversation(
    store: Store, request: AnswerRequest, conversation_id: UUID | None, parent: UUID | str | None = LAST
) -> AnswerRequest:
    """Make a question the next turn of a conversation.

    Args:
        store: the store of the knowledge base.
        request: the question.
        conversation_id: the conversation; None leaves the question as it is.
        parent: the turn that the question follows: `LAST`, the id of a turn, or None for a new beginning.

    Raises:
        InvalidInputError: the question has a history of its own, or a parent without a conversation.
        NotFoundError: the knowledge base has no such conversation, or that no such turn.
        ConflictError: the knowledge base stores no questions.
    """
    if conversation_id is None:
        if parent != LAST:
            raise InvalidInputError("A parent is a turn of a conversation: name the conversation too.")
        return request
    if request.history:
        raise InvalidInputError(
            "A stored conversation has its own earlier turns: give conversation or history, not both."
        )
    knowledge_base = request.knowledge_base
    _check_stored(knowledge_base)
    if store.conversations.get(conversation_id).knowledge_base != knowledge_base.slug:
        raise NotFoundError(f"{knowledge_base.slug} has no conversation {conversation_id}.")
    parent_id = store.conversations.last_turn(conversation_id) if isinstance(parent, str) else parent
    path = store.conversations.path(conversation_id, parent_id) if parent_id else ()
    last = max((place for place, turn in enumerate(path) if turn.answer), default=0)  # the one before may have failed
    return replace(
        request,
        conversation_id=conversation_id,
        parent_id=parent_id,
        follows_last=isinstance(parent, str),
        history=tuple(turn if place == last else replace(turn, answer="") for place, turn in enumerate(path)),
    )


def delete_conversation(store: Store, tasks: AnswerTasks | None, conversation_id: UUID) -> Conversation:
    """Delete a conversation with its turns and the feedback on them; answers that are being made end.

    Args:
        store: the store.
        tasks: the answers that this process makes.
        conversation_id: the conversation.

    Raises:
        NotFoundError: there is no such conversation.
    """
    for turn in store.conversations.turns(conversation_id):
        task = tasks.find(turn.id) if tasks else None
        if task is not None:
            task.cancel()
    return store.conversations.remove(conversation_id)


def share_conversation(store: Store, conversation_id: UUID) -> Conversation:
    """Give a conversation a link at which others read it; one that has a link keeps it.

    Raises:
        NotFoundError: there is no such conversation.
    """
    return store.conversations.share(conversation_id, secrets.token_urlsafe(24))


def _check_stored(knowledge_base: KnowledgeBase) -> None:
    if not knowledge_base.settings.store_questions:
        raise ConflictError(
            f"{knowledge_base.slug} stores no questions (store_questions: false), so it can store no conversation."
            " Send the earlier turns as history."
        )
