"""The streams of a Word file up to 2003, and its text.

Belongs here: opening the file, its header (FIB), and the pieces that its text is made of. Not here: what the text looks
like (`doc_properties`), its structure (`doc_tree`). Guarantee: whatever a damaged file raises becomes a
`DocumentError`; the text is never longer than its stream.
"""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from headwater.errors import DocumentError
from headwater.parsing.compound_files import open_compound, refuse_sizes
from headwater.parsing.office.package import decrypt

_SUMMARY = "\x05SummaryInformation"
_STREAMS = ("WordDocument", "0Table", "1Table", "Data", _SUMMARY)
_SIGN = 0xA5EC
_WORD_97 = 0xC0  # of builds for right-to-left scripts; others write 0xC1
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_BYTES_PIECE = 0x40000000
_FIRST_COUNT, _COUNTS = 3, 8
_CLX = 33
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_BYTE_CODES = {code: bytes([code]).decode("cp1252", "replace") for code in range(0x80, 0xA0)}
_DAMAGE = (struct.error, IndexError, KeyError, ValueError, OSError, OverflowError)

BODY, FOOTNOTES, ENDNOTES, BOXES = 0, 1, 5, 6
"""The texts of a file that follow each other, by their place in the header."""


class _Header(NamedTuple):
    flags: int
    counts: tuple[int, ...]
    places: tuple[int, ...]


class _Piece(NamedTuple):
    begin: int
    end: int
    offset: int
    width: int


class WordFile(NamedTuple):
    """A file that was opened; positions count its characters in units of UTF-16."""

    document: bytes
    table: bytes
    data: bytes
    text: str
    """A character beyond 16 bits is followed by NUL, so that positions hold."""
    pieces: Sequence[_Piece]
    header: _Header
    summary: bytes

    def structure(self, index: int) -> bytes:
        """A structure of the table stream, by its place in the header; empty if there is none."""
        return self.table[self.offset(index) :][: self.header.places[2 * index + 1] if self.has(index) else 0]

    def offset(self, index: int) -> int:
        """Where a structure begins in the table stream."""
        return self.header.places[2 * index] if self.has(index) else len(self.table)

    def has(self, index: int) -> bool:
        """Whether a structure is there."""
        return 2 * index + 1 < len(self.header.places) and self.header.places[2 * index + 1] > 0

    def span(self, kind: int) -> tuple[int, int]:
        """Where a text begins and ends, such as that of `FOOTNOTES`."""
        begin = sum(self.header.counts[:kind])
        return min(begin, len(self.text)), min(begin + self.header.counts[kind], len(self.text))

    def locate(self, position: int) -> int:
        """Where in the document stream a character is stored."""
        index = bisect_right(self.pieces, position, key=lambda text_piece: text_piece.begin) - 1
        text_piece = self.pieces[max(index, 0)]
        return text_piece.offset + (position - text_piece.begin) * text_piece.width


@contextmanager
def refuse_damage() -> Iterator[None]:
    """Turn what reading a damaged file raises into an error of the file.

    Raises:
        DocumentError: it is damaged.
    """
    try:
        yield
    except _DAMAGE as error:
        raise DocumentError(f"The file is damaged ({error}). Save it again, as .docx.") from error


def open_word(content: bytes, passwords: Sequence[str]) -> WordFile:
    """Open a file.

    Args:
        content: the file.
        passwords: are tried in turn if it is encrypted.

    Raises:
        DocumentError: it is older than Word 97, no password opens it, or it is damaged.
    """
    with refuse_damage():
        streams = _read_streams(content)
        if _read_flags(streams["WordDocument"]) & _ENCRYPTED:
            streams = _read_streams(decrypt(content, passwords))
        document = streams["WordDocument"]
        header = _read_header(document)
        table = streams["1Table" if header.flags & _SECOND_TABLE else "0Table"]
        word = WordFile(document, table, streams["Data"], "", [], header, streams[_SUMMARY])
        pieces = _read_pieces(word.structure(_CLX), len(document))
        text = "".join(_decode(document, text_piece) for text_piece in pieces)
    return word._replace(text=text, pieces=pieces)


