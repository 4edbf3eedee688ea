"""The events of an answer as its readers get them: those of its steps (`events`), its cost and its end.

Belongs here: these events. Not here: their ids, and following them (`answer_task`), the HTTP format (`query_api`).
Guarantee: pure; `Finished` or `Failed` is the last one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.answering.events import Delta, Further, Sources, Status
from headwater.domain.answers import Answer, Citation, StoredAnswer, SummaryCitation
from headwater.errors import HeadwaterError


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What the whole answer cost, as `Answer.usage`, and its text, which may replace that of all deltas."""

    usage: Mapping[str, Any]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The last event of a run: the stored answer, `StoredAnswer` if it was served from the store."""

    answer: Answer | StoredAnswer


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """The last event of a run that failed."""

    error: HeadwaterError


RunEvent = Status | Sources | Further | Delta | Citation | SummaryCitation | Spent | Finished | Failed
