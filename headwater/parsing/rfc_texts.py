"""Parsing RFCs and Internet-Drafts as text, as they are published.

Belongs here: their pages, headers, headings and tables of contents. Not here: their XML (`xml_documents`), what the
indentation of their paragraphs means (`troff.formatted_page`), telling them from other text (`text_structure`).
Guarantee: no word is lost but those of running heads and feet and of the table of contents; the work is linear.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.markdown.writer import escape_signs
from headwater.parsing.parser import File, Parser
from headwater.parsing.text import decode
from headwater.parsing.text_structure import RFC_TEXT
from headwater.parsing.troff.formatted_page import MIN_TEXT, read_formatted_page
from headwater.parsing.troff.manual_page import Page

_FOOT = re.compile(r".*\[Page +[\divxlc]{1,6}\]\s*")
_RUNNING_HEAD = re.compile(r"(?:RFC \d+|Internet[- ]Draft)\b.*\b(?:19|20)\d\d\s*", re.IGNORECASE)
_MEMO = re.compile(r"Request for Comments:\s*(?P<number>\d{1,6})", re.IGNORECASE)
_HEADER = re.compile(r"Request for Comments: *\d|Internet[- ]Draft\b", re.IGNORECASE)
_DRAFT_NAME = re.compile(r"<?draft-[\w.-]{1,100}>?")
_NUMBERED = re.compile(
    r"(?:Appendix |APPENDIX )?(?P<number>\d{1,3}(?:\.\d{1,3}){0,6}|[A-Z](?:\.\d{1,3}){0,5})[.:]?[ ]+\S.*"
)
_APPENDIX = re.compile(r"(?:Appendix|APPENDIX) [A-Z]\b.*")
_LETTER = re.compile(r"[A-Z][ ]+\S.*")  # a letter without a stop: a sentence may begin so
_UNNUMBERED = re.compile(r"[A-Z][\w'’/().,&-]*(?: +[\w'’/().,&-]+){0,7}")
_ENTRY = re.compile(r".*(?:\.{3,}|(?:\. ){3,}|\s{2,})\s*\d{1,4}\s*")
_CONTENTS = frozenset({"table of contents", "contents"})
_SENTENCE_END = (".", ":", ";", "!", "?")
_FIELD = re.compile(r" *[A-Z][\w ()/-]{0,40}:  ?\S.{0,40}")
_WORDS = re.compile(r" +[A-Z][\w'’-]*(?: ++[(\[]{0,2}[\w'’.,;:-]++[)\].,;:]{0,4}+){2,}+")
_COLUMNS = re.compile(r"\s{2,}")
_LONG_LINE = 55  # characters of a line that ends a page in the middle of a paragraph
_MAX_DEEPER = 8  # columns from a field to what explains it
_MAX_HEADING = 76  # characters
_MAX_ABOVE = 20  # lines above the header, such as that of a program that keeps versions


class RfcTextParser(Parser):
    """Reads RFCs and Internet-Drafts in files of plain text."""

    media_types: ClassVar[tuple[str, ...]] = (RFC_TEXT,)
    suffixes: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "rfc-text-2"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its title is the document's, behind the number of an RFC."""
        source = decode(file.content)
        lines = list(_join_pages(source.expandtabs().split("\n")))
        header, title, start = _read_front(lines)
        page = Page()
        _read_sections(lines[start:], page)
        heading = [f"# {escape_signs(title)}"] if title else []
        blocks = [*heading, *filter(None, [header]), *page.blocks()]
        return make_line_document(file, source, title=title, text="\n\n".join(blocks))


def _join_pages(lines: Sequence[str]) -> Iterator[str]:
    """The lines without heads and feet of pages; a paragraph that goes on on the next page is whole."""
    previous, blank_count, is_new_page = "", 0, False
    for line in lines:
        text = line.replace("\f", "").rstrip()
        if _FOOT.fullmatch(text) or "\f" in line:
            is_new_page = True
        if not text or _FOOT.fullmatch(text):
            blank_count += 1
            continue
        if is_new_page and _RUNNING_HEAD.fullmatch(text):
            continue
        if not (is_new_page and _goes_on(previous, text)):
            yield from [""] * min(blank_count, 2)
        yield text
        previous, blank_count, is_new_page = text, 0, False


def _goes_on(previous: str, text: str) -> bool:
    """Whether a line goes on with the paragraph at the end of the page before."""
    is_same = _indent(previous) == _indent(text) > 0
    is_open = not previous.endswith(_SENTENCE_END) and (len(previous) >= _LONG_LINE or text.lstrip()[:1].islower())
    return is_same and is_open


