"""The text of an OpenDocument file as HTML, which the HTML parser knows how to make markdown of.

Belongs here: paragraphs, headings, lists, tables, notes, boxes. Not here: sheets (`odf_sheets`), which slides there are
(`odf_slides`), numbers of lists (`odf_lists`), charts (`odf_charts`). Guarantee: each visible text is written once;
deleted text, comments, contents and hidden parts are left out, and so are headers and footers, which are styles.
"""

import re
from collections.abc import Callable
from html import escape, unescape

from headwater.parsing.office.line_headings import LineHeadings
from headwater.parsing.office.package import one_line, picture
from headwater.parsing.office.typed_contents import find_contents
from headwater.parsing.opendocument.odf_charts import ChartWriter
from headwater.parsing.opendocument.odf_file import (
    DRAW,
    HREF,
    LEFT_OUT,
    OFFICE,
    SVG,
    TABLE,
    TEXT,
    OdfFile,
    count_of,
)
from headwater.parsing.opendocument.odf_lines import LineReader
from headwater.parsing.opendocument.odf_lists import ITEM, ListNumbers, nest_lists, only_indents
from headwater.parsing.opendocument.odf_sheets import rows_of
from headwater.parsing.xml import Element

_MAX_DEPTH = 60
_MAX_SPACES = 200
_TITLE = "Title"
_BREAK = re.compile(r"<br>|</p>|</li>")
_BLOCK_TAG = re.compile(r"</?(?:p|pre|h[1-6])>")
_TAG = re.compile(r"<[^<>]*>")
_BETWEEN_CODE = "</pre><pre>"  # each line of code is a paragraph


def plain_words(html: str) -> str:
    """The words of a heading that was written as HTML, on one line."""
    return one_line(unescape(_TAG.sub("", _BREAK.sub(" ", html))))


