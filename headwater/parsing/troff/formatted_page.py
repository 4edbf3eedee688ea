"""A manual page as `man` shows it in a terminal, which websites put into `pre` and people into files of text.

Belongs here: what the indentation of its lines means. Not here: its source (`man`, `mdoc`), blocks of markdown
(`manual_page`). Guarantee: no word is lost but those of running heads and feet; the work is linear.

Its lines were indented by troff: names of sections not at all, those of their subsections a little, text by 5 or 7
columns. What a tag means stands below it or beside it, further to the right.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile

from headwater.parsing.html.inline import Page as LinkedPage
from headwater.parsing.html.inline import inline
from headwater.parsing.html.preformatted import is_prose
from headwater.parsing.markdown.writer import bold
from headwater.parsing.pdf.hyphens import Words
from headwater.parsing.troff.manual_page import Page

_HEAD = re.compile(
    r"\s*(?P<name>\S{1,60}\(\w{1,8}\))\s{2,}(?:\S.{0,100}?\s{2,})?(?P=name)\s*|\s{30,}\S{1,60}\(\w{1,8}\)\s*"
)
_LONG_HEAD = re.compile(r"\S.{0,200}\(\w{1,8}\)\s*")  # a first line whose names run into each other
_FOOT = re.compile(r"\S.{0,60}?\s{3,}\S.{0,40}?\s{3,}\S{1,60}\(\w{1,8}\)\s*")
_ITEM = re.compile(r"(?P<mark>[-*•·o+–]|\(?\d{1,2}[.)])(?P<gap> {1,8})(?=\S)")
_COMMAND = re.compile(r" \| |[\[({\\'\"<|&=]\Z")
_BESIDE = re.compile(r"(?P<tag>\S(?:.{0,28}?\S)??)(?P<gap> {2,})(?=\S)")
MIN_TEXT = 5
"""The column where text begins at least; names of sections and subsections stand before it."""
_MAX_TAG, _MAX_LONE_TAG, _MAX_VERSE = 72, 40, 50  # characters
_MAX_TAGS = 4  # lines
_BODY = range(2, 25)  # columns from a tag to what stands below it
_BESIDE_BODY = range(3, 15)  # and to what stands beside it
_COLUMN = 7  # where the text of an option begins; one that just fits has a single blank behind it
_HYPHEN = "\u2010"  # at the end of a line, and in words, where people type "-"
_ENDS = (".", ":", "!", "?", ";", ",")
_MAX_DEPTH = 6
_FULL, _MAX_WIDTH = 0.9, 80  # the share of the lines that end before the width of the page; columns


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    text: str


_Paragraph = list[_Line]


def read_formatted_page(text: str, page: Page, *, level: int = 1) -> None:
    """Read a page, or the text of a section.

    Args:
        text: its lines.
        page: where its blocks are written.
        level: the level of the heading that it stands under.
    """
    typed = [
        line
        for line in text.expandtabs().replace(_HYPHEN, "-").strip("\n").split("\n")
        if not _HEAD.fullmatch(line) and not _FOOT.fullmatch(line)
    ]
    if typed and _LONG_HEAD.fullmatch(typed[0]):
        typed = typed[1:]
    lines = [_Line(len(line) - len(line.lstrip()), line.strip()) for line in typed]
    _Reader(page, level, lines).read(lines)


class _Reader:
    """Writes the blocks of a page."""

    def __init__(self, page: Page, level: int, lines: Sequence[_Line]) -> None:
        self._page = page
        self._level = level
        self._plain = LinkedPage(uri="", base="")
        self._words = Words(line.text for line in lines)
        ends = sorted(line.indent + len(line.text) for line in lines if line.text)
        self._width = min(ends[int(_FULL * len(ends))] if ends else 0, _MAX_WIDTH)

    def read(self, lines: Sequence[_Line]) -> None:
        """Read lines, some of which name sections."""
        base, name = _find_base(lines), ""
        for is_heading, group in groupby(lines, lambda line: bool(line.text) and line.indent < min(base, MIN_TEXT)):
            section = list(group)
            if is_heading:
                for line in section:
                    self._page.heading(self._level + (2 if line.indent else 1), self._escape(line.text))
                name = section[-1].text
            elif name == "NAME":  # one sentence, whatever its lines begin with
                self._page.line(self._escape(self._join([line for line in section if line.text])))
                self._page.paragraph()
            elif self._page.is_synopsis:
                self._page.code([" " * line.indent + line.text for line in section])
            else:
                self._read_paragraphs(_split_paragraphs(section), base, 0)
                self._page.end_item()

    def _read_paragraphs(self, paragraphs: list[_Paragraph], base: int, depth: int) -> None:
        """Read paragraphs that are indented by `base`, with what belongs to them."""
        position = 0
        while position < len(paragraphs):
            paragraph = paragraphs[position]
            end = position + 1
            if paragraph[0].indent > base:
                end = _find_end(paragraphs, end, base + 1)
                self._read_deeper(paragraphs[position:end], depth)
            elif _is_lone_tag(paragraphs[position : position + _MAX_TAGS], base):
                self._page.item(tag=bold(self._escape(paragraph[0].text)))
            elif body := self._begin_item(paragraph, base):
                column = body[0].indent
                end = _find_end(paragraphs, end, column)
                self._read_item([body, *paragraphs[position + 1 : end]], column, depth)
            else:
                self._read_text(paragraph, base, depth)
            position = end

    def _begin_item(self, paragraph: _Paragraph, base: int) -> _Paragraph:
        """Begin the item that a paragraph is, and return its text; nothing if it is none."""
        first = paragraph[0]
        if (match := _ITEM.match(first.text)) and _goes_on(paragraph, {base, base + match.end()}):
            mark = match["mark"].strip("().")
            self._page.item(mark=f"{mark}." if mark.isdigit() else "-")
            return [_Line(base + match.end(), first.text[match.end() :]), *paragraph[1:]]
        tags, body = _split_tags(paragraph, base)
        for tag in tags:
            self._page.item(tag=bold(self._escape(tag).removesuffix(":")))
        return body

    def _read_item(self, paragraphs: list[_Paragraph], column: int, depth: int) -> None:
        """Read the text of an item: its first paragraph, then whatever is nested in it."""
        first = [_Line(column, line.text) for line in takewhile(lambda line: line.indent <= column, paragraphs[0])]
        nested = [paragraph for paragraph in (paragraphs[0][len(first) :], *paragraphs[1:]) if paragraph]
        self._write(first)
        if depth >= _MAX_DEPTH:
            for paragraph in nested:
                self._write(paragraph)
        elif nested:
            self._page.enter()
            self._read_paragraphs(nested, column, depth + 1)
            self._page.leave()

    def _read_text(self, paragraph: _Paragraph, base: int, depth: int) -> None:
        """Read a paragraph, and lines below its own that are indented more."""
        text = list(takewhile(lambda line: line.indent <= base, paragraph))
        self._page.end_item()
        self._write(text)
        if len(text) < len(paragraph):
            self._read_deeper([paragraph[len(text) :]], depth)

    def _read_deeper(self, paragraphs: list[_Paragraph], depth: int) -> None:
        """Read what is indented more than the text around it: text with its lists, or an example."""
        indent = min(line.indent for paragraph in paragraphs for line in paragraph)
        texts = ["\n".join(line.text for line in paragraph) for paragraph in paragraphs]
        has_items = any(len(paragraph) > 1 and paragraph[1].indent > indent for paragraph in paragraphs)
        prose = sum(len(text.split()) for text in texts if is_prose(text.replace("\n", " ")))
        if depth < _MAX_DEPTH and prose and (has_items or 2 * prose > sum(len(text.split()) for text in texts)):
            self._read_paragraphs(paragraphs, indent, depth + 1)
            return
        lines = [line for paragraph in paragraphs for line in (*paragraph, _Line(0, ""))]
        self._page.code([" " * line.indent + line.text for line in lines[:-1]])

    def _write(self, lines: Sequence[_Line]) -> None:
        """Write a paragraph; if troff did not fill its lines, each stays one."""
        rooms = [
            self._width - line.indent - len(line.text) - len(following.text.split()[0]) - 1
            for line, following in pairwise(lines)
        ]
        if 2 * sum(room > 0 for room in rooms) > len(rooms):
            for line in lines:
                self._page.line(self._escape(line.text))
                self._page.break_line()
        else:
            self._page.line(self._escape(self._join(lines)))
        self._page.paragraph()

    def _join(self, lines: Sequence[_Line]) -> str:
        """Lines as one, with the words whole that were divided at their ends."""
        texts = [line.text for line in lines[:1]]
        for line in lines[1:]:
            count, between = self._words.joint(texts[-1], line.text)
            texts[-1] = texts[-1][: len(texts[-1]) - count]
            texts += [between, line.text]
        return "".join(texts)

    def _escape(self, text: str) -> str:
        return inline([" ".join(text.split())], self._plain)


def _find_base(lines: Sequence[_Line]) -> int:
    """The column where text begins: below the name of the first section, or else the least that text has."""
    is_below = False
    for line in lines:
        if line.text and is_below and line.indent:
            return line.indent
        is_below = is_below or (bool(line.text) and not line.indent)
    return min((line.indent for line in lines if line.text and line.indent >= MIN_TEXT), default=0)


def _split_paragraphs(lines: Sequence[_Line]) -> list[_Paragraph]:
    return [list(group) for is_blank, group in groupby(lines, lambda line: not line.text) if not is_blank]


def _split_tags(paragraph: _Paragraph, base: int) -> tuple[list[str], _Paragraph]:
    """The tags of an item and its text, which stands beside or below them; nothing if it is no item."""
    first = paragraph[0]
    match = _BESIDE.match(first.text)
    if match and match.end() in _BESIDE_BODY and _goes_on(paragraph, {base + match.end()}):
        return [match["tag"]], [_Line(base + match.end(), first.text[match.end() :]), *paragraph[1:]]
    column = paragraph[1].indent - base if len(paragraph) > 1 else _COLUMN
    option = first.text[: column - 1] if column > 1 else ""
    if option.startswith("-") and " " not in option and first.text[column - 1 : column] == " ":
        return [option], [_Line(base + column, first.text[column:]), *paragraph[1:]]
    tags = list(takewhile(lambda line: line.indent <= base, paragraph))
    body = paragraph[len(tags) :]
    return ([line.text for line in tags], body) if tags and body and _are_tags(tags, body, base) else ([], [])


def _goes_on(paragraph: _Paragraph, columns: set[int]) -> bool:
    """Whether the second line of a paragraph, if there is one, begins in one of the columns."""
    return len(paragraph) == 1 or paragraph[1].indent in columns


def _are_tags(tags: _Paragraph, body: _Paragraph, base: int) -> bool:
    """Whether lines are the tags of the lines below them, and no text or command above an example."""
    if body[0].indent - base not in _BODY or len(tags) > _MAX_TAGS:
        return False
    longest = _MAX_TAG if len(tags) == 1 else _MAX_VERSE
    if any(len(line.text) > longest or _COMMAND.search(line.text) for line in tags):
        return False
    is_short = len(tags[-1].text.split()) < 3
    is_explained = is_short and (not tags[-1].text.endswith(":") or is_prose(" ".join(line.text for line in body)))
    return is_explained or not (is_short or _ends_sentence(tags[-1]))


def _is_lone_tag(paragraphs: list[_Paragraph], base: int) -> bool:
    """Whether a line is one more tag of the item below it, from which a blank line parts it; so may be several."""
    for position, paragraph in enumerate(paragraphs):
        tags, _ = _split_tags(paragraph, base)
        if tags:
            return position > 0
        is_line = len(paragraph) == 1 and paragraph[0].indent == base
        if not is_line or len(paragraph[0].text) > _MAX_LONE_TAG or _ends_sentence(paragraph[0]):
            return False
    return False


def _ends_sentence(line: _Line) -> bool:
    return line.text.endswith(_ENDS) and not line.text.endswith("...")


def _find_end(paragraphs: list[_Paragraph], start: int, column: int) -> int:
    """The position of the first paragraph from `start` on that begins before a column."""
    return next((i for i in range(start, len(paragraphs)) if paragraphs[i][0].indent < column), len(paragraphs))
