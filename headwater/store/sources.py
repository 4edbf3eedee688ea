"""Sources in Postgres.

Belongs here: registering, changing and deleting them. Not here: syncing. Guarantee: an unchanged registration writes
nothing; deleting takes the source's documents, chunks, vectors and entries, and marks only the answers that cited it
stale.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.errors import AlreadyExistsError, NotFoundError
from headwater.models import Source, SourceState
from headwater.store.database import Database, Row
from headwater.store.json_values import to_json
from headwater.store.knowledge_bases import find_knowledge_base, release


class SourceStore:
    """The sources table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, knowledge_base: str, *, slug: str, kind: str, config: Mapping[str, Any]) -> Source:
        """Register a source; it stays pending until its first sync.

        Raises:
            NotFoundError: there is no such knowledge base.
            AlreadyExistsError: the slug is taken within it.
        """
        with self._database.transaction() as session:
            owner = find_knowledge_base(session, knowledge_base)
            row = session.row(
                "insert_source", knowledge_base_id=owner.id, slug=slug, kind=kind, config=to_json(dict(config))
            )
        if row is None:
            raise AlreadyExistsError(
                f"There is a source {knowledge_base}/{slug} already. Change it with PATCH or apply."
            )
        return self.get(knowledge_base, slug)

    def update(self, source: Source, *, kind: str, config: Mapping[str, Any]) -> bool:
        """Change what differs; returns whether anything did."""
        with self._database.transaction() as session:
            return session.row("update_source", id=source.id, kind=kind, config=to_json(dict(config))) is not None

    def get(self, knowledge_base: str, slug: str) -> Source:
        """Return one source.

        Raises:
            NotFoundError: there is none by that name.
        """
        with self._database.transaction() as session:
            find_knowledge_base(session, knowledge_base)
            row = session.row("list_sources", knowledge_base=knowledge_base, slug=slug)
        if row is None:
            raise NotFoundError(
                f"There is no source {slug} in {knowledge_base}. `headwater status` lists those that exist."
            )
        return _source(row)

    def all(self, knowledge_base: str | None = None) -> list[Source]:
        """Return the sources of one knowledge base, or of all.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        with self._database.transaction() as session:
            if knowledge_base is not None:
                find_knowledge_base(session, knowledge_base)
            return [_source(row) for row in session.rows("list_sources", knowledge_base=knowledge_base, slug=None)]

    def select(self, knowledge_base: str, slugs: Sequence[str]) -> list[Source]:
        """Return the named sources, or all of a knowledge base when none is named.

        Raises:
            NotFoundError: there is no such knowledge base or source.
        """
        known = self.all(knowledge_base)
        missing = sorted(set(slugs) - {source.slug for source in known})
        if missing:
            raise NotFoundError(f"There is no source {', '.join(missing)} in {knowledge_base}.")
        return [source for source in known if not slugs or source.slug in slugs]

    def delete(self, knowledge_base: str, slug: str) -> None:
        """Remove a source and all that came from it.

        Raises:
            NotFoundError: there is none by that name.
        """
        with self._database.transaction() as session:
            release(session, knowledge_base, slug)
            session.run("mark_answers_stale", slug=knowledge_base, source=slug)
            if not session.run("delete_source", slug=knowledge_base, source=slug):
                raise NotFoundError(f"There is no source {slug} in {knowledge_base}.")
            session.run("delete_released_embeddings")


def _source(row: Row) -> Source:
    return Source(
        id=row["id"],
        knowledge_base_id=row["knowledge_base_id"],
        knowledge_base=row["knowledge_base"],
        slug=row["slug"],
        kind=row["kind"],
        config=row["config"],
        state=SourceState(row["state"]),
        error=row["error"],
        document_count=row["document_count"],
        synced_at=row["synced_at"],
        created_at=row["created_at"],
    )
