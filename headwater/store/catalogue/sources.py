"""Sources in Postgres.

Belongs here: registering, changing and choosing them. Not here: syncing them, deleting them (`deletions`).
Guarantee: a registration without changes writes nothing; a source that is being deleted is never chosen, and its slug
is free.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.domain.closed_model import did_you_mean
from headwater.domain.corpus import Source, SourceName, SourceState
from headwater.domain.plurals import join_names
from headwater.domain.search import SearchFilters
from headwater.domain.skips import read_skipped
from headwater.domain.source_settings import SourceSettings, next_tick
from headwater.errors import AlreadyExistsError, ConflictError, InvalidInputError, NotFoundError, SourcePausedError
from headwater.store.catalogue.knowledge_bases import find_knowledge_base
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row, Session
from headwater.store.server.typed_rows import from_row

_DEFAULTS = SourceSettings()
_CLOCKS = timedelta(seconds=30)  # by which this machine's clock may be behind Postgres', which says what is due


class SourceStore:
    """The sources table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        knowledge_base: str,
        *,
        slug: str,
        kind: str,
        config: Mapping[str, Any],
        settings: SourceSettings = _DEFAULTS,
    ) -> Source:
        """Register a source; it stays pending until its first sync.

        Raises:
            NotFoundError: there is no such knowledge base.
            AlreadyExistsError: the slug is taken within it.
        """
        with self._database.transaction() as session:
            owner = find_knowledge_base(session, knowledge_base)
            row = session.row("insert_source", knowledge_base_id=owner.id, slug=slug, **_values(kind, config, settings))
            if row is None:
                find_knowledge_base(session, knowledge_base)  # raises if it was deleted meanwhile
                raise AlreadyExistsError(
                    f"There already is a source {knowledge_base}/{slug}. Change it with PATCH or apply."
                )
        return self.get(knowledge_base, slug)

    def update(self, source: Source, *, kind: str, config: Mapping[str, Any], settings: SourceSettings) -> bool:
        """Change the fields that differ; returns whether any did.

        Raises:
            ConflictError: it is being deleted.
        """
        if source.state == SourceState.DELETING:
            raise _deleting_error([source])
        with self._database.transaction() as session:
            is_changed = session.row("update_source", id=source.id, **_values(kind, config, settings)) is not None
            if (source.tags, source.category) != (settings.tags, settings.category):  # filters find other documents
                session.run("revise_source", source_id=source.id)
            return is_changed

    def get(self, knowledge_base: str, slug: str) -> Source:
        """Return one source; one that is being deleted only if no other has its slug.

        Raises:
            NotFoundError: no source has this name.
        """
        find_knowledge_base(self._database, knowledge_base)
        sources = _list(self._database, knowledge_base=knowledge_base, slug=slug, with_deleting=True)
        if not sources:
            known_slugs = (name.source for name in self.names(knowledge_base))
            raise NotFoundError(f"There is no source {slug} in {knowledge_base}. {did_you_mean(slug, known_slugs)}")
        return sources[0]

    def all(self, knowledge_base: str | None = None, *, with_deleting: bool = False) -> list[Source]:
        """Return the sources of one knowledge base, or of all.

        Args:
            knowledge_base: its slug.
            with_deleting: whether to include those that are being deleted, for people to see; nothing can be done with
                them.

        Raises:
            NotFoundError: there is no such knowledge base.
        """
        if knowledge_base is not None:
            find_knowledge_base(self._database, knowledge_base)
        return _list(self._database, knowledge_base=knowledge_base, with_deleting=with_deleting)

    def names(self, knowledge_base: str | None = None) -> list[SourceName]:
        """Return the names of a knowledge base's sources, or of all, without those that are being deleted.

        This is a fiftieth of the work of `all`, which counts documents.
        """
        rows = self._database.rows("source_names", knowledge_base=knowledge_base)
        return [from_row(SourceName, row) for row in rows]

    def select(self, knowledge_base: str, slugs: Sequence[str]) -> list[Source]:
        """Return the named sources or, without names, all of a knowledge base that are not paused.

        Raises:
            NotFoundError: there is no such knowledge base or source.
            SourcePausedError: a named one is paused, or all are.
            ConflictError: a named one is being deleted.
        """
        every = self.all(knowledge_base, with_deleting=True)
        by_slug = {source.slug: source for source in reversed(every)}  # of two, the one that is not being deleted
        if missing := sorted(set(slugs) - by_slug.keys()):
            raise NotFoundError(
                f"There is no source {join_names(missing)} in {knowledge_base}. {did_you_mean(missing[0], by_slug)}"
            )
        selected = [source for slug, source in sorted(by_slug.items()) if not slugs or slug in slugs]
        live = [source for source in selected if source.state != SourceState.DELETING]
        if slugs and len(live) < len(selected):
            raise _deleting_error([source for source in selected if source.state == SourceState.DELETING])
        ready = [source for source in live if source.paused_at is None]
        if live and (not ready or (slugs and len(ready) < len(live))):
            raise _paused_error([source for source in live if source.paused_at is not None])
        return ready

    def due(self, now: datetime | None = None) -> list[Source]:
        """Return the sources whose interval has passed since their last sync ended, or whose schedule has come to pass.

        One with an interval that was never synced is due at once.

        Those that are paused or being deleted, and those whose sync is waiting or running, are left out.

        Args:
            now: the time to use; by default the database's own.
        """
        with self._database.transaction() as session:
            ids = [row["id"] for row in session.rows("due_sources", now=now)]
            return _list(session, ids=ids) if ids else []

    def pass_tick(self, source: Source, now: datetime | None = None) -> None:
        """Note that a sync of a scheduled source was requested: its schedule next makes it due after `now`."""
        tick = next_tick(source.schedule, source.time_zone, now or datetime.now(UTC) + _CLOCKS)
        values = {"schedule": source.schedule, "time_zone": source.time_zone, "scheduled_at": tick}
        self._database.run("pass_tick", id=source.id, **values)

    def set_manager(self, source: Source, managed_by: str | None) -> None:
        """Set the Dagster project that manages a source; None for nobody."""
        self._database.run("set_manager_of_source", id=source.id, managed_by=managed_by)

    def confirm_deletions(self, sources: Sequence[Source]) -> list[Source]:
        """Agree that the next sync of some sources removes as many documents as the last one held back.

        Returns:
            Those that had held any back.
        """
        ids = {
            row["id"] for row in self._database.rows("confirm_deletions", source_ids=[source.id for source in sources])
        }
        return [source for source in sources if source.id in ids]

    def await_sync(self, source: Source) -> None:
        """Make a source due for another sync as soon as the running one ends."""
        self._database.run("await_sync", source_id=source.id)

    def ids(self) -> set[int]:
        """Return the id of every source that has a row, whatever its state."""
        return {row["id"] for row in self._database.rows("source_ids")}


