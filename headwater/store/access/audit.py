"""The audit in Postgres: who changed what, and when (API-6).

Belongs here: its rows. Not here: which changes are noted (`headwater.administration`). Guarantee: entries are added
and, when their retention period is over, deleted; nothing changes one.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from headwater.domain.access import Actor, AuditEntry
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text, to_json
from headwater.store.server.typed_rows import from_row

_MAX_TARGET_CHARS = 500  # characters of a target


class AuditStore:
    """The table audit_entries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, actor: Actor, action: str, target: str, details: Mapping[str, Any]) -> None:
        """Note a change, in the transaction that makes it if there is one (`Database.together`)."""
        self._database.run(
            "insert_audit_entry",
            actor_kind=actor.kind,
            actor_id=actor.id,
            key_id=actor.key_id,
            action=action,
            target=clean_text(target)[:_MAX_TARGET_CHARS],
            details=to_json(dict(details)),
        )

    def all(
        self, *, action: str | None = None, target: str | None = None, before: int | None = None, limit: int = 50
    ) -> list[AuditEntry]:
        """Return entries, newest first, those before a given one; with an action or a target only these."""
        rows = self._database.rows("list_audit_entries", action=action, target=target, before=before, limit=limit)
        return [from_row(AuditEntry, row) for row in rows]

    def find(
        self, *, who: str, what: str, target: str, since: datetime | None, until: datetime | None,
        before: int | None = None, limit: int = 50,
    ) -> list[AuditEntry]:  # fmt: skip
        """Return entries, newest first.

        Args:
            who: a part of the actor, its id, or the name of its key; empty for everybody.
            what: an action; empty for all.
            target: a part of what was changed; empty for everything.
            since: lists only entries from this time on.
            until: lists only entries from before this time.
            before: lists only entries from before this one.
            limit: the maximum number of entries.
        """
        rows = self._database.rows(
            "find_audit_entries", who=clean_text(who), what=clean_text(what), target=clean_text(target),
            since=since, until=until, before=before, limit=limit,
        )  # fmt: skip
        return [from_row(AuditEntry, row) for row in rows]

    def actions(self) -> list[str]:
        """Return the actions of the entries that are kept."""
        return [row["action"] for row in self._database.rows("audit_actions")]

    def prune(self, before: datetime) -> int:
        """Delete the entries from before a time; returns how many."""
        return self._database.run("delete_old_audit_entries", before=before)
