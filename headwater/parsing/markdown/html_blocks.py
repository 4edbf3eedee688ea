"""Tables and lists of HTML in markdown, written as those of markdown.

Belongs here: where such a block ends, its text, the lines that its rows come from; indented lines that are elements.
Not here: single tags (`markup`), what HTML means (`headwater.parsing.html`). Guarantee: a block that markdown or a
template has a part in is left to the walk over its tags; what cannot be read stays; the work is linear in the text.
"""

import re
from itertools import zip_longest
from typing import Any, NamedTuple

from headwater.errors import DocumentError
from headwater.parsing.html.blocks import blocks_of, join_blocks
from headwater.parsing.html.html_tree import html_tree
from headwater.parsing.html.inline import Page
from headwater.parsing.html.tables import TableLine, pipe_lines, rows_of
from headwater.parsing.markdown.edits import Step, new_step
from headwater.parsing.markdown.fences import find_fences
from headwater.parsing.markdown.html_tags import ELEMENTS
from headwater.parsing.markdown.indentation import Span, find_deep_lines

NAMES = frozenset({"table", "ul", "ol"})
_TAGS = {name: re.compile(rf"<(?P<end>/?){name}(?=[\s>])[^<>]*>", re.IGNORECASE) for name in NAMES}
_MAX_CHARS = 200_000
# Code, comments, paragraphs, items, names of emoji and attributes of markdown, tags of templates, words of buttons.
_OTHER = re.compile(
    r"`|~~~|<!--|<%|\]\(<|\]\([^()\n]*\)\{|:[a-z][a-z0-9_+-]+:|&#[\dxX]|\{[%{<]|<(?:button|select|textarea)\b"
    r"|\n[ \t]*(?:\n[ \t]*(?=[^\s<])|(?:[-*+>|]|#{1,6}|\d{1,9}[.)])[ \t])"
)
_NAME = re.compile(r"</?([A-Za-z][\w:.-]*)")
_SCRIPT = re.compile(r"\{|</?(?:[A-Z]|>)")  # an expression or a component of MDX
_INDENT = re.compile(r"[ \t]*")
_ROW = re.compile(r"<tr(?=[\s>])", re.IGNORECASE)
_END = re.compile(r"</(?:table|tbody|tfoot)\s*>", re.IGNORECASE)
_CONTAINER = re.compile(  # and comments and code, in which a tag opens nothing
    r"<!--[^\x00]{0,500}?-->|`[^`\n]*`"
    r"|<(?P<end>/?)(?P<name>article|aside|div|footer|header|main|nav|ol|section|table|ul)(?=[\s>])[^<>]*+(?<!/)>",
    re.IGNORECASE,
)
_BEGINS_WITH_TAG = re.compile(r"\s*</?[A-Za-z][\w-]*(?=[\s/>])")


class HtmlBlock(NamedTuple):
    """A block in markdown, where its source ends, and the edits that replace the source with it."""

    text: str
    end: int
    edits: Step


def find_indented_code(text: str) -> list[Span]:
    """The indented code in a markdown text: in an open element, lines that begin with a tag are elements, and no code.

    Kramdown and Python-Markdown read an element to its end; CommonMark, to the first blank line.
    """
    fences = find_fences(text)
    code: list[Span] = []
    skipped = [*fences, (len(text), len(text))]  # tags in code open no element
    depth, position, next_fence = 0, 0, 0
    for start, end in find_deep_lines(text, fences):
        while skipped[next_fence][1] <= start:
            depth = _depth_behind(text, position, skipped[next_fence][0], depth)
            position = skipped[next_fence][1]
            next_fence += 1
        depth = _depth_behind(text, position, start, depth)
        position = start
        if depth and _BEGINS_WITH_TAG.match(text, start, end):
            continue
        position = end
        is_next = bool(code) and not text[code[-1][1] : start].strip()
        code[-1:] = [(code[-1][0], end)] if is_next else [*code[-1:], (start, end)]
    return code


def _depth_behind(text: str, start: int, end: int, depth: int) -> int:
    """How many elements are open behind a part of a text; one that is opened behind words is often spoken of."""
    line_end, begins_with_tag = -1, False
    for tag in _CONTAINER.finditer(text, start, end):
        if tag.start() > line_end:
            indent = _INDENT.match(text, text.rfind("\n", 0, tag.start()) + 1)
            begins_with_tag = indent is not None and text.startswith("<", indent.end())
            line_end = text.find("\n", tag.start())
            line_end = line_end if line_end >= 0 else len(text)
        if tag["end"]:
            depth = max(0, depth - 1)
        elif tag["name"] and begins_with_tag:
            depth += 1
    return depth


