"""Storing the originals of documents.

Belongs here: which originals are stored, and when. Not here: the store (`headwater.files`), removing unused ones
(`headwater.administration.original_access`). Guarantee: a version that refers to an original is written only after the
original is stored; an existing version keeps its original.
"""

from collections.abc import Sequence

from headwater.domain.documents import ParsedDocument
from headwater.files.file_store import hash_of
from headwater.store.content.documents import NewVersion
from headwater.store.content.known_documents import KnownDocument
from headwater.store.content.originals import NO_ORIGINAL, VersionOriginal
from headwater.syncing.source_job import SourceJob


def original_to_keep(job: SourceJob, document: ParsedDocument, head: KnownDocument | None) -> VersionOriginal:
    """The original that a version is written with.

    Args:
        job: the source being synced.
        document: the parsed document.
        head: its newest version if that has the same text; it keeps its own original as long as that exists.
    """
    original = document.original
    if original is None:
        return NO_ORIGINAL
    previous_original = None if head is None else job.store.originals.of_version(head.version_id)
    if previous_original is not None and job.files.exists(previous_original):
        return NO_ORIGINAL
    return VersionOriginal(hash=bytes.fromhex(hash_of(original.content)), media_type=original.media_type)


def put_originals(job: SourceJob, versions: Sequence[NewVersion]) -> None:
    """Store the originals of some versions that are about to be written.

    Raises:
        FilesUnavailableError: the file store cannot be reached, or belongs to another database.
    """
    for version in versions:
        if version.original.hash is not None and version.document.original is not None:
            job.own_files.put(version.document.original.content)
