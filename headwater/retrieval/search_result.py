"""The result of a search.

Belongs here: the result with all that led to it. Not here: searching (`search`). Guarantee: every passage found is
returned or named as dropped, and none is both.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from headwater.domain.knowledge_base_settings import GroupBy
from headwater.domain.search import Passage
from headwater.domain.summaries import RankedSummary
from headwater.models_gateway.embedder import Embedder
from headwater.retrieval.broad_summaries import Overview
from headwater.retrieval.result_groups import behind, group_passages
from headwater.retrieval.trust import Dropped
from headwater.store.search.passage_search import TermEvidence
from headwater.understanding.question import Understanding


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """Passages, best first, each with its scores and its trust; and how they were found.

    `embedder` is the model that found them, None if nothing is indexed yet or no vector was needed.
    `ordered` are all results, best first; `limit` of them are shown, counted as `group_by` says. `kept_out` are those
    below a threshold, or in a language that the model does not know. `terms` are the question's words as the index
    knows them. `is_sure` means that rules were enough (the score shortcut); otherwise `concepts` is the result of a
    model. `load_further` grades so many of the results behind the shown ones. `as_of` is the past time that was
    searched, None for the present; `notes` is what a reader must know to interpret the result.
    """

    passages: tuple[Passage, ...]
    embedder: Embedder | None
    timings_ms: Mapping[str, float]
    understanding: Understanding
    ordered: tuple[Passage, ...] = ()
    limit: int = 0
    group_by: GroupBy = "passage"
    kept_out: tuple[Dropped, ...] = ()
    terms: tuple[TermEvidence, ...] = ()
    is_sure: bool = False
    concepts: tuple[str, ...] = ()
    as_of: datetime | None = None
    notes: tuple[str, ...] = ()
    is_by_words: bool = False
    """Whether vectors were left out because the model does not know the question's language."""
    is_nothing_left: bool = False
    """Whether the filters leave nothing to search."""
    overview: Overview = field(default_factory=Overview)
    """What answers a broad question."""
    load_further: Callable[[int], tuple[Passage, ...]] = field(default=lambda _: (), compare=False, repr=False)

    @property
    def summaries(self) -> tuple[RankedSummary, ...]:
        """The summaries that a broad question asks for, best first."""
        return self.overview.summaries

    @property
    def groups(self) -> list[list[Passage]]:
        """The passages as they are shown: each on its own, or those of one document together, the best first."""
        return group_passages(self.passages, self.group_by)

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """The passages that are not returned, and why; computed on demand, since few callers need it."""
        return (*behind(self.ordered, self.limit, self.group_by), *self.kept_out)
