"""Files of Word 97 to 2003 that tests make.

Belongs here: their streams (MS-DOC), as far as tests need them. Not here: the compound file around them
(`outlook_files`), what is expected of reading them. Guarantee: no file is written to disk.
"""

import struct
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from tests.outlook_files import compound_file

BOLD, HIDDEN, DELETED, SPECIAL = b"\x35\x08\x01", b"\x3c\x08\x01", b"\x00\x08\x01", b"\x55\x08\x01"
IN_TABLE, ROW_END = b"\x16\x24\x01", b"\x17\x24\x01"
NO_BASE = 0xFFF
_TEXT, _PAGE = 1024, 512
_STYLES, _PAGES, _FONTS, _CLX, _LISTS = 1, (12, 13), 15, 33, (73, 74)
_NOTES = (2, 3)
_PAIRS = 76
_UNUSED = 500  # the number of a style that is none of Word's


class Run(NamedTuple):
    """A text with its properties."""

    text: str
    sprms: bytes = b""


class Paragraph(NamedTuple):
    """A paragraph with the mark that ends it."""

    runs: Sequence[Run]
    style: int = 0
    sprms: bytes = b""
    mark: str = "\r"


class Style(NamedTuple):
    """A paragraph style; `number` is that of Word's styles, which is the same in each language."""

    name: str
    number: int = _UNUSED
    base: int = NO_BASE
    paragraph: bytes = b""
    characters: bytes = b""


def paragraph(text: str, *, style: int = 0, sprms: bytes = b"", looks: bytes = b"", mark: str = "\r") -> Paragraph:
    """A paragraph of one run, whose properties are `looks`."""
    return Paragraph([Run(text, looks)], style, sprms, mark)


def item(number: int, level: int = 0) -> bytes:
    """The properties of a paragraph in a list."""
    return struct.pack("<HBHH", 0x260A, level, 0x460B, number)


def font(number: int) -> bytes:
    """The property of a run in a font."""
    return struct.pack("<HH", 0x4A4F, number)


def row(edges: Sequence[int], flags: Sequence[int] = ()) -> bytes:
    """The properties of the mark that ends a row: the edges of its cells, and how they are merged."""
    cells = b"".join(struct.pack("<H18x", flag) for flag in flags)
    content = struct.pack(f"<B{len(edges)}h", len(edges) - 1, *edges) + cells
    return IN_TABLE + ROW_END + struct.pack("<HH", 0xD608, len(content) + 1) + content


def level(text: str, number_format: int = 0, start: int = 1) -> bytes:
    """A level of a list; the characters 0 to 8 in its text stand for numbers."""
    return struct.pack("<IB23x", start, number_format) + struct.pack("<H", len(text)) + text.encode("utf-16-le")


def doc_file(
    *paragraphs: Paragraph,
    styles: Sequence[Style] = (Style("Normal", 0),),
    notes: Sequence[tuple[int, str]] = (),
    boxes: Sequence[str] = (),
    structures: Mapping[int, bytes] | None = None,
    version: int = 0xC1,
    flags: int = 0x0200,
    properties: bytes = b"",
) -> bytes:
    """A file.

    Args:
        paragraphs: the body.
        styles: its styles.
        notes: for each footnote, the position that cites it, and its text.
        boxes: the texts of text boxes.
        structures: further structures of the table stream, by their place in the header.
        version: the version in the header.
        flags: the flags in the header.
        properties: the stream of properties.
    """
    extra = [paragraph(f"\x02 {text}") for _, text in notes] + [paragraph(text) for text in boxes]
    stored = [*paragraphs, *extra]
    body, pieces, ends = _store(stored)
    counts = [sum(map(_length, group)) for group in (paragraphs, extra[: len(notes)], extra[len(notes) :])]
    pages = _paragraph_page(stored, ends) + _character_page(stored, ends)
    parts = {
        _STYLES: _style_sheet(styles), _FONTS: _fonts("Arial", "Courier New", "Symbol"),
        _PAGES[0]: struct.pack("<III", _TEXT, ends[-1], 5), _PAGES[1]: struct.pack("<III", _TEXT, ends[-1], 4),
        **_notes(counts[0], notes), **(structures or {}), _CLX: pieces,
    }  # fmt: skip
    table = b""
    places = [0] * (2 * _PAIRS)
    for index, part in sorted(parts.items()):
        places[2 * index : 2 * index + 2] = len(table), _measure(index, part)
        table += part
    longs = [0, 0, 0, counts[0], counts[1], 0, 0, 0, 0, counts[2], *[0] * 12]
    header = struct.pack("<HH6xH20xH28xH22IH", 0xA5EC, version, flags, 14, 22, *longs, _PAIRS)
    header += struct.pack(f"<{2 * _PAIRS}I", *places)
    document = (header.ljust(_TEXT, b"\0") + body).ljust(4 * _PAGE, b"\0") + pages
    return compound_file({"WordDocument": document, "1Table": table, "\x05SummaryInformation": properties})


