"""What calls of a model cost.

Belongs here: the sum of tokens and cost. Not here: prices (`headwater.models_gateway`). Guarantee: nothing here does
input or output; an unknown price stays unknown in every sum.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Generic, Literal, TypeVar

from headwater.errors import GenerationFailedError

UsageKind = Literal["answers", "summaries", "questions"]
"""What models were paid for."""
Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The cost of model calls; several calls add up.

    `cost` is in US dollars, None if the price of a model is unknown.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    @classmethod
    def of_failure(cls, error: GenerationFailedError) -> "Usage":
        """What replies of no use cost all the same."""
        prompt_tokens, completion_tokens, cost = error.paid
        return cls(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, cost=cost)

    @property
    def tokens(self) -> int:
        """Those of prompts and replies together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        is_known = self.cost is not None and other.cost is not None
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=(self.cost or 0.0) + (other.cost or 0.0) if is_known else None,
        )


@dataclass(frozen=True, kw_only=True)  # with slots, Python 3.11 cannot call `Paid[str]`
class ModelResult(Generic[Value]):
    """What was made of a text, under the key of the text and how it was made, and what it cost.

    `is_dropped` is whether a model replied something of no use, which the value is not made of.
    """

    key: bytes
    value: Value
    usage: Usage = field(default_factory=Usage)
    is_dropped: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DayUsage:
    """What one kind of result by one model cost on one day (UTC).

    `source` is the slug of the source that it was made for; None for answers, for what belongs to the whole knowledge
    base, and for a source that was deleted since. `count` is how many were made.
    """

    day: date
    kind: UsageKind
    source: str | None
    model: str
    count: int
    usage: Usage
