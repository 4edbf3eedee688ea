"""The events while an answer is made, in order.

Belongs here: the events of an answer. Not here: answerers (`answerer`), storing the answer (`record`), the HTTP format
(`query_api`). Guarantee: the texts of all deltas, joined, are the answer, unless `Done` replaces it; a citation follows
the marker it belongs to; `Sources` comes before the first delta; `Done` is the last event.

An answerer yields `Further`, `Delta`, `Citation`, `SummaryCitation`, `Usage` and `Done`; the steps before it yield
`Status` and `Sources`. A failure is an exception, not an event.
"""

from dataclasses import dataclass
from typing import Literal

from headwater.domain.answers import Citation, Degraded, FurtherPassage, Statement, SummaryCitation
from headwater.domain.search import Passage
from headwater.domain.usage import Usage

Stage = Literal["understanding", "searching", "grading", "answering"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """The step that begins now."""

    stage: Stage


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    """The passages that the answer may use, best first; none if the question is refused."""

    passages: tuple[Passage, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Further:
    """Passages that the answer does not cite, best first; of several such events, the last one counts."""

    passages: tuple[FurtherPassage, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Delta:
    """The next piece of the answer's text."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """The answer is complete; `reason` says why it is a refusal, None if it is an answer; `notes` for its reader.

    `text` replaces the text of all deltas, None if they stand: a model's text that no passage supports becomes a
    refusal. `model` is the model that answered if it is not the answerer's first (a fallback). `prompt_version`
    identifies the prompt; None without a model. `statements` are those of a model's reply, `quote` is the marker of the
    quote beneath it, and `degraded` says why a quote stands in for it. `readings` are the questions that a turn may
    mean, if the text asks which.
    """

    reason: str | None = None
    notes: tuple[str, ...] = ()
    text: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    statements: tuple[Statement, ...] = ()
    quote: str = ""
    degraded: Degraded | None = None
    readings: tuple[str, ...] = ()


Event = Status | Sources | Further | Delta | Citation | SummaryCitation | Usage | Done
