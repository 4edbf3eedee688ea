"""Defects of a search index.

Belongs here: counting defects, and measuring recall against exact search. Not here: the consequences (the gate, the
asset checks). Guarantee: each method reads one state of the database; with a list of documents, its cost depends only
on them; nothing is written except the time of the last check.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.store.search.entry_kinds import CHUNK, ENTRY_KINDS, EntryKind
from headwater.store.search.main_words import RARELY
from headwater.store.search.term_weights import term_scope
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session

_TOLERANCE = 1e-9  # equal texts have equal distances; it does not matter which of them is found
_SAMPLE = 50  # random documents in a spot check, drawn twice
_MAX_CHECKED_ENTRIES = 500  # the most entries of a term that a spot check counts
_TERMS = 20  # terms that a spot check counts
Documents = Sequence[UUID] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """How often a defect occurs, with a few examples."""

    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexSize:
    """The size of an index: documents, the chunks of their versions, and entries, which should be equally many."""

    documents: int
    chunks: int
    entries: int


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexCounts:
    """The stored counts of an index, which change when it changes."""

    documents: int
    entries: int


class IndexHealthStore:
    """Compares search_entries with what they should be."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def size(self, index: SearchIndex) -> IndexSize:
        """Count the contents of an index."""
        with self._database.transaction(snapshot=True) as session:
            row = session.one("index_size", **_place(session, index))
        return IndexSize(documents=row["document_count"], chunks=row["chunk_count"], entries=row["entry_count"])

    def counts(self, index: SearchIndex) -> IndexCounts:
        """The stored counts of an index; `size` counts again."""
        row = self._database.one("index_counts", id=index.id)
        return IndexCounts(documents=row["document_count"], entries=row["entry_count"])

    def measure_change(self, index: SearchIndex) -> float:
        """The share of an index's documents that were added, changed or removed since recall was measured (0 to 1)."""
        return float(self._database.one("changed_since_measured", id=index.id)["share"])

    def to_check(self, knowledge_base: KnowledgeBase, index: SearchIndex) -> list[UUID]:
        """The documents for a spot check: those that changed since the last check, and some random ones."""
        with self._database.transaction(snapshot=True) as session:
            place = _place(session, index)
            rows = session.rows("documents_to_check", knowledge_base_id=knowledge_base.id, sample=_SAMPLE, **place)
        return [row["document_id"] for row in rows]

    def check_time(self) -> datetime:
        """The time from which changes are new to the next check, if one begins now."""
        checked_at: datetime = self._database.one("check_time")["checked_at"]
        return checked_at

    def note_check(self, knowledge_base: KnowledgeBase, checked_at: datetime) -> None:
        """Store when a knowledge base was checked; nothing else is written here."""
        self._database.run("set_checked", knowledge_base_id=knowledge_base.id, checked_at=checked_at)

    def orphans(self, index: SearchIndex, documents: Documents = None) -> Finding:
        """Find entries of documents that the index does not publish."""
        return self._find("orphan_entries", index, documents)

    def chunks_without_vectors(self, index: SearchIndex, documents: Documents = None) -> Finding:
        """Find published chunks that have no entry."""
        return self._find("missing_entries", index, documents, kind=CHUNK)

    def vectors_without_chunks(self, index: SearchIndex, documents: Documents = None) -> Finding:
        """Find entries of chunks or texts that the published version does not contain."""
        return self._find("stray_entries", index, documents, kind=CHUNK)

    def wrong_dimensions(self, index: SearchIndex, documents: Documents = None) -> Finding:
        """Find vectors of another size than the index's."""
        return self._find("entries_of_wrong_dimension", index, documents)

    def duplicates(self, index: SearchIndex, documents: Documents = None) -> Finding:
        """Find targets with an entry in the shared table and another in the index's own partition."""
        return self._find("repeated_entries", index, documents)

    def wrong_statistics(self, index: SearchIndex, documents: Documents = None) -> Finding:
        """Find statistics of keyword search that differ from a recount; for some documents, without the totals."""
        with self._database.transaction(snapshot=True) as session:
            findings = [
                self._wrong_statistics(session, index, kind, documents) for kind in ENTRY_KINDS if kind.has_words
            ]
            place = {**_place(session, index), "scope": term_scope(index.id), "rarely": float(RARELY)}
            document_ids = None if documents is None else list(documents)
            findings.append(_find(session, "wrong_main_words", documents=document_ids, **place))
        return _together(findings)

    @staticmethod
    def _wrong_statistics(session: Session, index: SearchIndex, kind: EntryKind, documents: Documents) -> Finding:
        place = {**_place(session, index, kind), "scope": term_scope(index.id)}
        if documents is None:
            return _find(session, "wrong_statistics", **place)
        values = {**place, "documents": list(documents), "few": _MAX_CHECKED_ENTRIES, "terms": _TERMS}
        return _find(session, "wrong_statistics_of_documents", **values)

    def wrong_entries(self, kind: EntryKind, index: SearchIndex, documents: Documents = None) -> Finding:
        """Find documents whose entries of a kind differ from those of their published versions; or such summaries."""
        queries = ("wrong_tree_entries",) if kind.is_of_trees else ("missing_entries", "stray_entries")
        return _together([self._find(query, index, documents, kind=kind) for query in queries])

    def count_repeated_texts(self, index: SearchIndex) -> int:
        """How many entries repeat a text that another entry has."""
        with self._database.transaction(snapshot=True) as session:
            return int(session.one("repeated_text_count", **_place(session, index))["repeated_count"])

    def count_unused_vectors(self, model: str) -> int:
        """How many vectors the cache holds for texts that no version uses."""
        return int(self._database.one("unused_vector_count", model=model)["unused_count"])

    def silent_sources(self, knowledge_base: KnowledgeBase, index: SearchIndex | None) -> Finding:
        """Find ready sources that have documents, but nothing to search."""
        return self._find_of(knowledge_base, "silent_sources", index)

    def find_unpublished(self, knowledge_base: KnowledgeBase, index: SearchIndex | None) -> Finding:
        """Find documents whose newest version the index does not serve, although no worker is processing them."""
        return self._find_of(knowledge_base, "unpublished_documents", index)

    def overdue_sources(self, knowledge_base: KnowledgeBase) -> Finding:
        """Find sources that are overdue by more than one of their intervals."""
        return self._find_of(knowledge_base, "overdue_sources", None)

    def recall(
        self, index: SearchIndex, choices: Sequence[int], *, enough: float, sample: int, depth: int
    ) -> tuple[int, float]:
        """Measure recall@10 of HNSW against exact search, with vectors of the index as queries.

        Args:
            index: an index with its own partition.
            choices: values of ef_search to try, smallest first.
            enough: the recall at which no further value is tried.
            sample: how many vectors to query, chosen by the hashes of their ids.
            depth: how many candidates a search requests; the nearest 10 of them are counted.

        Returns:
            The first value that reached `enough`, or the best one, and its recall (0 to 1).
        """
        with self._database.transaction(snapshot=True) as session:
            exact = _distances(session, index, None, sample, depth)
            best = (choices[0], -1.0)
            for choice in choices:
                recall = recall_at_10(exact, _distances(session, index, choice, sample, depth))
                if recall > best[1]:
                    best = (choice, recall)
                if recall >= enough:
                    break
        return best

    def _find(self, query: str, index: SearchIndex, documents: Documents, *, kind: EntryKind = CHUNK) -> Finding:
        with self._database.transaction(snapshot=True) as session:
            document_ids = None if documents is None else list(documents)
            return _find(session, query, documents=document_ids, **_place(session, index, kind))

    def _find_of(self, knowledge_base: KnowledgeBase, query: str, index: SearchIndex | None) -> Finding:
        with self._database.transaction(snapshot=True) as session:
            place = _place(session, index) if index else {"id": None, "shard": 0}
            return _find(session, query, knowledge_base_id=knowledge_base.id, **place)


