"""Who may write for a source: the sync whose fencing token the source has.

Belongs here: a sync's part of a source, and asking whether it was overtaken. Not here: locks and states (`workers`).
Guarantee: what passes holds until the transaction ends.
"""

from dataclasses import dataclass

from headwater.domain.corpus import Source
from headwater.errors import FencedError
from headwater.store.server.database import Session, SessionLock


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncSource:
    """One source's part of a sync that runs now; `token` is the fencing token every write must show."""

    token: int
    sync_id: int
    batch: str
    source: Source
    is_whole: bool
    is_full: bool = False
    lock: SessionLock | None = None


def require_token(session: Session, work: SyncSource) -> None:
    """Refuse to write for a sync that was overtaken; what passes holds until the transaction ends.

    Raises:
        FencedError: a newer sync has taken the source over, or it was deleted.
    """
    if session.row("check_fencing_token", source_id=work.source.id, token=work.token) is None:
        raise FencedError(
            f"Sync {work.sync_id} of {work.source.key} was overtaken or its source deleted; it wrote no more."
        )
