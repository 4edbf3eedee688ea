"""Widgets in Postgres (INT-2).

Belongs here: the rows of widgets. Not here: what visitors asked (`headwater.store.work.widget_questions`), checks
(`headwater.administration.widgets`). Guarantee: a widget of a deleted knowledge base is not found.
"""

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.widgets import Widget, WidgetSettings
from headwater.errors import AlreadyExistsError, NotFoundError
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row


class WidgetStore:
    """The table widgets."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, knowledge_base: str) -> list[Widget]:
        """Return the widgets of a knowledge base, by slug."""
        rows = self._database.rows("list_widgets", knowledge_base=knowledge_base, slug=None)
        return [_widget(row) for row in rows]

    def get(self, knowledge_base: str, slug: str) -> Widget:
        """Return one widget.

        Raises:
            NotFoundError: there is no such widget.
        """
        row = self._database.row("list_widgets", knowledge_base=knowledge_base, slug=slug)
        if row is None:
            raise NotFoundError(f"{knowledge_base} has no widget {slug}.")
        return _widget(row)

    def by_id(self, widget_id: str) -> Widget | None:
        """Return the widget with a public id; None if there is none."""
        row = self._database.row("widget_by_id", id=widget_id)
        return _widget(row) if row else None

    def add(
        self, knowledge_base: KnowledgeBase, slug: str, settings: WidgetSettings, *, widget_id: str, secret: bytes
    ) -> Widget:
        """Store a new widget.

        Raises:
            AlreadyExistsError: the knowledge base has a widget with this slug.
        """
        row = self._database.row(
            "insert_widget",
            id=widget_id,
            knowledge_base_id=knowledge_base.id,
            slug=slug,
            settings=to_json(settings.model_dump(mode="json")),
            secret=secret,
        )
        if row is None:
            raise AlreadyExistsError(f"{knowledge_base.slug} has a widget {slug} already. Choose another name.")
        return self.get(knowledge_base.slug, slug)

    def update(self, widget: Widget, settings: WidgetSettings) -> bool:
        """Store other settings; returns whether they differ."""
        values = to_json(settings.model_dump(mode="json"))
        return self._database.row("update_widget", id=widget.id, settings=values) is not None

    def remove(self, widget: Widget) -> None:
        """Delete a widget with the use of its budget and its visitors' questions; their answers stay."""
        self._database.run("delete_widget", id=widget.id)

    def origins(self) -> list[str]:
        """Return every origin, or pattern of origins, that may use some widget."""
        return [row["origin"] for row in self._database.rows("widget_origins")]


def _widget(row: Row) -> Widget:
    fields = {
        name: row[name] for name in ("id", "knowledge_base_id", "knowledge_base", "slug", "created_at", "updated_at")
    }
    return Widget(**fields, settings=WidgetSettings.model_validate(row["settings"]), secret=bytes(row["secret"]))
