"""A page of Cosense as markdown.

Belongs here: its lines: bullets, code, tables, quotations, headings. Not here: what stands within a line
(`line_markup`). Guarantee: every line of the page is in the text once, and the text knows which line it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from headwater.domain.places import Places
from headwater.parsing.cosense.line_markup import Inline, bracket_ends
from headwater.parsing.cosense.project import Project
from headwater.parsing.markdown.writer import fence_code, line_places, pipe_table, plain_markdown

_INDENT = " \t\u3000"
_CODE = re.compile(r"code:(?P<name>.+)")
_TABLE = re.compile(r"table:(?P<name>.+)")
_LANGUAGE = re.compile(r"\((?P<named>[\w+#-]{1,30})\)\Z|\.(?P<ending>[\w+#-]{1,30})\Z")
_NUMBER = re.compile(r"(\d{1,9}\.)[ \u3000]+(?=\S)")
_ICON = r"\[[^\[\]]{1,300}\.icon(?:\*\d{1,4})?\]"
_TAGS = re.compile(rf"(?:{_ICON}\s+)*+#[^\s#\[\]`]{{1,200}}(?:\s+(?:#[^\s#\[\]`]{{1,200}}|{_ICON}))*+")
_STARS = re.compile(r"\[(\*{1,20})[ \u3000]+")
_RULE = re.compile(r"[-=:\s]*-[-=:\s]*\Z")
_JOINED = {"text": "  \n", "list": "\n", "quote": "  \n", "table": "\n"}  # between lines; a text's break where they do
_MAX_LABEL_CHARS = 40
"""Of a line that names the items below it and becomes their parent, so that a quote has both. Of 40 questions over two
Japanese projects, the quote holds the fact in 34 instead of 31, and with a multilingual model in 37 instead of 35; of
60 over pages that were not written in Cosense, in 17 as before, and 21 instead of 22. 20 and 100 work equally well."""
_HEADINGS = 5  # levels below the title


@dataclass(frozen=True, kw_only=True, slots=True)
class CosensePage:
    """A page's text, the titles that it links to, and its lines as places."""

    text: str
    links: tuple[str, ...]
    places: Places


def read_page(lines: Sequence[str], project: Project) -> CosensePage:
    """Write a page as markdown.

    Args:
        lines: its lines; the first one is its title, which is left out.
        project: its project, for links.
    """
    writer = _Writer(lines, Inline(project))
    index = 1
    while index < len(lines):
        index = writer.take(index)
    text, starts = writer.joined()
    return CosensePage(text=text, links=tuple(writer.inline.links), places=line_places(starts, text))


