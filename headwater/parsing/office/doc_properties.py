"""The properties of paragraphs and characters in a Word file up to 2003.

Belongs here: where they are stored, and their single values (sprms). Not here: what they mean (`doc_markup`).
Guarantee: each page of properties is read once, so the work is linear in the length of the file; properties that lead
out of the file are none.
"""

import struct
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from headwater.parsing.office.doc_file import WordFile, read_plc

Sprms = Mapping[int, bytes]
"""The values of properties, by their codes; the last of several counts."""

_CHARACTER_PAGES, _PARAGRAPH_PAGES = 12, 13
_PAGE = 512
_LENGTHS = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
_TABS, _TABLE = 0xC615, 0xD608  # whose length is written in another way
_HUGE = (0x6645, 0x6646)  # the properties are in the data stream
_MAX_LONG_LIST = 200  # properties; Word has fewer than that for paragraphs
_ON = (b"\x01", b"\x81")  # the latter: unlike the style


class _Run(NamedTuple):
    begin: int  # in the document stream
    end: int
    style: int
    sprms: Sprms


class _LongLists:
    """Lists of properties that are too long for a page; together, no more is read than their stream has."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._budget = len(content)
        self._lists: dict[int, Sprms] = {}

    def read(self, place: int) -> Sprms:
        """The list at a place of the data stream; empty if there is none."""
        if place not in self._lists:
            size = min(int.from_bytes(self._content[place : place + 2], "little"), self._budget)
            self._budget -= size
            sprms = read_sprms(self._content[place + 2 : place + 2 + size])
            self._lists[place] = sprms if len(sprms) <= _MAX_LONG_LIST else {}
        return self._lists[place]


class Properties:
    """The properties of a file's text."""

    def __init__(self, word: WordFile) -> None:
        """Read them.

        Args:
            word: the file.
        """
        self._word = word
        self._paragraphs = _read_runs(word, _PARAGRAPH_PAGES)
        self._starts = [run.begin for run in self._paragraphs]
        self._characters = _map_runs(word, _read_runs(word, _CHARACTER_PAGES))
        self._character_starts = [begin for begin, _, _ in self._characters]

    def read_paragraph(self, position: int) -> tuple[int, Sprms]:
        """The style of a paragraph, and what it sets itself.

        Args:
            position: where its last character is.
        """
        offset = self._word.locate(position)
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or self._paragraphs[index].end <= offset:
            return 0, {}
        return self._paragraphs[index].style, self._paragraphs[index].sprms

    def iterate_characters(self, begin: int, end: int) -> Iterator[tuple[int, int, Sprms]]:
        """The stretches of a text with the same properties: where each begins and ends, and what it sets."""
        index = max(bisect_right(self._character_starts, begin) - 1, 0)
        position = begin
        while position < end and index < len(self._characters):
            first, last, sprms = self._characters[index]
            index += 1
            if first > position:
                yield position, min(first, end), {}
            if first < end and last > position:
                yield max(first, position), min(last, end), sprms
            position = max(position, min(max(first, last), end))
        if position < end:
            yield position, end, {}


def read_sprms(content: bytes) -> dict[int, bytes]:
    """The properties in a list of them; those after a damaged one are left out."""
    sprms: dict[int, bytes] = {}
    cursor = 0
    while cursor + 3 <= len(content):
        (code,) = struct.unpack_from("<H", content, cursor)
        cursor += 2
        length = _LENGTHS.get(code >> 13)
        if length is None:
            length, cursor = _variable_length(content, code, cursor)
        if cursor + length > len(content):
            break
        sprms[code] = content[cursor : cursor + length]
        cursor += length
    return sprms


def is_set(sprms: Sprms, code: int) -> bool:
    """Whether a property is switched on."""
    return sprms.get(code, b"")[:1] in _ON


def read_number(sprms: Sprms, code: int) -> int | None:
    """The number that a property has; None if it is not set."""
    return int.from_bytes(sprms[code], "little") if code in sprms else None


