"""Weights and statistics of keyword search.

Belongs here: weighing new entries, keeping an index's counts exact, weighing an index again. Not here: the weight of a
term (`headwater.lexical`), querying (`passage_search`). Guarantee: counts change in the transaction that changes the
entries; one writer at a time, and no two wait for each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from headwater.domain.documents import ChunkKind
from headwater.domain.search import SearchIndex
from headwater.lexical.bm25 import TERM_SPACE, TermCounts, count_terms, counts_of_weights, entry_weights
from headwater.lexical.symbol_terms import definition_word, find_defined_names
from headwater.lexical.tokens import runs
from headwater.store.search.entry_kinds import EntryKind
from headwater.store.search.lexemes import run_terms
from headwater.store.server.query_session import Row, Session

DRIFT = 0.2
"""How far the average length may change before an index is weighed again."""
_SCRAMBLE = 0x9E3779B1  # Knuth's multiplicative hash: neighbouring numbers share few bits


def term_scope(search_index_id: int) -> int:
    """Term numbers in `search_weights.terms` are XORed with this, so that an index finds only its own entries."""
    return (search_index_id * _SCRAMBLE) & (TERM_SPACE - 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexShard:
    """The entries of one kind in one index, and their shard."""

    index: SearchIndex
    kind: EntryKind
    shard: int

    @property
    def counted(self) -> dict[str, Any]:
        """The parameters for statements that count."""
        return {"search_index_id": self.index.id, "kind": self.kind.name}

    @property
    def values(self) -> dict[str, Any]:
        """The parameters for statements that read and write entries."""
        return {**self.counted, "shard": self.shard}


def add_targets(session: Session, place: IndexShard, target_ids: Sequence[UUID], document_ids: Sequence[UUID]) -> None:
    """Weigh new entries with the newest versions of their targets, and count them.

    Args:
        session: the transaction that inserts them.
        place: the index, kind and shard.
        target_ids: what the entries are of.
        document_ids: the documents of all of them.
    """
    if target_ids:
        values = {"settings_hash": place.index.settings_hash, "language": place.index.language,
                  "kind": place.kind.name}  # fmt: skip
        entry_ids = {"target_ids": list(target_ids), "document_ids": list(document_ids)}
        rows = session.rows("texts_of_entries", **values, **entry_ids)
        add_entries(session, place, rows)


def add_entries(session: Session, place: IndexShard, rows: Sequence[Row]) -> None:
    """Weigh new entries, and count them.

    Args:
        session: the transaction that inserts them.
        place: the index, kind and shard.
        rows: target_id, document_id, source_id, uri, title, breadcrumb, text, chunk_kind and language of each.
    """
    if not rows:
        return
    counted = count_entries(session, rows)
    average = sum(terms.length for terms in counted) / len(counted)
    languages = sorted({row["language"] for row in rows} - {place.index.language})
    statistics = session.one("hold_statistics", **place.counted, average=max(average, 1.0), languages=languages)
    scope = term_scope(place.index.id)
    session.run(
        "insert_weights",
        **place.values,
        target_ids=[row["target_id"] for row in rows],
        document_ids=[row["document_id"] for row in rows],
        source_ids=[row["source_id"] for row in rows],
        lengths=[terms.length for terms in counted],
        terms=" ".join([_array([term ^ scope for term in terms.counts]) for terms in counted]),
        weights=" ".join([weights_text(terms, statistics["weighed_length"]) for terms in counted]),
    )
    held_by: Counter[int] = Counter()
    for terms in counted:
        held_by.update(terms.counts.keys())
    length = sum(terms.length for terms in counted)
    add_counts(session, place.counted, entries=len(counted), length=length, terms=held_by)


def add_counts(
    session: Session, counted: Mapping[str, Any], *, entries: int, length: int, terms: Mapping[int, int]
) -> None:
    """Change statistics by added entries or, with negative numbers, by removed ones.

    Terms that no entry contains any more are deleted.

    Args:
        session: the transaction that changes the entries.
        counted: the index and the kind, as `Place.counted`.
        entries: how many entries.
        length: their total length.
        terms: how many of them contain each term.
    """
    session.run("add_statistics", **counted, entries=entries, length=length)
    numbers = sorted(terms)
    counts = [terms[term_number] for term_number in numbers]
    session.run("add_terms", **counted, terms=_array(numbers), counts=_array(counts))
    fewer = [term_number for term_number in numbers if terms[term_number] < 0]
    if fewer:
        session.run("delete_unheld_terms", **counted, terms=_array(fewer))


def take_out(session: Session, place: IndexShard, rows: Sequence[Row]) -> None:
    """Remove entries from the statistics.

    Args:
        session: the transaction that deletes them.
        place: their index, kind and shard.
        rows: `length` and `terms` of each that had weights.
    """
    if not rows:
        return
    scope = term_scope(place.index.id)
    gone: Counter[int] = Counter()
    for row in rows:
        gone.subtract(term ^ scope for term in row["terms"])
    length = sum(row["length"] for row in rows)
    add_counts(session, place.counted, entries=-len(rows), length=-length, terms=gone)


def weigh_anew(session: Session, place: IndexShard, rows: Sequence[Row], *, old: float, new: float) -> None:
    """Weigh some entries for another average length.

    Args:
        session: a transaction.
        place: their index, kind and shard.
        rows: target_id, length and weights of each.
        old: the average length for which they were weighed.
        new: the new average length.
    """
    texts = []
    for row in rows:
        stored = row["weights"]  # its indices count from 0
        weights = {term + 1: weight for term, weight in zip(stored.indices(), stored.values(), strict=True)}
        texts.append(weights_text(counts_of_weights(weights, row["length"], old), new))
    ids = [row["target_id"] for row in rows]
    session.run("update_weights", **place.values, target_ids=ids, weights=" ".join(texts))


def _array(numbers: Iterable[int]) -> str:
    """Whole numbers in Postgres's array syntax: for many numbers, this is much faster than the driver."""
    return f"{{{','.join(map(str, numbers))}}}"


