"""What happens while an answer is made, in order.

Belongs here: the events that an answerer yields. Not here: who yields them (`answerer`), keeping the answer (`record`).
Guarantee: the texts of an answer's deltas, joined, are the answer; a citation comes after the marker it belongs to;
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
    """What a call of a model took; those of several calls add up."""

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
    """The answer is whole; `reason` says why it is a refusal, None when it is an answer; `notes` go beside it."""

    reason: str | None = None
    notes: tuple[str, ...] = ()


Event = Delta | Citation | Usage | Done
