"""Making, listing, rotating and revoking API keys (API-6).

Belongs here: what a key looks like, and changing keys. Not here: checking one (`callers`), its row
(`headwater.store.access.keys`). Guarantee: a secret is shown once, when it is made; it is 256 random bits, so a plain
SHA-256 of it suffices.
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from headwater.administration.audit_trail import audit_transaction
from headwater.domain.access import ApiKey, Scope, ShownKey
from headwater.errors import ConflictError, InvalidInputError
from headwater.store.store import Store

GRACE = timedelta(hours=24)
"""How long the old secret of a rotated key stays valid unless another time is chosen."""
MAX_GRACE = timedelta(days=30)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_FORM = re.compile(r"hw_([a-z0-9]{8})_([A-Za-z0-9_-]{43})")
_MAX_NAME_CHARS = 100  # characters


def parts_of(text: str) -> tuple[str, str] | None:
    """The id and the secret of a key's text; None if it has not the form of a key."""
    match = _FORM.fullmatch(text)
    return (match.group(1), match.group(2)) if match else None


def hash_of(secret: str) -> bytes:
    """A secret as it is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def new_id() -> str:
    """An id of eight characters, for a key or a session."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


def create_key(
    store: Store,
    name: str,
    scope: Scope,
    *,
    knowledge_bases: Sequence[str] | None = None,
    expires_at: datetime | None = None,
) -> ShownKey:
    """Make a key.

    Args:
        store: the store.
        name: for people, such as the program that will use it.
        scope: what it may do: read, bot, write or admin.
        knowledge_bases: the slugs of those that it opens; None for all, also those to come.
        expires_at: when it ends, in UTC unless it names a zone; None for never.

    Returns:
        The key with its text, which cannot be shown again.

    Raises:
        InvalidInputError: the name is empty or too long, the scope is none of a key, no knowledge base is named, or the
            time is over.
        NotFoundError: there is no such knowledge base.
    """
    _check(name, scope, knowledge_bases)
    ends = _in_future(expires_at)
    knowledge_base_ids = (
        None if knowledge_bases is None else {store.knowledge_bases.get(slug).id for slug in knowledge_bases}
    )
    with audit_transaction(store) as note:
        key_id, secret = new_id(), secrets.token_urlsafe(32)
        while not store.keys.add(
            key_id=key_id,
            secret_hash=hash_of(secret),
            name=name.strip(),
            scope=scope,
            knowledge_base_ids=knowledge_base_ids,
            expires_at=ends,
        ):
            key_id = new_id()
        key = store.keys.get(key_id)
        slugs = None if key.knowledge_bases is None else list(key.knowledge_bases)
        note("key.create", key_id, name=key.name, scope=scope.value, knowledge_bases=slugs, expires_at=ends)
    return ShownKey(key=key, text=f"hw_{key_id}_{secret}")


def rotate_key(store: Store, key_id: str, grace: timedelta = GRACE) -> ShownKey:
    """Give a key another secret; the present one stays valid for a time, so that its programs can be changed.

    Raises:
        NotFoundError: there is no such key.
        ConflictError: it is revoked.
        InvalidInputError: the time is negative or longer than 30 days.
    """
    if not timedelta(0) <= grace <= MAX_GRACE:
        raise InvalidInputError("The old secret can stay valid for 0 to 720 hours. Choose a time within that.")
    secret = secrets.token_urlsafe(32)
    with audit_transaction(store) as note:
        if not store.keys.rotate(key_id, hash_of(secret), grace):
            raise ConflictError(f"The API key {key_id} is revoked. Create another one.")
        note("key.rotate", key_id, grace_hours=grace.total_seconds() / 3600)
        return ShownKey(key=store.keys.get(key_id), text=f"hw_{key_id}_{secret}")


def revoke_key(store: Store, key_id: str) -> ApiKey:
    """Revoke a key and end the sessions that it opened; a revoked one stays as it is.

    Raises:
        NotFoundError: there is no such key.
    """
    with audit_transaction(store) as note:
        if store.keys.revoke(key_id):
            note("key.revoke", key_id)
        return store.keys.get(key_id)


def _check(name: str, scope: Scope, knowledge_bases: Sequence[str] | None) -> None:
    if not name.strip() or len(name) > _MAX_NAME_CHARS or not name.isprintable():
        raise InvalidInputError(f"A key's name has 1 to {_MAX_NAME_CHARS} printable characters.")
    if scope is Scope.OPEN:
        raise InvalidInputError("A key's scope is read, bot, write or admin.")
    if knowledge_bases is not None and not knowledge_bases:
        raise InvalidInputError("A key that is limited to knowledge bases needs at least one. Name one.")


def _in_future(expires_at: datetime | None) -> datetime | None:
    if expires_at is None:
        return None
    ends = expires_at if expires_at.tzinfo else expires_at.replace(tzinfo=UTC)
    if ends <= datetime.now(UTC):
        raise InvalidInputError(f"{expires_at.isoformat()} has passed already. Choose a later time, or none.")
    return ends
