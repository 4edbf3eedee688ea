"""The languages that the texts of documents tell.

Belongs here: finding versions at whose text nobody has looked, and noting what was found. Not here: telling a language
(`headwater.parsing.language`), what new versions say (`documents`). Guarantee: as of every write of a sync, the fencing
token is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.parsing.language import TELLING_PART
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import typed
from headwater.store.work.fencing import SyncSource, require_token


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadVersion:
    """A version at whose text nobody has looked for its language; `language` is the one that it declares.

    `text` is only the parts of a long text that tell its language.
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
        """Return versions at whose text nobody has looked, by URI.

        Args:
            source: whose newest versions.
            after: the URI after which to go on.
            limit: how many at most.
        """
        with self._database.transaction() as session:
            rows = session.rows(
                "versions_without_language", source_id=source.id, after=after, limit=limit, part=TELLING_PART
            )
        return [typed(UnreadVersion, row) for row in rows]

    def set_detected_languages(self, work: SyncSource, languages: Mapping[UUID, str]) -> int:
        """Note what the texts of some versions tell of their language; returns how many rows were written."""
        with self._database.transaction() as session:
            require_token(session, work)
            return session.run("set_detected_languages", ids=list(languages), languages=list(languages.values()))
