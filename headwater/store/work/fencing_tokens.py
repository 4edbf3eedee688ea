"""Fencing: only the sync with a source's current fencing token may write for it.

Belongs here: a sync's part of a source, and checking its token. Not here: locks and states (`workers`).
Guarantee: a successful check holds until the transaction ends.
"""

from dataclasses import dataclass

from headwater.domain.corpus import Source
from headwater.errors import FencedError
from headwater.store.server.query_session import Session
from headwater.store.server.session_lock import SessionLock


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncLease:
    """One source's part of a running sync; every write checks its fencing token, `token`, and a helper's `share`."""

    token: int
    sync_id: int
    batch: str
    source: Source
    is_whole: bool
    is_full: bool = False
    lock: SessionLock | None = None
    lost_workers: int = 0
    """How many have worked on it before, and died."""
    share: int | None = None
    """The row of a helper's share; None for the leading run."""


def require_token(session: Session, work: SyncLease) -> None:
    """Refuse writes of a sync that was overtaken; a successful check holds until the transaction ends.

    Raises:
        FencedError: a newer sync has taken the source over, or it was deleted; or the leading run took a share back.
    """
    if session.row("check_fencing_token", source_id=work.source.id, token=work.token) is None:
        raise FencedError(_reason(session, work))
    if work.share is not None and session.row("check_share", id=work.share) is None:
        raise FencedError(
            f"The run that syncs {work.source.key} took this share of its documents back. You need not do anything."
        )


def _reason(session: Session, work: SyncLease) -> str:
    row = session.row("current_fencing_token", source_id=work.source.id)
    if row is None or row["fencing_token"] < 0:
        return f"{work.source.key} was deleted, so sync {work.sync_id} stopped writing. You need not do anything."
    return (
        f"A newer sync of {work.source.key} took over from sync {work.sync_id}, which stopped writing."
        " You need not do anything: the newer sync continues."
    )
