"""Reading the pages of an open file: what each one draws.

Belongs here: a page's box and turn, and the values of its form fields. Not here: what its content draws (`page_text`,
`page_graphics`), what becomes of the pieces (`parser`). Guarantee: a page that cannot be read is a note and an empty
page; the pages together are bounded in text and time.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from headwater.parsing.pdf.fonts import resolve_fonts
from headwater.parsing.pdf.page_forms import are_annotations_drawable, is_drawable
from headwater.parsing.pdf.pdf_file import PAGES, PdfFile
from headwater.parsing.pdf.shapes import FontFace, Matrix, Page, TextRun, move
from headwater.parsing.pdf.underscores import add_underscores

_CHARACTERS = 20_000_000  # of one file
_SECONDS = 90.0  # of processor time
_FIELDS = 2_000  # of one page
_LABEL_GAP = 2.0  # of a field's size: a label this near is on its line
_SIDE = 20_000.0  # points: the largest page


@dataclass(slots=True)
class Pages:
    """The pages of a file, and what could not be read."""

    pages: list[Page] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    count: int = 0  # of the file, which may have more than were read


def read_pages(file: PdfFile) -> Pages:
    """Read every page of an open file."""
    pages = Pages(count=len(file.reader.pages))
    characters, started_at = 0, time.process_time()
    for page_number in range(1, min(pages.count, PAGES) + 1):
        if characters > _CHARACTERS or time.process_time() - started_at > _SECONDS:
            break
        page = Page(page_number, 612.0, 792.0)
        try:
            _read_page(file, page)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  # a page can be broken in any way; the others can be read
            pages.failed.append(page_number)
        if page.is_cut:
            pages.cut.append(page_number)
        characters += sum(len(run.text) for run in page.runs)
        pages.pages.append(page)
    resolve_fonts(pages.pages)
    return pages


def _read_page(file: PdfFile, page: Page) -> None:
    from pypdf.generic import ContentStream

    from headwater.parsing.pdf.page_graphics import add_graphics
    from headwater.parsing.pdf.page_text import add_text

    entries = file.reader.pages[page.number - 1]
    start = _prepare_page(entries, page)
    content = entries.get("/Contents")
    content = content.get_object() if content is not None else None
    if content is not None and content.__class__.__name__ != "NullObject":
        decoded = ContentStream(content, file.reader, "bytes").get_data()
        page.is_cut = not is_drawable(decoded, entries.get("/Resources") or {})
    if content is not None and not page.is_cut:
        drawn = file.document[page.number - 1]
        try:
            add_text(drawn, page, start)
            add_graphics(drawn, page, start)
            add_underscores(page)
        finally:
            drawn.close()
    if "/Annots" in entries:
        page.draws_annotations = are_annotations_drawable(entries["/Annots"], entries.get("/Resources") or {})
        _add_fields(entries, page, start)
    page.runs = [run for run in page.runs if _is_visible(run, page)]


def _prepare_page(source: Any, page: Page) -> Matrix:
    """Set a page's size as a reader sees it, and return the matrix that turns it upright."""
    box = source.cropbox
    left, bottom, right, top = (float(value) for value in (box.left, box.bottom, box.right, box.top))
    width, height = abs(right - left) or 612.0, abs(top - bottom) or 792.0
    left, bottom = min(left, right), min(bottom, top)
    width, height = min(width, _SIDE), min(height, _SIDE)
    turn = _turn(source)
    page.width, page.height = (width, height) if turn in (0, 180) else (height, width)
    if turn == 90:
        return (0.0, -1.0, 1.0, 0.0, -bottom, width + left)
    if turn == 180:
        return (-1.0, 0.0, 0.0, -1.0, width + left, height + bottom)
    if turn == 270:
        return (0.0, 1.0, -1.0, 0.0, height + bottom, -left)
    return (1.0, 0.0, 0.0, 1.0, -left, -bottom)


def _turn(source: Any) -> int:
    try:
        return int(source.get("/Rotate", 0)) % 360
    except (TypeError, ValueError):
        return 0


def _is_visible(run: TextRun, page: Page) -> bool:
    """Whether a piece is on the page, at least in part."""
    across, down = (page.width, page.height) if run.turn in (0, 180) else (page.height, page.width)
    return run.right > -1 and run.left < across + 1 and -1 < run.base < down + run.size


def _add_fields(source: Any, page: Page, start: Matrix) -> None:
    """Add the values of form fields, which are not part of a page's content."""
    face = FontFace("Helvetica")
    for annotation in list(source["/Annots"])[:_FIELDS]:
        try:
            widget = annotation.get_object()
            text = _value(widget)
            if not text:
                continue
            page.runs += _field_runs(text, widget, page, start, face)
        except Exception:  # noqa: BLE001, S112  # a field can be broken in any way; the page can be read
            continue


def _value(widget: Any) -> str:
    kind = widget.get("/Subtype")
    if kind == "/FreeText":
        return str(widget.get("/Contents", ""))[:5_000]
    if kind != "/Widget":
        return ""
    parent = widget["/Parent"].get_object() if "/Parent" in widget else {}
    field_type = widget.get("/FT", parent.get("/FT"))
    if field_type == "/Btn":
        state = widget.get("/AS")
        return "" if state is None else "[ ]" if state == "/Off" else "[x]"
    value = widget.get("/V", parent.get("/V", ""))
    value = value.get_object() if hasattr(value, "get_object") else value
    if isinstance(value, list):
        return ", ".join(map(str, value[:100]))
    return value[:5_000] if isinstance(value, str) else ""


def _field_runs(text: str, widget: Any, page: Page, start: Matrix, face: FontFace) -> Iterator[TextRun]:
    left, bottom, right, top = (float(value) for value in widget["/Rect"])
    x, y = move(left, max(top, bottom), start)
    size = max(6.0, min(11.0, 0.75 * abs(top - bottom)))
    step = size * 1.2
    first = page.height - y + (min(step, abs(top - bottom) / 2 + 0.35 * size))
    for index, line in enumerate(text.replace("\r", "\n").split("\n")[:200]):
        if line.strip():
            end = min(x + 0.5 * size * len(line), max(x + abs(right - left), x + 1))
            order, begin = len(page.runs), x + 1
            if index == 0 and (label := _beside(page, x, first, size)):
                first, order = label.base, label.order
                if x - label.right < _LABEL_GAP * size:
                    begin = label.right + 0.3 * size
            yield TextRun(line, begin, end, first + index * step, size, face, order, 0, False)


def _beside(page: Page, x: float, base: float, size: float) -> TextRun | None:
    """What is to the left of a field: usually its label, with which it is read."""
    candidates = [run for run in page.runs if abs(run.base - base) < 0.6 * size and run.left < x]
    return max(candidates, key=lambda run: run.left, default=None)
