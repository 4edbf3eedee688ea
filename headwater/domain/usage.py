"""What calls of a model cost.

Belongs here: the sum of tokens and cost. Not here: prices (`headwater.models_gateway`). Guarantee: nothing here does
input or output; an unknown price stays unknown in every sum.
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal

UsageKind = Literal["answers", "summaries"]
"""What models were paid for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The cost of model calls; several calls add up.

    `cost` is in US dollars, None if the price of a model is unknown.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        is_known = self.cost is not None and other.cost is not None
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=(self.cost or 0.0) + (other.cost or 0.0) if is_known else None,
        )


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
