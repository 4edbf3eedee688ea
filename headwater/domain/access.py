"""Who calls, and what a caller may do (API-6).

Belongs here: scopes, keys, callers, actors, entries of the audit, buckets of rate limits. Not here: checking a secret
(`headwater.administration.callers`), which route needs which scope (the route says it). Guarantee: a secret has
no repr, and is in no object but the one that shows it once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

ActorKind = Literal["key", "session", "command_line", "anyone", "process"]
"""`anyone` is a request without a key while none is needed; `process` is Headwater itself."""


class Scope(StrEnum):
    """What a caller may do; each scope includes those before it, but `bot` only belongs to `admin`.

    `open` is for everyone who reaches the API, `read` for searching, asking and reading, `bot` also for the messages
    that bots keep here, which hold people's questions, `write` for what a knowledge base contains and how it is judged,
    `admin` for knowledge bases, sources and their settings: a source decides which folders and sites are read.
    """

    OPEN = "open"
    READ = "read"
    BOT = "bot"
    WRITE = "write"
    ADMIN = "admin"

    def includes(self, other: "Scope") -> bool:
        """Whether whoever has this scope may do what the other one allows."""
        if other is Scope.BOT:
            return self in (Scope.BOT, Scope.ADMIN)
        order = list(Scope)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """Who changes something. `id` is that of the key or session, or the name of the user of the command line."""

    kind: ActorKind
    id: str = ""
    key_id: str | None = None
    """The key that a session was opened with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """Whose conversations somebody begins, and which ones somebody may read."""

    owner: str | None = None
    """The id of the key that the conversations belong to; None if they are nobody's."""
    sees_all: bool = True
    """Whether those of others may be read too."""


EVERY_READER = Reader()
"""Who reads all conversations, and begins such as are nobody's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who sent a request, and what that caller may do."""

    actor: Actor
    scope: Scope
    visible: frozenset[int] | None = None
    """The ids of the knowledge bases that the caller may see; None for all."""

    @property
    def reader(self) -> Reader:
        """Whose conversations the caller begins and reads: those of a key, also in browsers that logged in with it."""
        return Reader(owner=self.key_id, sees_all=self.scope is Scope.ADMIN)

    @property
    def key_id(self) -> str | None:
        """The key that the caller has sent, or has logged in with; None if there is none."""
        return self.actor.id if self.actor.kind == "key" else self.actor.key_id

    @property
    def bucket(self) -> str:
        """The name of the bucket that counts the caller's requests: a key has one, however often it logs in."""
        return f"key:{self.key_id}" if self.key_id is not None else f"{self.actor.kind}:{self.actor.id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ApiKey:
    """A key without its secret."""

    id: str
    name: str
    scope: Scope
    knowledge_bases: tuple[str, ...] | None
    """The slugs of those that it opens; None for all, also those to come."""
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    old_secret_until: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownKey:
    """A key at the only time when its secret is shown."""

    key: ApiKey
    text: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditEntry:
    """A change: who made it, when, what, of what."""

    id: int
    happened_at: datetime
    actor_kind: ActorKind
    actor_id: str
    key_id: str | None
    action: str
    target: str
    details: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """A rate limit: at most `limit` units in `seconds`, and as many at once."""

    name: str
    limit: int
    seconds: float = 60.0