def recall_at_10(exact: Mapping[UUID, Sequence[float]], found: Mapping[UUID, Sequence[float]]) -> float:
    """The share of the nearest neighbours that were found, averaged over queries.

    Args:
        exact: the distances of each query's nearest neighbours, at most 10, nearest first.
        found: the distances of the neighbours that were found, likewise.

    Returns:
        0 to 1; 1 if there is nothing to find. A vector as near as the last of the nearest counts as one of them.
    """
    shares = [
        min(1.0, sum(distance <= nearest[-1] + _TOLERANCE for distance in found.get(query, ())) / len(nearest))
        for query, nearest in exact.items()
        if nearest
    ]
    return sum(shares) / len(shares) if shares else 1.0


def _distances(
    session: Session, index: SearchIndex, ef_search: int | None, sample: int, depth: int
) -> dict[UUID, list[float]]:
    """The 10 smallest distances of each sampled vector: exact ones, or those that HNSW finds with an ef_search."""
    if ef_search is not None:
        session.run("set_ef_search", ef_search=ef_search)
    shard = session.one("get_search_index", id=index.id)["shard"]
    numbers: dict[str, int | str] = {"shard": shard, "dimensions": index.dimensions, "is_exact": ef_search is None}
    rows = session.run_template("nearest_distances", numbers, id=index.id, sample=sample, depth=depth).fetchall()
    return {row["target_id"]: sorted(row["distances"] or [])[:10] for row in rows}


def _find(session: Session, query: str, **values: Any) -> Finding:
    rows = session.rows(query, **values)
    return Finding(count=rows[0]["found_count"] if rows else 0, examples=tuple(row["example"] for row in rows))


def _together(findings: Sequence[Finding]) -> Finding:
    """Several findings combined, with the first examples of each."""
    examples = dict.fromkeys(example for finding in findings for example in finding.examples)
    return Finding(count=sum(finding.count for finding in findings), examples=tuple(examples)[:10])


def _place(session: Session, index: SearchIndex, kind: EntryKind = CHUNK) -> dict[str, Any]:
    """An index, and the current shard of its entries of a kind; none if the index was dropped meanwhile."""
    row = session.row("get_search_index", id=index.id)
    return {
        "id": index.id,
        "kind": kind.name,
        "shard": kind.shard(row["shard"]) if row else 0,
        "settings_hash": index.settings_hash,
        "dimensions": index.dimensions,
    }
