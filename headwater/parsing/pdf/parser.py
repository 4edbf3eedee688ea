"""The parser of PDF files (SRC-3).

Belongs here: the steps from a file to a document, and what is said about pages that could not be read. Not here: the
steps themselves; the package's charter lists them. Guarantee: a page that cannot be read is a note and does not lose
the others; a file without any text raises `DocumentError`.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.pdf import document_info
from headwater.parsing.pdf.blocks import Block
from headwater.parsing.pdf.characters import is_wide
from headwater.parsing.pdf.headers_footers import find_repeated
from headwater.parsing.pdf.headings import body_size, mark_headings
from headwater.parsing.pdf.outline import sections
from headwater.parsing.pdf.paragraphs import Flow, mark_notes
from headwater.parsing.pdf.pdf_file import open_pdf
from headwater.parsing.pdf.pdf_markdown import Writer
from headwater.parsing.pdf.pdf_pages import Pages, read_pages
from headwater.parsing.pdf.printed_contents import drop_contents
from headwater.parsing.pdf.reading_order import Box, Columns, arrange, box_of
from headwater.parsing.pdf.scans import is_scan, read_scan
from headwater.parsing.pdf.shapes import Line, Page, Scan, Table, TextRun
from headwater.parsing.pdf.tables import Grid, find_bordered
from headwater.parsing.pdf.text_lines import lines_of, with_bullets
from headwater.parsing.registry import folder_category

_OCR_SECONDS = 240.0  # of one file; a page takes some seconds
_MONO_BODY = 0.4  # of the text in a font of one width: then it is not code
_OPAQUE = 100  # glyphs of a page whose characters are unknown


class PdfParser(Parser):
    """Reads PDF files."""

    media_types: ClassVar[tuple[str, ...]] = ("application/pdf",)
    suffixes: ClassVar[tuple[str, ...]] = (".pdf",)
    version: ClassVar[str] = "pdf-6"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = Limits(seconds=340, megabytes=1024)

    def prepare(self) -> None:
        """Load the libraries."""
        import pypdf  # noqa: F401

        from headwater.parsing.pdf import page_graphics, page_text  # noqa: F401

    def parse(self, file: File) -> ParsedDocument:
        """Read a file: its text as markdown, and the page of every part."""
        with open_pdf(file.content, file.passwords) as pdf_file:
            read, reader = read_pages(pdf_file), pdf_file.reader
            scanned, unread = _read_scans(pdf_file.document, read.pages)
            blocks = _blocks(reader, read, scanned)
            text, places = Writer().write(blocks)
            notes = _notes(read, unread)
            if not text.strip():
                raise DocumentError(_reason(read, unread, notes))
            return ParsedDocument(
                uri=file.uri,
                title=document_info.title(reader, file.uri, blocks),
                text=text,
                category=folder_category(file.uri, file.root),
                language=document_info.language(reader, text),
                metadata={**document_info.metadata(reader), "pages": read.count},
                notes=notes,
                places=places,
            )


def _blocks(reader: Any, read: Pages, scanned: dict[int, str]) -> list[Block]:
    pages = [(page, *_lines(page)) for page in read.pages]
    every = [line for _, lines, _, _ in pages for line in lines]
    body = body_size(every)
    dropped = find_repeated([(page, lines) for page, lines, _, _ in pages], body)
    items: list[Line | Table | Scan] = []
    columns = Columns()
    for page, lines, tables, turned in pages:
        if page.number in scanned:
            items += [Scan(scanned[page.number], page.number)]
            continue
        boxes = [box_of(line) for line in lines if id(line) not in dropped]
        items += arrange([*boxes, *(_table_box(grid, table) for grid, table in tables)], columns)
        for group in turned:
            items += arrange([box_of(line) for line in group], columns)
    items = drop_contents(items)
    mark_notes(items, body)
    mono = sum(_weight(line.text) for line in every if line.is_mono and not line.text.startswith("•"))
    flow = Flow(items, body, has_code=mono < _MONO_BODY * sum(_weight(line.text) for line in every))
    blocks = flow.build()
    mark_headings(blocks, body, sections(reader), read.pages)
    return blocks


def _weight(text: str) -> int:
    """How much text a line is: a character of Chinese or Japanese says as much as two letters or more."""
    return len(text) + sum(map(is_wide, text))


def _lines(page: Page) -> tuple[list[Line], list[tuple[Grid, Table]], list[list[Line]]]:
    """The upright lines of a page, its tables with borders, and the lines that are turned."""
    by_turn: dict[int, list[TextRun]] = {}
    for run in page.runs:
        by_turn.setdefault(run.turn, []).append(run)
    upright = by_turn.pop(0, [])
    tables, upright = find_bordered(page, upright) if page.rules else ([], upright)
    lines = lines_of(upright, page.number)
    if page.dots:
        with_bullets(lines, page.dots)
    turned = [lines_of(runs, page.number) for _, runs in sorted(by_turn.items())]
    return lines, tables, turned


def _table_box(grid: Grid, table: Table) -> Box:
    left, right, top, bottom = grid
    return Box(left, right, top, bottom, 0, 10.0, table=table)


def _read_scans(document: Any, pages: Iterable[Page]) -> tuple[dict[int, str], dict[int, str]]:
    """The text of pages that are images, by their numbers, and why others could not be read."""
    texts: dict[int, str] = {}
    unread: dict[int, str] = {}
    started_at = time.monotonic()
    for page in pages:
        if not is_scan(page):
            continue
        if time.monotonic() - started_at > _OCR_SECONDS:
            unread[page.number] = "reading all images of this file takes too long. Divide the file."
            continue
        try:
            texts[page.number] = read_scan(document, page)
        except DocumentError as error:
            unread[page.number] = str(error)
    return texts, unread


def _notes(read: Pages, unread: dict[int, str]) -> tuple[str, ...]:
    notes = []
    if read.failed:
        notes.append(f"{_format_pages(read.failed)} could not be read, because the file is damaged there.")
    if read.cut:
        notes.append(f"{_format_pages(read.cut)} was read only in part, because it draws too many objects.")
    if len(read.pages) < read.count:
        notes.append(f"Only the first {len(read.pages):,} of {read.count:,} pages were read. Divide the file.")
    for reason in dict.fromkeys(unread.values()):
        numbers = [page_number for page_number, why in unread.items() if why == reason]
        notes.append(f"{_format_pages(numbers)} is an image and could not be read: {reason}")
    opaque = [page.number for page in read.pages if page.opaque > max(_OPAQUE, sum(len(run.text) for run in page.runs))]
    if opaque:
        notes.append(
            f"{_format_pages(opaque)} has fonts that do not say which characters they show. Export the file again."
        )
    return tuple(notes)


def _format_pages(numbers: Sequence[int]) -> str:
    """Page numbers as people write them: `Page 3`, `Each of pages 3, 5–7`."""
    if len(numbers) == 1:
        return f"Page {numbers[0]}"
    ranges: list[list[int]] = []
    for page_number in numbers:
        if ranges and page_number == ranges[-1][1] + 1:
            ranges[-1][1] = page_number
        else:
            ranges.append([page_number, page_number])
    pages = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges[:50])
    return f"Each of pages {pages}{', …' if len(ranges) > 50 else ''}"


def _reason(read: Pages, unread: dict[int, str], notes: Sequence[str]) -> str:
    if unread and len(unread) == sum(map(is_scan, read.pages)):
        return f"The PDF file has no text, only images of pages. {next(iter(unread.values()))}"
    return " ".join(("The PDF file has no text.", *notes))
