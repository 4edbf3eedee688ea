"""Splitting a text into statements.

Belongs here: where sentences, list items, headings, table rows and code begin and end; whether one can be judged alone.
Not here: sentences (`headwater.chunking.sentences`), what supports a statement (`support`). Guarantee: pure.
"""

import re
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt

from headwater.chunking.sentences import sentence_spans

_ITEM = re.compile(r"\n(?=[ \t]*(?:[-*+•]\s|\d{1,3}[.)]\s|\||#{1,6}\s|`{3}|~{3}))|(?<=\|)[ \t]*\n")
_LIST_MARK = re.compile(r"[ \t>]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"[ \t>]*(?:#{1,6}[ \t]+\S.*|(?:\*\*|__)[^*_\n]{1,120}:?(?:\*\*|__):?)")
_LEAD_IN = re.compile(r"[:：][ \t*_]*$")
_LINE_END = re.compile(r"\r\n?|\n")  # as markdown counts lines
_RULER = re.compile(r"[ \t|:-]+")


def statement_spans(text: str) -> list[tuple[int, int]]:
    """The spans of a text's sentences, list items, headings and table rows, without the blanks around them."""
    spans = []
    for start, end in sentence_spans(text):
        cuts = [start, *(match.end() for match in _ITEM.finditer(text, start, end)), end]
        for begin, stop in pairwise(cuts):
            span_text = text[begin:stop]
            if span_text.strip():
                spans.append((begin + len(span_text) - len(span_text.lstrip()), begin + len(span_text.rstrip())))
    return spans


def without_list_mark(text: str) -> str:
    """A list item's words: its number is not one of the statement."""
    mark = _LIST_MARK.match(text)
    return text[mark.end() :] if mark else text


def is_heading(text: str) -> bool:
    """Whether a line is a heading, or stands in bold alone, as headings do in replies."""
    return _HEADING.fullmatch(text.strip()) is not None


def is_lead_in(text: str) -> bool:
    """Whether a sentence only announces what follows it."""
    return _LEAD_IN.search(text.rstrip()) is not None


def table_rows(text: str) -> list[str]:
    """The rows of a table that state something: without its header and the line below that."""
    lines = [line for line in text.splitlines() if line.strip()]
    has_header = len(lines) > 1 and _RULER.fullmatch(lines[1]) is not None
    return lines[2:] if has_header else lines


def open_fence(text: str) -> str:
    """The marks that close a block of code at the end of a text, if it is open: what follows would become code.

    One in a list or a quotation ends with that.
    """
    if "```" not in text and "~~~" not in text:
        return ""
    last = next(reversed(_parser().parse(text)), None)
    if last is None or last.type != "fence" or last.level or last.map is None:
        return ""
    begin, end = last.map
    marks = _LINE_END.split(text)[end - 1].strip()
    is_closed = end - begin > 1 and marks.startswith(last.markup) and not marks.strip(last.markup[0])
    return "" if is_closed else last.markup


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").disable("inline")  # blocks alone are read
