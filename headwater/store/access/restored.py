"""Access as a backup has it, closed while its rows are loaded (API-6).

Belongs here: which rows of a backup let somebody in. Not here: loading them (`headwater.store.server.dump_restore`).
Guarantee: what was revoked after the backup was made lets nobody in, whatever it was: a backup cannot know it, so
nothing that it holds does, unless the operator keeps it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from headwater.store.server.query_session import Session


@dataclass(kw_only=True, slots=True)
class AccessClosing:
    """Closes what rows of a backup would open; afterwards, how many of each were valid.

    Browsers log in again in any case.
    """

    keeps_access: bool
    """Keys and links of shared conversations stay as the backup has them."""
    keys: int = 0
    sessions: int = 0
    shared_links: int = 0

    def close(self, session: Session, tables: Mapping[str, Collection[str]]) -> None:
        """Close it, in the transaction that loads the rows.

        Args:
            session: of that transaction.
            tables: the columns of each; older releases lack some.
        """
        if "login_links" in tables:
            self.sessions = session.run("end_all_sessions")
        if self.keeps_access:
            return
        if "api_keys" in tables:
            self.keys = session.run("revoke_all_keys")
        if "share_token" in tables.get("conversations", ()):
            self.shared_links = session.run("unshare_all_conversations")
