"""Checking the active search index of a knowledge base (OPS-3).

Belongs here: the checks, their criteria and severities, as plain values. Not here: counting
(`headwater.store.search.index_health`), the gate (`gate`), Dagster. Guarantee: a check only reads; each can be run
alone, for one knowledge base.

They have two forms. The full form checks everything, on request or weekly. The spot form checks
changes since the last check and some random documents after each sync, so its cost depends on the size of the change.
If a spot check finds a defect, the next checks look at everything until a full check finds nothing.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.plurals import pluralize
from headwater.domain.search import SearchIndex
from headwater.indexing.preparation import ENOUGH_RECALL, MIN_RECALL, measure_recall
from headwater.store.search.entry_kinds import CHUNK, ENTRY_KINDS, EntryKind
from headwater.store.search.index_health import Finding
from headwater.store.store import Store

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Severity(StrEnum):
    """How bad the outcome of a check is."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The result of a check in words and plain values; it passed unless there is a severity."""

    words: str
    facts: Mapping[str, Any]
    severity: Severity | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Subject:
    """The subject of a check; a knowledge base that was never synced has no index, and a full check no `documents`."""

    store: Store
    knowledge_base: KnowledgeBase
    index: SearchIndex | None
    documents: Sequence[UUID] | None

    @property
    def form(self) -> dict[str, Any]:
        """The form of the check, for people."""
        if self.documents is None:
            return {"form": "full"}
        return {"form": "spot", "documents_looked_at": len(self.documents)}


def _orphans(subject: _Subject, index: SearchIndex) -> Outcome:
    orphans = subject.store.index_health.orphans(index, subject.documents)
    return _none_of(orphans, "entries of documents that are not published")


def _chunks_without_vectors(subject: _Subject, index: SearchIndex) -> Outcome:
    chunks = subject.store.index_health.chunks_without_vectors(index, subject.documents)
    return _none_of(chunks, "published chunks without a vector")


def _vectors_without_chunks(subject: _Subject, index: SearchIndex) -> Outcome:
    health = subject.store.index_health
    extra_entries = health.vectors_without_chunks(index, subject.documents)
    facts = {"unused_cached_vectors": health.count_unused_vectors(index.model)} if subject.documents is None else {}
    return _none_of(extra_entries, "entries of chunks that are not in the published version", **facts)


def _duplicates(subject: _Subject, index: SearchIndex) -> Outcome:
    health = subject.store.index_health
    facts = {"repeated_texts": health.count_repeated_texts(index)} if subject.documents is None else {}
    return _none_of(health.duplicates(index, subject.documents), "chunks with two entries", **facts)


def _entries_of(kind: EntryKind) -> tuple[str, Callable[[_Subject, SearchIndex], Outcome]]:
    """The description and the function of the check for a kind of entry."""

    def check(subject: _Subject, index: SearchIndex) -> Outcome:
        wrong_entries = subject.store.index_health.wrong_entries(kind, index, subject.documents)
        return _none_of(wrong_entries, f"{kind.plural} missing or left over")

    return f"The index has exactly the {kind.plural} of the published documents.", check


def _statistics(subject: _Subject, index: SearchIndex) -> Outcome:
    wrong_counts = subject.store.index_health.wrong_statistics(index, subject.documents)
    return _none_of(wrong_counts, "word counts of keyword search that differ from the entries")


def _dimension(subject: _Subject, index: SearchIndex) -> Outcome:
    wrong_vectors = subject.store.index_health.wrong_dimensions(index, subject.documents)
    return _none_of(
        wrong_vectors, f"vectors that do not have {index.dimensions} dimensions", dimensions=index.dimensions
    )


def _emptiness(subject: _Subject) -> Outcome:
    silent_sources = subject.store.index_health.silent_sources(subject.knowledge_base, subject.index)
    return _none_of(silent_sources, "ready sources with documents but nothing to search")


def _freshness(subject: _Subject) -> Outcome:
    health = subject.store.index_health
    unpublished = health.find_unpublished(subject.knowledge_base, subject.index)
    overdue = health.overdue_sources(subject.knowledge_base)
    stale = _none_of(unpublished, "documents whose newest version is not published", overdue_sources=overdue.count)
    if unpublished.count or not overdue.count:
        return stale
    names = ", ".join(overdue.examples)
    return Outcome(
        words=f"{pluralize(overdue.count, 'source')} overdue by more than one interval: {names}.",
        facts=stale.facts,
        severity=Severity.WARNING,
    )


def _links(subject: _Subject, index: SearchIndex) -> Outcome:
    reading = subject.store.link_reading
    lost, unread = reading.without_origin(subject.documents), reading.without_links(index, subject.documents)
    if lost.count or not unread.count:
        return _none_of(lost, "links of documents or versions that are gone", unread_documents=unread.count)
    return Outcome(
        words=f"The links of {pluralize(unread.count, 'document')} are not read yet. The next sync reads them.",
        facts={"count": 0, "unread_documents": unread.count, "examples": list(unread.examples)},
        severity=Severity.WARNING,
    )


