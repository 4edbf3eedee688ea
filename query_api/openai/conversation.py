"""Reading the messages of a request.

Belongs here: the question, the earlier turns, the caller's instructions. Not here: answering. Guarantee: pure but for
the lookup of a knowledge base; whatever a message says, it is read as a question, an earlier turn, or wishes about the
form of the answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.answering.answer_request import AnswerRequest, with_settings
from headwater.domain.answers import Turn
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import NotFoundError
from headwater.models_gateway.chat_registry import EXTRACTIVE
from headwater.retrieval.query import QUERY_LIMIT
from headwater.store.store import Store
from query_api.openai.bodies import ChatBody, ChatMessage, Conversation
from query_api.openai.errors import ModelNotFoundError, WrongFieldError
from query_api.openai.payloads import PREFIX
from query_api.openai.source_list import without_sources

_TURNS, _ANSWER, _INSTRUCTIONS = 10, 20_000, 4_000  # turns; characters of an earlier answer, and of instructions
_LEAST_TOKENS, _MOST_TOKENS = 50, 100_000  # of `answer_tokens`
_SLUG = re.compile(r"[a-z0-9_-]{1,64}")
_WORDS = ("system", "developer")


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """A conversation: the newest question and its `position` among the messages, what came before, instructions."""

    question: str
    position: int
    history: tuple[Turn, ...]
    instructions: str


def knowledge_base_of(store: Store, model: str) -> KnowledgeBase:
    """The knowledge base that a model's name stands for.

    Raises:
        ModelNotFoundError: there is none.
    """
    slug = model.removeprefix(PREFIX)
    if not _SLUG.fullmatch(slug):
        raise ModelNotFoundError(model)
    try:
        return store.knowledge_bases.get(slug)
    except NotFoundError:
        raise ModelNotFoundError(model) from None


def read(messages: Sequence[ChatMessage], *, ends_with_question: bool = True, takes_images: bool = False) -> Read:
    """Read a conversation.

    Args:
        messages: of the request.
        ends_with_question: whether no reply may follow the newest question.
        takes_images: whether parts of the question that are no text are left to a model, instead of refused.

    Raises:
        WrongFieldError: there is no question, or it cannot be read.
    """
    position = next((index for index in reversed(range(len(messages))) if messages[index].role == "user"), None)
    if position is None:
        raise WrongFieldError("messages", "There is no message with the role user, so there is no question.")
    if ends_with_question and any(message.role not in _WORDS for message in messages[position + 1 :]):
        raise WrongFieldError(
            "messages",
            "The last message must be the user's: no reply is continued. Results of tools need the field tools.",
        )
    question = messages[position]
    if not takes_images:
        _check_parts(question, f"messages.{position}.content")
    told = "\n\n".join(filter(None, (text_of(message) for message in messages if message.role in _WORDS)))
    return Read(
        question=text_of(question),
        position=position,
        history=_turns(messages[:position]),
        instructions=told[:_INSTRUCTIONS],
    )


def to_request(asked: KnowledgeBase, body: Conversation, conversation: Read) -> AnswerRequest:
    """The request for the kernel; fields of the body count instead of the knowledge base's settings.

    Raises:
        InvalidInputError: the question is empty. QuestionTooLongError: it is too long.
    """
    overrides: dict[str, Any] = {"top_k": body.headwater.top_k}
    has_model = asked.settings.answer_model != EXTRACTIVE
    if has_model and isinstance(body, ChatBody):
        tokens = body.max_completion_tokens or body.max_tokens
        overrides |= {
            "temperature": body.temperature,
            "answer_tokens": tokens and min(max(tokens, _LEAST_TOKENS), _MOST_TOKENS),
        }
    return AnswerRequest(
        knowledge_base=with_settings(asked, **overrides),
        question=conversation.question,
        filters=body.headwater.filters.to_filters(),
        as_of=body.headwater.as_of,
        history=conversation.history,
        instructions=conversation.instructions if has_model else "",  # quotes have no tone
        is_fresh=body.headwater.fresh,
    )


def text_of(message: ChatMessage) -> str:
    """The text of a message, without parts of other kinds."""
    if not isinstance(message.content, list):
        return message.content or ""
    return "\n".join(
        str(content_part.get("text") or "") for content_part in message.content if content_part.get("type") == "text"
    )


def with_text(message: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A message with another text; parts of other kinds stay after it."""
    content = message.get("content")
    if not isinstance(content, list):
        return {**message, "content": text}
    other_parts = [content_part for content_part in content if content_part.get("type") != "text"]
    return {**message, "content": [{"type": "text", "text": text}, *other_parts]}


def _check_parts(message: ChatMessage, field: str) -> None:
    content_parts = message.content if isinstance(message.content, list) else []
    kinds = sorted({str(content_part.get("type"))[:40] for content_part in content_parts} - {"text"})
    if kinds:
        raise WrongFieldError(field, f"A question is text. It cannot have parts of type {', '.join(kinds)}.")


def _turns(messages: Sequence[ChatMessage]) -> tuple[Turn, ...]:
    """The earlier questions with their answers, without the lists of sources that were added to them."""
    turns: list[Turn] = []
    for message in messages:
        text = text_of(message).strip()
        if message.role == "user" and text:
            turns.append(Turn(question=text[:QUERY_LIMIT]))
        elif message.role == "assistant" and text and turns:
            answer = "\n\n".join(filter(None, (turns[-1].answer, without_sources(text))))
            turns[-1] = replace(turns[-1], answer=answer[:_ANSWER])
    return tuple(turns[-_TURNS:])
