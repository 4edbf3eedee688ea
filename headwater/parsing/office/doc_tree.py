"""The text of a Word file up to 2003, in the XML of today's Word files.

Belongs here: paragraphs, runs, links, notes and text boxes. Not here: tables (`doc_tables`), properties (`doc_markup`),
markdown (`docx_blocks`). Guarantee: every character of the body is in one paragraph; headers, footers, comments,
deleted text and pictures are left out. Text boxes follow the paragraph of their anchor, those in groups of
shapes the last one.
"""

import re
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from headwater.parsing.office.doc_fields import read_fields
from headwater.parsing.office.doc_file import BODY, BOXES, ENDNOTES, FOOTNOTES, WordFile, read_plc, read_ranges
from headwater.parsing.office.doc_markup import (
    TOGGLES,
    add_element,
    add_paragraph_properties,
    add_run_properties,
    add_text,
    make_root,
    read_fonts,
)
from headwater.parsing.office.doc_properties import Properties, Sprms, is_set, read_number
from headwater.parsing.office.doc_styles import StyleSheet
from headwater.parsing.office.doc_tables import Body, read_row
from headwater.parsing.office.docx_xml import R
from headwater.parsing.office.symbol_fonts import read_symbol, replace_signs

_NOTES = (("footnote", FOOTNOTES, 2, 3), ("endnote", ENDNOTES, 46, 47))
_ANCHORS, _BOX_TEXTS = 40, 56
_ANCHOR_SIZE, _BOX_SIZE, _NOTE_SIZE = 26, 22, 2
_DELETED, _SPECIAL, _SYMBOL, _FONT = 0x0800, 0x0855, 0x6A09, 0x4A4F
_IN_TABLE, _ROW_END, _DEPTH, _INNER_CELL, _INNER_ROW_END = 0x2416, 0x2417, 0x6649, 0x244B, 0x244C
_CHARACTER_STYLE, _LIKE_STYLE, _UNLIKE_STYLE = 0x4A30, b"\x80", b"\x81"
_PARAGRAPH_END = re.compile("[\r\x07\x0c]")
_CELL_END = "\x07"
_SPECIALS = re.compile("[\0-\x1f]")


