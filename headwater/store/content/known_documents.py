"""The stored state of a source's documents, before any of them is read again.

Belongs here: reading that state, and storing connectors' validators and access digests. Not here: which of it a sync
may trust (`headwater.syncing.trusted_documents`), writing documents (`documents`). Guarantee: like every write of a
sync, it checks the fencing token.
"""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text
from headwater.store.work.fencing_tokens import SyncLease, require_token


class KnownDocument(NamedTuple):
    """The stored state of a document that a source may still have; the version is its newest.

    Not a dataclass: every sync makes one per document, and a frozen dataclass takes three times as long.
    """

    id: UUID
    uri: str
    fingerprint: str
    validator: str
    access_digest: str
    version_id: UUID
    sequence: int
    content_hash: bytes
    parser_version: str  # that read it last
    made_by: str  # the parser version that made its newest version
    media_type: str  # of the original if one is stored, because a parser reads that
    is_removed: bool


class KnownDocuments:
    """The documents table, as a sync needs it."""

    _database: Database

    def known(self, source: Source) -> dict[str, KnownDocument]:
        """Return the stored state of a source's documents, by URI, including those that disappeared."""
        rows = self._database.rows("known_documents", source_id=source.id)
        return {row["uri"]: KnownDocument(**row) for row in rows}

    def set_validators(self, work: SyncLease, validators: Mapping[UUID, tuple[str, str]]) -> None:
        """Store new validators and access digests of documents that did not change; no content is written."""
        texts = [clean_text(validator) for validator, _ in validators.values()]
        digests = [digest for _, digest in validators.values()]
        if validators:
            with self._database.transaction() as session:
                require_token(session, work)
                session.run("set_validators", ids=list(validators), validators=texts, access_digests=digests)
