"""The events while an answer is made, in order.

Belongs here: the events that an answerer yields. Not here: answerers (`answerer`), storing the answer (`record`).
Guarantee: the texts of all deltas, joined, are the answer; a citation follows the marker it belongs to;
`Done` is the last event.
"""

from dataclasses import dataclass

from headwater.domain.answers import Citation


@dataclass(frozen=True, kw_only=True, slots=True)
class Delta:
    """The next piece of the answer's text."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The cost of a model call; several calls add up."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=self.cost + other.cost,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """The answer is complete; `reason` says why it is a refusal, None if it is an answer; `notes` for its reader."""

    reason: str | None = None
    notes: tuple[str, ...] = ()


Event = Delta | Citation | Usage | Done
