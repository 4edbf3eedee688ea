"""Overviews of knowledge bases and sources in Postgres, for people.

Belongs here: reading what pages show at a glance. Not here: the rows themselves (`knowledge_bases`, `sources`).
Guarantee: nothing is written; an overview is one query, however many knowledge bases or sources there are.
"""

from dataclasses import asdict
from uuid import UUID

from headwater.domain.access import EVERY_READER, Reader
from headwater.domain.corpus import KnowledgeBase, Source
from headwater.domain.overviews import (
    DocumentOverview,
    KnowledgeBaseOverview,
    OpenPart,
    QuestionOverview,
    SourceDocument,
)
from headwater.store.catalogue.knowledge_bases import find_knowledge_base
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row

_RECENT = 1_000  # answers among which the slowest and the refused are looked for


class OverviewStore:
    """Knowledge bases, sources and documents at a glance; with `visible`, as a caller who may see only these."""

    def __init__(
        self, database: Database, visible: frozenset[int] | None = None, reader: Reader = EVERY_READER
    ) -> None:
        """Take the database; `reader` is whose conversations questions may come from."""
        self._database = database
        self._visible = None if visible is None else sorted(visible)
        self._reader = reader

    def knowledge_bases(self, *, after: str = "", named: str = "", limit: int = 100) -> list[KnowledgeBaseOverview]:
        """Return knowledge bases by slug.

        Args:
            after: only those after this slug.
            named: only those whose name, slug or description contains this text, whatever its case.
            limit: at most this many.
        """
        rows = self._database.rows(
            "overview_knowledge_bases", after=after, named=named, limit=limit, visible=self._visible
        )
        return [from_row(KnowledgeBaseOverview, row) for row in rows]

    def open_parts(self, knowledge_base: str) -> dict[int, OpenPart]:
        """Return the work that waits or runs, by the id of its source; of several, the one that is furthest.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        with self._database.transaction() as session:
            owner = find_knowledge_base(session, knowledge_base)
            rows = session.rows("overview_open_parts", knowledge_base_id=owner.id)
        return {row["source_id"]: from_row(OpenPart, row) for row in rows}

    def documents(
        self, source: Source, *, after: str = "", limit: int = 50, with_uploads: bool = True, only_failed: bool = False
    ) -> list[SourceDocument]:
        """Return the documents of a source by URI, and those that its last sync could not read.

        Args:
            source: the source.
            after: only those after this URI.
            limit: at most this many.
            with_uploads: whether those of uploaded files are among them.
            only_failed: only those that could not be read.
        """
        rows = self._database.rows(
            "overview_documents",
            source_id=source.id,
            after=after,
            limit=limit,
            with_uploads=with_uploads,
            only_failed=only_failed,
        )
        return [from_row(SourceDocument, row) for row in rows]

    def all_documents(
        self,
        knowledge_base: KnowledgeBase,
        *,
        source: str = "",
        text: str = "",
        after: UUID | None = None,
        limit: int = 50,
    ) -> list[DocumentOverview]:
        """Return the documents of a knowledge base by URI, also removed ones.

        Args:
            knowledge_base: the knowledge base.
            source: only those of the source with this slug.
            text: only those whose title or URI contains this text, whatever its case.
            after: only those after the document with this id; none if there is no such document.
            limit: at most this many.
        """
        rows = self._database.rows(
            "overview_all_documents",
            knowledge_base_id=knowledge_base.id,
            source=source,
            text=text,
            after=after,
            limit=limit,
        )
        return [from_row(DocumentOverview, row) for row in rows]

    def questions(
        self, knowledge_base: KnowledgeBase, *, refused: bool = False, limit: int = 10
    ) -> list[QuestionOverview]:
        """Return stored questions of the newest answers: those that took longest, or the newest that were refused."""
        rows = self._database.rows(
            "overview_questions",
            knowledge_base_id=knowledge_base.id,
            refused=refused,
            among=_RECENT,
            limit=limit,
            **asdict(self._reader),
        )
        return [from_row(QuestionOverview, row) for row in rows]