def summary(**texts: str) -> bytes:
    """The stream of properties that says title and author."""
    numbers = {"title": 2, "author": 4}
    values = [(1, struct.pack("<IHxx", 2, 65001))]
    for name, text in texts.items():
        stored = text.encode() + b"\0"
        values.append(
            (numbers[name], struct.pack("<II", 0x1E, len(stored)) + stored.ljust(-(-len(stored) // 4) * 4, b"\0"))
        )
    offsets = list(accumulate((len(value) for _, value in values), initial=8 + 8 * len(values)))
    listed = b"".join(struct.pack("<II", number, offset) for (number, _), offset in zip(values, offsets, strict=False))
    section = struct.pack("<II", offsets[-1], len(values)) + listed + b"".join(value for _, value in values)
    identifier = bytes.fromhex("e0859ff2f94f6810ab9108002b27b3d9")
    return struct.pack("<HHI16xI", 0xFFFE, 0, 0, 1) + identifier + struct.pack("<I", 48) + section


def _length(stored: Paragraph) -> int:
    return sum(_units(run.text) for run in stored.runs) + 1


def _units(text: str) -> int:
    """How many positions a text has: units of UTF-16."""
    return len(text.encode("utf-16-le")) // 2


def _measure(index: int, part: bytes) -> int:
    """The length that the header says: the levels of lists follow the structure that it measures."""
    return 2 + 28 * int.from_bytes(part[:2], "little") if index == _LISTS[0] else len(part)


def _store(stored: Sequence[Paragraph]) -> tuple[bytes, bytes, list[int]]:
    """The text, a piece for each paragraph, and where each ends in the stream; bytes where these suffice."""
    body = b""
    records, positions, ends = b"", [0], [_TEXT]
    for content in stored:
        text = "".join(run.text for run in content.runs) + content.mark
        place = _TEXT + len(body)
        try:
            body += text.encode("cp1252")
            records += struct.pack("<HIH", 0, 2 * place | 0x40000000, 0)
        except UnicodeEncodeError:
            body += text.encode("utf-16-le")
            records += struct.pack("<HIH", 0, place, 0)
        positions.append(positions[-1] + _units(text))
        ends.append(_TEXT + len(body))
    plc = struct.pack(f"<{len(positions)}I", *positions) + records
    return body, b"\x02" + struct.pack("<I", len(plc)) + plc, ends


def _page(ends: Sequence[int], size: int, properties: Sequence[bytes]) -> bytes:
    """A page of properties, with entries of a size that say where each is."""
    at = _PAGE - 2
    content = bytearray(_PAGE)
    entries = b""
    places: dict[bytes, int] = {}
    for value in properties:
        if value not in places:
            at = places[value] = (at - len(value)) // 2 * 2
            content[at : at + len(value)] = value
        entries += bytes([places[value] // 2]).ljust(size, b"\0")
    listed = struct.pack(f"<{len(ends)}I", *ends) + entries
    assert len(listed) <= at, "more than a page holds"
    content[: len(listed)] = listed
    content[-1] = len(properties)
    return bytes(content)


def _paragraph_page(stored: Sequence[Paragraph], ends: Sequence[int]) -> bytes:
    contents = [struct.pack("<H", content.style) + content.sprms for content in stored]
    return _page(
        ends,
        13,
        [
            bytes([(len(content) + 1) // 2]) + content if len(content) % 2 else bytes([0, len(content) // 2]) + content
            for content in contents
        ],
    )


def _character_page(stored: Sequence[Paragraph], ends: Sequence[int]) -> bytes:
    positions = [_TEXT]
    properties = []
    for content, begin, end in zip(stored, ends[:-1], ends[1:], strict=True):
        width = (end - begin) // _length(content)
        for run in content.runs:
            positions.append(positions[-1] + _units(run.text) * width)
            properties.append(bytes([len(run.sprms)]) + run.sprms)
        positions[-1] = end
    return _page(positions, 1, properties)


def _style_sheet(styles: Sequence[Style]) -> bytes:
    content = struct.pack("<HHH14x", 18, len(styles), 10)
    for style in styles:
        name = struct.pack("<H", len(style.name)) + f"{style.name}\0".encode("utf-16-le")
        record = struct.pack("<HHHHH", style.number, 1 | style.base << 4, 2, 0, 0) + name
        for value in (bytes(2) + style.paragraph, style.characters):
            record += struct.pack("<H", len(value)) + value + bytes(len(value) % 2)
        content += struct.pack("<H", len(record)) + record
    return content


def _fonts(*names: str) -> bytes:
    records = (bytes(39) + f"{name}\0".encode("utf-16-le") for name in names)
    return struct.pack("<HH", len(names), 0) + b"".join(bytes([len(record)]) + record for record in records)


def _notes(end: int, notes: Sequence[tuple[int, str]]) -> dict[int, bytes]:
    if not notes:
        return {}
    ends = list(accumulate((len(text) + 3 for _, text in notes), initial=0))
    positions = struct.pack(f"<{len(notes) + 1}I", *(position for position, _ in notes), end)
    return {
        _NOTES[0]: positions + struct.pack(f"<{len(notes)}H", *range(1, len(notes) + 1)),
        _NOTES[1]: struct.pack(f"<{len(ends)}I", *ends),
    }
