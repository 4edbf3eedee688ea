"""What visitors of widgets asked, and the daily budgets, in Postgres (INT-2).

Belongs here: these two tables. Not here: widgets (`headwater.store.access.widgets`), answers (`answers`). Guarantee: of
any number of questions at once, in any number of processes, no more are counted than the budget allows; the cost of an
answer is added once, also if its process was killed; a visitor's question is found only for that visitor.
"""

from datetime import datetime
from uuid import UUID

from headwater.domain.answers import Turn
from headwater.domain.conversations import Vote
from headwater.domain.widgets import MAX_TURNS, Visitor, Widget, WidgetDay, WidgetQuestion
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text
from headwater.store.server.typed_rows import from_row


class WidgetQuestionStore:
    """The tables widget_days and widget_questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, visitor: Visitor, question_id: UUID, follows: UUID | None) -> bool:
        """Take a question of the budget of today (UTC) before its answer begins; False if the budget is spent."""
        widget, settings = visitor.widget, visitor.widget.settings
        self.add_costs(widget)
        with self._database.transaction() as session:
            row = session.row(
                "count_widget_question",
                widget_id=widget.id,
                most_questions=settings.questions_per_day,
                most_cost=settings.cost_per_day,
            )
            if row is not None:
                session.run(
                    "insert_widget_question",
                    id=question_id,
                    widget_id=widget.id,
                    visitor=visitor.id,
                    follows=follows,
                    day=row["day"],
                )
        return row is not None

    def give_back(self, question_id: UUID) -> None:
        """Give a question back to the budget, because its answer could not begin."""
        self._database.run("return_widget_question", id=question_id)

    def add_costs(self, widget: Widget) -> None:
        """Add the costs of answers that have ended since."""
        self._database.run("add_widget_costs", widget_id=widget.id)

    def add_search_cost(self, widget: Widget, cost: float) -> None:
        """Add what a search cost, in US dollars, to the budget of today (UTC)."""
        self._database.run("add_widget_search_cost", widget_id=widget.id, cost=cost)

    def serve(self, question_id: UUID, answer_id: UUID) -> None:
        """Note that a stored answer serves a question."""
        self._database.run("serve_widget_question", id=question_id, answer_id=answer_id)

    def get(self, visitor: Visitor, question_id: UUID) -> WidgetQuestion | None:
        """Return a question of a visitor; None if there is none, or it is another's."""
        row = self._database.row("widget_question", id=question_id, widget_id=visitor.widget.id, visitor=visitor.id)
        return from_row(WidgetQuestion, row) if row else None

    def conversation(self, visitor: Visitor, question_id: UUID) -> list[Turn]:
        """Return a visitor's question and those that it follows, oldest first, as far as their answers are complete."""
        rows = self._database.rows(
            "widget_conversation",
            id=question_id,
            widget_id=visitor.widget.id,
            visitor=visitor.id,
            limit=MAX_TURNS,
        )
        return [from_row(Turn, row) for row in rows]

    def vote(self, question: WidgetQuestion, vote: Vote, comment: str) -> bool:
        """Store a visitor's vote; False if the answer is not stored."""
        return bool(self._database.run("vote_widget_question", id=question.id, vote=vote, comment=clean_text(comment)))

    def days(self, widget: Widget, limit: int = 1) -> list[WidgetDay]:
        """Return what a widget used of its budget, newest day first; the first one is today (UTC)."""
        self.add_costs(widget)
        rows = self._database.rows("widget_days", widget_id=widget.id, limit=limit)
        return [from_row(WidgetDay, row) for row in rows]

    def votes(self, widget: Widget) -> tuple[int, int]:
        """Return how many answers visitors voted up and down in the last 30 days."""
        row = self._database.one("widget_votes", widget_id=widget.id)
        return int(row["up"]), int(row["down"])

    def prune(self, before: datetime) -> int:
        """Forget what was asked before a time; returns how many questions."""
        return self._database.run("delete_old_widget_questions", before=before)
