"""The blocks of a Word file as markdown.

Belongs here: paragraphs, headings, lists, code, notes. Not here: styles, numbers, tables and the text of runs (the
other `docx_` modules). Guarantee: every visible paragraph of the body is in the text once; headers, footers and tables
of contents are not.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from headwater.parsing.office.charts import CHART, NEW_CHART, chart_blocks
from headwater.parsing.office.docx_lines import is_bold, read_lines
from headwater.parsing.office.docx_numbers import Label, Numbers
from headwater.parsing.office.docx_styles import Style, Styles, has_code_font
from headwater.parsing.office.docx_tables import list_framed_cells, table_markdown
from headwater.parsing.office.docx_xml import Inline, R, W, run_text
from headwater.parsing.office.line_headings import LineHeadings, choose_title
from headwater.parsing.office.package import fence_code, join_blocks, one_line, plain
from headwater.parsing.office.typed_contents import find_contents
from headwater.parsing.office.typed_prose import is_prose

_SIMPLE = re.compile(r"\d{1,9}[.)]")  # a number that markdown reads as a list's
_CLAUSE = re.compile(r"\W*\d+(?:\.\d+)+\W*|§.*|\D+\d.*|第.*")
_RUNS = ("item", "code", "typed", "quote")
_CODE_LINE = re.compile(r"(?:\t| {2}).*\S.*|.*(?:[{}]|\)[:;])\s*")  # indented, or of programs and no sentences
_CONTAINERS = (f"{W}sdtContent", f"{W}ins", f"{W}customXml", f"{W}smartTag", f"{W}moveTo")
_CONTENTS = ("Table of Contents", "Bibliographies")


class _OpenList(NamedTuple):
    """A list that the next paragraph may continue."""

    level: int
    column: int
    """Where its texts begin."""
    name: str


class Blocks:
    """Makes markdown of a document's body."""

    def __init__(
        self,
        *,
        styles: Styles,
        numbers: Numbers,
        targets: Mapping[str, str],
        notes: Mapping[tuple[str, str], Any],
        charts: Mapping[str, Any] | None = None,
    ) -> None:
        """Make one for a document.

        Args:
            styles: its styles.
            numbers: its lists.
            targets: addresses of hyperlinks, by their ids.
            notes: footnotes and endnotes, by their kind and id.
            charts: the roots of charts, by their ids.
        """
        self._charts = dict(charts or {})
        self._styles = styles
        self._numbers = numbers
        self._notes = notes
        self._inline = Inline(targets, self._note, styles.code_characters)
        self._cited: dict[tuple[str, str], int] = {}
        self._undefined: list[tuple[str, str]] = []
        self._lists: list[_OpenList] = []
        self._shift = 0
        self._headings: LineHeadings
        self._contents: frozenset[Any] = frozenset()
        self._listings: frozenset[str] = frozenset()  # the lists that count lines of code
        self._title = ""  # the paragraph that the document styles as its title
        self._first_heading = ""

    def markdown(self, body: Any) -> str:
        """The text of the document."""
        styled = [self._styles.of(paragraph) for paragraph in body.iter(f"{W}p")]
        self._shift = int(any(style.is_title for style in styled))
        lines = list(read_lines(body, self._styles))
        self._headings = LineHeadings(lines, has_title=bool(self._shift))
        self._contents = find_contents(lines)
        self._listings = frozenset(self._list_listings(body))
        return join_blocks([*self._merge_blocks(self._blocks(body)), *self._definitions()])

    def choose_title(self, property_title: str, text: str) -> str:
        """The title of the document, after its text was made.

        Args:
            property_title: the title in the file's properties.
            text: its text.
        """
        return self._title or choose_title(
            property_title, largest_line=self._headings.title, first_heading=self._first_heading, text=text
        )

    def _blocks(self, parent: Any) -> Iterator[tuple[str, str]]:
        """Blocks with their kinds: `code`, `typed` and `item` join what follows of the same kind."""
        for child in parent.iterchildren():
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._lists.clear()
                yield from self._table(child)
            elif child.tag == f"{W}sdt":
                gallery = child.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
                if gallery is None or gallery.get(f"{W}val") not in _CONTENTS:
                    yield from self._blocks(child)
            elif child.tag in _CONTAINERS:
                yield from self._blocks(child)

    def _merge_blocks(self, blocks: Iterator[tuple[str, str]]) -> Iterator[str]:
        run: list[str] = []
        running = ""
        for kind, text in blocks:
            if run and kind != running:
                yield self._run(running, run)
                run = []
                if kind not in ("item", "code", "typed"):
                    yield from self._definitions()
            running = kind
            if kind in _RUNS:
                run.append(text)
            else:
                yield text
                yield from self._definitions()
        if run:
            yield self._run(running, run)

    @staticmethod
    def _run(kind: str, run: list[str]) -> str:
        if kind == "typed" and is_prose(run):
            return join_blocks(map(plain, run))
        if kind in ("code", "typed"):
            return fence_code(run)
        return "\n>\n".join(run) if kind == "quote" else "\n".join(run)

    def _paragraph(self, paragraph: Any) -> Iterator[tuple[str, str]]:
        style = self._styles.of(paragraph)
        if style.is_contents or paragraph in self._contents:
            return
        is_code = style.is_code or (not self._is_item(style) and self._is_in_code_font(paragraph))
        text = self._inline.code(paragraph) if is_code else self._inline.text(paragraph)
        boxes, self._inline.boxes = self._inline.boxes, []
        pictures, self._inline.pictures = self._inline.pictures, []
        if not text.strip() and not style.heading and not style.is_title:
            text, pictures = "\n".join(pictures), []
        if is_code:
            yield ("code" if style.is_program else "typed"), text
        elif text.strip():
            kind, block = self._text_block(paragraph, style, text)
            indent = "\n" + " " * self._lists[-1].column if kind == "item" else ""
            yield kind, block + "".join(f"{indent}{words}" for words in pictures if indent)
            pictures = [] if indent else pictures
        yield from (("text", words) for words in pictures)
        for box in boxes:
            yield from self._chart(box) if box.tag in (CHART, NEW_CHART) else self._blocks(box)

    def _chart(self, reference: Any) -> Iterator[tuple[str, str]]:
        """The data of a chart, where it is first shown."""
        root = self._charts.pop(reference.get(f"{R}id", ""), None)
        for text in chart_blocks(root):
            self._lists.clear()
            yield ("table" if text.startswith("|") else "text"), text

    def _text_block(self, paragraph: Any, style: Style, text: str) -> tuple[str, str]:
        label = self._numbers.label(style.list, style.list_level or 0) if style.list not in ("", "0") else None
        if label is None and style.bullet is not None and style.list != "0":
            label = Label("", style.bullet, is_bullet=True)
        if style.is_title and not self._title:
            self._title = one_line(text)
            return "heading", f"# {self._title}"
        heading = style.heading or (2 if style.is_title else 0)
        if not heading and not (label and label.is_bullet):
            heading = self._headings.level(paragraph)
        if heading:
            self._lists.clear()
            words = one_line(f"{label.text} {text}" if label else text)
            self._first_heading = self._first_heading or words
            return "heading", f"{'#' * min(heading + self._shift, 6)} {words}"
        if label:
            return self._item(label, plain(text), style.list)
        if style.is_quote:
            return "quote", "\n".join(f"> {line}" for line in plain(text).split("\n"))
        if not _is_indented(paragraph):
            self._lists.clear()
        return "text", plain(text)

    def _item(self, label: Label, text: str, list_name: str) -> tuple[str, str]:
        while self._lists and self._lists[-1].level >= label.level:
            self._lists.pop()
        is_nested = bool(self._lists) and self._lists[-1].name == list_name
        if not label.is_bullet and not is_nested and _CLAUSE.fullmatch(label.text):
            self._lists.clear()
            return "text", f"{label.text} {text}"
        indent = self._lists[-1].column if self._lists else 0
        mark = label.text if _SIMPLE.fullmatch(label.text) else "-"
        words = text if label.is_bullet or mark == label.text else f"{label.text} {text}"
        self._lists.append(_OpenList(label.level, indent + len(mark) + 1, list_name))
        return "item", f"{' ' * indent}{mark} {words}".replace("\n", "\n" + " " * (indent + len(mark) + 1))

    def _table(self, element: Any) -> Iterator[tuple[str, str]]:
        cells = list_framed_cells(element, lambda paragraph: self._styles.of(paragraph).heading > 0)
        if cells is not None:
            for cell in cells:
                yield from self._blocks(cell)
            return
        yield "table", table_markdown(element, self._cell, lambda paragraph: is_bold(paragraph, self._styles))

    def _cell(self, cell: Any) -> str:
        texts = []
        for kind, text in self._blocks(cell):
            if kind == "table":
                rows = [line.strip("| ") for line in text.split("\n") if not line.startswith("|---")]
                texts.append("; ".join(row.replace(" | ", ", ").replace("\\|", "|") for row in rows))
            else:
                texts.append(text.lstrip("#> ") if kind in ("heading", "quote") else text)
        self._lists.clear()
        return " ".join(texts)

    def _note(self, kind: str, number: str) -> str:
        if (kind, number) not in self._notes:
            return ""
        if (kind, number) not in self._cited:
            self._cited[kind, number] = len(self._cited) + 1
            self._undefined.append((kind, number))
        return f"[^{self._cited[kind, number]}]"

    def _definitions(self) -> Iterator[str]:
        """The notes that were cited since the last call."""
        cited, self._undefined = self._undefined, []
        for key in cited:
            words = " ".join(self._inline.text(paragraph) for paragraph in self._notes[key].iter(f"{W}p"))
            pictures, self._inline.pictures = self._inline.pictures, []
            yield f"[^{self._cited[key]}]: {one_line(' '.join([words, *pictures]))}"

    def _is_item(self, style: Style) -> bool:
        """Whether a paragraph is an item in any font, and no line of code with its number."""
        is_listing = style.list in self._listings
        return self._numbers.has_items(style.list, style.list_level or 0, is_listing=is_listing) or (
            not style.list and style.bullet is not None
        )

    def _list_listings(self, body: Any) -> Iterator[str]:
        for paragraph in body.iter(f"{W}p"):
            list_name = self._styles.of(paragraph).list
            text = "".join(map(run_text, paragraph.iter(f"{W}r"))) if list_name not in ("", "0") else ""
            if _CODE_LINE.fullmatch(text) and self._is_in_code_font(paragraph):
                yield list_name

    def _is_in_code_font(self, paragraph: Any) -> bool:
        runs = [run for run in paragraph.iter(f"{W}r") if any(text_element.text for text_element in run.iter(f"{W}t"))]
        return bool(runs) and all(has_code_font(run.find(f"{W}rPr")) for run in runs)


def _is_indented(paragraph: Any) -> bool:
    """Whether it continues the item above."""
    indent = paragraph.find(f"{W}pPr/{W}ind")
    return indent is not None and bool(indent.get(f"{W}left") or indent.get(f"{W}start"))
