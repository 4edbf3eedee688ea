"""The chat model's role.

Belongs here: the protocol, its messages and its replies. Not here: calling a server (`remote_chat`), how a name becomes
a model (`chat_registry`), prompts (`headwater.prompts`). Guarantee: a reply that the server cut off is an
error, never a complete reply.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from headwater.domain.usage import Usage
from headwater.models_gateway.cancellation import Cancellation

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyDelta:
    """The next part of a reply's text."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """The end of a reply: `model` is the one that gave it, which may be a fallback."""

    model: str
    usage: Usage
    is_cut: bool = False
    """Whether the reply reached `max_tokens`, so that its last sentence is incomplete."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A complete reply."""

    text: str
    ended: Ended


class ReplyStream(Protocol):
    """A reply as it comes."""

    def __iter__(self) -> Iterator[ReplyDelta | Ended]:
        """The stream itself."""
        ...

    def __next__(self) -> ReplyDelta | Ended:
        """Wait for the next piece; `Ended` is the last item of a reply that is complete."""
        ...

    def close(self) -> None:
        """End the request; the iteration stops. Any thread may call this, also while another one waits."""
        ...


class ChatModel(Protocol):
    """Answers messages."""

    model: str
    """The name of the model that is called first: `provider/model`."""

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        first_token_limit: float | None = None,
    ) -> ReplyStream:
        """Reply piece by piece; `Ended` is the last item. Closing the stream ends the request.

        `first_token_limit` is how many seconds the first piece may take, if that is more than the settings allow: a
        slow model needs longer for a long prompt.

        Raises:
            ModelUnavailableError: no model of the chain answers. RateLimitedError: the server asks to wait longer than
                a person waits. GenerationFailedError: the reply broke off after its first piece.
        """
        ...

    def complete(self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0) -> Reply:
        """Reply at once.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: as for `stream`.
        """
        ...

    def complete_as(
        self,
        messages: Sequence[Message],
        shape: type[Shape],
        *,
        max_tokens: int,
        closing: Cancellation | None = None,
        is_awaited: bool = True,
    ) -> tuple[Shape, Usage]:
        """Reply in the shape of a pydantic model; a reply in another shape is asked for once more.

        Another thread may end the request by `closing`; then it is a GenerationFailedError, and no later call with the
        same `closing` sends anything. A reply that is awaited, because a reader waits for the answer after it, may
        take half a minute; another one as long as an answer.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: as for `stream`; also if the second reply
                does not have the shape.
        """
        ...
