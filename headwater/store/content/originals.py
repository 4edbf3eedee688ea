"""The originals that versions refer to, and those that nothing refers to any more.

Belongs here: these references, and preventing the removal of a file that is about to be referred to. Not here: the
files (`headwater.files`), when they are removed (`headwater.administration`). Guarantee: no file is removed that a
version refers to, including a version that is being written.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from headwater.store.server.database import Database
from headwater.store.server.query_session import Session

RemoveOriginal = Callable[[str], object]
"""Removes a file, given by its hash in hexadecimal digits; a missing file is not an error."""
_BATCH = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ReferencedOriginal:
    """An original that a version refers to, by its hash in hexadecimal digits, and one such document."""

    hash: str
    uri: str
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ServedOriginal:
    """The original of a version, for a reader who opens it."""

    hash: str
    media_type: str | None
    uri: str


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionOriginal:
    """The original that a version is written with; without a hash it has none, or keeps the one it has."""

    hash: bytes | None = None
    media_type: str | None = None


NO_ORIGINAL = VersionOriginal()


class OriginalStore:
    """The original_hash column of document_versions, and the table originals_owner."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_version(self, version_id: UUID) -> str | None:
        """Return the hash of a version's original; None if there is none."""
        row = self._database.row("original_of_version", version_id=version_id)
        return None if row is None else row["hash"].hex()

    def to_serve(self, version_id: UUID) -> ServedOriginal | None:
        """Return a version's original for a reader; None if there is none."""
        row = self._database.row("original_to_serve", version_id=version_id)
        return None if row is None else ServedOriginal(**{**row, "hash": row["hash"].hex()})

    def among(self, version_ids: Collection[UUID]) -> frozenset[UUID]:
        """Return those of some versions that have an original."""
        if not version_ids:
            return frozenset()
        rows = self._database.rows("versions_with_original", version_ids=list(version_ids))
        return frozenset(row["id"] for row in rows)

    def held(self) -> Iterator[ReferencedOriginal]:
        """Every original that a version refers to, by hash."""
        last_hash = b""
        while True:
            rows = self._database.rows("held_originals", after=last_hash, limit=_BATCH)
            for row in rows:
                yield ReferencedOriginal(hash=row["hash"].hex(), uri=row["uri"], source=row["source"])
            if len(rows) < _BATCH:
                return
            last_hash = rows[-1]["hash"]

    def remove_unheld(self, hashes: Sequence[str], remove: RemoveOriginal) -> int:
        """Remove those of some files that no version refers to; returns how many were removed."""
        hash_values = [bytes.fromhex(hash_text) for hash_text in hashes]
        unheld = [row["hash"] for row in self._database.rows("unheld_originals", hashes=hash_values)]
        with self._database.transaction() as session:
            return remove_unheld(session, unheld, remove)

    def owner(self) -> str | None:
        """Return this database's id in the file store; None before its first original, and after a restore."""
        row = self._database.row("originals_owner")
        return None if row is None else str(row["id"])

    def claim_ownership(self) -> str:
        """Return this database's id in the file store, after creating it if necessary."""
        with self._database.transaction() as session:
            session.run("become_originals_owner")
            return str(session.one("originals_owner")["id"])

    def forget_owner(self) -> None:
        """Remove the id: a restored database is a different one from the database that was backed up."""
        self._database.run("forget_originals_owner")

    def had_any(self) -> bool:
        """Whether this database ever referred to an original."""
        return bool(self._database.one("had_originals")["had_any"])

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Prevent the removal of files during a block; the next housekeeping removes those that nothing refers to."""
        with self._database.hold_lock("keep_originals"):
            with self._database.transaction() as session:
                share_originals(session)  # waits for a process that is removing files
            yield


def share_originals(session: Session) -> None:
    """Prevent the removal of files until the transaction ends, because it is about to refer to some."""
    session.rows("share_originals")


def set_originals(session: Session, originals: Mapping[UUID, VersionOriginal]) -> None:
    """Replace the originals of existing versions, if new ones are given."""
    by_version = {version_id: original for version_id, original in originals.items() if original.hash}
    if by_version:
        session.run(
            "set_originals",
            ids=list(by_version),
            hashes=[original.hash for original in by_version.values()],
            media_types=[original.media_type for original in by_version.values()],
        )


def remove_unheld(session: Session, hashes: Sequence[bytes], remove: RemoveOriginal) -> int:
    """Remove those of some files that no version refers to; returns how many were removed.

    Args:
        session: a transaction that is about to end; until then no version with an original can be written.
        hashes: the files.
        remove: removes one file.
    """
    if not hashes:
        return 0
    session.rows("lock_originals")
    if session.one("are_originals_kept")["are_kept"]:
        return 0
    unheld = session.rows("unheld_originals", hashes=list(hashes))
    for row in unheld:
        remove(row["hash"].hex())
    return len(unheld)