def filter_sources(session: Session, knowledge_base_id: int, filters: SearchFilters) -> dict[str, list[int] | None]:
    """Resolve filters to the sources of a knowledge base.

    Returns:
        `source_ids`, to which a search is limited (None for all), and `category_source_ids` and `tag_source_ids`, whose
        documents all belong to one of the categories, or have one of the tags.

    Raises:
        InvalidInputError: a filter names a source that does not exist.
    """
    if not (filters.sources or filters.categories or filters.tags):
        return {"source_ids": None, "category_source_ids": None, "tag_source_ids": []}
    rows = session.rows(
        "filtered_sources",
        knowledge_base_id=knowledge_base_id,
        categories=list(filters.categories),
        tags=list(filters.tags),
    )
    if missing := sorted(set(filters.sources) - {row["slug"] for row in rows}):
        meant = did_you_mean(missing[0], (row["slug"] for row in rows))
        raise InvalidInputError(f"filters.sources: this knowledge base has no source {join_names(missing)}. {meant}")
    return {
        "source_ids": [row["id"] for row in rows if row["slug"] in filters.sources] if filters.sources else None,
        "category_source_ids": [row["id"] for row in rows if row["is_in_category"]],
        "tag_source_ids": [row["id"] for row in rows if row["has_tag"]],
    }


def _list(
    database: Session | Database,
    *,
    knowledge_base: str | None = None,
    slug: str | None = None,
    ids: list[int] | None = None,
    with_deleting: bool = False,
) -> list[Source]:
    rows = database.rows("list_sources", knowledge_base=knowledge_base, slug=slug, ids=ids, with_deleting=with_deleting)
    return [_source(row) for row in rows]


def _values(kind: str, config: Mapping[str, Any], settings: SourceSettings) -> dict[str, Any]:
    tick = next_tick(settings.schedule, settings.time_zone, datetime.now(UTC))
    fields = {**settings.model_dump(), "tags": list(settings.tags), "scheduled_at": tick}
    return {**fields, "kind": kind, "config": to_json(dict(config))}


def _deleting_error(sources: Sequence[Source]) -> ConflictError:
    keys = ", ".join(source.key for source in sources)
    return ConflictError(f"{keys} is being deleted. To keep using it, register it again.")


def _paused_error(sources: Sequence[Source]) -> SourcePausedError:
    keys = ", ".join(source.key for source in sources)
    return SourcePausedError(
        f"{keys} is paused. To sync it again, set `paused: false` in the knowledge base file and run `headwater apply "
        'FILE`, or send {"paused": false} with PATCH to the source.'
    )


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
        refresh_seconds=row["refresh_seconds"],
        schedule=row["schedule"],
        time_zone=row["time_zone"],
        tags=tuple(row["tags"]),
        category=row["category"],
        paused_at=row["paused_at"],
        synced_at=row["synced_at"],
        verified_at=row["verified_at"],
        drift_share=row["drift_share"],
        next_sync_at=row["next_sync_at"],
        created_at=row["created_at"],
        deletion_guard=row["deletion_guard"],
        held_deletions=row["held_deletions"],
        confirmed_deletions=row["confirmed_deletions"],
        skipped=read_skipped(row["skipped"] or ()),
        managed_by=row["managed_by"],
        workers=row["workers"],
    )
