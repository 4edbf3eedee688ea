"""The uploads of a source, as its connector gets them.

Belongs here: joining their rows with their content. Not here: uploading (`headwater.administration.uploads`), reading
them as documents (`headwater.sources.files`). Guarantee: a connector sees names and bytes, no database.
"""

from collections.abc import Iterator
from functools import partial

from headwater.domain.uploads import UploadedFile
from headwater.syncing.source_job import SourceJob


def uploaded_files(job: SourceJob) -> Iterator[UploadedFile]:
    """The files that were uploaded to the source, by name; their content is read when it is needed."""
    for name, file_hash, media_type in job.store.uploads.contents(job.source):
        yield UploadedFile(name=name, hash=file_hash, media_type=media_type, read=partial(job.files.read, file_hash))