def _read_front(lines: Sequence[str]) -> tuple[str, str, int]:
    """The header as a list, the title, and the line after it."""
    start = _find_header(lines)
    preface = [line.strip() for line in lines[:start] if line]
    header = list(takewhile(bool, lines[start:]))
    end = start + len(header)
    fields: list[str] = []
    authors: list[str] = []
    for line in header:
        field, *names = _COLUMNS.split(line.strip()) if _indent(line) < _LONG_LINE // 2 else ["", line.strip()]
        fields += [field] if field else []
        authors += names
    items = [*preface, *fields, *([", ".join(authors)] if authors else [])]
    title_start = next((index for index in range(end, len(lines)) if lines[index]), len(lines))
    title_lines = list(takewhile(bool, lines[title_start:])) if title_start < len(lines) else []
    if title_lines and not _indent(title_lines[0]):
        title_lines = []
    end = title_start + len(title_lines)
    words = [line.strip() for line in title_lines if not _DRAFT_NAME.fullmatch(line.strip())]
    names = [line.strip() for line in title_lines if _DRAFT_NAME.fullmatch(line.strip())]
    memo = _MEMO.search("\n".join(header))
    title = " ".join(" ".join(words).split())
    text = "\n".join(f"- {escape_signs(item)}" for item in [*items, *names])
    return text, f"RFC {memo['number']}: {title}" if memo and title else title, end


def _find_header(lines: Sequence[str]) -> int:
    """The first line of the header; of the text, if no line near its beginning says what it is."""
    first = next((index for index, line in enumerate(lines) if line), len(lines))
    candidates = range(first, min(first + _MAX_ABOVE, len(lines)))
    start = next((index for index in candidates if _HEADER.match(lines[index])), first)
    while start > first and lines[start - 1]:
        start -= 1
    return start


def _read_sections(lines: Sequence[str], page: Page) -> None:
    """Write the sections, without the table of contents."""
    section: list[str] = []
    is_contents = False
    index = 0
    while index < len(lines):
        line = lines[index]
        level = _heading_level(lines, index)
        if level and not (is_contents and _ENTRY.fullmatch(line)):
            _read_section(section, page)
            section = []
            continues = index + 1 < len(lines) and bool(lines[index + 1])
            words = f"{line} {lines[index + 1].strip()}" if continues else line
            is_contents = line.strip().rstrip(":").lower() in _CONTENTS
            if not is_contents:
                page.heading(level + 1, escape_signs(" ".join(words.split())))
            index += continues
        elif not is_contents:
            section.append(line)
        index += 1
    _read_section(section, page)


def _read_section(lines: Sequence[str], page: Page) -> None:
    """Write the paragraphs of a section: the reader of manual pages wants them to stand beyond its headings."""
    if any(lines):
        section = _join_fields(lines)
        read_formatted_page("\n".join(f"{' ' * MIN_TEXT}{line}" if line else "" for line in section), page)
        page.end_item()


def _join_fields(lines: Sequence[str]) -> Iterator[str]:
    """The lines without a blank one between a field (`Port:  16 bits`) and the sentence below it that explains it."""
    for index, line in enumerate(lines):
        if not line and 0 < index < len(lines) - 1:
            field, text = lines[index - 1], lines[index + 1]
            is_alone = index == 1 or not lines[index - 2]
            is_field = _FIELD.fullmatch(field) and not field.endswith(_SENTENCE_END)
            if is_alone and is_field and 0 < _indent(text) - _indent(field) < _MAX_DEEPER and _WORDS.fullmatch(text):
                continue
        yield line


def _heading_level(lines: Sequence[str], index: int) -> int:
    """The level of the heading that a line is, from 1; 0 if it is none."""
    line = lines[index]
    if not line or line[0].isspace() or len(line) > _MAX_HEADING or (index and lines[index - 1]):
        return 0
    following = lines[index + 1] if index + 1 < len(lines) else ""
    numbered = _NUMBERED.fullmatch(line) if not _LETTER.fullmatch(line) else None
    if following:
        title_column = line.find(" ", numbered.end("number")) if numbered else -1
        is_broken = 0 < title_column < _indent(following) <= title_column + 3
        if not is_broken or (index + 2 < len(lines) and lines[index + 2]):
            return 0
    if numbered:
        return numbered["number"].count(".") + 1
    is_name = _UNNUMBERED.fullmatch(line) is not None and not line.endswith(_SENTENCE_END)
    return int(is_name or _APPENDIX.fullmatch(line) is not None or line.strip().rstrip(":").lower() in _CONTENTS)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
