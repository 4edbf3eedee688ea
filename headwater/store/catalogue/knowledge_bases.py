"""Knowledge bases in Postgres.

Belongs here: creating, changing and finding them. Not here: their sources, deleting them (`deletions`). Guarantee: an
update without changes writes nothing; a deleted knowledge base is not found.
"""

from collections.abc import Sequence

from pydantic import ValidationError

from headwater.domain.closed_model import did_you_mean
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.wrong_fields import path_of, wrong_fields
from headwater.errors import AlreadyExistsError, InvalidConfigurationError, NotFoundError
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row, Session

_MAX_SLUG_CHARS = 64
_COMPARED = 1_000  # knowledge bases that a misspelt slug is compared with


class KnowledgeBaseStore:
    """The knowledge_bases table; with `visible`, as a caller who may see only these knowledge bases."""

    def __init__(self, database: Database, visible: frozenset[int] | None = None) -> None:
        self._database = database
        self._visible = None if visible is None else sorted(visible)

    def create(self, *, slug: str, name: str, description: str, settings: KnowledgeBaseSettings) -> KnowledgeBase:
        """Add a knowledge base.

        Raises:
            AlreadyExistsError: the slug is taken.
        """
        row = self._database.row(
            "insert_knowledge_base", slug=slug, name=name, description=description, settings=_to_stored(settings)
        )
        if row is None:
            raise AlreadyExistsError(
                f"There already is a knowledge base {slug}. Choose another slug, or change that one with `headwater "
                "apply` or PATCH."
            )
        return _knowledge_base(row)

    def get(self, slug: str) -> KnowledgeBase:
        """Return one knowledge base.

        Raises:
            NotFoundError: no knowledge base has this slug.
        """
        row = self._database.row("get_knowledge_base", slug=slug)
        if row is None or (self._visible is not None and row["id"] not in self._visible):
            raise unknown_knowledge_base_error(self._database, slug, self._visible)
        return _knowledge_base(row)

    def all(self, *, after: str = "", limit: int = 100) -> list[KnowledgeBase]:
        """Return knowledge bases by slug, those after a given one."""
        rows = self._database.rows("list_knowledge_bases", after=after, limit=limit, visible=self._visible)
        return [_knowledge_base(row) for row in rows]

    def update(
        self,
        slug: str,
        *,
        new_slug: str | None = None,
        name: str | None = None,
        description: str | None = None,
        settings: KnowledgeBaseSettings | None = None,
    ) -> tuple[KnowledgeBase, bool]:
        """Change the given fields; returns the knowledge base afterwards, and whether anything changed.

        Raises:
            NotFoundError: no knowledge base has this slug.
            AlreadyExistsError: the new slug is taken.
        """
        with self._database.transaction() as session:
            row = session.row("lock_knowledge_base", slug=slug)
            if row is None:
                raise unknown_knowledge_base_error(session, slug, self._visible)
            old = _knowledge_base(row)
            if new_slug is not None and new_slug != slug and session.row("get_knowledge_base", slug=new_slug):
                raise AlreadyExistsError(f"There already is a knowledge base {new_slug}.")
            updated_row = session.row(
                "update_knowledge_base",
                slug=slug,
                new_slug=new_slug or slug,
                name=old.name if name is None else name,
                description=old.description if description is None else description,
                settings=_to_stored(settings or old.settings),
            )
        return (_knowledge_base(updated_row), True) if updated_row else (old, False)

    def categories(self, knowledge_base: KnowledgeBase) -> dict[str, int]:
        """Count the visible documents of each category."""
        rows = self._database.rows("categories_of_knowledge_base", knowledge_base_id=knowledge_base.id)
        return {row["category"]: row["document_count"] for row in rows}

    def index_digest(self, slug: str) -> tuple[str, str | None]:
        """Return a digest of everything that the search index depends on, and that of its last refresh."""
        row = self._database.row("knowledge_base_digest", slug=slug)
        if row is None:
            raise unknown_knowledge_base_error(self._database, slug, self._visible)
        return row["digest"], row["index_digest"]

    def changed(self) -> dict[str, str]:
        """Return what the search index depends on now, by slug, where it was last refreshed from something else.

        Those that a Dagster project manages are left out: it refreshes them.
        """
        rows = self._database.rows("knowledge_base_digest", slug=None)
        changed_rows = [row for row in rows if row["digest"] != row["index_digest"] and row["managed_by"] is None]
        return {row["slug"]: row["digest"] for row in changed_rows}

    def set_manager(self, knowledge_base: KnowledgeBase, managed_by: str | None) -> None:
        """Set the Dagster project that manages a knowledge base; None for nobody."""
        self._database.run("set_manager_of_knowledge_base", id=knowledge_base.id, managed_by=managed_by)

    def set_index_digest(self, slug: str, digest: str) -> None:
        """Store the digest of the last refresh."""
        self._database.run("set_index_digest", slug=slug, digest=digest)


def find_knowledge_base(database: Session | Database, slug: str) -> KnowledgeBase:
    """Return one knowledge base, as a transaction sees it or as it is now.

    Raises:
        NotFoundError: no knowledge base has this slug.
    """
    row = database.row("get_knowledge_base", slug=slug)
    if row is None:
        raise unknown_knowledge_base_error(database, slug)
    return _knowledge_base(row)


def unknown_knowledge_base_error(
    database: Session | Database, slug: str, visible: Sequence[int] | None = None
) -> NotFoundError:
    """The error for an unknown slug: it suggests the one that was probably meant.

    Args:
        database: where the knowledge bases are.
        slug: the unknown one.
        visible: the ids of those that the caller may see, if not all: no other may be named.
    """
    rows = database.rows(
        "list_knowledge_bases", after="", limit=_COMPARED, visible=None if visible is None else list(visible)
    )
    short_slug = slug[:_MAX_SLUG_CHARS]
    return NotFoundError(
        f"There is no knowledge base {short_slug}. {did_you_mean(short_slug, (row['slug'] for row in rows))}"
    )


def _to_stored(settings: KnowledgeBaseSettings) -> object:
    """Store only settings that were chosen, so that a better default reaches everyone who did not choose."""
    return to_json(settings.model_dump(exclude_defaults=True))


def _knowledge_base(row: Row) -> KnowledgeBase:
    try:
        settings = KnowledgeBaseSettings.model_validate(row["settings"])
    except ValidationError as error:
        wrong = "; ".join(f"{path_of(field.place) or 'settings'}: {field.message}" for field in wrong_fields(error))
        raise InvalidConfigurationError(
            f"The stored settings of {row['slug']} are not valid any more: {wrong}"
        ) from error
    return KnowledgeBase(
        id=row["id"],
        slug=row["slug"],
        name=row["name"],
        description=row["description"],
        settings=settings,
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        managed_by=row["managed_by"],
    )