class _Writer:
    """Collects blocks of markdown: their kind, their text, and the line where each begins."""

    def __init__(self, lines: Sequence[str], inline: Inline) -> None:
        self.inline = inline
        self._lines = lines
        self._blocks: list[tuple[str, str, int]] = []
        self._items: list[tuple[int, str]] = []  # the indentation of the list items around a line, and their marks
        sizes = sorted({size for line in lines[1:] if (size := _size(line))}, reverse=True)
        self._levels = {size: min(index, _HEADINGS) + 2 for index, size in enumerate(sizes)}

    def take(self, at: int) -> int:
        """Write what begins at a line; returns the line after it."""
        line = self._lines[at]
        text = line.lstrip(_INDENT)
        indent = len(line) - len(text)
        code, table = _CODE.match(text), _TABLE.match(text)
        if code is not None or table is not None:
            end = self._end(at, indent)
            owned = [owned_line[indent + 1 :] for owned_line in self._lines[at + 1 : end]]
            if code is not None:
                self._code(code["name"].strip(), owned, at)
            elif table is not None:
                self._table(table["name"].strip(), owned, at)
            return end
        self._line(text.rstrip(), line, indent, at)
        return at + 1

    def joined(self) -> tuple[str, list[tuple[int, int]]]:
        """The text, and the line of the page that begins at each offset of it."""
        texts: list[str] = []
        starts: list[tuple[int, int]] = []
        length, previous_kind = 0, ""
        for kind, text, index in self._blocks:
            if not text:
                previous_kind = ""
                continue
            is_same = kind == previous_kind and kind in _JOINED
            gap = "" if not texts else _JOINED[kind] if is_same else "\n\n"
            texts.append(gap + text)
            starts.append((length + len(gap), index + 1))
            length += len(gap) + len(text)
            previous_kind = kind
        return "".join(texts), starts

    def _end(self, at: int, indent: int) -> int:
        """The first line after a block that owns the lines which are indented further."""
        end = at + 1
        while end < len(self._lines):
            line = self._lines[end]
            if len(line) - len(line.lstrip(_INDENT)) <= indent:
                break
            end += 1
        return end

    def _code(self, name: str, owned: list[str], at: int) -> None:
        match = _LANGUAGE.search(name)
        language = (match["named"] or match["ending"]) if match else name
        if match is not None and match["named"] is None:
            self._blocks.append(("caption", f"`{name.replace('`', '')}`", at))
        self._items.clear()
        blanks = next((index for index, line in enumerate(owned) if line.strip()), 0)  # which a fence leaves out
        self._blocks.append(("code", fence_code("\n".join(owned), language), at + blanks))

    def _table(self, name: str, owned: list[str], at: int) -> None:
        self._items.clear()
        self._blocks.append(("caption", f"**{self.inline.markdown(name)}**", at))
        rows = {
            line_number: [self.inline.markdown(cell.strip()) for cell in row.split("\t")]
            for line_number, row in enumerate(owned, start=at + 1)
            if not all(_RULE.match(cell) for cell in row.split("\t"))
        }
        if rows:
            first, ruler, *body_lines = pipe_table(list(rows.values())).split("\n")
            table_lines = [f"{first}\n{ruler}", *body_lines]
            self._blocks += [("table", text, line_number) for line_number, text in zip(rows, table_lines, strict=True)]

    def _line(self, text: str, line: str, indent: int, at: int) -> None:
        if not text:
            self._items.clear()
            self._blocks.append(("", "", at))
        elif indent:
            self._blocks.append(("list", self._bullet(text, indent), at))
        elif _TAGS.fullmatch(text):
            self._items.clear()
            self._blocks.append(("tags", self._tags(text), at))
        elif size := _size(line):
            self._items.clear()
            begin = 2 if text.startswith("[[") else len((_STARS.match(text) or [""])[0])
            content = text[begin : -2 if text.startswith("[[") else -1]
            heading = " ".join(self.inline.markdown(content.strip()).split())
            self._blocks.append(("heading", f"{'#' * self._levels[size]} {heading}", at))
        elif text.startswith(">"):
            self._items.clear()
            self._blocks.append(("quote", f"> {self.inline.markdown(text[1:].strip())}".rstrip(), at))
        elif len(text) <= _MAX_LABEL_CHARS and self._names_items(at):
            self._blocks.append(("list", self._bullet(text, 0), at))
        else:
            self._items.clear()
            self._blocks.append(("text", plain_markdown(self.inline.markdown(text)), at))

    def _names_items(self, at: int) -> bool:
        """Whether the next line is an item below a line: in a quote, the item needs the line."""
        line = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        words = line.lstrip(_INDENT)
        return bool(words) and len(words) < len(line) and not _CODE.match(words) and not _TABLE.match(words)

    def _tags(self, text: str) -> str:
        """A line of hashtags without the icons among them, which lead to pages, too."""
        self.inline.markdown(text)
        return " ".join(self.inline.markdown(word) for word in text.split() if word.startswith("#"))

    def _bullet(self, text: str, indent: int) -> str:
        """A list item, below those around it: pages skip steps of indentation, and a number is wider than a bullet."""
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()
        numeral = _NUMBER.match(text)
        mark, words = (numeral[1], text[numeral.end() :]) if numeral else ("-", text)
        outer = "".join(" " * (len(outer_mark) + 1) for _, outer_mark in self._items)
        self._items.append((indent, mark))
        if words.startswith(">"):
            return f"{outer}{mark} > {self.inline.markdown(words[1:].strip())}"
        if _TAGS.fullmatch(words):
            return f"{outer}{mark} {self._tags(words)}"
        return f"{outer}{mark} {plain_markdown(self.inline.markdown(words))}"


def _size(line: str) -> int:
    """How many stars make a line a heading; 0 if it is none. Bold in double brackets counts as one star."""
    text = line.rstrip()
    stars = _STARS.match(text)
    if stars is None and not text.startswith("[["):
        return 0
    ends = bracket_ends(text)
    if ends.get(0) != len(text) - 1 or "://" in text:
        return 0
    if stars is not None:
        return len(stars[1]) if text[stars.end() : -1].strip() else 0
    return 1 if ends.get(1) == len(text) - 2 and text[2:-2].strip() else 0
