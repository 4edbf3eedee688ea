"""The paragraphs of an OpenDocument text as lines that may look like headings or code.

Belongs here: how large and bold paragraphs are, their fonts, and which are plain text. Not here: which of them are
headings (`headwater.parsing.office.line_headings`). Guarantee: a table is one line without a size, and so is a list.
"""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple

from headwater.parsing.office.docx_styles import is_code_font
from headwater.parsing.office.line_headings import TextLine
from headwater.parsing.office.typed_prose import is_prose
from headwater.parsing.opendocument.odf_file import (
    CODE_STYLE,
    DRAW,
    FO,
    LEFT_OUT,
    STYLE,
    TABLE,
    TEXT,
    OdfFile,
    count_of,
)
from headwater.parsing.xml import Element

_BOLD = ("bold", "600", "700", "800", "900")
_NO_TEXT = ("Caption", "Quotations", CODE_STYLE)
_NO_WORDS = LEFT_OUT | {f"{TEXT}note", f"{TEXT}span"}
_SPACES = {f"{TEXT}tab": "\t", f"{TEXT}s": " ", f"{TEXT}line-break": "\n"}


class _Look(NamedTuple):
    size: float
    """Points."""
    is_bold: bool
    font: str


class LineReader:
    """Reads the lines of one text."""

    def __init__(self, file: OdfFile) -> None:
        """Make one for a file."""
        self._file = file
        self._look = cache(self._read_look)
        self._code: frozenset[Element] = frozenset()

    def lines(self) -> list[TextLine]:
        """The paragraphs of the text, and the tables and lists between them."""
        lines: list[TextLine] = []
        filled_lines = (line for line in self._iterate(self._file.body) if line.text)
        for is_mono, group in groupby(filled_lines, key=lambda line: line.is_code):
            run = list(group)
            is_code = is_mono and not is_prose([line.text for line in run])
            lines += [line._replace(is_code=is_code, is_text=line.is_text and not is_code) for line in run]
        self._code = frozenset(line.element for line in lines if line.is_code)
        return lines

    def is_code(self, paragraph: Element) -> bool:
        """Whether a paragraph is in the style for code, or one of the lines in a font for code that are no prose."""
        return paragraph in self._code or self._has_code_style(paragraph)

    def _iterate(self, parent: Element) -> Iterator[TextLine]:
        """The lines in an element; those in a font for code count as code."""
        for element in parent:
            is_list = element.tag == f"{TEXT}list" and next(element.iter(f"{TEXT}h"), None) is None
            if element.tag in (f"{TEXT}p", f"{TEXT}h"):
                if not self._file.is_hidden(element, "paragraph"):
                    yield self._line(element)
            elif element.tag == f"{TABLE}table" or is_list:
                yield TextLine(element)
            elif element.tag not in LEFT_OUT and element.get(f"{TEXT}display") != "none":
                yield from self._iterate(element)

    def _has_code_style(self, paragraph: Element) -> bool:
        return CODE_STYLE in self._file.style_names(paragraph.get(f"{TEXT}style-name"), "paragraph")

    def _line(self, element: Element) -> TextLine:
        style = element.get(f"{TEXT}style-name")
        names = self._file.style_names(style, "paragraph")
        outer_look = self._look(style, "paragraph", _Look(self._file.text_size, is_bold=False, font=""))
        texts = list(self._runs(element, outer_look))
        runs = [(text, look) for text, look in texts if text.strip()]
        sizes: dict[float, int] = {}
        for text, look in runs:
            sizes[look.size] = sizes.get(look.size, 0) + len(text)
        is_mono = bool(runs) and all(is_code_font(look.font) for _, look in runs)
        return TextLine(
            element,
            level=count_of(element, f"{TEXT}outline-level") if element.tag == f"{TEXT}h" else 0,
            size=max(sizes, key=lambda size: sizes[size], default=0),
            is_bold=bool(runs) and all(look.is_bold for _, look in runs),
            text="".join(text for text, _ in texts).strip(),
            is_text=element.tag == f"{TEXT}p" and not any(name in names for name in _NO_TEXT),
            is_code=is_mono and element.tag == f"{TEXT}p" and CODE_STYLE not in names,
        )

    def _runs(self, element: Element, look: _Look) -> Iterator[tuple[str, _Look]]:
        """The texts of an element with their looks, also those of fields, without notes and shapes."""
        yield element.text or "", look
        for child in element:
            if child.tag in _SPACES:
                yield _SPACES[child.tag], look
            elif child.tag == f"{TEXT}span" and not self._file.is_hidden(child, "text"):
                yield from self._runs(child, self._look(child.get(f"{TEXT}style-name"), "text", look))
            elif child.tag not in _NO_WORDS and not child.tag.startswith(DRAW):
                yield from self._runs(child, look)
            yield child.tail or "", look

    def _read_look(self, name: str | None, family: str, outer_look: _Look) -> _Look:
        weight = self._file.style_value(name, family, f"{FO}font-weight")
        font = self._file.style_value(name, family, f"{STYLE}font-name")
        return _Look(
            self._read_size(name, family, outer_look.size),
            is_bold=weight in _BOLD if weight else outer_look.is_bold,
            font=font or outer_look.font,
        )

    def _read_size(self, name: str | None, family: str, outer_size: float) -> float:
        """A size, which may be a share of that of the style that a style is based on."""
        share = 1.0
        for style in self._file.styles(name, family):
            values = [properties.get(f"{FO}font-size") or "" for properties in style]
            value = next(filter(None, values), "")
            if value.endswith("%"):
                share *= (_number(value.removesuffix("%")) or 100) / 100
            elif points := _number(value.removesuffix("pt")):
                return share * points
        return share * outer_size


def _number(digits: str) -> float:
    return float(digits) if digits.replace(".", "", 1).isdecimal() and len(digits) < 9 else 0