class HtmlBlocks:
    """The tables and lists of one text; elements without an end are tried only a limited number of times."""

    def __init__(self, text: str, *, is_mdx: bool) -> None:
        """Read nothing yet; in MDX, braces are expressions, and names with capitals are components."""
        self._text = text
        self._is_mdx = is_mdx
        self._budget = 8 * len(text) + 1_000  # characters that are looked through for ends
        self._mixed_end = 0  # of an element of HTML and markdown

    def read(self, start: int, name: str) -> HtmlBlock | None:
        """Read the element that begins at an offset; None if its tags are to be read one by one."""
        line_start = self._text.rfind("\n", 0, start) + 1
        is_quoted = self._text[line_start:start].lstrip().startswith(">")
        if is_quoted or start < self._mixed_end or self._budget < 0:
            return None
        end = self._find_end(start, name)
        if end is None:
            return None
        indent = _INDENT.match(self._text, line_start, start)
        block = self._read_span(start, end, indent[0] if indent else "")
        self._mixed_end = self._mixed_end if block else end
        return block

    def _find_end(self, start: int, name: str) -> int | None:
        depth = 0
        for tag in _TAGS[name].finditer(self._text, start, start + _MAX_CHARS):
            depth += -1 if tag["end"] else 1
            if depth <= 0:
                line_end = self._text.find("\n", tag.end())
                behind = self._text[tag.end() : line_end if line_end >= 0 else len(self._text)].lstrip()
                self._budget -= tag.end() - start
                return tag.end() if not behind or behind.startswith("<") else None
        self._budget -= min(_MAX_CHARS, len(self._text) - start)
        return None

    def _read_span(self, start: int, end: int, indent: str) -> HtmlBlock | None:
        source = self._text[start:end]
        names = {name.lower() for name in _NAME.findall(source)}
        if not names & {"li", "td", "th", "tr"}:  # a list of nothing but text, which is there for its indentation
            return None
        if _OTHER.search(source) or names - ELEMENTS or (self._is_mdx and _SCRIPT.search(source)):
            return None
        try:
            body = html_tree(f"<body>{source}</body>").find("body")
        except DocumentError:
            return None
        page = Page(uri="", base="", is_markdown=True)
        words = join_blocks(blocks_of(body, page))
        if not words.strip():
            return None
        block = "\n".join(f"{indent}{line}" if line else line for line in words.split("\n"))
        table = body[0] if len(body) == 1 and body[0].tag == "table" else None
        lines = [] if table is None else pipe_lines(table, page)
        is_table = "\n".join(line.text for line in lines) == words
        edits = _edits_of_rows(source, start, table, lines, len(indent)) if is_table else None
        return HtmlBlock(block, end, edits or new_step([(start, end, len(block))]))


def _edits_of_rows(source: str, start: int, table: Any, lines: list[TableLine], indent: int) -> "Step | None":
    """The edits by which each row of a table is on its own lines of the file; None if its rows cannot be told.

    Rows that share a cell are on the lines of all of them.
    """
    begins = [match.start() for match in _ROW.finditer(source)]
    if len(begins) != len(list(table.iter("tr"))) or len(begins) != len(list(rows_of(table))):
        return None
    spans: list[tuple[int, int, int]] = []  # the first and the last row, and how many characters are from them
    for line in lines:
        first, last, length = line.first_row, line.last_row, indent + len(line.text) + 1
        while spans and first <= spans[-1][1]:
            first, last, length = min(first, spans[-1][0]), max(last, spans[-1][1]), spans.pop()[2] + length
        spans.append((first, last, length))
    edits: list[tuple[int, int, int]] = []
    for (first, last, length), next_span in zip_longest(spans, spans[1:]):
        begin = start + begins[first] if edits else start
        if next_span is None:
            row_end = start + _end_of_rows(source)
            edits += [(begin, row_end, length - 1), (row_end, start + len(source), 0)]
            break
        row_end = start + _end_of_words(source, begins[last + 1])
        edits += [(begin, row_end, length - 1), (row_end, start + begins[next_span[0]], 1)]
    return new_step(edits)


def _end_of_words(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _end_of_rows(source: str) -> int:
    """Where the last row of a table ends, in front of the tags that close the table."""
    end = _end_of_words(source, len(source))
    while _END.fullmatch(source, begin := max(0, source.rfind("<", 0, end)), end):
        end = _end_of_words(source, begin)
    return end
