"""The uploads of a source, as its connector gets them.

Belongs here: joining their rows with their content. Not here: uploading (`headwater.administration.uploads`), reading
them as documents (`headwater.sources.files`). Guarantee: a connector sees names and bytes; nothing that it gets leads
to the database or the store, because it only has a number that is looked up here while its sync runs.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from headwater.domain.uploads import UploadedFile
from headwater.syncing.source_job import SourceJob

ListUploads = Callable[[], Iterable[UploadedFile]]
_numbers = itertools.count()
_jobs: dict[int, SourceJob] = {}


@contextmanager
def lend_uploads(job: SourceJob) -> Iterator[ListUploads]:
    """Yield a function that lists the uploads of a source, for the length of a block."""
    key = next(_numbers)
    _jobs[key] = job
    try:
        yield partial(_uploads, key)
    finally:
        del _jobs[key]


def _uploads(number: int) -> Iterator[UploadedFile]:
    """The files that were uploaded to the source, by name; their content is read when it is needed."""
    job = _jobs[number]
    for name, file_hash, media_type in job.store.uploads.contents(job.source):
        yield UploadedFile(name=name, hash=file_hash, media_type=media_type, read=partial(_read, number, file_hash))


def _read(number: int, file_hash: str) -> bytes:
    return _jobs[number].files.read(file_hash)
