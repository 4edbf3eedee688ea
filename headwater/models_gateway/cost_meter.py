"""What questions' vectors cost within a block, for a budget in money (INT-2).

Belongs here: adding up. Not here: prices (`litellm_client`), budgets. Guarantee: a block sees only what its own thread
paid for, also if the block fails later.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class CostMeter:
    """What was paid so far, in US dollars; calls of an unknown price add nothing."""

    cost: float = 0.0


class _Present(threading.local):
    """The meter of each thread. No `ContextVar`: Python 3.11 can crash when one is set while garbage is collected."""

    meter: CostMeter | None = None


_present = _Present()


@contextmanager
def metered() -> Iterator[CostMeter]:
    """Add up what is paid for vectors of questions in a block."""
    meter = CostMeter()
    outer, _present.meter = _present.meter, meter
    try:
        yield meter
    finally:
        _present.meter = outer


def note_cost(cost: float | None) -> None:
    """Note what a call cost, in US dollars; None if its price is unknown."""
    meter = _present.meter
    if meter is not None:
        meter.cost += cost or 0.0
