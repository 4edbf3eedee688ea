"""A digest of who may read a document at its source.

Belongs here: making the digest. Not here: asking a server for the list (the connectors), deciding who gets an answer.
Guarantee: the same readers give the same digest, in any order; a list that is not known gives none, which is not the
digest of an empty list.
"""

from collections.abc import Iterable

from headwater.identity import content_hash


def access_digest(readers: Iterable[str] | None) -> str:
    """The digest of a list of readers, such as groups or users; empty if the list is not known."""
    return "" if readers is None else content_hash("access", sorted(set(readers))).hex()[:32]
