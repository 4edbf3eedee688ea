"""What a stage of a source's chain is.

Belongs here: what each stage says of itself, and what each must be able to do. Not here: any stage, their order
(`stages`), when each gets its turn (`flow`), what Dagster makes of it (`assets`). Guarantee: a stage says everything
about itself in one place, in plain values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.identity import content_hash
from headwater.syncing.source_job import SourceJob

ROOT = "sources"
"""The parent of the first stage: the rows that say which sources there are."""


def root_version(source: Source) -> str:
    """The data version of a source's row, which the first stage is made from: its kind and its configuration."""
    return content_hash(source.kind, dict(source.config)).hex()


HandOn = Callable[[list[UUID]], None]
"""Tells the stages below which documents have new versions."""


class Digest(NamedTuple):
    """The data version of what a stage has made of a source: equal versions, equal rows; and how many rows."""

    version: str
    row_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Some rows, to be shown as a table; the columns are attributes of theirs."""

    columns: Sequence[str]
    rows: Sequence[object]


class Column(NamedTuple):
    """A column of a stage's table: its type in Postgres, and what it holds, for people."""

    type: str
    description: str


Report = Mapping[str, int | float | str | Table | Mapping[str, Any]]
"""What people see of a stage, by name: numbers, words, tables, and mappings that are shown as JSON."""


class StageWork:
    """What a stage does for one source, during one sync.

    A stage gets documents in portions while they are still being read, and then its turn to do what is left.
    """

    def __init__(self, job: SourceJob, hand_on: HandOn) -> None:
        """Begin for a source; documents that are given to `hand_on` go to the stages below."""
        self.job = job
        self.hand_on = hand_on

    def take(self, document_ids: Sequence[UUID]) -> None:
        """Do the work for some documents with new versions, so that they need not wait for those after them."""

    def complete(self) -> None:
        """Do everything that is left, also what a crash or another sync has left.

        Raises:
            FencedError: a newer sync took over.
            Exception: it could not be done; the stages below have no turn then, and all others do.
        """
        raise NotImplementedError

    def settle(self) -> None:
        """Bring to an end what `take` began, when the stage gets no turn to complete.

        Raises:
            Exception: what went wrong with it, and was kept for `complete`.
        """

    def kept_failures(self) -> Sequence[Exception]:
        """What went wrong so far and was kept for `complete` or `settle`, for when neither gets a turn any more."""
        return ()

    def digest(self, parent_version: str) -> Digest:
        """Work out the data version; what it counts is counted for the sync, too.

        Args:
            parent_version: that of the parent.
        """
        raise NotImplementedError

    def report(self) -> Report:
        """Say what people should see of what was done."""
        return {}

    def summary(self) -> str:
        """Say in a line what was done, for the log; empty when the time that it took says enough."""
        return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One stage of the chain; the asset and the table have its name."""

    name: str
    parent: str
    """The stage that it builds on; `ROOT` for the first."""
    doing: str
    """What people are told while it runs."""
    description: str
    columns: Mapping[str, Column] = field(default_factory=dict)
    """The table's columns that people see."""
    reported: Mapping[str, str] = field(default_factory=dict)
    """What each name of the work's report means, for people."""
    page: str = "docs/syncing.md"
    """The page of the documentation that says more, from the repository's folder."""
    work: type[StageWork]
    code_version: str = "1"
    is_searched: bool = False
    """Whether searches read what it makes: then the search index is refreshed when that changes."""
