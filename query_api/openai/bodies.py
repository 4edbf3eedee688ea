"""Shapes of requests to OpenAI's API.

Belongs here: bodies and paths. Not here: what messages mean (`conversation`), responses (`payloads`). Guarantee: a
field of OpenAI's that is not named here is accepted; one in `headwater` that does not exist is refused, because a
misspelt filter would silently search everything.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from headwater.domain.closed_model import ClosedModel
from query_api.request_shapes import Filters

_MAX_TOKENS = 1_000_000


def _or_default(value: Any) -> Any:
    return {} if value is None else value


class Options(ClosedModel):
    """What OpenAI's API has no field for.

    `top_k`, `filters`, `as_of` and `fresh` are those of questions. `sources` says where citations are: `text` adds a
    list of sources to the answer's text, `fields` leaves it out. `stateless` passes the request on to the knowledge
    base's chat model with passages added, as `tools` does.
    """

    top_k: int | None = Field(default=None, ge=1, le=50)
    filters: Annotated[Filters, BeforeValidator(_or_default)] = Filters()
    sources: Literal["text", "fields"] = "text"
    as_of: datetime | None = None
    fresh: bool = False
    stateless: bool = False


class ChatMessage(BaseModel):
    """One message; `content` is a text, or a list of parts such as `{"type": "text", "text": "…"}`."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None


class Conversation(BaseModel):
    """A conversation with a model; `model` is `headwater/` and the slug of a knowledge base, or the slug alone."""

    model_config = ConfigDict(extra="allow")

    model: str
    messages: list[ChatMessage] = Field(min_length=1, max_length=2_000)
    headwater: Annotated[Options, BeforeValidator(_or_default)] = Options()

    @model_validator(mode="before")
    @classmethod
    def _absent(cls, value: Any) -> Any:
        return _or_default(value)


class StreamOptions(BaseModel):
    """How a reply is streamed; `include_usage` adds what it cost."""

    model_config = ConfigDict(extra="allow")

    include_usage: bool | None = None


class ChatBody(Conversation):
    """A chat completion; further fields of OpenAI's are passed on with `tools`, and otherwise ignored."""

    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1, le=_MAX_TOKENS)
    max_completion_tokens: int | None = Field(default=None, ge=1, le=_MAX_TOKENS)
    tools: list[dict[str, Any]] | None = None
    functions: list[dict[str, Any]] | None = None
    response_format: dict[str, Any] | None = None

    @property
    def is_stateless(self) -> bool:
        """Whether it asks for something else than a text with citations, so that only a chat model can reply."""
        is_shaped = (self.response_format or {}).get("type", "text") != "text"
        return bool(self.tools or self.functions or is_shaped or self.headwater.stateless)

    @property
    def includes_usage(self) -> bool:
        """Whether a stream ends with what it cost."""
        return bool(self.stream_options and self.stream_options.include_usage)


class ContextBody(Conversation):
    """A question whose passages are wanted.

    `max_tokens` bounds the message and the proposed system message together; `contexts` adds the passages on their own.
    """

    max_tokens: int | None = Field(default=None, ge=1, le=_MAX_TOKENS)
    contexts: bool = False


class ModelPath(BaseModel):
    """A model by its name."""

    id: str
