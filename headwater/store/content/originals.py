"""Which files versions were taken from, and which nobody refers to any more.

Belongs here: that, and keeping a file from being removed while someone is about to refer to it. Not here: the files
(`headwater.files`), when they are removed (`headwater.administration`). Guarantee: no file is removed that a version
refers to, be it one that is being written at this moment.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from headwater.store.server.database import Database, Session

RemoveOriginal = Callable[[str], object]
"""Removes a file, given by its hash in hexadecimal digits; one that is not there is no error."""
_BATCH = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldOriginal:
    """A file that a version was taken from, by its hash in hexadecimal digits, and one such document."""

    hash: str
    uri: str
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptOriginal:
    """The file that a version is written with; without a hash it has none, or goes on with the one it has."""

    hash: bytes | None = None
    media_type: str | None = None


NO_ORIGINAL = KeptOriginal()


class OriginalStore:
    """The original_hash column of document_versions, and the table originals_owner."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_version(self, version_id: UUID) -> str | None:
        """Return the hash of the file that a version was taken from; None when there is none."""
        with self._database.transaction() as session:
            row = session.row("original_of_version", version_id=version_id)
        return None if row is None else row["hash"].hex()

    def held(self) -> Iterator[HeldOriginal]:
        """Every file that a version was taken from, by hash."""
        after = b""
        while True:
            with self._database.transaction() as session:
                rows = session.rows("held_originals", after=after, limit=_BATCH)
            for row in rows:
                yield HeldOriginal(hash=row["hash"].hex(), uri=row["uri"], source=row["source"])
            if len(rows) < _BATCH:
                return
            after = rows[-1]["hash"]

    def remove_unheld(self, hashes: Sequence[str], remove: RemoveOriginal) -> int:
        """Remove those of some files that no version refers to; returns how many went."""
        wanted = [bytes.fromhex(each) for each in hashes]
        with self._database.transaction() as session:  # without keeping any sync waiting: most are referred to
            unheld = [row["hash"] for row in session.rows("unheld_originals", hashes=wanted)]
        with self._database.transaction() as session:
            return remove_unheld(session, unheld, remove)

    def owner(self) -> str | None:
        """Return who this database is to the file store; None before its first original, and after a restore."""
        with self._database.transaction() as session:
            row = session.row("originals_owner")
        return None if row is None else str(row["id"])

    def become_owner(self) -> str:
        """Return who this database is to the file store, from now on."""
        with self._database.transaction() as session:
            session.run("become_originals_owner")
            return str(session.one("originals_owner")["id"])

    def forget_owner(self) -> None:
        """Be nobody: what was restored is another database than the one that was backed up."""
        with self._database.transaction() as session:
            session.run("forget_originals_owner")

    def had_any(self) -> bool:
        """Whether this database ever referred to an original."""
        with self._database.transaction() as session:
            return bool(session.one("had_originals")["had_any"])

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep every file for the length of a block; what nobody refers to then goes with the next housekeeping."""
        with self._database.held_by("keep_originals"):
            with self._database.transaction() as session:
                share_originals(session)  # whoever removes some at this moment is waited for
            yield


def share_originals(session: Session) -> None:
    """Keep others from removing files until the transaction ends: it is about to refer to some."""
    session.rows("share_originals")


def set_originals(session: Session, originals: Mapping[UUID, KeptOriginal]) -> None:
    """Give versions that are there other files, where there are any."""
    kept = {version_id: original for version_id, original in originals.items() if original.hash}
    if kept:
        session.run(
            "set_originals",
            ids=list(kept),
            hashes=[original.hash for original in kept.values()],
            media_types=[original.media_type for original in kept.values()],
        )


def remove_unheld(session: Session, hashes: Sequence[bytes], remove: RemoveOriginal) -> int:
    """Remove those of some files that no version refers to; returns how many went.

    Args:
        session: a transaction that is about to end: until then no version with an original can be written.
        hashes: the files.
        remove: removes one.
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