def read_plc(content: bytes, size: int) -> list[tuple[int, int, bytes]]:
    """The records of a structure that says for each where it begins and ends.

    Args:
        content: the structure.
        size: the bytes of a record.
    """
    count = max(len(content) - 4, 0) // (4 + size)
    if not count:
        return []
    positions = struct.unpack_from(f"<{count + 1}I", content)
    first = 4 * (count + 1)
    return [
        (positions[index], positions[index + 1], content[first + index * size : first + (index + 1) * size])
        for index in range(count)
    ]


def read_ranges(content: bytes, size: int) -> Iterator[tuple[int, int, bytes]]:
    """The same, of texts that follow each other: where they overlap, as in a damaged file, the later one is shorter."""
    reached = 0
    for begin, end, record in read_plc(content, size):
        first = max(begin, reached)
        reached = max(end, first)
        yield first, reached, record


def _read_streams(content: bytes) -> dict[str, bytes]:
    with open_compound(content) as container:
        names = [name for name in _STREAMS if container.exists(name)]
        refuse_sizes(content, (container.root.size, *map(container.get_size, names)))
        streams = {name: container.openstream(name).read() for name in names}
    if "WordDocument" not in streams:
        raise DocumentError("The file is no Word file, although it looks like one. Save it as .docx.")
    return {name: streams.get(name, b"") for name in _STREAMS}


def _read_flags(document: bytes) -> int:
    sign, version = struct.unpack_from("<HH", document)
    if sign != _SIGN or version < _WORD_97:
        raise DocumentError("The file is of Word 95 or an older version, whose format is not read. Save it as .docx.")
    return int.from_bytes(document[10:12], "little")


def _read_header(document: bytes) -> _Header:
    (words,) = struct.unpack_from("<H", document, 32)
    cursor = 34 + 2 * words
    (longs,) = struct.unpack_from("<H", document, cursor)
    counts = struct.unpack_from(f"<{_COUNTS}I", document, cursor + 2 + 4 * _FIRST_COUNT)
    cursor += 2 + 4 * longs
    (pairs,) = struct.unpack_from("<H", document, cursor)
    return _Header(_read_flags(document), counts, struct.unpack_from(f"<{2 * pairs}I", document, cursor + 2))


def _read_pieces(clx: bytes, size: int) -> list[_Piece]:
    cursor = 0
    while clx[cursor : cursor + 1] == b"\x01":
        cursor += 3 + int.from_bytes(clx[cursor + 1 : cursor + 3], "little")
    if clx[cursor : cursor + 1] != b"\x02":
        raise ValueError("it does not say where its text is")
    (length,) = struct.unpack_from("<I", clx, cursor + 1)
    pieces = []
    previous = 0
    for begin, end, record in read_plc(clx[cursor + 5 :][:length], 8):
        if begin != previous or end < begin or end > size:
            raise ValueError("the pieces of its text are not in order")
        previous = end
        (place,) = struct.unpack_from("<I", record, 2)
        has_bytes = bool(place & _BYTES_PIECE)
        offset = (place & (_BYTES_PIECE - 1)) // (2 if has_bytes else 1)
        if end > begin:
            pieces.append(_Piece(begin, end, offset, 1 if has_bytes else 2))
    if not pieces:
        raise ValueError("it has no text")
    return pieces


def _decode(document: bytes, text_piece: _Piece) -> str:
    count = text_piece.end - text_piece.begin
    stored = document[text_piece.offset : text_piece.offset + count * text_piece.width]
    if text_piece.width == 1:
        return stored.decode("latin-1").translate(_BYTE_CODES).ljust(count, "\0")
    text = stored[: len(stored) // 2 * 2].decode("utf-16-le", "surrogatepass")
    return _ASTRAL.sub(lambda match: f"{match[0]}\0", text).ljust(count, "\0")
