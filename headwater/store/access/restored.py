"""Access as a backup has it, closed while its rows are loaded (API-6).

Belongs here: which rows of a backup let somebody in. Not here: loading them (`headwater.store.server.restoring`).
Guarantee: what was revoked after the backup was made lets nobody in, whatever it was: a backup cannot know it, so
nothing that it holds does, unless the operator keeps it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from headwater.store.server.database import Session


@dataclass(frozen=True, kw_only=True, slots=True)
class ClosedAccess:
    """How many of each were valid in the backup and are closed now."""

    keys: int = 0
    sessions: int = 0
    shared_links: int = 0


def close_access(session: Session, tables: Mapping[str, Collection[str]], *, keeps_access: bool) -> ClosedAccess:
    """Close what rows of a backup would open: browsers log in again in any case.

    Args:
        session: of the transaction that loads the rows.
        tables: the columns of each table; older releases lack some.
        keeps_access: keys and links of shared conversations stay as the backup has them.
    """
    sessions = session.run("end_all_sessions") if "login_links" in tables else 0
    if keeps_access:
        return ClosedAccess(sessions=sessions)
    keys = session.run("revoke_all_keys") if "api_keys" in tables else 0
    links = session.run("unshare_all_conversations") if "share_token" in tables.get("conversations", ()) else 0
    return ClosedAccess(keys=keys, sessions=sessions, shared_links=links)
