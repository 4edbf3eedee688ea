"""Deletions in Postgres: only the receipt of a deleted source or knowledge base remains (KB-1, SRC-12).

Belongs here: hiding either in one transaction, deleting its rows afterwards, receipts. Not here: its stored files
(`headwater.administration.deletion`). Guarantee: hidden documents are never found again, not even by a search in the
past; a receipt counts each row once, even if a process is killed; a vector that another source uses stays.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

from headwater.domain.corpus import Deletion
from headwater.errors import FilesUnavailableError, NotFoundError
from headwater.store.catalogue.knowledge_bases import unknown_knowledge_base_error
from headwater.store.content.chunk_summaries import delete_unused_among, delete_with_chunks
from headwater.store.content.originals import RemoveOriginal, remove_unheld
from headwater.store.content.summaries import delete_above
from headwater.store.search.entry_kinds import ENTRY_KINDS
from headwater.store.search.term_weights import add_counts, term_scope
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row, Session


@dataclass(frozen=True, kw_only=True, slots=True)
class Files:
    """How to remove files that are stored outside the database."""

    of_sources: Callable[[Sequence[int]], int]
    """Removes the files of sources, given by id; returns how many were removed."""
    original: RemoveOriginal


# If another sync needs a vector that a batch deletes, it waits for the batch; so batches are short.
_DOCUMENTS, _ROWS, _UPLOADS = 100, 5_000, 100


class DeletionStore:
    """The deletions table, and the rows of deleted objects; with `visible`, as a caller who may see only these."""

    def __init__(self, database: Database, visible: frozenset[int] | None = None) -> None:
        self._database = database
        self._visible = None if visible is None else sorted(visible)

    def hide_source(self, knowledge_base: str, slug: str) -> Deletion:
        """Hide a source from search, syncs and `as of`; the answers that cited it become stale.

        Waits for syncs that are publishing from it. If it is already being deleted, its receipt is returned.

        Raises:
            NotFoundError: there is no such knowledge base or source.
        """
        with self._database.transaction() as session:
            owner = session.row("lock_knowledge_base", slug=knowledge_base)
            if owner is None:
                raise unknown_knowledge_base_error(session, knowledge_base, self._visible)
            row = session.row("lock_source_to_delete", knowledge_base_id=owner["id"], slug=slug)
            if row is None:
                raise NotFoundError(f"There is no source {slug} in {knowledge_base}.")
            if row["state"] == "deleting":
                return _deletion(session.one("newest_deletion_of", kind="source", row_id=row["id"]))
            session.rows("share_index_locks", knowledge_base_id=owner["id"])
            went = Counter(search_entries=_hide_entries(session, owner["id"], row["id"]))
            session.run("mark_answers_stale", source_id=row["id"])
            session.run("forget_responses", knowledge_base_id=owner["id"])
            went["summary_tree"] = delete_above(session, source_id=row["id"])
            went += _hide_sources(session, [row["id"]])
            return _insert(session, "source", f"{knowledge_base}/{slug}", row["id"], went)

    def hide_knowledge_base(self, slug: str) -> Deletion:
        """Hide a knowledge base with its sources, indexes and answers; its slug is free at once.

        Raises:
            NotFoundError: no knowledge base has this slug.
        """
        with self._database.transaction() as session:
            row = session.row("lock_knowledge_base_to_delete", slug=slug)
            if row is None:
                raise unknown_knowledge_base_error(session, slug, self._visible)
            owner = {"knowledge_base_id": row["id"]}
            source_ids = [source["id"] for source in session.rows("lock_sources_to_delete", **owner)]
            session.rows("share_index_locks", **owner)
            went = Counter(search_entries=session.one("count_partition_entries", **owner)["entry_count"])
            went["search_entries"] += session.run("hide_shared_entries", **owner)
            session.run("hide_shared_weights", **owner)
            went["summary_tree"] = sum(delete_above(session, source_id=source_id) for source_id in source_ids)
            went += _hide_sources(session, source_ids)
            went["search_indexes"] = session.run("hide_search_indexes", **owner)
            session.run("forget_responses", **owner)
            session.run("hide_knowledge_base", id=row["id"])
            return _insert(session, "knowledge_base", slug, row["id"], went)

    def get(self, deletion_id: int) -> Deletion:
        """Return a receipt.

        Raises:
            NotFoundError: there is no receipt with that id.
        """
        row = self._database.row("get_deletion", id=deletion_id)
        if row is None:
            raise NotFoundError(f"There is no deletion {deletion_id}.")
        return _deletion(row)

    def all(self, *, before: int | None = None, limit: int = 100) -> list[Deletion]:
        """Return receipts, newest first, those before a given one."""
        rows = self._database.rows("list_deletions", before=before, limit=limit, visible=self._visible)
        return [_deletion(row) for row in rows]

    def finish(self, deletion: Deletion, files: Files) -> Deletion:
        """Delete the rows of a hidden object; returns the receipt, unfinished if another process is doing it."""
        with self._database.session_lock(f"deletion:{deletion.id}") as lock:
            current = self.get(deletion.id)
            if not lock.is_held or current.finished_at is not None:
                return current
            return _Finishing(database=self._database, deletion=current, files=files).finish()

    def finish_all(self, files: Files) -> list[Deletion]:
        """Finish every deletion that a process left incomplete; returns the receipts of those that are now finished."""
        ids = [row["id"] for row in self._database.rows("unfinished_deletions")]
        touched = [self.finish(self.get(deletion_id), files) for deletion_id in ids]
        return [deletion for deletion in touched if deletion.finished_at is not None]


@dataclass(kw_only=True)
class _Finishing:
    """The second half of one deletion: batches, each counted in the transaction that deletes it."""

    database: Database
    deletion: Deletion
    files: Files

    def finish(self) -> Deletion:
        """Delete all remaining rows, and close the receipt."""
        of = {"kind": self.deletion.kind, "row_id": self.deletion.row_id}
        with self.database.transaction() as session:
            source_ids = [row["id"] for row in session.rows("sources_to_delete", **of)]
            models = [row["model"] for row in session.rows("embedding_models")]
        for source_id in source_ids:
            self._delete_summaries(source_id, models)
            self._delete_questions(source_id, models)
            self._delete_originals(source_id)
            self._delete_documents(source_id, models)
        while self._delete_some("sync_sources", "delete_sync_sources", source_ids=source_ids, limit=_ROWS):
            pass
        if self.deletion.kind == "knowledge_base":
            self._delete_summaries(None, models)
            while self._delete_answers():
                pass
        files_removed = self.files.of_sources(source_ids)
        with self._batch() as (session, went):
            session.run("finish_deletion", id=self.deletion.id, files_removed=files_removed)
            for table, query in _OF_SOURCES.items():
                went[table] = session.run(query, source_ids=source_ids)
            if self.deletion.kind == "knowledge_base":
                for table, query in _OF_KNOWLEDGE_BASE.items():
                    went[table] = session.run(query, knowledge_base_id=self.deletion.row_id)
        return _deletion(self.database.one("get_deletion", id=self.deletion.id))

    def _delete_summaries(self, source_id: int | None, models: Sequence[str]) -> None:
        """Delete the summaries of a source, if one is given, and all above sources, unless a tree has them."""
        owner = {"source_id": source_id, "knowledge_base_id": None if source_id else self.deletion.row_id}
        with self._batch() as (session, went):
            session.run("hold_off_chunking")  # as for documents: a sync must find its vector, or see that there is none
            keys = [row["summary_key"] for row in session.rows("delete_summary_nodes", source_id=source_id)]
            summary_rows = session.rows("summaries_to_delete", **owner)
            hashes = delete_unused_among(session, [*keys, *(row["key"] for row in summary_rows)])
            went["summary_tree"], went["summaries"] = len(keys), len(hashes)
            went["embeddings"] = session.run("delete_embeddings", models=models, hashes=hashes)

    def _delete_questions(self, source_id: int, models: Sequence[str]) -> None:
        """Delete a source's questions with their vectors, unless another source has the same."""
        with self._batch() as (session, went):
            session.run("hold_off_chunking")
            session.run("lock_questions", source_id=source_id)
            hashes = [row["embedding_hash"] for row in session.rows("delete_suggestions", source_id=source_id)]
            went["suggestions"] = len(hashes)
            went["embeddings"] = session.run("delete_embeddings", models=models, hashes=sorted(set(hashes)))
            keys = [row["set_key"] for row in session.rows("delete_questions", source_id=source_id)]
            went["questions"] = len(keys)
            went["questioned_documents"] = session.run("delete_questioned_documents", source_id=source_id)
            went["question_sets"] = session.run("delete_question_sets", keys=keys, source_id=source_id)

    def _delete_originals(self, source_id: int) -> None:
        """Delete the files that only this source refers to, separately from rows, whose locks would wait for the files.

        If the store cannot be reached, housekeeping removes them later, because nothing refers to them.
        """
        with suppress(FilesUnavailableError):
            self._delete_reachable_originals(source_id)

    def _delete_reachable_originals(self, source_id: int) -> None:
        last_uri: str | None = ""
        while self._release_uploads(source_id):
            pass
        if not self.database.one("has_originals", source_id=source_id)["has_any"]:
            return
        while last_uri is not None:
            with self.database.transaction() as session:
                rows = session.rows("documents_to_delete", source_id=source_id, after=last_uri, limit=_DOCUMENTS)
                last_uri = rows[-1]["uri"] if rows else None
                released = session.rows("release_originals", document_ids=[row["id"] for row in rows])
                count = remove_unheld(session, list({row["hash"] for row in released}), self.files.original)
                session.run("count_removed_files", id=self.deletion.id, count=count)

    def _release_uploads(self, source_id: int) -> bool:
        with self.database.transaction() as session:
            released = session.rows("release_uploads", source_id=source_id, limit=_UPLOADS)
            count = remove_unheld(session, list({row["hash"] for row in released}), self.files.original)
            session.run("count_removed_files", id=self.deletion.id, count=count)
        return bool(released)

    def _delete_documents(self, source_id: int, models: list[str]) -> None:
        last_uri = ""
        while True:
            with self._batch() as (session, went):
                # First, because a waiting transaction must not hold rows that another needs.
                session.run("hold_off_chunking")
                rows = session.rows("documents_to_delete", source_id=source_id, after=last_uri, limit=_DOCUMENTS)
                if not rows:
                    return
                last_uri, ids = rows[-1]["uri"], [row["id"] for row in rows]
                hashes = [row["embedding_hash"] for row in session.rows("texts_of_documents", document_ids=ids)]
                went["version_chunks"] = session.run("delete_version_chunks", document_ids=ids)
                went["summaries"] = delete_with_chunks(session, ids)
                went["embeddings"] = session.run("delete_embeddings", models=models, hashes=hashes)
                for table, query in _OF_DOCUMENTS.items():
                    went[table] = session.run(query, document_ids=ids)

    def _delete_answers(self) -> bool:
        with self._batch() as (session, went):
            rows = session.rows("answers_to_delete", knowledge_base_id=self.deletion.row_id, limit=_ROWS)
            ids = [row["id"] for row in rows]
            went["citations"] = session.run("delete_citations", answer_ids=ids)
            went["feedback"] = session.run("delete_feedback", answer_ids=ids)
            went["answers"] = session.run("delete_answers", answer_ids=ids)
        return bool(ids)

    def _delete_some(self, table: str, query: str, **values: Any) -> int:
        with self._batch() as (session, went):
            went[table] = session.run(query, **values)
        return went[table]

    @contextmanager
    def _batch(self) -> Iterator[tuple[Session, Counter[str]]]:
        went: Counter[str] = Counter()
        with self.database.transaction() as session:
            session.run("lock_deleting")
            yield session, went
            removed = session.one("get_deletion", id=self.deletion.id)["removed"]
            if +went:
                session.run("add_to_deletion", id=self.deletion.id, removed=_counts(Counter(removed) + went))


