"""Notion's enhanced markdown as plain markdown.

Belongs here: its tags, colours and indentation. Not here: HTML within markdown (`headwater.parsing.markdown.markup`).
Guarantee: code stays as it is; no signed address stays; the work is linear in the text.
"""

import re
from collections.abc import Iterator

_CONTAINERS = (
    r"callout|details|columns|column|synced_block|synced_block_reference|meeting-notes|summary|notes|transcript"
)
_OPENED_PATTERN = re.compile(rf"<(?:{_CONTAINERS})(?:\s[^<>]*)?>$")
_CLOSED_PATTERN = re.compile(rf"</(?:{_CONTAINERS})>$")
_FENCE_PATTERN = re.compile(r"(`{3,}|~{3,})")
_ITEM_PATTERN = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_COLOUR_PATTERN = re.compile(r"(?<!\s)\s*+\{(?:color|toggle)=\"[^\"{}]{0,60}\"[^{}]{0,60}\}\s*$")
_SUMMARY_PATTERN = re.compile(r"<summary>([^<>]*)</summary>")
_LINKED_PATTERN = re.compile(
    r"<(page|database|data-source|mention-page|mention-database|mention-data-source)\s(?P<fields>[^<>]*?)"
    r"(?:/>|>(?P<words>[^<>]*)</\1>)"
)
_URL_PATTERN = re.compile(r"\burl=\"(?:\{\{)?([^\"{}]*)(?:\}\})?\"")
_DATE_PATTERN = re.compile(
    r"<mention-date\s[^<>]{0,300}?start=\"([^\"<>]{0,60})\"[^<>]{0,300}?(?:/>|>[^<>]*</mention-date>)"
)
_PERSON_PATTERN = re.compile(r"<mention-(user|agent)\b[^<>]*>([^<>]*)</mention-\1>")
_MEDIA_PATTERN = re.compile(r"<(file|pdf|audio|video|image|embed)\s[^<>]*?(?:/>|>([^<>]*)</\1>)")
_EMPTY_PATTERN = re.compile(r"<(?:empty-block|table_of_contents|unknown|mention-\w+)\b[^<>]*/?>")
_IMAGE_PATTERN = re.compile(r"!\[([^\[\]\n]*)\]\([^()\s]*\)")
_CELL_PATTERN = re.compile(r"<t[dh]\b[^<>]*>")
_SIGNED_PATTERN = re.compile(r"(https?://[^\s()<>\"?]{1,2000})\?[^\s()<>\"]{0,4000}")
_MAX_HEADING = 6


def to_markdown(text: str, *, below: int) -> str:
    """Plain markdown, whose headings stand below a level."""
    unsigned = _SIGNED_PATTERN.sub(lambda match: match[1] if "X-Amz-" in match[0] else match[0], text)
    return "\n".join(_Writer(below).lines(unsigned.replace("\r\n", "\n").split("\n"))).strip()


class _Writer:
    """One walk over the lines of a page. Children stand one tab deeper than what they belong to."""

    def __init__(self, below: int) -> None:
        self._below = below
        self._depth = 0  # containers around a line
        self._items = 0  # list items around a line
        self._fence = ""
        self._table: list[str] | None = None

    def lines(self, lines: list[str]) -> Iterator[str]:
        """The lines of plain markdown."""
        for line in lines:
            stripped = line.lstrip("\t")
            tabs = len(line) - len(stripped)
            if self._fence:
                yield self._code(line, stripped)
            elif self._table is not None or stripped.startswith("<table"):
                yield from self._table_line(stripped)
            elif match := _FENCE_PATTERN.match(stripped):
                self._fence = match[1]
                yield f"{self._indent(tabs, stripped)}{stripped}"
            else:
                yield from self._plain(tabs, stripped)
        if self._table:
            yield from self._table

    def _code(self, line: str, stripped: str) -> str:
        if stripped.rstrip() == self._fence:
            self._fence = ""
        inside = self._depth
        while inside and line.startswith("\t"):
            line, inside = line[1:], inside - 1
        return line

    def _plain(self, tabs: int, line: str) -> Iterator[str]:
        if _CLOSED_PATTERN.fullmatch(line.rstrip()):
            self._depth = max(self._depth - 1, 0)
            yield ""
        elif _OPENED_PATTERN.fullmatch(line.rstrip()):
            self._depth += 1
            yield ""
        else:
            indent = self._indent(tabs, line)
            words = _inline(line)
            if words.startswith("#") and (marks := len(words) - len(words.lstrip("#"))) <= _MAX_HEADING:
                words = "#" * (min(marks + self._below, _MAX_HEADING) - marks) + words
            yield f"{indent}{words}"
            if words and not _ITEM_PATTERN.match(words) and not words.startswith("|"):
                yield ""  # each line is a block of its own

    def _indent(self, tabs: int, line: str) -> str:
        """The indentation of a line: that within lists, because any other would make it code."""
        level = max(tabs - self._depth, 0)
        if _ITEM_PATTERN.match(line):
            level = min(level, self._items)
            self._items = level + 1
        else:
            level = min(level, self._items)
            self._items = level if line else self._items
        return "    " * level

    def _table_line(self, line: str) -> Iterator[str]:
        self._table = [] if self._table is None else self._table
        self._table.append(line)
        if "</table>" in line:
            html, self._table = "\n".join(self._table), None
            rows = [[_cell(cell) for cell in _CELL_PATTERN.split(row)[1:]] for row in html.split("<tr")[1:]]
            yield ""
            for row_index, row in enumerate(filter(None, rows)):
                yield f"| {' | '.join(row)} |"
                if not row_index:
                    yield f"|{' --- |' * len(row)}"
            yield ""


def _cell(text: str) -> str:
    return " ".join(_inline(text.partition("</t")[0]).replace("|", "\\|").split())


def _inline(line: str) -> str:
    """A line without Notion's own tags, whose words stay; inline code too loses them, which is rare."""
    if "{" in line:
        line = _COLOUR_PATTERN.sub("", line)
    if "![" in line:
        line = _IMAGE_PATTERN.sub(r"\1", line)
    if "<" not in line:
        return line
    line = _SUMMARY_PATTERN.sub(r"**\1**", line)
    line = _LINKED_PATTERN.sub(_link, line)
    line = _DATE_PATTERN.sub(r"\1", line)
    line = _PERSON_PATTERN.sub(r"\2", line)
    line = _MEDIA_PATTERN.sub(lambda match: match[2] or "", line)
    return _EMPTY_PATTERN.sub("", line).replace("<br>", " ").replace("<br/>", " ")


def _link(match: re.Match[str]) -> str:
    url = _URL_PATTERN.search(match["fields"])
    words = (match["words"] or "").strip() or "a page"
    return f"[{words}]({url[1]})" if url and url[1].startswith("https://") else words
