"""The files that documents were taken from, on their way into the file store.

Belongs here: which of them are kept, and when. Not here: the store (`headwater.files`), removing what nobody refers to
(`headwater.administration.originals`). Guarantee: a version that refers to a file is written only once the file is
there; a version goes on with the file that it has.
"""

from collections.abc import Sequence

from headwater.domain.documents import ParsedDocument
from headwater.files.file_store import hash_of
from headwater.store.content.documents import NewVersion
from headwater.store.content.known_documents import KnownDocument
from headwater.store.content.originals import NO_ORIGINAL, KeptOriginal
from headwater.syncing.source_job import SourceJob


def original_to_keep(job: SourceJob, document: ParsedDocument, head: KnownDocument | None) -> KeptOriginal:
    """What a version is written with of its document's original.

    Args:
        job: the source being synced.
        document: what was parsed.
        head: its newest version when that has the same text; it is that of its own file, as long as there is one.
    """
    original = document.original
    if original is None:
        return NO_ORIGINAL
    before = None if head is None else job.store.originals.of_version(head.version_id)
    if before is not None and job.files.exists(before):
        return NO_ORIGINAL
    return KeptOriginal(hash=bytes.fromhex(hash_of(original.content)), media_type=original.media_type)


def put_originals(job: SourceJob, versions: Sequence[NewVersion]) -> None:
    """Put the originals of some versions that are about to be written.

    Raises:
        FilesUnavailableError: the file store cannot be reached, or is another database's.
    """
    for version in versions:
        if version.original.hash is not None and version.document.original is not None:
            job.own_files.put(version.document.original.content)
