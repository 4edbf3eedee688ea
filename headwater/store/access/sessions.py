"""Sessions of browsers, and links that log one in, in Postgres (API-6).

Belongs here: their rows. Not here: tokens and cookies. Guarantee: only hashes of tokens are stored; a session ends with
the key, or the secret, that opened it; a link works once.
"""

from dataclasses import dataclass, field
from datetime import timedelta

from headwater.domain.access import Scope
from headwater.store.server.database import Database


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenSession:
    """A session that is valid now, unless it was opened with the key of an environment that has changed."""

    id: str
    key_id: str | None
    secret_hash: bytes | None = field(repr=False)
    """Of the secret that opened it; None if a link did."""
    scope: Scope
    visible: frozenset[int] | None


class SessionStore:
    """The tables sessions and login_links."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(
        self, *, token_hash: bytes, session_id: str, key_id: str | None, secret_hash: bytes | None, lifetime: timedelta
    ) -> None:
        """Remember a browser that logged in."""
        self._database.run(
            "insert_session",
            token_hash=token_hash,
            id=session_id,
            key_id=key_id,
            secret_hash=secret_hash,
            lifetime=lifetime,
        )

    def find(self, token_hash: bytes) -> OpenSession | None:
        """Return a session that is valid now; None if there is none with this token."""
        row = self._database.row("find_session", token_hash=token_hash)
        if row is None:
            return None
        return OpenSession(
            id=row["id"],
            key_id=row["key_id"],
            secret_hash=None if row["secret_hash"] is None else bytes(row["secret_hash"]),
            scope=Scope(row["scope"] or Scope.ADMIN),
            visible=frozenset(row["visible"]) if row["is_limited"] else None,
        )

    def exists(self, session_id: str) -> bool:
        """Whether a session with this id is open."""
        return self._database.row("session_exists", id=session_id) is not None

    def end(self, token_hash: bytes) -> None:
        """Forget a session; there need be none."""
        self._database.run("end_session", token_hash=token_hash)

    def end_all(self) -> int:
        """Forget every session and every unused link; returns how many sessions there were."""
        return self._database.run("end_all_sessions")

    def add_link(self, token_hash: bytes, lifetime: timedelta) -> None:
        """Remember a link that logs one browser in."""
        self._database.run("insert_login_link", token_hash=token_hash, lifetime=lifetime)

    def use_link(self, token_hash: bytes) -> bool:
        """Use a link up; False if there is none, or it is too old."""
        row = self._database.row("use_login_link", token_hash=token_hash)
        return row is not None and bool(row["is_valid"])

    def prune(self) -> int:
        """Forget sessions and links that are over; returns how many sessions."""
        return self._database.run("delete_old_sessions")
