"""What syncs paid models for, by day, in Postgres.

Belongs here: adding it up, reading it. Not here: what answers cost (`answers`). Guarantee: it is added up in the
transaction that stores what was paid for; it stays when that is deleted, until the knowledge base is.
"""

from collections.abc import Sequence

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.usage import DayUsage, Usage, UsageKind
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session


class SpendingStore:
    """The sync_spending table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def by_day(self, knowledge_base: KnowledgeBase, days: int) -> list[DayUsage]:
        """What the syncs of the last days cost, today (UTC) included, by day, source and model, newest first."""
        rows = self._database.rows("spending_by_day", knowledge_base_id=knowledge_base.id, days=days)
        return [
            DayUsage(
                day=row["day"],
                kind=row["kind"],
                source=row["source"],
                model=row["model"],
                count=row["made_count"],
                usage=Usage(
                    prompt_tokens=row["prompt_tokens"],
                    completion_tokens=row["completion_tokens"],
                    cost=row["cost_usd"],
                ),
            )
            for row in rows
        ]

    def of_run(self, knowledge_base: KnowledgeBase, run_id: str) -> int:
        """How many tokens a run has taken for the summaries and questions of a knowledge base."""
        return int(self._database.one("tokens_of_run", knowledge_base_id=knowledge_base.id, run_id=run_id)["tokens"])


def add_spending(
    session: Session,
    kind: UsageKind,
    usages: Sequence[Usage],
    *,
    model: str,
    source_id: int | None = None,
    knowledge_base_id: int | None = None,
) -> None:
    """Add what was paid, within a transaction, to today's spending of a source, or of a whole knowledge base."""
    if usages:
        total = sum(usages, Usage())
        session.run(
            "add_spending",
            kind=kind,
            model=model,
            source_id=source_id,
            knowledge_base_id=knowledge_base_id,
            made_count=len(usages),
            prompt_tokens=total.prompt_tokens,
            completion_tokens=total.completion_tokens,
            cost_usd=total.cost,
        )