def _dead_links(subject: _Subject) -> Outcome:
    reading = subject.store.link_reading
    if subject.index is None:
        return Outcome(words="Nothing has been synced yet.", facts={})
    dead = reading.dead(subject.knowledge_base, subject.index)
    sources = reading.reference_counts(subject.index, dead)
    resolved, count = sum(source.resolved for source in sources), sum(source.count for source in sources)
    first = [f"{link.origin.source}: {link.origin.uri}, line {link.origin.line}: {link.name}" for link in dead[:50]]
    by_source = {
        source.source: {"references": source.count, "resolved": source.resolved, "dead": source.dead}
        for source in sources
    }
    facts: dict[str, Any] = {
        "count": len(dead),
        "references": count,
        "resolved_share": resolved / count if count else 1.0,
        "sources": by_source,
    }
    if first:
        facts["examples"] = first
    message = f"{pluralize(len(dead), 'dead link')}; {resolved} of {pluralize(count, 'link')} lead to a document."
    return Outcome(words=message, facts=facts, severity=Severity.WARNING if dead else None)


def _recall_at_10(subject: _Subject, index: SearchIndex) -> Outcome:
    # Measuring scans every entry: the spot form repeats the last measurement of a refresh.
    is_known = subject.documents is not None and index.recall is not None
    recall = index.recall if is_known and index.recall is not None else measure_recall(subject.store, index)
    facts = {"recall_at_10": recall, "access": "hnsw" if index.shard else "exact", "ef_search": index.ef_search or 0}
    message = f"{recall:.1%} of the 10 nearest are found; {ENOUGH_RECALL:.0%} are wanted, {MIN_RECALL:.0%} needed."
    severity = Severity.ERROR if recall < MIN_RECALL else Severity.WARNING if recall < ENOUGH_RECALL else None
    return Outcome(words=message, facts=facts, severity=severity)


def _none_of(finding: Finding, words: str, **more: int) -> Outcome:
    facts: dict[str, Any] = {"count": finding.count, **more}
    if finding.examples:
        facts["examples"] = list(finding.examples)
    return Outcome(words=f"{finding.count} {words}.", facts=facts, severity=Severity.ERROR if finding.count else None)


_INDEX_CHECKS: Mapping[str, tuple[str, Callable[[_Subject, SearchIndex], Outcome]]] = {
    "orphans": ("Every entry belongs to a published document.", _orphans),
    "chunks_without_vectors": ("Every published chunk has a vector.", _chunks_without_vectors),
    "vectors_without_chunks": ("Every entry belongs to a chunk of a published version.", _vectors_without_chunks),
    **{kind.plural: _entries_of(kind) for kind in ENTRY_KINDS if kind is not CHUNK},
    "statistics": ("The word counts that keyword search uses match the entries.", _statistics),
    "links": ("The links of every published document are read, and each belongs to a version that exists.", _links),
    "duplicates": ("No chunk has two entries.", _duplicates),
    "dimension": ("Every vector has the number of dimensions of its model.", _dimension),
    "recall_at_10": ("Search finds the same nearest vectors as an exact scan.", _recall_at_10),
}
_SOURCE_CHECKS: Mapping[str, tuple[str, Callable[[_Subject], Outcome]]] = {
    "emptiness": ("Search covers every source that is ready and has documents.", _emptiness),
    "dead_links": ("Every link to a document of the knowledge base leads to one.", _dead_links),
    "freshness": ("The newest version of each document is published, and every source is synced in time.", _freshness),
}
CHECKS = (*_INDEX_CHECKS, *_SOURCE_CHECKS)
_DOCUMENT_CHECKS = _INDEX_CHECKS.keys() - {"recall_at_10"}
"""Those whose findings may be in any document; recall is of the index as a whole, and more checks find no cause."""


def describe_check(name: str) -> str:
    """What is true if a check passes."""
    described = _INDEX_CHECKS.get(name) or _SOURCE_CHECKS[name]
    return described[0]


def check_search_index(
    store: Store, slug: str, names: Collection[str] = CHECKS, *, is_spot: bool
) -> Iterator[tuple[str, Outcome]]:
    """Run checks of one knowledge base.

    Args:
        store: the store of the knowledge base.
        slug: the knowledge base.
        names: the checks; the time of the check is stored only if all of them run.
        is_spot: whether to check only changes since then, and some random documents.

    Returns:
        The name and the outcome of each.

    Raises:
        NotFoundError: there is no such knowledge base.
    """
    checked_at = store.index_health.check_time()
    knowledge_base = store.knowledge_bases.get(slug)
    index = store.search_indexes.active(slug)
    documents = store.index_health.to_check(knowledge_base, index) if is_spot and index is not None else None
    subject = _Subject(store=store, knowledge_base=knowledge_base, index=index, documents=documents)
    is_sound = True
    for name in CHECKS:
        if name in names:
            outcome = _look(name, subject)
            is_sound = is_sound and not (name in _DOCUMENT_CHECKS and outcome.severity is Severity.ERROR)
            form = {"form": "full"} if name in _SOURCE_CHECKS else subject.form
            yield name, replace(outcome, facts={**outcome.facts, **form})
    if index is not None and (not is_sound or set(names) >= set(CHECKS)):
        # After a finding, everything counts as new: a sample of other documents would find nothing.
        store.index_health.note_check(knowledge_base, checked_at if is_sound else _NEVER)


def _look(name: str, subject: _Subject) -> Outcome:
    if name in _SOURCE_CHECKS:
        return _SOURCE_CHECKS[name][1](subject)
    if subject.index is None:
        return Outcome(words="Nothing has been synced yet.", facts={})
    return _INDEX_CHECKS[name][1](subject, subject.index)
