"""The languages that the texts of documents tell.

Belongs here: finding versions at whose text nobody has looked, and noting what was found. Not here: telling a language
(`headwater.parsing.language`), what new versions say (`documents`). Guarantee: as of every write of a sync, the fencing
token is shown.
"""

from collections.abc import Mapping
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.parsing.language import TELLING_PART
from headwater.store.server.database import Database, Row
from headwater.store.work.fencing import SyncSource, require_token


class DocumentLanguages:
    """The detected_language column of document_versions."""

    _database: Database

    def versions_without_language(self, source: Source, *, after: str, limit: int) -> list[Row]:
        """Return uri, id, text, media_type and language (as declared) of versions whose text nobody has looked at.

        Args:
            source: whose newest versions.
            after: the URI after which to go on; of a long text only the parts come that tell its language.
            limit: how many at most.
        """
        with self._database.transaction() as session:
            return session.rows(
                "versions_without_language", source_id=source.id, after=after, limit=limit, part=TELLING_PART
            )

    def set_detected_languages(self, work: SyncSource, languages: Mapping[UUID, str]) -> int:
        """Note what the texts of some versions tell of their language; returns how many rows were written."""
        with self._database.transaction() as session:
            require_token(session, work)
            return session.run("set_detected_languages", ids=list(languages), languages=list(languages.values()))
