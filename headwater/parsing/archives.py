"""Opening zip files that may be bombs: office files, EPUB.

Belongs here: the bounds of a zip file and of the XML in it. Not here: the formats. Guarantee: nothing is unpacked
before all entries were checked; an entry gives as many bytes as it declares; XML with a DTD, which is where entities
are declared, is refused.
"""

import re
import zlib
from io import BytesIO
from itertools import pairwise
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from headwater.errors import DocumentError, UnsafeFileError

_ENTRIES = 20_000
_TOTAL = 2**30  # bytes of all entries together
_SMALL = 32 * 2**20  # bytes below which the ratio does not matter
_RATIO = 200  # zeros are compressed to a thousandth, spreadsheets to a fiftieth
_BLOCK = 2**18
_PROLOG = 2**16
_LOCAL_HEADER = 30  # bytes, and then its name and its extra field, whose lengths are in it
_LOCAL_NAME = 26
_CENTRAL_MARK = b"PK\x01\x02"
_BEFORE_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|<\?[^>]*+>|<!--(?:[^-]|-(?!->))*+-->)*+")
_ENCODING = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([^\"'>]*)")
_PLAIN_ENCODINGS = (b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")


def open_archive(content: bytes) -> ZipFile:
    """Open a zip file whose entries can be read without exhausting memory.

    Args:
        content: the file.

    Raises:
        DocumentError: it is damaged, or protected by a password.
        UnsafeFileError: it is a zip bomb.
    """
    if content.count(_CENTRAL_MARK) > _ENTRIES:
        raise UnsafeFileError(f"The file holds more than {_ENTRIES:,} files. Divide it.")
    try:
        archive = ZipFile(BytesIO(content))
    except (BadZipFile, ValueError, NotImplementedError, UnicodeError) as error:
        raise DocumentError(
            f"The file is damaged or cut off ({error}). Open it in its program and save it again."
        ) from error
    entries = archive.infolist()
    _check_sizes(entries, len(content))
    for entry in entries:
        _check_entry(entry, content)
    return archive


def refuse_dtd(part: bytes, name: str) -> None:
    """Refuse XML that declares a document type, and so might declare entities; office files never do.

    Args:
        part: the XML.
        name: its name, for the message.

    Raises:
        UnsafeFileError: it has one, or hides it.
    """
    start = part[:_PROLOG]
    if start.startswith(_WIDE_MARKS):
        start = start.replace(b"\xff\xfe", b"").replace(b"\xfe\xff", b"").replace(b"\x00", b"")
    elif (match := _ENCODING.match(start.lstrip(b"\xef\xbb\xbf \t\r\n"))) and match[1].lower() not in _PLAIN_ENCODINGS:
        raise UnsafeFileError(f"{name} is in an unusual encoding, so it is not read. Save the file again.")
    prolog = _BEFORE_ROOT.match(start)
    root = start[prolog.end() :] if prolog else start
    if part and (not root.startswith(b"<") or root.startswith(b"<!")):
        raise UnsafeFileError(f"{name} declares XML entities or is not XML, so it is not read. Save the file again.")


def _check_sizes(entries: list[ZipInfo], length: int) -> None:
    total = sum(entry.file_size for entry in entries)
    if total > _TOTAL or (total > _SMALL and total > _RATIO * length):
        raise UnsafeFileError(
            f"The file would unpack from {_megabytes(length)} to {_megabytes(total)}, like a zip bomb, so it was not"
            " opened. Divide it."
        )
    if sum(entry.compress_size for entry in entries) > length:
        raise UnsafeFileError("Parts of the file overlap, as in a zip bomb, so it was not opened.")
    spans = sorted(
        (entry.header_offset, entry.header_offset + _LOCAL_HEADER + entry.compress_size) for entry in entries
    )
    if any(end > start for (_, end), (start, _) in pairwise(spans)):
        raise UnsafeFileError("Parts of the file overlap, as in a zip bomb, so it was not opened.")


def _check_entry(entry: ZipInfo, content: bytes) -> None:
    """Refuse an entry that unpacks to more than it declares: `ZipFile.read` would unpack all of it first."""
    if entry.flag_bits & 1:
        raise DocumentError("The file is protected by a password. Save it without one.")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise UnsafeFileError(f"{entry.filename} is compressed in an unusual way. Save the file again.")
    if entry.compress_type == ZIP_STORED:
        return
    offset = entry.header_offset
    names = [
        int.from_bytes(content[offset + _LOCAL_NAME + 2 * i : offset + _LOCAL_NAME + 2 * i + 2], "little")
        for i in (0, 1)
    ]
    data = memoryview(content)[offset + _LOCAL_HEADER + sum(names) :][: entry.compress_size]
    try:
        is_longer = _measure_unpacked(data, entry.file_size) > entry.file_size
    except zlib.error as error:
        raise DocumentError(
            f"{entry.filename} in the file is damaged ({error}). Open the file in its program and save it again."
        ) from error
    if is_longer:
        raise UnsafeFileError(f"{entry.filename} unpacks to more than it declares, like a zip bomb.")


def _measure_unpacked(packed: memoryview, enough: int) -> int:
    """How many bytes an entry unpacks to, counted only until there are more than enough."""
    unpacker, size = zlib.decompressobj(-zlib.MAX_WBITS), 0
    for start in range(0, len(packed), _BLOCK):
        block = unpacker.decompress(packed[start : start + _BLOCK], _BLOCK)
        while block and size <= enough:
            size += len(block)
            block = unpacker.decompress(unpacker.unconsumed_tail, _BLOCK)
        if size > enough:
            break
    return size


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MB"
