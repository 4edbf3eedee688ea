"""The blocks of AsciiDoc as markdown.

Belongs here: sections, paragraphs, delimited blocks, admonitions. Not here: lists (`lists`), inline markup (`inline`),
tables (`tables`). Guarantee: every line is read once per level of nesting, of which there are at most `MAX_DEPTH`; the
marks of blocks leave no trace.
"""

import re
from collections.abc import Iterator, Sequence

from headwater.errors import DocumentError
from headwater.parsing.asciidoc.inline import CONTROLS, inline, replace_attributes
from headwater.parsing.asciidoc.lines import (
    ATTRIBUTE,
    DELIMITER,
    HEADING,
    IMAGE,
    ITEM,
    OPTIONS,
    TERM,
    TITLE,
    UNDERLINES,
    is_block_start,
    is_comment,
    is_underlined,
    join_values,
)
from headwater.parsing.asciidoc.listings import dedent, fence
from headwater.parsing.asciidoc.lists import MAX_DEPTH, ListReader
from headwater.parsing.asciidoc.tables import table
from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.markdown.writer import indent_block, plain_markdown

_MAX_VALUE = 2_000  # characters of an attribute
_MAX_GROWTH = 2_000_000  # characters that attributes may add to a text
_ADMONITION = re.compile(r"(?P<name>NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+")
_PASSED_VALUE = re.compile(r"pass:[a-z,-]*\[(?P<value>.*)\]")
_NAMES = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_RULES = ("'''", "<<<", "---", "***", "* * *", "- - -")


