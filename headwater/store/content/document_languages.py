"""The detected languages of documents.

Belongs here: finding versions whose language was not detected yet, and storing the result. Not here: detecting it
(`headwater.parsing.language`), new versions (`documents`). Guarantee: like every write of a sync, it checks the
fencing token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.parsing.language import TELLING_PART
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row
from headwater.store.work.fencing_tokens import SyncLease, require_token


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadVersion:
    """A version whose language was not detected yet; `language` is the one that it declares.

    `text` holds only the parts of a long text that are needed.
    """

    id: UUID
    uri: str
    text: str
    media_type: str
    language: str


class DocumentLanguages:
    """The detected_language column of document_versions."""

    _database: Database

    def versions_without_language(self, source: Source, *, after: str, limit: int) -> list[UnreadVersion]:
        """Return versions whose language was not detected yet, by URI.

        Args:
            source: the source of the newest versions.
            after: the URI after which to continue.
            limit: the most versions.
        """
        rows = self._database.rows(
            "versions_without_language", source_id=source.id, after=after, limit=limit, part=TELLING_PART
        )
        return [from_row(UnreadVersion, row) for row in rows]

    def set_detected_languages(self, work: SyncLease, languages: Mapping[UUID, str]) -> int:
        """Store the detected languages of some versions; returns how many rows were written."""
        with self._database.transaction() as session:
            require_token(session, work)
            return session.run("set_detected_languages", ids=list(languages), languages=list(languages.values()))
