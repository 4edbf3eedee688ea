"""The slides of an OpenDocument presentation.

Belongs here: which slides are shown, their titles, shapes and notes. Not here: the text of a shape (`odf_html`).
Guarantee: the text of a slide lies between its place and the next; hidden slides, and what repeats on every slide, are
left out.
"""

import re
from collections.abc import Iterator

from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.office.package import join_blocks
from headwater.parsing.opendocument.odf_file import DRAW, PRESENTATION, SVG, OdfFile
from headwater.parsing.opendocument.odf_html import HtmlWriter, plain_words
from headwater.parsing.xml import Element

_REPEATED = ("page-number", "date-time", "footer", "header")
_LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d{1,6})?)\d*(cm|mm|in|pt)?")
_CENTIMETRES = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 0.0353}
_ROW = 0.8  # centimetres: shapes that begin closer than that are in one row


def slide_sections(file: OdfFile, uri: str) -> Iterator[tuple[int, str, str]]:
    """The number, title and section of each slide that is shown and has words."""
    writer = HtmlWriter(file)
    for slide_number, page in enumerate(file.body.iterchildren(f"{DRAW}page"), start=1):
        visibility = file.style_value(page.get(f"{DRAW}style-name"), "drawing-page", f"{PRESENTATION}visibility")
        if visibility == "hidden":
            continue
        notes = page.find(f"{PRESENTATION}notes")
        shapes = [shape for shape in page if shape is not notes and _kind(shape) not in _REPEATED]
        titled = next((shape for shape in shapes if _kind(shape) == "title"), None)
        title = plain_words(writer.shape(titled)) if titled is not None else ""
        ordered = sorted((shape for shape in shapes if shape is not titled), key=_position)
        blocks = [fragment_markdown(writer.shape(shape), uri)[0] for shape in ordered]
        spoken = fragment_markdown(writer.blocks(notes), uri)[0] if notes is not None else ""
        if title or any(blocks) or spoken:
            notes_block = f"Notes: {spoken}" if spoken else ""
            yield slide_number, title, join_blocks([f"## {title or f'Slide {slide_number}'}", *blocks, notes_block])


def _kind(shape: Element) -> str:
    return shape.get(f"{PRESENTATION}class") or ""


def _position(shape: Element) -> tuple[int, float]:
    """Top to bottom, then left to right; a group is where its first shape is."""
    placed_shape = next((element for element in shape.iter() if element.get(f"{SVG}y")), shape)
    return int(_length(placed_shape, "y") / _ROW), _length(placed_shape, "x")


def _length(shape: Element, name: str) -> float:
    match = _LENGTH.match(shape.get(f"{SVG}{name}") or "")
    return float(match[1]) * _CENTIMETRES[match[2] or "cm"] if match else 0.0
