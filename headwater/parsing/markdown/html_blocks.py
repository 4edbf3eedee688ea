"""Tables and lists of HTML in markdown, written as those of markdown.

Belongs here: where such a block ends, its text, the lines that its rows come from; indented lines that are elements.
Not here: single tags (`markup`), what HTML means (`headwater.parsing.html`). Guarantee: a block that markdown or a
template has a part in is left to the walk over its tags; what cannot be read stays; the work is linear in the block.
"""

import re
from itertools import pairwise
from typing import Any, NamedTuple

from headwater.errors import DocumentError
from headwater.parsing.html.blocks import blocks_of, join_blocks
from headwater.parsing.html.html_tree import html_tree
from headwater.parsing.html.inline import Page
from headwater.parsing.html.tables import has_words, rows_of
from headwater.parsing.markdown.edits import Step, new_step
from headwater.parsing.markdown.indentation import Span, find_deep_lines

NAMES = frozenset({"table", "ul", "ol"})
_TAGS = {name: re.compile(rf"<(?P<end>/?){name}(?=[\s>])[^<>]*>", re.IGNORECASE) for name in NAMES}
_MAX_CHARS = 200_000
# A paragraph of markdown, a fence, or a tag of a template.
_OTHER = re.compile(r"\n[ \t]*\n[ \t]*(?=[^\s<])|`{3}|~{3}|\{[%{<]")
_INDENT = re.compile(r"[ \t]*")
_SCRIPT = re.compile(r"\{|</?(?:[A-Z]|>)")  # an expression or a component of MDX


_CONTAINER = re.compile(
    r"<(?P<end>/?)(?:article|aside|details|div|figure|footer|header|main|nav|ol|section|table|ul)(?=[\s>])[^<>]*>",
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
    code = find_deep_lines(text)
    containers = list(_CONTAINER.finditer(text)) if code else []
    spans, depth, position = [], 0, 0
    for start, end in code:
        while position < len(containers) and containers[position].start() < start:
            depth = max(0, depth + (-1 if containers[position]["end"] else 1))
            position += 1
        if not (depth and _BEGINS_WITH_TAG.match(text, start, end)):
            spans.append((start, end))
    return spans


class HtmlBlocks:
    """The tables and lists of one text; an element that nothing closes is looked for once."""

    def __init__(self, text: str, *, is_mdx: bool) -> None:
        """Read nothing yet; in MDX, braces are expressions, and names with capitals are components."""
        self._text = text
        self._is_mdx = is_mdx
        self._unclosed: set[str] = set()
        self._mixed_end = 0  # of an element of HTML and markdown

    def read(self, start: int, name: str) -> HtmlBlock | None:
        """Read the element that begins at an offset; None if its tags are to be read one by one."""
        line_start = self._text.rfind("\n", 0, start) + 1
        if name in self._unclosed or start < self._mixed_end or ">" in self._text[line_start:start]:
            return None
        end = self._find_end(start, name)
        if end is None:
            self._unclosed.add(name)
            return None
        block = self._read_span(start, end, indent=_INDENT.match(self._text, line_start, start))
        self._mixed_end = self._mixed_end if block else end
        return block

    def _find_end(self, start: int, name: str) -> int | None:
        depth = 0
        for tag in _TAGS[name].finditer(self._text, start, start + _MAX_CHARS):
            depth += -1 if tag["end"] else 1
            if depth <= 0:
                return tag.end()
        return None

    def _read_span(self, start: int, end: int, *, indent: re.Match[str] | None) -> HtmlBlock | None:
        source = self._text[start:end]
        if _OTHER.search(source) or (self._is_mdx and _SCRIPT.search(source)):
            return None
        try:
            body = html_tree(f"<body>{source}</body>").find("body")
        except DocumentError:
            return None
        words = join_blocks(blocks_of(body, Page(uri="", base="", is_markdown=True)))
        if not words.strip():
            return None
        margin = indent[0] if indent else ""
        block = "\n".join(f"{margin}{line}" if line else line for line in words.split("\n"))
        return HtmlBlock(block, end, _edits_of_rows(self._text, start, end, body, block))


def _edits_of_rows(text: str, start: int, end: int, body: Any, block: str) -> Step:
    """One edit for each row of a table, so that a row is on its own lines of the file; else one for all."""
    lines = block.partition(" --- |\n")[2].split("\n")
    tables = [child for child in body if child.tag == "table"]
    rows = [row[0].getparent().sourceline for row in rows_of(tables[0]) if any(map(has_words, row))] if tables else []
    if len(rows) <= len(lines) or "" in lines:
        return new_step([(start, end, len(block))])
    line_starts = [start, *(start + match.end() for match in re.finditer("\n", text[start:end]))]
    begins = [line_starts[line - 1] for line in rows[-len(lines) :]]
    lengths = [len(line) + 1 for line in lines]
    spans = pairwise([*begins, end])
    edits = [(begin, stop, length) for (begin, stop), length in zip(spans, lengths, strict=True)]
    edits[-1] = (begins[-1], end, lengths[-1] - 1)
    return new_step([(start, begins[0], len(block) - sum(lengths) + 1), *edits])
