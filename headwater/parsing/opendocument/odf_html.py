"""The text of an OpenDocument file as HTML, which the HTML parser knows how to make markdown of.

Belongs here: paragraphs, headings, lists, tables, notes, boxes. Not here: sheets (`odf_sheets`), which slides there are
(`odf_slides`). Guarantee: each visible text is written once; deleted text, comments, contents and hidden parts are
left out, and so are headers and footers, which are styles.
"""

import re
from collections.abc import Callable
from html import escape, unescape

from headwater.parsing.office.package import one_line, picture
from headwater.parsing.opendocument.odf_file import DRAW, HREF, OFFICE, STYLE, SVG, TABLE, TEXT, OdfFile
from headwater.parsing.xml import Element

_MAX_DEPTH = 60
_MAX_SPACES = 200
_CODE = "Preformatted Text"
_TITLE = "Title"
_LEFT_OUT = frozenset(
    {f"{TEXT}{name}" for name in ("table-of-content", "alphabetical-index", "illustration-index", "table-index",
                                  "object-index", "user-index", "tracked-changes", "note-citation", "ruby-text",
                                  "variable-decls", "sequence-decls", "user-field-decls", "page-number", "page-count")}
    | {f"{OFFICE}{name}" for name in ("annotation", "annotation-end", "forms", "event-listeners", "scripts")}
    | {f"{SVG}{name}" for name in ("title", "desc")}
    | {f"{TABLE}covered-table-cell", f"{DRAW}object", f"{DRAW}object-ole", f"{DRAW}enhanced-geometry"}
)  # fmt: skip
_BREAK = re.compile(r"<br>|</p>|</li>")
_TAG = re.compile(r"<[^<>]*>")


def plain_words(html: str) -> str:
    """The words of a heading that was written as HTML, on one line."""
    return one_line(unescape(_TAG.sub("", _BREAK.sub(" ", html))))


