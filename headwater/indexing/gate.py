"""The gate: the criteria that a search index must pass before it becomes active (EMB-2, OPS-3).

Belongs here: the criteria, their limits, and the report. Not here: counting (`headwater.store.search.index_health`),
switching (`switch`). Guarantee: an index that lacks a document which readers see now is not judged further; every
report is stored with its index.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.plurals import pluralize
from headwater.domain.search import SearchIndex
from headwater.errors import ModelUnavailableError
from headwater.evaluation.evaluator import evaluate
from headwater.indexing.preparation import MIN_RECALL
from headwater.settings import Settings
from headwater.store.search.entry_kinds import CHUNK, ENTRY_KINDS
from headwater.store.search.index_health import Finding
from headwater.store.store import Store

QUALITY_LOSS = 0.05
"""How much nDCG@10 on the golden set may fall."""
_COMPLETE = "documents"


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """One criterion: `value` was measured, `limit` is the allowed limit."""

    name: str
    passed: bool
    value: float
    limit: float
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class GateReport:
    """The result of judging an index."""

    criteria: tuple[Criterion, ...]
    judged_at: datetime

    @classmethod
    def of_missing(cls, lacking: dict[str, int]) -> "GateReport":
        """The report on an index that lacks documents: how many, by source."""
        return cls(criteria=(completeness(lacking),), judged_at=datetime.now(UTC))

    @property
    def passed(self) -> bool:
        """Whether the index may become active."""
        return all(criterion.passed for criterion in self.criteria)

    @property
    def waits(self) -> bool:
        """Whether only documents are missing that a sync will add."""
        return any(criterion.name == _COMPLETE and not criterion.passed for criterion in self.criteria)

    @property
    def reason(self) -> str:
        """Why it may not become active; empty if it may."""
        return " ".join(criterion.words for criterion in self.criteria if not criterion.passed)

    def to_json(self) -> dict[str, Any]:
        """The JSON that is stored and shown."""
        return {
            "passed": self.passed,
            "judged_at": self.judged_at.isoformat(),
            "criteria": [asdict(criterion) for criterion in self.criteria],
        }


def judge(store: Store, settings: Settings, knowledge_base: KnowledgeBase, index: SearchIndex) -> GateReport:
    """Judge an inactive index against the active one; stores the report with it.

    Args:
        store: the store of both.
        settings: says where the models are, for the golden set.
        knowledge_base: the knowledge base of the indexes.
        index: the prepared index to judge.
    """
    criteria = [completeness(store.search_indexes.lacking(index))]
    if criteria[0].passed:
        criteria += _soundness(store, index)
        criteria.append(_recall(index))
        criteria += _quality(store, settings, knowledge_base, index)
    report = GateReport(criteria=tuple(criteria), judged_at=datetime.now(UTC))
    store.search_indexes.record_gate(index, report.to_json())
    return report


def completeness(lacking: dict[str, int]) -> Criterion:
    """It must serve every document that the active index does.

    Args:
        lacking: how many documents it lacks, by source.
    """
    places = ", ".join(f"{count} of source {source}" for source, count in lacking.items())
    message = (
        f"The new index lacks documents that the active one has: {places}. Sync these sources."
        if lacking
        else "It lacks no document of the active index."
    )
    return Criterion(name=_COMPLETE, passed=not lacking, value=sum(lacking.values()), limit=0, words=message)


def quality_criterion(candidate: float, active: float) -> Criterion:
    """Its nDCG@10 on the golden set must be about as high as the active index's."""
    limit = active - QUALITY_LOSS
    message = f"nDCG@10 on the golden set is {candidate:.3f}; the active index has {active:.3f}."
    return Criterion(name="golden_set", passed=candidate >= limit, value=candidate, limit=limit, words=message)


def _soundness(store: Store, index: SearchIndex) -> Iterator[Criterion]:
    health = store.index_health
    size = health.size(index)
    message = f"It has {size.entries} entries for {pluralize(size.chunks, 'published chunk')}."
    yield Criterion(
        name="entries", passed=size.entries == size.chunks, value=size.entries, limit=size.chunks, words=message
    )
    yield _none_of("orphans", health.orphans(index), "entries belong to no published document")
    yield _none_of("chunks_without_vectors", health.chunks_without_vectors(index), "published chunks have no vector")
    yield _none_of("vectors_without_chunks", health.vectors_without_chunks(index), "entries have no published chunk")
    for kind in ENTRY_KINDS:
        if kind is not CHUNK:
            yield _none_of(kind.plural, health.wrong_entries(kind, index), f"{kind.plural} are missing or left over")
    yield _none_of("dimension", health.wrong_dimensions(index), f"vectors do not have {index.dimensions} dimensions")


def _none_of(name: str, finding: Finding, words: str) -> Criterion:
    examples = f", such as of {finding.examples[0]}" if finding.examples else ""
    return Criterion(
        name=name, passed=not finding.count, value=finding.count, limit=0, words=f"{finding.count} {words}{examples}."
    )


def _recall(index: SearchIndex) -> Criterion:
    recall = 1.0 if index.recall is None else index.recall
    how = f"HNSW with ef_search {index.ef_search}" if index.shard else "The exact scan"
    message = f"{how} finds {recall:.1%} of the 10 nearest; {MIN_RECALL:.0%} are needed."
    return Criterion(name="recall_at_10", passed=recall >= MIN_RECALL, value=recall, limit=MIN_RECALL, words=message)


def _quality(
    store: Store, settings: Settings, knowledge_base: KnowledgeBase, index: SearchIndex
) -> Iterator[Criterion]:
    active = store.search_indexes.active(knowledge_base.slug)
    if active is None:
        return
    try:
        new_evaluation = evaluate(store, settings, knowledge_base, index=index)
    except ModelUnavailableError as error:
        yield Criterion(name="golden_set", passed=False, value=0.0, limit=0.0, words=f"It cannot be searched: {error}")
        return
    try:
        active_evaluation = evaluate(store, settings, knowledge_base, index=active)
    except ModelUnavailableError:  # the active index cannot be searched either: do not hold the new one back
        active_evaluation = None
    if active_evaluation is not None and new_evaluation is not None:
        yield quality_criterion(new_evaluation.metrics["ndcg_at_10"], active_evaluation.metrics["ndcg_at_10"])
