"""A document that takes too long is stopped, and nothing else is, whenever the signal comes."""

import sys
from types import FrameType
from typing import Any, cast

import pytest

from headwater.errors import DocumentError
from headwater.store.store import Store
from headwater.store.work.fencing_tokens import SyncLease
from headwater.syncing.interruption import Watch


def _work() -> str:
    return "done"


def _outcome(step: int) -> tuple[str, bool]:
    """The result for a document if the signal comes at a step of the interpreter, and whether that step exists."""
    watch = Watch(cast("Store", None), cast("SyncLease", None), limit=-1.0)  # any time is too long
    left = step

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == 0:
                watch._interrupt(0, None)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        outcome = watch.document(_work)
    except DocumentError:
        outcome = "left out"
    finally:
        sys.settrace(before)
    return outcome, left <= 0


def test_a_signal_at_any_step_costs_the_document_at_most() -> None:
    """At the end of its time, too, when the work is done already: else the whole source would fail."""
    found: list[str] = []
    while (outcome := _outcome(len(found) + 1))[1]:
        found.append(outcome[0])
    assert len(found) > 10
    assert (found[0], found[-1]) == ("done", "done")
    assert set(found) == {"done", "left out"}


def test_a_document_is_stopped_once() -> None:
    """A second signal, while the first is dealt with, finds nothing to stop; neither does one without a document."""
    watch = Watch(cast("Store", None), cast("SyncLease", None), limit=-1.0)

    def work() -> None:
        try:
            watch._interrupt(0, None)
        finally:
            watch._interrupt(0, None)
            tidied.append(True)

    tidied: list[bool] = []
    with pytest.raises(DocumentError, match="longer than"):
        watch.document(work)
    watch._interrupt(0, None)
    assert tidied
