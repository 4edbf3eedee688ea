"""Bodies of responses that come from a file.

Belongs here: sending a part of an open file. Not here: which file, its headers. Guarantee: a large file needs neither
its size in memory nor, with our server, a thread while its client reads; the file is closed at the end.
"""

from collections.abc import Iterator
from typing import BinaryIO

from flask import request

from headwater.files.file_store import BLOCK, read_blocks


def body(file: BinaryIO, length: int) -> Iterator[bytes]:
    """The next bytes of a file; the first block here, the rest by the server's loop, if it is ours.

    Args:
        file: an open file on this machine, at the first byte to send.
        length: how many bytes to send.
    """
    return _blocks(file, length, getattr(request.environ.get("gunicorn.socket"), "send_later", None))


def _blocks(file: BinaryIO, length: int, later: object) -> Iterator[bytes]:
    if not callable(later) or length <= BLOCK:
        with file:
            yield from read_blocks(file, length)
        return
    yield file.read(BLOCK)
    later(file, length - BLOCK)
