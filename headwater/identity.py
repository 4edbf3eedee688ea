"""Ids made from content: same inputs, same id.

Belongs here: the one hash function and how its parts are joined. Not here: which parts make which id (the modules that
own them). Guarantee: stable across processes, machines and releases; changing anything here is a migration.
"""

import hashlib
import json
from typing import Any
from uuid import UUID

_to_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode  # built once


def content_hash(*parts: Any) -> bytes:
    """Hash JSON values, in order, to 16 bytes (BLAKE2b); boundaries count: ("ab", "c") differs from ("a", "bc")."""
    return hashlib.blake2b(_to_json(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def content_id(*parts: Any) -> UUID:
    """Hash JSON values, in order, to an id: derived rows are replaced, never duplicated."""
    return UUID(bytes=content_hash(*parts))


def bytes_fingerprint(content: bytes) -> str:
    """Hash raw bytes to 32 hexadecimal digits, to detect an unchanged file without parsing it."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()
