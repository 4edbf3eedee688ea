"""The evidence for an answer.

Belongs here: searching for an answer, and the usable passages. Not here: the trust of a passage
(`headwater.retrieval.trust`), whether there are documents at all (`availability`), making an answer (`answerer`).
Guarantee: only passages with enough trust are usable.
"""

import time
from dataclasses import dataclass, field
from datetime import datetime

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage, SearchFilters
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.retrieval.finding import SearchOptions
from headwater.retrieval.found import Found
from headwater.retrieval.grading import trusted
from headwater.retrieval.search import check_query, search
from headwater.retrieval.trust import Trusted
from headwater.settings import Settings
from headwater.store.store import Store

NOTHING_RELEVANT = "nothing_relevant"
"""The reason of a refusal: there are documents, but they do not answer the question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A question, the search result, and the usable passages; `started` is the start, by the process's clock."""

    knowledge_base: KnowledgeBase
    question: str
    found: Found
    trusted: Trusted
    started: float
    filters: SearchFilters = field(default_factory=SearchFilters)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The usable passages, best first; without any, the question is refused."""
        return self.trusted.kept

    @property
    def embedder(self) -> Embedder | None:
        """The model that found the passages; None if it does not know the question's language."""
        return None if self.found.is_by_words else self.found.embedder


def gather_evidence(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    question: str,
    filters: SearchFilters | None = None,
    *,
    as_of: datetime | None = None,
    vector: Vectors | None = None,
) -> Evidence:
    """Search for passages that answer a question, and keep the trusted ones; the arguments are those of `ask`.

    `vector` is the question's, shape (dimensions,), if the caller has already computed it with the index's model.

    Raises:
        InvalidInputError: the question is empty or too long, a filter names an unknown source, or the time is in the
        future.
        ModelUnavailableError: the index's model cannot be loaded.
    """
    text = check_query(question)
    started = time.perf_counter()
    options = SearchOptions(filters=filters or SearchFilters(), as_of=as_of, group_by="passage")
    found = search(store, settings, knowledge_base, text, options, vector=vector)
    return Evidence(
        knowledge_base=knowledge_base,
        question=text,
        found=found,
        trusted=trusted(knowledge_base.settings, found.passages),
        started=started,
        filters=options.filters,
    )
