"""The rows of a dump, one after the other.

Belongs here: finding rows in the file, their attributes, rows that are broken. Not here: what the attributes mean
(`posts`). Guarantee: it never holds more than a few megabytes; a row that is too long or not well-formed costs only
itself; a file that declares a document type or entities is refused.

XML allows no `<` within an attribute, so every row ends before the next one. That makes it possible to find the rows
without parsing the file as a whole, and to go on after a broken one. The rows themselves are parsed by
`headwater.parsing.xml`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from headwater.errors import DocumentError, SourceError
from headwater.parsing.parser import File
from headwater.parsing.reader import Reader
from headwater.parsing.xml import parse_xml

_BLOCK = 1 << 20  # bytes that are read at once
_MAX_ROW_BYTES = 5_000_000  # bytes of a row; a post may have 30,000 characters
_BATCH_ROWS = 500
_BATCH_BYTES = 1 << 20
_ROW = re.compile(rb"row[\s/>]")
_ENCODING = re.compile(rb"encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']")
_ARCHIVES = {b"7z\xbc\xaf\x27\x1c": "7z x", b"PK\x03\x04": "unzip", b"\x1f\x8b": "gunzip", b"BZh": "bunzip2"}
_MARKS_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A row: where it is in the file, in bytes, and its attributes."""

    start: int
    size: int
    values: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenRow:
    """A row that cannot be read, or the rest of a file that is cut off."""

    start: int
    reason: str


class RowReader(Reader):
    """Reads rows in a process of its own."""

    def answer(self, file: File) -> Any:
        """The attributes of each."""
        root = parse_xml(file.content, limit=_MAX_ROW_BYTES + len(b"<posts></posts>"))
        return [dict(element.attrib) for element in root]


def read_rows(file: BinaryIO) -> Iterator[Row | BrokenRow]:
    """Read every row of a dump, in order.

    Args:
        file: the dump, opened in binary mode at its beginning.

    Raises:
        SourceError: it is an archive, not UTF-8, or declares a document type.
    """
    batch: list[tuple[int, bytes]] = []
    size = 0
    is_complete = False
    for start, tag in _tags(file):
        if not start:
            _check_beginning(tag)
        if tag.startswith(b"<?xml"):
            _check_encoding(tag)
        elif tag.startswith(b"<!"):
            raise SourceError("The dump declares a document type or entities, which is refused. Use a dump as it is.")
        elif tag.startswith(b"</row") and batch:
            batch[-1] = (batch[-1][0], batch[-1][1] + tag)
        elif _ROW.match(tag, 1):
            if len(batch) >= _BATCH_ROWS or size >= _BATCH_BYTES:
                yield from _parse_rows(batch)
                batch, size = [], 0
            batch.append((start, tag))
            size += len(tag)
        is_complete = tag.startswith(b"</") and not tag.startswith(b"</row")
        last = start
    yield from _parse_rows(batch)
    if not is_complete:
        yield BrokenRow(start=last, reason="the file ends here, before the end of its posts; fetch it again")


def read_row(file: BinaryIO, start: int, size: int) -> Row | None:
    """Read one row again; None if the file has changed."""
    file.seek(start)
    (row,) = _parse_rows([(start, file.read(size))])
    return row if isinstance(row, Row) else None


def _tags(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Each tag with what follows it, and its offset; first, what comes before all tags.

    Comments are left out. Of a tag that is too long, only the beginning is kept.
    """
    start = position = 0
    tag, is_comment = b"", False
    while block := file.read(_BLOCK):
        first, *tags = block.split(b"<")
        tag = (tag + first)[: _MAX_ROW_BYTES + 1]
        position += len(first)
        for tag_text in tags:
            is_comment = (is_comment or tag.startswith(b"<!--")) and b"-->" not in tag
            if not is_comment and not tag.startswith(b"<!--"):
                yield start, tag
            start, tag = position, b"<" + tag_text
            position += 1 + len(tag_text)
    yield start, tag


def _check_beginning(tag: bytes) -> None:
    for mark, command in _ARCHIVES.items():
        if tag.startswith(mark):
            raise SourceError(f"The dump is still packed. Unpack it with `{command}`, and set path to its Posts.xml.")
    if tag.startswith(_MARKS_16):
        raise SourceError("The dump is encoded as UTF-16. Convert it to UTF-8, as dumps usually are.")


def _check_encoding(declaration: bytes) -> None:
    match = _ENCODING.search(declaration)
    name = match[1].decode("ascii").lower() if match else "utf-8"
    if name not in ("utf-8", "utf8", "us-ascii", "ascii"):
        raise SourceError(f"The dump says that its encoding is {name}. Convert it to UTF-8, as dumps usually are.")


def _parse_rows(batch: list[tuple[int, bytes]]) -> Iterator[Row | BrokenRow]:
    """Parse rows together, which is faster; if that fails, each alone."""
    if not batch:
        return
    content = b"<posts>" + b"".join(tag for _, tag in batch) + b"</posts>"
    try:
        parsed_rows = RowReader.read(content, "rows")
        rows = [
            Row(start=start, size=len(tag), values={str(name): str(value) for name, value in values.items()})
            for (start, tag), values in zip(batch, parsed_rows, strict=True)
        ]
    except (DocumentError, ValueError, TypeError, AttributeError) as error:
        if len(batch) > 1:
            for entry in batch:
                yield from _parse_rows([entry])
            return
        yield BrokenRow(start=batch[0][0], reason=str(error).rstrip("."))
        return
    yield from rows