# The order of tables in which rows are deleted: a table comes before those that it refers to.
_OF_DOCUMENTS = {
    "chunks": "delete_chunks",
    "chunk_sets": "delete_chunk_sets",
    "links": "delete_links",
    "link_sets": "delete_link_sets",
    "document_versions": "delete_document_versions",
    "documents": "delete_documents",
}
_OF_SOURCES = {
    "source_files": "delete_source_files", "source_stages": "delete_source_stages",
    "outside_runs": "delete_outside_runs", "sources": "delete_sources",
}  # fmt: skip
_OF_KNOWLEDGE_BASE = {
    "sync_spending": "delete_spending",
    "syncs": "delete_syncs",
    "conversations": "delete_conversations",
    "golden_questions": "delete_golden_questions",
    "evaluations": "delete_evaluations",
    "knowledge_bases": "delete_knowledge_base",
}


def _hide_entries(session: Session, knowledge_base_id: int, source_id: int) -> int:
    """Remove a source from every index and from its statistics; returns how many entries were removed."""
    values = {"knowledge_base_id": knowledge_base_id, "source_id": source_id}
    count = session.run("hide_entries_of_source", **values)
    count += session.run("hide_summaries_of_source", source_id=source_id)
    partitioned = [kind.name for kind in ENTRY_KINDS if kind.has_partitions]
    for row in session.rows("hide_weights_of_source", **values, partitioned=partitioned):
        scope = term_scope(row["search_index_id"])
        terms = {term ^ scope: -term_count for term, term_count in zip(row["terms"], row["counts"], strict=True)}
        counted = {"search_index_id": row["search_index_id"], "kind": row["kind"]}
        add_counts(session, counted, entries=-row["entry_count"], length=-row["length_sum"], terms=terms)
    return count


def _hide_sources(session: Session, source_ids: list[int]) -> Counter[str]:
    went = Counter(
        published_documents=session.run("hide_documents", source_ids=source_ids),
        publications=session.run("hide_publications", source_ids=source_ids),
    )
    session.run("cancel_syncs_of_sources", source_ids=source_ids)
    session.run("hide_sources", source_ids=source_ids)
    return went


def _insert(
    session: Session, kind: Literal["source", "knowledge_base"], key: str, row_id: int, went: Counter[str]
) -> Deletion:
    return _deletion(session.one("insert_deletion", kind=kind, key=key, row_id=row_id, removed=_counts(went)))


def _counts(went: Counter[str]) -> Any:
    """Rows by table, without empty tables."""
    return to_json(dict(+went))


def _deletion(row: Row) -> Deletion:
    return Deletion(**row)
