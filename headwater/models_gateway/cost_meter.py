"""What questions' vectors cost within a block, for a budget in money (INT-2).

Belongs here: adding up. Not here: prices (`litellm_client`), budgets. Guarantee: a block sees only what its own thread
paid for, also if the block fails later.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class CostMeter:
    """What was paid so far, in US dollars; calls of an unknown price add nothing."""

    cost: float = 0.0


_METER: ContextVar[CostMeter | None] = ContextVar("meter", default=None)


@contextmanager
def metered() -> Iterator[CostMeter]:
    """Add up what is paid for vectors of questions in a block."""
    meter = CostMeter()
    token = _METER.set(meter)
    try:
        yield meter
    finally:
        _METER.reset(token)


def note_cost(cost: float | None) -> None:
    """Note what a call cost, in US dollars; None if its price is unknown."""
    meter = _METER.get()
    if meter is not None:
        meter.cost += cost or 0.0
