"""The main words of documents: what a document as a whole is about, for each of its passages (RET-1).

Belongs here: keeping them exact when documents are published, and which documents are most about a question's words.
Not here: the words of chunks (`term_weights`), what a passage gains from its document
(`headwater.retrieval.similar_documents`). Guarantee: they change in the transaction that changes the chunks; nothing is
embedded, and no text is read again.

Title, file name and headings are words of every chunk below them, so they are main words without being named as such.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.search import SearchFilters, SearchIndex
from headwater.store.search.entry_kinds import DOCUMENT
from headwater.store.search.passage_search import search_scope
from headwater.store.search.term_weights import IndexShard, add_counts, take_out, term_scope
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session

RARELY = 20
"""A main word is in at least one of so many chunks.

Over the first 17 annual reports of FinanceBench with 33 questions, these words alone place the right document first in
.91; with 10, and with every word that two chunks hold, in .85; with 5 in .79.
"""
_BUDGET = 5_000  # documents that are looked up by words


@dataclass(frozen=True, kw_only=True, slots=True)
class Aboutness:
    """How much a document is about a question's words, 0 or more, and how many chunks it has."""

    document_id: UUID
    chunk_count: int
    score: float


class MainWordStore:
    """Reads the main words of documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents_about(
        self,
        index: SearchIndex,
        lexemes: Collection[str],
        *,
        filters: SearchFilters,
        candidates: Collection[UUID],
        limit: int,
    ) -> list[Aboutness]:
        """Score the documents that are most about some words, and some others; those without main words are left out.

        Args:
            index: the index to ask.
            lexemes: the words, as the index stems them.
            filters: which part of the index is searched.
            candidates: the ids of documents that are scored in any case.
            limit: how many of the best are returned.

        Returns:
            The best first.

        Raises:
            InvalidInputError: a filter names a source that does not exist.
        """
        with self._database.transaction(snapshot=True) as session:
            scope = search_scope(session, index, filters)
            rows = session.run_template(
                "documents_about",
                {"scope": term_scope(index.id), "budget": _BUDGET},
                search_index_id=index.id,
                lexemes=list(lexemes),
                source_ids=scope.source_ids,
                document_ids=scope.document_ids,
                candidates=list(candidates),
                limit=limit,
            ).fetchall()
        return [Aboutness(**row) for row in rows]


def publish_main_words(session: Session, index: SearchIndex, shard: int, document_ids: Sequence[UUID]) -> None:
    """Find the main words of documents anew, and count them.

    Args:
        session: the transaction that publishes the documents, after it has weighed their chunks.
        index: the index.
        shard: the shard of its chunks.
        document_ids: the documents; those without chunks lose their main words.
    """
    scope = term_scope(index.id)
    values = {"search_index_id": index.id, "document_ids": list(document_ids)}
    old = session.rows("delete_main_words", **values)
    names: dict[str, int | str] = {"shard": shard, "scope": scope, "rarely": RARELY}
    new = session.run_template("insert_main_words", names, **values).fetchall()
    if not old and not new:
        return
    place = IndexShard(index=index, kind=DOCUMENT, shard=DOCUMENT.shard(shard))
    session.one("hold_statistics", **place.counted, average=1.0, languages=[])  # one writer at a time
    term_counts = Counter(term ^ scope for row in new for term in row["terms"])
    length = sum(row["length"] for row in new)
    add_counts(
        session, place.counted, entries=len(new), length=length, terms=term_counts
    )  # first, so that common terms stay
    take_out(session, place, old)