class Tree:
    """Makes the XML of a file."""

    def __init__(self, word: WordFile, sheet: StyleSheet) -> None:
        """Read the structures beside the text.

        Args:
            word: the file.
            sheet: its styles.
        """
        self._word = word
        self._sheet = sheet
        self._properties = Properties(word)
        self._fonts = read_fonts(word)
        self._fields = read_fields(word.text)
        self._references = self._read_references()
        self._anchors = self._read_anchors()
        self._cuts = self._read_cuts()
        self._ids: dict[str, str] = {}

    @property
    def targets(self) -> Mapping[str, str]:
        """The addresses of the links that were made, by their ids."""
        return {name: target for target, name in self._ids.items()}

    def make_body(self) -> Any:
        """The body of the document."""
        body = make_root("body")
        begin, end = self._word.span(BODY)
        self._fill(body, begin, end)
        for place in self._anchors.get(-1, []):
            self._fill(body, *place)
        return body

    def make_notes(self) -> Mapping[tuple[str, str], Any]:
        """The footnotes and endnotes, by their kind and id."""
        notes = {}
        for kind, span, _, index in _NOTES:
            for note_number, (begin, end, _) in enumerate(read_ranges(self._word.structure(index), 0)):
                notes[kind, str(note_number)] = make_root(kind)
                self._fill(notes[kind, str(note_number)], *self._clip(span, begin, end))
        return notes

    def _read_references(self) -> dict[int, tuple[str, str]]:
        """The kind and id of the note that each position cites."""
        return {
            position: (kind, str(note_number))
            for kind, _, index, _ in _NOTES
            for note_number, (position, _, _) in enumerate(read_plc(self._word.structure(index), _NOTE_SIZE))
        }

    def _read_anchors(self) -> dict[int, list[tuple[int, int]]]:
        """The texts of boxes by the position of their anchors in the body; those without one have -1."""
        _, body_end = self._word.span(BODY)
        shapes = {
            struct.unpack_from("<I", record)[0]: position
            for position, _, record in read_plc(self._word.structure(_ANCHORS), _ANCHOR_SIZE)
            if position < body_end
        }
        anchors: dict[int, list[tuple[int, int]]] = {}
        for begin, end, record in read_ranges(self._word.structure(_BOX_TEXTS), _BOX_SIZE):
            is_reusable, shape = struct.unpack_from("<H4xI", record, 8)
            if not is_reusable:
                anchors.setdefault(shapes.get(shape, -1), []).append(self._clip(BOXES, begin, end))
        return anchors

    def _read_cuts(self) -> list[int]:
        """Where runs end for another reason than their properties."""
        cuts = {position for link in self._fields.links for position in (link.begin, link.end)}
        for position in (*self._references, *self._anchors):
            cuts |= {position, position + 1}
        return sorted(cuts)

    def _clip(self, kind: int, begin: int, end: int) -> tuple[int, int]:
        """A range within one of the texts as a range of the file's text."""
        first, last = self._word.span(kind)
        return min(first + begin, last), min(first + end, last)

    def _fill(self, container: Any, begin: int, end: int) -> None:
        """Put the paragraphs of a range into an element."""
        body = Body(container)
        for first, last in self._iterate_paragraphs(begin, end):
            mark = self._fields.text[last - 1]
            style, sprms = self._properties.read_paragraph(last - 1)
            depth = _read_depth(sprms)
            if is_set(sprms, _INNER_ROW_END) or (is_set(sprms, _ROW_END) and mark == _CELL_END):
                body.end_row(read_row(sprms), depth)
                continue
            paragraph = make_root("p")
            add_paragraph_properties(paragraph, sprms, style)
            self._add_runs(paragraph, first, last if _PARAGRAPH_END.match(mark) is None else last - 1, style)
            ends_cell = is_set(sprms, _INNER_CELL) if depth > 1 and mark != _CELL_END else mark == _CELL_END
            body.add_paragraph(paragraph, depth, ends_cell=ends_cell)
        body.end()

    def _iterate_paragraphs(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        first = begin
        for mark in _PARAGRAPH_END.finditer(self._fields.text, begin, end):
            yield first, mark.end()
            first = mark.end()
        if first < end:
            yield first, end

    def _add_runs(self, paragraph: Any, begin: int, end: int, style: int) -> None:
        parent, target = paragraph, ""
        for first, last, sprms in self._iterate_stretches(begin, end):
            link = self._fields.link_at(first)
            if link != target:
                target = link
                parent = paragraph if not link else self._add_link(paragraph, link)
            if not is_set(sprms, _DELETED):
                self._add_run(parent, first, last, self._resolve_toggles(sprms, style))

    def _iterate_stretches(self, begin: int, end: int) -> Iterator[tuple[int, int, Sprms]]:
        """The runs of a range, also cut at links, references and anchors."""
        for first, last, sprms in self._properties.iterate_characters(begin, end):
            position = first
            for cut in self._cuts[bisect_right(self._cuts, first) : bisect_left(self._cuts, last)]:
                yield position, cut, sprms
                position = cut
            yield position, last, sprms

    def _add_link(self, paragraph: Any, target: str) -> Any:
        link = add_element(paragraph, "hyperlink")
        link.set(f"{R}id", self._ids.setdefault(target, f"l{len(self._ids)}"))
        return link

    def _add_run(self, parent: Any, begin: int, end: int, sprms: Sprms) -> None:
        run = add_element(parent, "r")
        add_run_properties(run, sprms, self._fonts)
        if begin in self._references:
            kind, note_number = self._references[begin]
            add_element(run, f"{kind}Reference", id=note_number)
        for place in self._anchors.get(begin, []):
            self._fill(add_element(run, "txbxContent"), *place)
        add_text(run, self._read_text(begin, end, sprms))

    def _resolve_toggles(self, sprms: Sprms, style: int) -> Sprms:
        """The properties of a run, with the value that they have together with the styles."""
        character_style = read_number(sprms, _CHARACTER_STYLE)
        resolved = dict(sprms)
        for code in TOGGLES:
            value = sprms.get(code, _LIKE_STYLE)
            if value in (_LIKE_STYLE, _UNLIKE_STYLE):
                is_on = self._sheet.is_switched_on(style, code)
                if character_style is not None:
                    is_on ^= self._sheet.is_switched_on(character_style, code)
                resolved[code] = b"\x01" if is_on == (value == _LIKE_STYLE) else b"\0"
        return resolved

    def _read_text(self, begin: int, end: int, sprms: Sprms) -> str:
        """What a run shows; a symbol is stored as a parenthesis that says which sign it stands for."""
        text = self._fields.text[begin:end]
        if _SYMBOL in sprms:
            font, code = struct.unpack("<HH", sprms[_SYMBOL])
            return read_symbol(self._name_font(font), code) * (text.count("(") or len(text.replace("\0", "")))
        if is_set(sprms, _SPECIAL):
            text = _SPECIALS.sub("", text)
        return replace_signs(self._name_font(read_number(sprms, _FONT) or 0), text)

    def _name_font(self, font_number: int) -> str:
        return self._fonts[font_number] if font_number < len(self._fonts) else ""


def _read_depth(sprms: Sprms) -> int:
    """In how many tables a paragraph is."""
    depth = read_number(sprms, _DEPTH)
    if depth is None or depth > 0x7FFF:
        depth = 0
    return max(depth, 1) if is_set(sprms, _IN_TABLE) else depth
