"""Who a caller is: the check of keys, of sessions, and of whether a key is needed at all (API-6).

Belongs here: comparing secrets. Not here: requests and cookies (`query_api`, `cli.processes.dagster_ui`), keys
(`keys`). Guarantee: a secret is compared in constant time; a revoked key and a closed session are refused at once, in
every process.
"""

import hmac
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from headwater.administration.audit_trail import note
from headwater.administration.keys import hash_of, new_id, parts_of
from headwater.domain.access import Actor, Caller, Scope
from headwater.settings import Settings
from headwater.store.store import Store

SESSION = timedelta(days=7)
"""How long a browser stays logged in."""
LINK = timedelta(minutes=10)
"""How long a link of `headwater login` works."""
BRIEF = timedelta(minutes=1)
"""How long one of our own processes stays logged in."""
COOKIE = "headwater_session"
"""The name of the cookie; browsers that use https know it as `SECURE_COOKIE`."""
SECURE_COOKIE = f"__Host-{COOKIE}"
"""Browsers take a cookie of this name only over https, and only from this very host."""
ENVIRONMENT = "environment"
"""The id of the key in HEADWATER_ADMIN_KEY."""
ANYONE = Caller(actor=Actor(kind="anyone"), scope=Scope.ADMIN)
"""Who calls while no key is needed."""
_LOOK = 1.0  # seconds for which it is believed that there is no key yet


class Callers:
    """Knows callers by what they send."""

    def __init__(self, settings: Settings) -> None:
        self._admin_hash = hash_of(settings.admin_key) if settings.admin_key else None
        self._are_needed = self._admin_hash is not None
        self._looked = float("-inf")
        self._lock = threading.Lock()

    def keys_exist(self, store: Store) -> bool:
        """Whether a key was ever made; once there is one, also its revocation opens nothing.

        Another process's first key is noticed within a second.
        """
        with self._lock:
            if self._are_needed or time.monotonic() - self._looked < _LOOK:
                return self._are_needed
        has_keys = store.keys.exist()
        with self._lock:
            self._are_needed, self._looked = has_keys or self._are_needed, time.monotonic()
        return has_keys

    def by_key(self, store: Store, text: str) -> Caller | None:
        """The caller with a key; None if the key is wrong, expired or revoked."""
        if self._is_admin_key(hash_of(text)):
            return Caller(actor=Actor(kind="key", id=ENVIRONMENT), scope=Scope.ADMIN)
        key_parts = parts_of(text)
        stored_key = store.keys.secret(key_parts[0]) if key_parts else None
        if key_parts is None or stored_key is None or not _is_one_of(hash_of(key_parts[1]), stored_key.hashes):
            return None
        if stored_key.is_first_use:
            store.keys.note_use(stored_key.id)
        return Caller(actor=Actor(kind="key", id=stored_key.id), scope=stored_key.scope, visible=stored_key.visible)

    def by_session(self, store: Store, token: str) -> Caller | None:
        """The caller with a cookie; None if there is no such session, or its key is no longer valid."""
        session = store.sessions.find(hash_of(token)) if token else None
        if session is None or (
            session.key_id is None and session.secret_hash is not None and not self._is_admin_key(session.secret_hash)
        ):
            return None
        key_id = session.key_id or (ENVIRONMENT if session.secret_hash is not None else None)
        actor = Actor(kind="session", id=session.id, key_id=key_id)
        return Caller(actor=actor, scope=session.scope, visible=session.visible)

    def is_valid(self, store: Store, caller: Caller) -> bool:
        """Whether a caller's key or session still is valid, for something that goes on after its request began."""
        actor = caller.actor
        if actor.kind == "session":
            return store.sessions.exists(actor.id)
        is_stored = actor.kind == "key" and actor.id != ENVIRONMENT
        return not is_stored or store.keys.secret(actor.id) is not None

    def log_in(self, store: Store, key: str) -> str | None:
        """Open a session with a key; returns the token for its cookie, or None if the key is wrong."""
        caller = self.by_key(store, key)
        if caller is None:
            return None
        with self._lock:
            self._are_needed = True  # there is a key: nobody need look, which might be a second late
        is_stored = caller.actor.id != ENVIRONMENT
        secret = key if not is_stored else (parts_of(key) or ("", ""))[1]
        return _open(store, caller.actor.id if is_stored else None, hash_of(secret))

    def log_in_by_link(self, store: Store, token: str) -> str | None:
        """Open an administrator's session with a link; None if it was used before, or is too old."""
        return _open(store, None, None) if token and store.sessions.use_link(hash_of(token)) else None

    def _is_admin_key(self, hashed: bytes) -> bool:
        return self._admin_hash is not None and hmac.compare_digest(hashed, self._admin_hash)


def make_link(store: Store) -> str:
    """Make the token of a link that logs one browser in as an administrator, within ten minutes."""
    token = secrets.token_urlsafe(32)
    store.sessions.add_link(hash_of(token), LINK)
    note(store, "session.link", "login")
    return token


@contextmanager
def brief_session(store: Store) -> Iterator[str]:
    """An administrator's session for one of our own processes, for the length of a block; yields its token."""
    token = _open(store, None, None, BRIEF)
    try:
        yield token
    finally:
        log_out(store, token)


def log_out(store: Store, token: str) -> None:
    """End the session of a cookie; there need be none."""
    store.sessions.end(hash_of(token))


def end_sessions(store: Store) -> int:
    """Log every browser out; returns how many."""
    count = store.sessions.end_all()
    note(store, "session.end_all", "sessions", count=count)
    return count


def _open(store: Store, key_id: str | None, secret_hash: bytes | None, lifetime: timedelta = SESSION) -> str:
    token, session_id = secrets.token_urlsafe(32), new_id()
    store.sessions.open(
        token_hash=hash_of(token), session_id=session_id, key_id=key_id, secret_hash=secret_hash, lifetime=lifetime
    )
    return token


def _is_one_of(hashed: bytes, hashes: tuple[bytes, ...]) -> bool:
    return any([hmac.compare_digest(hashed, known_hash) for known_hash in hashes])  # noqa: C419 - always all of them
