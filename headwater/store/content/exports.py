"""Reading a source's documents as they are written to a file.

Belongs here: the newest versions of all documents, a few at a time. Not here: the form of the file
(`headwater.administration.source_export`). Guarantee: memory holds a few megabytes of texts, however many there are; no
transaction stays open while a reader is slow.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.domain.documents import ParsedDocument
from headwater.domain.places import Places
from headwater.store.server.database import Database

_BATCH = 100
_BATCH_BYTES = 4_000_000


class ExportStore:
    """The documents and document_versions tables, read in order."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        """Every document that the source has, by URI, as its newest version says."""
        rows = self._database.rows("documents_to_export", source_id=source.id)
        for ids in _batches([(row["id"], row["size"]) for row in rows]):
            document_rows = self._database.rows("exported_documents", ids=ids)
            for row in document_rows:
                places = row["places"] and Places.from_json(row["places"])
                yield ParsedDocument(**{**row, "references": tuple(row["references"] or ()), "places": places})


def _batches(sizes: Sequence[tuple[UUID, int]]) -> Iterator[list[UUID]]:
    batch: list[UUID] = []
    total = 0
    for document_id, size in sizes:
        if batch and (len(batch) >= _BATCH or total + size > _BATCH_BYTES):
            yield batch
            batch, total = [], 0
        batch.append(document_id)
        total += size
    if batch:
        yield batch