class HtmlWriter:
    """Writes the blocks of one file."""

    def __init__(self, file: OdfFile) -> None:
        self._file = file
        self._boxes: list[str] = []  # of the paragraph that is being written
        self._notes: list[str] = []
        nest_lists(file.body)
        self._numbers = ListNumbers(file)
        self._depth = 0
        self._cells_around = 0
        self.title = ""
        """The paragraph that the file styles as its title."""
        self.first_heading = ""
        self._shift = int(any(self._is_title(paragraph) for paragraph in file.body.iter(f"{TEXT}p")))
        self._lines = LineReader(file)
        self._charts = ChartWriter(file)
        lines = self._lines.lines() if file.body.tag == f"{OFFICE}text" else []
        self._headings = LineHeadings(lines, has_title=bool(self._shift))
        self._contents = find_contents(lines)
        self.largest_line = self._headings.title
        """The largest lines on the first page, if they are much larger than the text."""
        self._writers: dict[str, Callable[[Element], str]] = {
            f"{TEXT}h": self._heading, f"{TEXT}p": self._paragraph, f"{TEXT}list": self._list,
            f"{TEXT}section": self._section, f"{TABLE}table": self._table, f"{TABLE}table-row": self._row,
            f"{DRAW}frame": self._frame, f"{DRAW}object": self._object,
            f"{TEXT}note": self._note, f"{TEXT}a": self._link, f"{TEXT}s": self._spaces,
            f"{TEXT}span": self._span, f"{TEXT}tab": lambda _: "\t", f"{TEXT}line-break": lambda _: "<br>",
        }  # fmt: skip

    def blocks(self, parent: Element) -> str:
        """What is in an element, as HTML."""
        return "".join(self._write(child, self.blocks) for child in parent).replace(_BETWEEN_CODE, "\n")

    def shape(self, element: Element) -> str:
        """One shape of a slide, as HTML."""
        self._numbers.forget()
        return self._write(element, self.blocks)

    def _write(self, element: Element, write_other: Callable[[Element], str]) -> str:
        """One element without its tail; one that has no writer, by the given one."""
        writer = self._writers.get(element.tag)
        if (writer is None and element.tag in LEFT_OUT) or self._depth > _MAX_DEPTH:
            return ""
        self._depth += 1
        html = (writer or write_other)(element)
        self._depth -= 1
        return html

    def _inline(self, element: Element) -> str:
        """The words in an element, also those of fields such as numbers of figures; its shapes come after the block."""
        texts = [escape(element.text or "")]
        for child in element:
            if child.tag.startswith(DRAW):
                self._boxes.append(self._write(child, self.blocks))
            else:
                texts.append(self._write(child, self._inline))
            texts.append(escape(child.tail or ""))
        return "".join(texts)

    def _paragraph(self, element: Element) -> str:
        if self._file.is_hidden(element, "paragraph") or element in self._contents:
            return ""
        words, boxes = self._words_and_boxes(element)
        if self._is_title(element) and not self.title and words.strip():
            self.title = plain_words(words)
            return f"<h1>{words}</h1>{boxes}{self._take_notes()}"
        if (level := self._headings.level(element)) and words.strip():
            return self._heading_html(words, level) + boxes + self._take_notes()
        if self._lines.is_code(element):
            return f"<pre>{words.replace('<br>', chr(10))}</pre>{boxes}{self._take_notes()}"
        return (f"<p>{words}</p>" if words.strip() else "") + boxes + self._take_notes()

    def _words_and_boxes(self, element: Element) -> tuple[str, str]:
        """The words of a paragraph or heading, and the boxes in it, which come after it."""
        outer_boxes, self._boxes = self._boxes, []
        words = self._inline(element)
        boxes, self._boxes = "".join(self._boxes), outer_boxes
        return words, boxes

    def _heading(self, element: Element) -> str:
        if self._file.is_hidden(element, "paragraph"):
            return ""
        words, boxes = self._words_and_boxes(element)
        html = self._heading_html(words, count_of(element, f"{TEXT}outline-level")) if words.strip() else ""
        return html + boxes + self._take_notes()

    def _heading_html(self, words: str, level: int) -> str:
        self.first_heading = self.first_heading or plain_words(words)
        shown_level = min(level, 6 - self._shift) + self._shift
        return f"<h{shown_level}>{words}</h{shown_level}>"

    def _list(self, element: Element) -> str:
        if next(element.iter(f"{TEXT}h"), None) is not None:  # numbered headings are items of lists
            return "".join(self.blocks(item) for item in element)
        no_points = list(element.iterchildren(f"{TEXT}list-header"))
        items = [item for item in element.iterchildren(ITEM) if len(item)]
        count = len(items) if self._numbers.is_unmarked(element) else int(bool(items) and only_indents(items[0]))
        introduction = "".join(map(self.blocks, [*no_points, *items[:count]]))
        items = items[count:]
        if not items:
            return introduction
        start = self._numbers.first_number(element, items)
        if self._cells_around:
            if start is None and len(items) == 1:  # the sign says nothing; some programs write each cell as a point
                return introduction + self.blocks(items[0])
            marks = ("- " if start is None else f"{start + place}. " for place in range(len(items)))
            return introduction + "".join(map(_write_typed_point, marks, map(self.blocks, items)))
        points = "".join(f"<li>{self.blocks(item)}</li>" for item in items)
        return introduction + (f"<ul>{points}</ul>" if start is None else f'<ol start="{start}">{points}</ol>')

    def _section(self, element: Element) -> str:
        return "" if element.get(f"{TEXT}display") == "none" else self.blocks(element)

    def _table(self, element: Element) -> str:
        """A table; one that only frames its text is that text, and one in a cell is words."""
        rows = [list(row.iterchildren(f"{TABLE}table-cell")) for row in rows_of(element)]
        if self._cells_around:
            lines = (", ".join(_BLOCK_TAG.sub(" ", self.blocks(cell)).strip() for cell in row) for row in rows)
            return f"<p>{'; '.join(lines)}</p>"
        has_heading = len(rows) == 1 and next(element.iter(f"{TEXT}h"), None) is not None
        if has_heading or all(len(row) <= 1 for row in rows):
            return "".join(self.blocks(cell) for row in rows for cell in row)
        return f"<table>{self.blocks(element)}</table>"

    def _row(self, element: Element) -> str:
        """A row; in a text, the first one of a table names its columns, as most programs style it."""
        is_first = element.getparent().tag == f"{TABLE}table-header-rows" or (
            next(element.itersiblings(f"{TABLE}table-row", f"{TABLE}table-header-rows", preceding=True), None) is None
            and element.getparent().tag == f"{TABLE}table"
        )
        name = "th" if is_first else "td"
        cells = []
        self._cells_around += 1
        for cell in element.iterchildren(f"{TABLE}table-cell"):
            spans = "".join(
                f' {html_name}="{count_of(cell, f"{TABLE}number-{odf_name}-spanned")}"'
                for html_name, odf_name in (("colspan", "columns"), ("rowspan", "rows"))
            )
            cells.append(f"<{name}{spans}>{self.blocks(cell)}</{name}>")
        self._cells_around -= 1
        return f"<tr>{''.join(cells)}</tr>"

    def _frame(self, element: Element) -> str:
        """A box, a picture or a chart, which has its words and its data."""
        described = picture(" ".join(filter(None, (element.findtext(f"{SVG}{name}") for name in ("title", "desc")))))
        words = f"<p>{escape(described)}</p>" if described else ""
        html = self.blocks(element)
        return words + html if element.find(f"{DRAW}object") is not None else html or words

    def _object(self, element: Element) -> str:
        return self._charts.write_words(element) if self._cells_around else self._charts.write_table(element)

    def _note(self, element: Element) -> str:
        """A mark; the note comes after the block that it belongs to."""
        mark = escape(one_line(element.findtext(f"{TEXT}note-citation") or "*"))
        body = element.find(f"{TEXT}note-body")
        paragraphs = body.iter(f"{TEXT}p", f"{TEXT}h") if body is not None else ()
        words = " ".join(filter(str.strip, map(self._inline, paragraphs)))
        self._notes.append(f"<p>[^{mark}]: {words}</p>" if words else "")
        return f"[^{mark}]" if words else ""

    def _take_notes(self) -> str:
        notes, self._notes = "".join(self._notes), []
        return notes

    def _link(self, element: Element) -> str:
        address = element.get(HREF) or ""
        words = self._inline(element)
        return f'<a href="{escape(address)}">{words}</a>' if address.startswith(("http://", "https://")) else words

    def _span(self, element: Element) -> str:
        return "" if self._file.is_hidden(element, "text") else self._inline(element)

    def _spaces(self, element: Element) -> str:
        return " " * min(count_of(element, f"{TEXT}c"), _MAX_SPACES)

    def _is_title(self, paragraph: Element) -> bool:
        return _TITLE in self._file.style_names(paragraph.get(f"{TEXT}style-name"), "paragraph")


def _write_typed_point(mark: str, html: str) -> str:
    """A point in a cell, where markdown has no lists."""
    return f"<p>{mark}{html.removeprefix('<p>')}" if html.startswith("<p>") else f"<p>{mark}</p>{html}"
