"""The events of an answer as its readers get them: those of its steps (`events`), its cost and its end.

Belongs here: these events, and their ids. Not here: following them (`answer_task`), the HTTP format (`query_api`).
Guarantee: pure; `Finished` or `Failed` is the last one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.answering.events import Delta, Further, Sources, Status
from headwater.domain.answers import Answer, Citation, StoredAnswer, SummaryCitation
from headwater.errors import HeadwaterError

STEP = 1000
"""An event's id is `STEP` for each character of the text so far, and a count of the events since the last one."""
SOURCES = 4
"""The id of the passages: up to three steps come before, and what is stored does not say how many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What the whole answer cost, as `Answer.usage`, and its text, which may replace that of all deltas."""

    usage: Mapping[str, Any]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The last event of a task: the stored answer, `StoredAnswer` if it was served from the store."""

    answer: Answer | StoredAnswer


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """The last event of a task that failed."""

    error: HeadwaterError


TaskEvent = Status | Sources | Further | Delta | Citation | SummaryCitation | Spent | Finished | Failed


def number_event(event: TaskEvent, length: int) -> int:
    """The id that an event has if it is higher than the one before; 0 for an event that takes the next id.

    Args:
        event: the event.
        length: characters of the text so far, with this event's.
    """
    match event:
        case Delta():
            return length * STEP
        case Sources():
            return SOURCES
        case Finished(answer=StoredAnswer() as stored_answer):  # after all events that a reader makes of it
            return (len(stored_answer.answer) + 1) * STEP - 1
        case _:
            return 0
