"""Writing the links of documents in Postgres.

Belongs here: which versions lack links, and storing links. Not here: reading them for people (`link_reader`), what
they lead to (the view `resolved_links`). Guarantee: every write checks the sync's fencing token; the links of a version
are written once, with its record, in one transaction; a change of one document touches no link of another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.corpus import Lineage, Source
from headwater.domain.links import Link, LinkKind
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row
from headwater.store.work.fencing_tokens import SyncLease, require_token


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionToLink:
    """A version whose links are not read yet."""

    id: UUID
    document_id: UUID
    uri: str
    media_type: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkedVersion:
    """A version with its links, each with its line (from 1), to be written."""

    version: VersionToLink
    links: Sequence[tuple[Link, int]]


class LinkStore:
    """The link_sets and links tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def versions_to_link(self, document_ids: Sequence[UUID], reader: int) -> list[VersionToLink]:
        """The newest versions of some documents, but for those whose links were read by this reader."""
        rows = self._database.rows("versions_to_link", document_ids=list(document_ids), reader=reader)
        return [from_row(VersionToLink, row) for row in rows]

    def documents_to_link(self, source: Source, reader: int) -> list[UUID]:
        """The documents of a source whose newest version's links were not read by this reader."""
        rows = self._database.rows("documents_to_link", source_id=source.id, reader=reader)
        return [row["id"] for row in rows]

    def texts(self, version_ids: Sequence[UUID]) -> dict[UUID, str]:
        """The texts of some versions."""
        return {row["id"]: row["text"] for row in self._database.rows("texts_to_link", version_ids=list(version_ids))}

    def put(self, work: SyncLease, linked: Sequence[LinkedVersion], *, reader: int, by: Lineage) -> int:
        """Write the links of some versions; returns how many rows were written.

        Raises:
            FencedError: the sync was overtaken.
        """
        sets = [
            (linked_version.version.id, reader, len(linked_version.links), by.run_id, by.code_version)
            for linked_version in linked
        ]
        rows = [
            (linked_version.version.id, position, linked_version.version.document_id, link.kind.value, link.family,
             link.name, list(link.targets), link.anchor, link.origin, link.offset, line, work.source.id)
            for linked_version in linked
            for position, (link, line) in enumerate(linked_version.links)
        ]  # fmt: skip
        with self._database.transaction() as session:
            require_token(session, work)
            session.run("do_not_wait_for_disk")  # as for chunks: readers do not see it yet
            session.run("forget_links", version_ids=[linked_version.version.id for linked_version in linked])
            return session.copy_new("link_sets", _SET_COLUMNS, sets, _SET_TYPES) + session.copy_new(
                "links", _COLUMNS, rows, _TYPES
            )

    def digest(self, source: Source) -> tuple[str, int]:
        """A digest of a source's links, and how many there are."""
        row = self._database.one("links_data_version", source_id=source.id)
        return row["data_version"], row["row_count"]

    def counts(self, source: Source) -> Mapping[LinkKind, int]:
        """How many links of each kind a source has."""
        return {LinkKind(row["kind"]): row["count"] for row in self._database.rows("link_counts", source_id=source.id)}


_SET_COLUMNS = ("version_id", "reader", "link_count", "run_id", "code_version")
_SET_TYPES = ("uuid", "int4", "int4", "text", "text")
_COLUMNS = (
    "version_id", "position", "document_id", "kind", "family", "name", "targets", "anchor", "origin", "start_offset",
    "line", "source_id",
)  # fmt: skip
_TYPES = ("uuid", "int4", "uuid", "text", "text", "text", "text[]", "text", "text", "int4", "int4", "int8")
