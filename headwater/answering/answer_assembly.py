"""Combining the events of an answer.

Belongs here: the text, citations, costs and durations that events add up to, also before the last one has come. Not
here: making the events (`answer_maker`), the answer made of them (`record`). Guarantee: pure but for the clock.
"""

import time
from collections.abc import Iterable

from headwater.answering.events import Delta, Done, Event, Further, Stage, Status
from headwater.domain.answers import Citation, FurtherPassage, SummaryCitation
from headwater.domain.usage import Usage


class AssembledAnswer:
    """The events of an answer so far; `stages` and `milliseconds` are the costs and durations of its steps."""

    def __init__(self) -> None:
        self.text = ""
        self.citations: tuple[Citation, ...] = ()
        self.summaries: tuple[SummaryCitation, ...] = ()
        self.further: tuple[FurtherPassage, ...] = ()
        self.stages: dict[Stage, Usage] = {}
        self.milliseconds: dict[Stage, float] = {}
        self.done: Done | None = None
        self._stage: Stage = "understanding"
        self._began = time.perf_counter()

    def add(self, event: Event) -> None:
        """Take the next event."""
        match event:
            case Status():
                self._enter(event.stage)
            case Delta():
                self.text += event.text
            case Citation():
                self.citations = (*self.citations, event)
            case SummaryCitation():
                self.summaries = (*self.summaries, event)
            case Further():
                self.further = event.passages
            case Usage():
                # A model reads the question during the search, if that is not sure of its result.
                stage: Stage = "understanding" if self._stage == "searching" else self._stage
                self.stages[stage] = self.stages.get(stage, Usage()) + event
            case Done():
                self.done = event
                self.text = self.text if event.text is None else event.text

    @property
    def usage(self) -> Usage:
        """The cost of all steps."""
        return sum(self.stages.values(), Usage())

    @property
    def reason(self) -> str | None:
        """Why it is a refusal; None if it is an answer, or not complete."""
        return self.done.reason if self.done else None

    @property
    def notes(self) -> tuple[str, ...]:
        """For the reader."""
        return self.done.notes if self.done else ()

    @property
    def model(self) -> str | None:
        """The fallback that made it; None if the answerer's first model did."""
        return self.done.model if self.done else None

    def _enter(self, stage: Stage) -> None:
        now = time.perf_counter()
        self.milliseconds[self._stage] = self.milliseconds.get(self._stage, 0.0) + (now - self._began) * 1000
        self._stage, self._began = stage, now


def fold(events: Iterable[Event]) -> AssembledAnswer:
    """Combine all events of an answer.

    Raises:
        RuntimeError: they ended without `Done`.
    """
    folded = AssembledAnswer()
    for event in events:
        folded.add(event)
    if folded.done is None:
        raise RuntimeError("The events of an answer ended without Done.")
    return folded
