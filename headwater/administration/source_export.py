"""Exporting a source's documents as JSONL (SRC-8).

Belongs here: which documents, and writing them to a file. Not here: the form of a line
(`headwater.sources.jsonl_documents`). Guarantee: exporting, importing the file as a `jsonl` source and exporting that
gives the same bytes; memory does not grow with the number of documents; a file is complete or not there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headwater.administration.atomic_file import write_file
from headwater.domain.corpus import Source
from headwater.sources.jsonl_documents import write_line
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    """How many documents were written, and the size of the file in bytes."""

    documents: int
    size: int


def export_lines(store: Store, source: Source) -> Iterator[bytes]:
    """The documents that a source has now, a line each, by URI."""
    return (write_line(document) for document in store.exports.documents(source))


def export_to(store: Store, source: Source, path: Path) -> Exported:
    """Write a source's documents to a file; one that is there is replaced when all is written.

    Raises:
        InvalidInputError: the file cannot be written.
    """
    documents = 0

    def counted() -> Iterator[bytes]:
        nonlocal documents
        for line in export_lines(store, source):
            documents += 1
            yield line

    size = write_file(path, counted())
    return Exported(documents=documents, size=size)
