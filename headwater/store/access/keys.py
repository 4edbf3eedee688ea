"""API keys in Postgres (API-6).

Belongs here: their rows. Not here: making secrets and comparing them (`headwater.administration`). Guarantee: only
hashes of secrets are stored; a key limited to knowledge bases opens no other when those are deleted.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from headwater.domain.access import ApiKey, Scope
from headwater.errors import NotFoundError
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row, Session


@dataclass(frozen=True, kw_only=True, slots=True)
class KeySecret:
    """What a key's secret is compared with, and what the key may do."""

    id: str
    hashes: tuple[bytes, ...] = field(repr=False)
    """Of the secret, and of the one before it while that is still valid."""
    scope: Scope
    visible: frozenset[int] | None
    is_first_use: bool
    """Whether its use in this minute has not been noted yet."""


class KeyStore:
    """The tables api_keys and api_key_knowledge_bases."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        *,
        key_id: str,
        secret_hash: bytes,
        name: str,
        scope: Scope,
        knowledge_base_ids: Collection[int] | None,
        expires_at: datetime | None,
    ) -> bool:
        """Add a key; False if its id is taken. It opens these knowledge bases, or all if they are None."""
        with self._database.transaction() as session:
            row = session.row(
                "insert_key",
                id=key_id,
                secret_hash=secret_hash,
                name=name,
                scope=scope.value,
                is_limited=knowledge_base_ids is not None,
                expires_at=expires_at,
            )
            if row:
                session.run("insert_key_knowledge_bases", id=key_id, knowledge_base_ids=list(knowledge_base_ids or ()))
        return row is not None

    def secret(self, key_id: str) -> KeySecret | None:
        """What to compare a key's secret with; None if there is no key with this id that may be used now."""
        row = self._database.row("secret_of_key", id=key_id)
        return _secret(row) if row else None

    def note_use(self, key_id: str) -> None:
        """Remember that a key was used in this minute."""
        self._database.run("note_use_of_key", id=key_id)

    def get(self, key_id: str) -> ApiKey:
        """Return one key.

        Raises:
            NotFoundError: there is no key with this id.
        """
        return _find(self._database, key_id)

    def all(self) -> list[ApiKey]:
        """Return every key, newest first, those that are revoked too."""
        return [_key(row) for row in self._database.rows("list_keys", id=None)]

    def rotate(self, key_id: str, secret_hash: bytes, grace: timedelta) -> bool:
        """Give a key another secret; the present one stays valid for a time. False if the key is revoked.

        Raises:
            NotFoundError: there is no key with this id.
        """
        with self._database.transaction() as session:
            _find(session, key_id)
            return session.row("rotate_key", id=key_id, secret_hash=secret_hash, grace=grace) is not None

    def revoke(self, key_id: str) -> bool:
        """Revoke a key and end its sessions; False if it was revoked before.

        Raises:
            NotFoundError: there is no key with this id.
        """
        with self._database.transaction() as session:
            _find(session, key_id)
            session.run("end_sessions_of_key", key_id=key_id)
            return session.row("revoke_key", id=key_id) is not None

    def exist(self) -> bool:
        """Whether a key was ever made."""
        return bool(self._database.one("keys_exist")["has_any"])

    def has_admin(self) -> bool:
        """Whether a key that may administer everything can be used now."""
        return bool(self._database.one("keys_exist")["has_admin"])


def _find(database: Session | Database, key_id: str) -> ApiKey:
    row = database.row("list_keys", id=key_id)
    if row is None:
        raise NotFoundError(f"There is no API key {key_id[:40]}. `headwater keys list` lists those that exist.")
    return _key(row)


def _key(row: Row) -> ApiKey:
    return ApiKey(
        id=row["id"],
        name=row["name"],
        scope=Scope(row["scope"]),
        knowledge_bases=None if row["knowledge_bases"] is None else tuple(row["knowledge_bases"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        revoked_at=row["revoked_at"],
        old_secret_until=row["old_secret_until"],
    )


def _secret(row: Row) -> KeySecret:
    return KeySecret(
        id=row["id"],
        hashes=tuple(bytes(value) for value in (row["secret_hash"], row["old_secret_hash"]) if value is not None),
        scope=Scope(row["scope"]),
        visible=frozenset(row["visible"]) if row["is_limited"] else None,
        is_first_use=row["is_first_use"],
    )
