"""Shapes of keys and of the audit.

Belongs here: bodies, queries and responses. Not here: keys themselves (`headwater.administration.keys`). Guarantee:
only `CreatedKeyPayload` has a secret.
"""

from datetime import datetime, timedelta
from typing import Any, Literal, Self

from pydantic import BaseModel, Field

from headwater.administration.keys import GRACE
from headwater.domain.access import ApiKey, AuditEntry, Scope, ShownKey
from headwater.domain.corpus import Slug
from query_api.request_shapes import Body

_HOURS = int(GRACE.total_seconds() // 3600)


class KeyPath(BaseModel):
    """A key by its id."""

    id: str


class NewKey(Body):
    """A key to make; without `knowledge_bases` it opens all of them, without `expires_at` it never ends."""

    name: str = Field(min_length=1, max_length=100)
    scope: Literal["read", "bot", "write", "admin"] = "read"
    knowledge_bases: list[Slug] | None = Field(default=None, min_length=1, max_length=1000)
    expires_at: datetime | None = None


class Rotation(Body):
    """For how many hours the old secret of a key stays valid."""

    grace_hours: float = Field(default=_HOURS, ge=0, le=720)

    @property
    def grace(self) -> timedelta:
        """The same for the kernel."""
        return timedelta(hours=self.grace_hours)


class AuditQuery(BaseModel):
    """A part of the audit: the changes before a given one, with `action` or `target` only these."""

    action: str | None = Field(default=None, max_length=100)
    target: str | None = Field(default=None, max_length=500)
    after: int | None = Field(default=None, ge=1, lt=2**63)
    limit: int = Field(default=50, ge=1, le=200)


class KeyPayload(BaseModel):
    """A key without its secret; `state` is active, expired or revoked, `knowledge_bases` null for all."""

    id: str
    name: str
    scope: Scope
    state: Literal["active", "expired", "revoked"]
    knowledge_bases: list[str] | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    old_secret_until: datetime | None

    @classmethod
    def of(cls, key: ApiKey) -> Self:
        """The payload for a key."""
        is_over = key.expires_at is not None and key.expires_at <= datetime.now(key.expires_at.tzinfo)
        state = "revoked" if key.revoked_at else "expired" if is_over else "active"
        fields = {name: getattr(key, name) for name in cls.model_fields if name != "state"}
        return cls.model_validate({**fields, "state": state})


class CreatedKeyPayload(KeyPayload):
    """A key with its text, which cannot be shown again."""

    key: str

    @classmethod
    def shown(cls, made: ShownKey) -> Self:
        """The payload for a key that was just made or rotated."""
        return cls(**KeyPayload.of(made.key).model_dump(), key=made.text)


class KeyList(BaseModel):
    """All keys, newest first."""

    keys: list[KeyPayload]

    @classmethod
    def of(cls, keys: list[ApiKey]) -> Self:
        """The payload for keys."""
        return cls(keys=[KeyPayload.of(key) for key in keys])


class AuditPayload(BaseModel):
    """A change: who made it, when, what, of what.

    `actor` is key, session, command_line, anyone (no key was needed) or process; `actor_id` the id of the key or the
    session, or the user of the command line; `key` the key that a session was opened with.
    """

    id: int
    happened_at: datetime
    actor: str
    actor_id: str
    key: str | None
    action: str
    target: str
    details: dict[str, Any]

    @classmethod
    def of(cls, entry: AuditEntry) -> Self:
        """The payload for an entry."""
        return cls(
            id=entry.id,
            happened_at=entry.happened_at,
            actor=entry.actor_kind,
            actor_id=entry.actor_id,
            key=entry.key_id,
            action=entry.action,
            target=entry.target,
            details=dict(entry.details),
        )


class AuditPage(BaseModel):
    """Changes, newest first; `next` is the `after` of the next page, null at the end."""

    changes: list[AuditPayload]
    next: int | None

    @classmethod
    def of(cls, found: list[AuditEntry], limit: int) -> Self:
        """A page of at most `limit` of the entries found."""
        page = found[:limit]
        following = page[-1].id if len(found) > limit else None
        return cls(changes=[AuditPayload.of(entry) for entry in page], next=following)