class HtmlWriter:
    """Writes the blocks of one file."""

    def __init__(self, file: OdfFile) -> None:
        self._file = file
        self._boxes: list[str] = []  # of the paragraph that is being written
        self._notes: list[str] = []
        self._depth = 0
        self.title = ""
        """The paragraph that the file styles as its title."""
        self.first_heading = ""
        self._shift = int(any(self._is_title(paragraph) for paragraph in file.body.iter(f"{TEXT}p")))
        self._writers: dict[str, Callable[[Element], str]] = {
            f"{TEXT}h": self._heading, f"{TEXT}p": self._paragraph, f"{TEXT}list": self._list,
            f"{TEXT}section": self._section, f"{TABLE}table": self._table, f"{TABLE}table-row": self._row,
            f"{DRAW}frame": self._frame, f"{TEXT}note": self._note, f"{TEXT}a": self._link, f"{TEXT}s": self._spaces,
            f"{TEXT}span": self._span, f"{TEXT}tab": lambda _: "\t", f"{TEXT}line-break": lambda _: "<br>",
        }  # fmt: skip

    def blocks(self, parent: Element) -> str:
        """What is in an element, as HTML."""
        return "".join(self._write(child) for child in parent)

    def shape(self, element: Element) -> str:
        """One shape of a slide, as HTML."""
        return self._write(element)

    def _write(self, element: Element) -> str:
        """One element without its tail; of one without a writer, what is in it."""
        if element.tag in _LEFT_OUT or self._depth > _MAX_DEPTH:
            return ""
        self._depth += 1
        writer = self._writers.get(element.tag)
        html = writer(element) if writer else self.blocks(element)
        self._depth -= 1
        return html

    def _inline(self, element: Element) -> str:
        texts = [escape(element.text or "")]
        for child in element:
            texts += [self._write(child), escape(child.tail or "")]
        return "".join(texts)

    def _paragraph(self, element: Element) -> str:
        words, boxes = self._words_and_boxes(element)
        if self._is_title(element) and not self.title and words.strip():
            self.title = plain_words(words)
            return f"<h1>{words}</h1>{boxes}"
        if _CODE in self._file.style_names(element.get(f"{TEXT}style-name"), "paragraph"):
            return f"<pre>{words.replace('<br>', chr(10))}</pre>{boxes}"
        return (f"<p>{words}</p>" if words.strip() else "") + boxes + self._take_notes()

    def _words_and_boxes(self, element: Element) -> tuple[str, str]:
        """The words of a paragraph or heading, and the boxes in it, which come after it."""
        outer_boxes, self._boxes = self._boxes, []
        words = self._inline(element)
        boxes, self._boxes = "".join(self._boxes), outer_boxes
        return words, boxes

    def _heading(self, element: Element) -> str:
        words, boxes = self._words_and_boxes(element)
        level = element.get(f"{TEXT}outline-level", "1")
        heading_level = min(int(level) if level.isdecimal() and len(level) < 3 else 1, 6 - self._shift) + self._shift
        if words.strip() and not self.first_heading:
            self.first_heading = plain_words(words)
        return (f"<h{heading_level}>{words}</h{heading_level}>" if words.strip() else "") + boxes + self._take_notes()

    def _list(self, element: Element) -> str:
        if next(element.iter(f"{TEXT}h"), None) is not None:  # numbered headings are items of lists
            return "".join(self.blocks(item) for item in element)
        level = sum(parent.tag == f"{TEXT}list" for parent in element.iterancestors())
        names = (node.get(f"{TEXT}style-name") for node in (element, *element.iterancestors(f"{TEXT}list")))
        style = self._file.lists.get(next(filter(None, names), ""))
        is_numbered = style is not None and level < len(style) and style[level].tag.endswith("-number")
        name = "ol" if is_numbered and style is not None and style[level].get(f"{STYLE}num-format") else "ul"
        if all(child.tag == f"{TEXT}list" for item in element for child in item):  # levels that only indent
            return "".join(self.blocks(item) for item in element)
        items = [f"<li>{self.blocks(item)}</li>" for item in element if len(item)]
        return f"<{name}>{''.join(items)}</{name}>"

    def _section(self, element: Element) -> str:
        return "" if element.get(f"{TEXT}display") == "none" else self.blocks(element)

    def _table(self, element: Element) -> str:
        rows = "".join(self._write(child) for child in element)
        return f"<table>{rows}</table>"

    def _row(self, element: Element) -> str:
        """A row; in a text, the first one of a table names its columns, as most programs style it."""
        is_first = element.getparent().tag == f"{TABLE}table-header-rows" or (
            next(element.itersiblings(f"{TABLE}table-row", f"{TABLE}table-header-rows", preceding=True), None) is None
            and element.getparent().tag == f"{TABLE}table"
        )
        name = "th" if is_first else "td"
        cells = []
        for cell in element.iterchildren(f"{TABLE}table-cell"):
            spans = "".join(
                f' {html_name}="{escape(cell.get(f"{TABLE}number-{odf_name}-spanned", "1"))}"'
                for html_name, odf_name in (("colspan", "columns"), ("rowspan", "rows"))
            )
            cells.append(f"<{name}{spans}>{self.blocks(cell)}</{name}>")
        return f"<tr>{''.join(cells)}</tr>"

    def _frame(self, element: Element) -> str:
        """A box or a picture. What is in a paragraph's box comes after the paragraph."""
        described = " ".join(filter(None, (element.findtext(f"{SVG}{name}") for name in ("title", "desc"))))
        html = self.blocks(element) or (f"<p>{escape(picture(described))}</p>" if picture(described) else "")
        if element.getparent().tag in (f"{TEXT}p", f"{TEXT}h", f"{TEXT}span", f"{TEXT}a"):
            self._boxes.append(html)
            return ""
        return html

    def _note(self, element: Element) -> str:
        """A mark; the note comes after the block that it belongs to."""
        mark = escape(one_line(element.findtext(f"{TEXT}note-citation") or "*"))
        body = element.find(f"{TEXT}note-body")
        words = one_line("".join(body.itertext())) if body is not None else ""
        self._notes.append(f"<p>[^{mark}]: {escape(words)}</p>" if words else "")
        return f"[^{mark}]" if words else ""

    def _take_notes(self) -> str:
        notes, self._notes = "".join(self._notes), []
        return notes

    def _link(self, element: Element) -> str:
        address = element.get(HREF) or ""
        words = self._inline(element)
        return f'<a href="{escape(address)}">{words}</a>' if address.startswith(("http://", "https://")) else words

    def _span(self, element: Element) -> str:
        is_hidden = self._file.style_value(element.get(f"{TEXT}style-name"), "text", f"{TEXT}display") == "none"
        return "" if is_hidden else self._inline(element)

    def _spaces(self, element: Element) -> str:
        count = element.get(f"{TEXT}c", "1")
        return " " * (min(int(count), _MAX_SPACES) if count.isdecimal() and len(count) < 6 else 1)

    def _is_title(self, paragraph: Element) -> bool:
        return _TITLE in self._file.style_names(paragraph.get(f"{TEXT}style-name"), "paragraph")
