"""A bound on the files that programs write.

Belongs here: limiting the size of files for programs that start within a block. Not here: any program. Guarantee: such
a program is stopped by the system when a file of its own exceeds the bound; after the block the old limit is back.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def file_bound(size: int) -> Iterator[None]:
    """Let programs that start within a block write no file of more than `size` bytes.

    The limit is that of this process, which the programs inherit; this process itself writes no such files.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limits = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_FSIZE, (min([size, *limits]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