def _variable_length(content: bytes, code: int, cursor: int) -> tuple[int, int]:
    """How long a value is, and where it begins."""
    if code == _TABLE:
        return max(int.from_bytes(content[cursor : cursor + 2], "little") - 1, 0), cursor + 2
    length = content[cursor]
    if code == _TABS and length == 255:  # more tabs than a byte can count
        deleted = content[cursor + 1] if cursor + 1 < len(content) else 0
        added = content[cursor + 2 + 4 * deleted] if cursor + 2 + 4 * deleted < len(content) else 0
        return 2 + 4 * deleted + 3 * added, cursor + 1
    return length, cursor + 1


def _read_runs(word: WordFile, index: int) -> list[_Run]:
    runs: list[_Run] = []
    read: set[int] = set()
    store = _LongLists(word.data)
    for _, _, record in read_plc(word.structure(index), 4):
        page_number = int.from_bytes(record, "little") & 0x3FFFFF
        page = word.document[page_number * _PAGE : (page_number + 1) * _PAGE]
        if page_number in read or len(page) < _PAGE:
            continue
        read.add(page_number)
        runs += _read_page(store, page, has_styles=index == _PARAGRAPH_PAGES)
    return _cut_overlaps(sorted(runs, key=lambda run: run.begin))


def _cut_overlaps(runs: list[_Run]) -> list[_Run]:
    """The runs, each up to the next one: only in a damaged file they overlap."""
    ends = [*(run.begin for run in runs[1:]), sys.maxsize]
    cut = [run._replace(end=min(run.end, end)) for run, end in zip(runs, ends, strict=True)] if runs else []
    return [run for run in cut if run.begin < run.end]


def _read_page(store: _LongLists, page: bytes, *, has_styles: bool) -> Iterator[_Run]:
    size = 13 if has_styles else 1
    count = min(page[-1], (_PAGE - 5) // (4 + size))
    positions = struct.unpack_from(f"<{count + 1}I", page)
    cached: dict[int, tuple[int, Sprms]] = {}
    for index in range(count):
        cursor = 2 * page[4 * (count + 1) + index * size]
        if cursor not in cached:
            cached[cursor] = _read_papx(store, page, cursor) if has_styles else (0, _read_chpx(page, cursor))
        if positions[index] < positions[index + 1]:
            yield _Run(positions[index], positions[index + 1], *cached[cursor])


def _read_chpx(page: bytes, cursor: int) -> Sprms:
    return read_sprms(page[cursor + 1 : cursor + 1 + page[cursor]]) if cursor else {}


def _read_papx(store: _LongLists, page: bytes, cursor: int) -> tuple[int, Sprms]:
    if not cursor:
        return 0, {}
    length = 2 * page[cursor] - 1
    if length < 0:
        cursor += 1
        length = 2 * page[cursor]
    style = int.from_bytes(page[cursor + 1 : cursor + 3], "little")
    sprms = read_sprms(page[cursor + 3 : cursor + 1 + length])
    for code in _HUGE:
        place = read_number(sprms, code)
        if place is not None:
            sprms |= store.read(place)
    return style, sprms


def _map_runs(word: WordFile, runs: list[_Run]) -> list[tuple[int, int, Sprms]]:
    """The runs by positions in the text; a run may be in several pieces."""
    starts = [run.begin for run in runs]
    mapped = []
    for text_piece in word.pieces:
        last = text_piece.offset + (text_piece.end - text_piece.begin) * text_piece.width
        index = max(bisect_right(starts, text_piece.offset) - 1, 0)
        while index < len(runs) and runs[index].begin < last:
            run = runs[index]
            index += 1
            begin = text_piece.begin + (max(run.begin, text_piece.offset) - text_piece.offset) // text_piece.width
            end = text_piece.begin + (min(run.end, last) - text_piece.offset) // text_piece.width
            if begin < end:
                mapped.append((begin, end, run.sprms))
    return mapped
