"""The definition of a stage.

Belongs here: the description of a stage, and the methods it must have. Not here: any stage, their order
(`stages`), when each runs (`flow`), its representation in Dagster (`assets`). Guarantee: a stage describes
itself in one place, in plain values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.identity import content_hash
from headwater.syncing.source_job import SourceJob

ROOT = "sources"
"""The parent of the first stage: the rows of sources."""


def root_version(source: Source) -> str:
    """The data version of a source's row, which the first stage is made from: its kind and its configuration."""
    return content_hash(source.kind, dict(source.config)).hex()


HandOn = Callable[[list[UUID]], None]
"""Tells the next stages which documents have new versions."""


class Digest(NamedTuple):
    """The data version of a stage's result for a source (equal versions mean equal rows), and the number of rows."""

    version: str
    row_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Some rows to show as a table; the columns are their attributes."""

    columns: Sequence[str]
    rows: Sequence[object]


class Column(NamedTuple):
    """A column of a stage's table: its type in Postgres, and its description for people."""

    type: str
    description: str


Report = Mapping[str, int | float | str | Table | Mapping[str, Any]]
"""The results of a stage that people see, by name: numbers, texts, tables, and mappings that are shown as JSON."""


class StageWork:
    """The work of a stage for one source, during one sync.

    A stage gets documents in batches while others are still being read, and then has to do the rest.
    """

    def __init__(self, job: SourceJob, hand_on: HandOn) -> None:
        """Begin with a source; documents passed to `hand_on` go to the next stages."""
        self.job = job
        self.hand_on = hand_on

    def take(self, document_ids: Sequence[UUID]) -> None:
        """Process some documents with new versions, so that they need not wait for later ones."""

    def complete(self) -> None:
        """Do all remaining work, including what a crash or another sync has left.

        Raises:
            FencedError: a newer sync took over.
            Exception: it failed; then dependent stages do not run, and all others do.
        """
        raise NotImplementedError

    def settle(self) -> None:
        """Finish what `take` began, if the stage does not get to complete.

        Raises:
            Exception: the error that was kept for `complete`.
        """

    def kept_failures(self) -> Sequence[Exception]:
        """Errors that were kept for `complete` or `settle`, in case neither runs any more."""
        return ()

    def digest(self, parent_version: str) -> Digest:
        """Compute the data version; its count is also stored with the sync.

        Args:
            parent_version: the parent's data version.
        """
        raise NotImplementedError

    def report(self) -> Report:
        """Return the part of the result that people see."""
        return {}

    def summary(self) -> str:
        """Say in a line what was done, for the log; empty if its duration is enough."""
        return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One stage; its asset and its table have its name."""

    name: str
    parent: str
    """The stage that it depends on; `ROOT` for the first."""
    doing: str
    """The text that people see while it runs."""
    description: str
    columns: Mapping[str, Column] = field(default_factory=dict)
    """The table's columns that people see."""
    reported: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each name in the work's report, for people."""
    page: str = "docs/syncing.md"
    """The page of the documentation about it, relative to the repository."""
    view: str = "documents?source={source}"
    """The page that shows its results, below that of the knowledge base."""
    work: type[StageWork]
    code_version: str = "1"
    is_searched: bool = False
    """Whether searches read its results: then a change refreshes the search index."""
