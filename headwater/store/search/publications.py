"""What readers saw when.

Belongs here: noting from when to when the answering index served each version, which `as of` reads. Not here: serving
it (`search_indexes`). Guarantee: written in the transaction that changes what readers see.
"""

from collections.abc import Sequence
from uuid import UUID

from headwater.store.server.database import Session


def note_publications(session: Session, search_index_id: int, document_ids: Sequence[UUID]) -> None:
    """Note what readers see of some documents from now on, and what they no longer see: `as of` reads it."""
    moment = session.one("publication_time")["published_at"]
    values = {"search_index_id": search_index_id, "document_ids": list(document_ids), "published_at": moment}
    session.run("close_publications", **values)
    session.run("open_publications", **values)