class AsciiDoc:
    """A document as markdown, and its title."""

    def __init__(self, source: str) -> None:
        self.title = ""
        self._attributes: dict[str, str] = {}
        self._max_value = min(_MAX_VALUE, _MAX_GROWTH // (source.count("{") + 1))
        self._lines = join_values([line.rstrip() for line in CONTROLS.sub("", source).split("\n")])

    def text(self) -> str:
        """The whole text."""
        blocks = self._blocks(self._without_header(), 0)
        heading = [f"# {self.title}"] if self.title else []
        return "\n\n".join([*heading, *blocks])

    def _without_header(self) -> Sequence[str]:
        """The lines below the title, its authors and the document's attributes."""
        lines, start = self._lines, 0
        while start < len(lines) and (not lines[start].strip() or self._is_silent(lines[start])):
            start += 1
        heading = HEADING.fullmatch(lines[start]) if start < len(lines) else None
        size = 1 if heading else 2 * is_underlined(lines, start)
        if not size or (heading and len(heading["marks"]) > 1) or (size == 2 and lines[start + 1][0] != "="):
            return lines[start:]
        self.title = " ".join((heading["words"] if heading else lines[start]).split())
        start += size
        while start < len(lines) and lines[start].strip():  # authors, a revision, attributes
            if not self._is_silent(lines[start]) and is_block_start(lines[start]):
                break
            start += 1
        self.title = inline(self.title, self._attributes)
        return lines[start:]

    def _is_silent(self, line: str) -> bool:
        """Whether a line is a comment, an attribute, which is kept, or a directive."""
        if attribute := ATTRIBUTE.fullmatch(line):
            passed = _PASSED_VALUE.fullmatch(attribute["value"] or "")
            value = replace_attributes(passed["value"] if passed else attribute["value"] or "", self._attributes)
            if len(value) <= self._max_value:
                self._attributes[attribute["name"].strip("!").lower()] = value
            return True
        return is_comment(line)

    def _blocks(self, lines: Sequence[str], depth: int) -> list[str]:
        """The blocks of some lines."""
        if depth > MAX_DEPTH:
            return [plain_markdown("\n".join(lines))] if any(lines) else []
        reader = _Reader(self, lines, depth)
        return [block for block in reader.blocks() if block.strip()]

    def words(self, text: str) -> str:
        """A paragraph as markdown."""
        return plain_markdown(inline(text, self._attributes))

    def attributes(self) -> dict[str, str]:
        """The values of the document's attributes so far."""
        return self._attributes

    is_silent = _is_silent
    read_blocks = _blocks


class _Reader(ListReader):
    """Reads the lines of one level."""

    _options = ""

    def blocks(self) -> Iterator[str]:
        """The blocks, in order."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip() or line == "+" or line in _RULES:
                self._at += 1
                continue
            if self._document.is_silent(line):
                self._at += 1
            elif options := OPTIONS.fullmatch(line):
                self._options = f"{self._options},{options['options'] or ''}".strip(",")
                self._at += 1
            else:
                yield from self._block(line)
                self._options = self._options if TITLE.fullmatch(line) else ""

    def _block(self, line: str) -> Iterator[str]:
        heading = HEADING.fullmatch(line)
        if delimiter := DELIMITER.fullmatch(line):
            yield from self._read_delimited(delimiter)
        elif heading:
            self._at += 1
            yield f"{'#' * len(heading['marks'])} {self._document.words(heading['words'])}"
        elif self._depth == 0 and is_underlined(self._lines, self._at):
            level = UNDERLINES.index(self._lines[self._at + 1][0]) + 1
            self._at += 2
            yield f"{'#' * level} {self._document.words(line.strip())}"
        elif title := TITLE.fullmatch(line):
            self._at += 1
            yield f"**{self._document.words(title['words'])}**"
        elif image := IMAGE.fullmatch(line):
            self._at += 1
            label = image["label"].partition(",")[0].strip('" ')
            yield f"![{label}]({image['target']})" if label and "=" not in label else ""
        elif ITEM.fullmatch(line) or TERM.fullmatch(line):
            items = list(self._list())
            yield ("\n\n" if any("\n\n" in text for text in items) else "\n").join(items)
        elif line[0] in " \t":
            yield self._fence(dedent(self._paragraph_lines()))
        else:
            yield self._paragraph()

    def _paragraph(self) -> str:
        text = "\n".join(line.strip() for line in self._paragraph_lines())
        style = self._options.partition(",")[0]
        if style in ("source", "listing", "literal", "synopsis"):
            return self._fence(text)
        if admonition := _ADMONITION.match(text):
            return f"**{admonition['name'].capitalize()}:** {self._document.words(text[admonition.end() :])}"
        words = self._document.words(text)
        if style in _NAMES:
            return f"**{style.capitalize()}:** {words}"
        return indent_block(words, "> ") if style in ("quote", "verse") else words

    def _paragraph_lines(self) -> list[str]:
        """Lines up to a blank one, or up to the mark of a block."""
        lines = [self._lines[self._at]]
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip() or line == "+" or DELIMITER.fullmatch(line) or OPTIONS.fullmatch(line):
                break
            if not self._document.is_silent(line):
                lines.append(line)
            self._at += 1
        return lines

    def _read_delimited(self, delimiter: re.Match[str]) -> Iterator[str]:
        mark = delimiter["mark"]
        inside = self._inside(mark)
        style = self._options.partition(",")[0].partition("%")[0].partition(".")[0]
        is_note = style in _NAMES and mark[0] not in "|,:!+/"  # also between the dashes of a listing, as many write it
        if mark[0] in "-.`~" and mark != "--" and not is_note:
            yield self._fence("\n".join(inside), delimiter["language"] or "")
        elif mark == "--" and style in ("source", "listing"):
            yield self._fence("\n".join(inside))
        elif mark[0] in "|,:!":
            yield self._table(inside, mark[0])
        elif mark[0] == "+":
            yield _read_passed("\n".join(inside), style)
        elif mark[0] == "/":
            return
        else:
            blocks = self._document.read_blocks(inside, self._depth + 1)
            if style in _NAMES:
                yield f"**{style.capitalize()}**"
            if mark[0] == "_":
                yield indent_block("\n\n".join(blocks), "> ").replace("\n\n", "\n>\n")
            else:
                yield from blocks

    def _table(self, lines: Sequence[str], sign: str) -> str:
        options = self._options + (',format="csv"' if sign == "," else "")
        lines = [line for line in lines if not is_comment(line)]
        if sign == "!":  # of a table in a cell
            lines = [line.replace("!", "|") for line in lines]
        return table(lines, options, inline=self._inline, read_blocks=self._read_cell)

    def _inline(self, text: str) -> str:
        return inline(text, self._document.attributes())

    def _read_cell(self, lines: Sequence[str]) -> list[str]:
        return self._document.read_blocks(lines, self._depth + 1)

    def _fence(self, code: str, language: str = "") -> str:
        return fence(code, self._options, self._document.attributes(), language)


def _read_passed(content: str, style: str) -> str:
    """What is passed to the page as it is: a formula, or HTML, of which the words are read."""
    if style in ("stem", "latexmath", "asciimath"):
        return f"$$\n{content}\n$$"
    if "<" not in content:
        return plain_markdown(content)
    try:
        text, _ = fragment_markdown(content, "")
    except DocumentError:
        return ""
    return text