def sparse_text(weights: Mapping[int, float]) -> str:
    """A sparse vector in Postgres's syntax."""
    return f"{{{','.join([f'{term}:{weights[term]:.6g}' for term in sorted(weights)])}}}/{TERM_SPACE}"


def weights_text(terms: TermCounts, average_length: float) -> str:
    """`entry_weights` in Postgres's syntax. Equal counts give equal weights, so few numbers are formatted."""
    once = TermCounts(counts={count: count for count in set(terms.counts.values())}, length=terms.length)
    weights = {count: f"{weight:.6g}" for count, weight in entry_weights(once, average_length).items()}
    return f"{{{','.join([f'{term}:{weights[count]}' for term, count in sorted(terms.counts.items())])}}}/{TERM_SPACE}"


def restem(session: Session, place: IndexShard, document_ids: Sequence[UUID]) -> None:
    """Weigh the entries of documents again that were published in another language; vectors stay as they are.

    Args:
        session: the transaction that publishes the documents, before it does.
        place: the index, kind and shard of their entries.
        document_ids: some documents.
    """
    values = {**place.values, "language": place.index.language}
    gone = session.rows("delete_words_of_other_languages", **values, document_ids=list(document_ids))
    take_out(session, place, gone)
    add_targets(session, place, [row["target_id"] for row in gone], document_ids)


def count_entries(session: Session, rows: Sequence[Row]) -> list[TermCounts]:
    """Count the terms of entries, given uri, title, breadcrumb, text, chunk_kind and language (of a dictionary)."""
    texts = [runs(row["text"]) for row in rows]
    headings = [runs(_headings(row["title"], row["uri"], row["breadcrumb"])) for row in rows]
    texts_by_language: dict[str, set[str]] = {}
    for row, text, heading in zip(rows, texts, headings, strict=True):
        texts_by_language.setdefault(row["language"], set()).update(text, heading)
    terms = {language: run_terms(session, language, of_language) for language, of_language in texts_by_language.items()}
    return [
        count_terms(text, heading, terms[row["language"]], _list_definitions(row))
        for row, text, heading in zip(rows, texts, headings, strict=True)
    ]


def _list_definitions(row: Row) -> list[str]:
    """The words that find the definitions in an entry, if it is code."""
    if row["chunk_kind"] != ChunkKind.CODE:
        return []
    return list(map(definition_word, find_defined_names(row["text"], row["breadcrumb"])))


def _headings(title: str, uri: str, breadcrumb: Sequence[str]) -> str:
    """The words that find an entry beside its text; the host of an address is left out, since it is not specific."""
    path = uri.partition("://")[2].partition("/")[2] if "://" in uri else uri
    return " ".join([path, *([] if breadcrumb[:1] == [title] else [title]), *breadcrumb])
