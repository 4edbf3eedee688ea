"""The blocks of AsciiDoc as markdown.

Belongs here: sections, paragraphs, lists, delimited blocks, admonitions. Not here: inline markup (`inline`), tables
(`tables`). Guarantee: every line is read once per level of nesting, of which there are at most `_MAX_DEPTH`; the marks
of blocks leave no trace.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence

from headwater.parsing.asciidoc.inline import inline, replace_attributes
from headwater.parsing.asciidoc.lines import (
    ATTRIBUTE,
    DELIMITER,
    DIRECTIVE,
    HEADING,
    IMAGE,
    ITEM,
    OPTIONS,
    TERM,
    TITLE,
    UNDERLINES,
    is_block_start,
    is_item,
    is_underlined,
    match_term,
)
from headwater.parsing.asciidoc.tables import table
from headwater.parsing.markdown.writer import fence_code, indent_block, item, plain_markdown

_MAX_DEPTH = 12
_MAX_VALUE = 500  # characters of an attribute
_MAX_GROWTH = 2_000_000  # characters that attributes may add to a text
_CHECK = re.compile(r"\[[ xX*]\][ \t]+")
_ADMONITION = re.compile(r"(?P<name>NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+")
_ESCAPED_DIRECTIVE = re.compile(r"^\\(?=(?:include|ifdef|ifndef|ifeval|endif)::)", re.MULTILINE)
_NAMES = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_RULES = ("'''", "<<<", "---", "***", "* * *", "- - -")


class AsciiDoc:
    """A document as markdown, and its title."""

    def __init__(self, source: str) -> None:
        self.title = ""
        self._attributes: dict[str, str] = {}
        self._max_value = min(_MAX_VALUE, _MAX_GROWTH // (source.count("{") + 1))
        self._lines = [line.rstrip() for line in source.split("\n")]

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
            value = replace_attributes(attribute["value"] or "", self._attributes)
            if len(value) <= self._max_value:
                self._attributes[attribute["name"].strip("!").lower()] = value
            return True
        return bool((line.startswith("//") and not line.startswith("////")) or DIRECTIVE.fullmatch(line))

    def _blocks(self, lines: Sequence[str], depth: int) -> list[str]:
        """The blocks of some lines."""
        if depth > _MAX_DEPTH:
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
    nested = _blocks


class _Reader:
    """Reads the lines of one level."""

    def __init__(self, document: AsciiDoc, lines: Sequence[str], depth: int) -> None:
        self._document = document
        self._lines = lines
        self._depth = depth
        self._at = 0
        self._options = ""

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
            yield _fence(_dedent(self._paragraph_lines()))
        else:
            yield self._paragraph()

    def _paragraph(self) -> str:
        text = "\n".join(line.strip() for line in self._paragraph_lines())
        style = self._options.partition(",")[0]
        if style in ("source", "listing", "literal", "synopsis"):
            return _fence(text, _language(self._options))
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
            yield _fence("\n".join(inside), delimiter["language"] or _language(self._options))
        elif mark == "--" and style in ("source", "listing"):
            yield _fence("\n".join(inside), _language(self._options))
        elif mark[0] in "|,:!":
            options = self._options + (',format="csv"' if mark[0] == "," else "")
            yield table(inside, options, self._document.attributes())
        elif mark[0] in "+/":
            return
        else:
            blocks = self._document.nested(inside, self._depth + 1)
            if style in _NAMES:
                yield f"**{style.capitalize()}**"
            if mark[0] == "_":
                yield indent_block("\n\n".join(blocks), "> ").replace("\n\n", "\n>\n")
            else:
                yield from blocks

    def _inside(self, mark: str) -> list[str]:
        """The lines up to the same mark, or to the end."""
        start = self._at + 1
        end = next((index for index in range(start, len(self._lines)) if self._lines[index] == mark), len(self._lines))
        self._at = end + 1
        return list(self._lines[start:end])

    def _list(self) -> Iterator[str]:
        """The items of a list, each with what is nested in it."""
        marks: list[str] = []  # of the lists around, from the outside in
        numbers: list[int] = []
        while (next_item := self._next_item()) is not None:
            mark, terms, text, body = next_item
            if mark in marks:
                del marks[marks.index(mark) + 1 :], numbers[marks.index(mark) + 1 :]
            elif len(marks) < _MAX_DEPTH:
                marks.append(mark)
                numbers.append(0)
            numbers[-1] += 1
            is_numbered = mark.startswith((".", "<")) or mark[0].isalnum()
            label = f"{numbers[-1]}." if is_numbered else "-"
            words = self._document.words(_CHECK.sub("", text)) if text else ""
            if terms:
                bold = ", ".join(_bold(self._document.words(term)) for term in terms)
                words = f"{bold}: {words}" if words else f"{bold}"
            blocks = self._document.nested(body, self._depth + 1)
            yield indent_block(item("\n\n".join(filter(None, [words, *blocks])), label), "  " * (len(marks) - 1))

    def _next_item(self) -> tuple[str, list[str], str, list[str]] | None:
        """The next item: its mark, its terms, its text, and the lines of the blocks that are attached to it."""
        self._skip_blank()
        line = self._lines[self._at] if self._at < len(self._lines) else ""
        terms: list[str] = []
        while term := match_term(line):
            terms.append(term["term"])
            mark, first = term["mark"], term["text"] or ""
            self._at += 1
            start, line = self._at, self._lines[self._at] if self._at < len(self._lines) else ""
            if first or not match_term(line):
                self._skip_blank()
                is_body = not first and self._at < len(self._lines) and not is_block_start(self._lines[self._at])
                self._at = self._at if is_body and (self._at == start or self._lines[self._at][0] in " \t") else start
                return mark, terms, *self._item_body(first)
        match = ITEM.fullmatch(line)
        if not match or OPTIONS.fullmatch(line):
            return None
        self._at += 1
        mark = match["mark"] if not match["mark"][0].isalnum() else match["mark"][-1] + "1"
        first = match["mark"][0]
        kind = "1." if first.isdigit() else "A." if first.isupper() else "a."  # letters are a list within numbers
        return kind if first.isalnum() else mark, [], *self._item_body(match["text"])

    def _skip_blank(self) -> None:
        start = self._at
        while self._at < len(self._lines) and (
            not self._lines[self._at].strip() or self._document.is_silent(self._lines[self._at])
        ):
            self._at += 1
        line = self._lines[self._at] if self._at < len(self._lines) else ""
        if not (ITEM.fullmatch(line) or TERM.fullmatch(line) or line[:1] in (" ", "\t")):
            self._at = start

    def _item_body(self, first: str) -> tuple[str, list[str]]:
        """The rest of an item's paragraph, and the lines of what a `+` attaches to it."""
        text, body = [first] if first else [], []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line == "+":
                self._at += 1
                body += ["", *self._read_attached()]
            elif not line.strip() or is_block_start(line):
                break
            elif not self._document.is_silent(line):
                text.append(line.strip())
                self._at += 1
            else:
                self._at += 1
        return "\n".join(text), body

    def _read_attached(self) -> list[str]:
        """The lines of one block, with the options above it."""
        lines: list[str] = []
        while self._at < len(self._lines) and (
            OPTIONS.fullmatch(self._lines[self._at]) or TITLE.fullmatch(self._lines[self._at])
        ):
            lines.append(self._lines[self._at])
            self._at += 1
        line = self._lines[self._at] if self._at < len(self._lines) else ""
        if delimiter := DELIMITER.fullmatch(line):
            return [*lines, line, *self._inside(delimiter["mark"]), line]
        while self._at < len(self._lines) and self._lines[self._at].strip() and self._lines[self._at] != "+":
            if lines and is_item(self._lines[self._at]):
                break
            lines.append(self._lines[self._at])
            self._at += 1
        return lines


def _bold(term: str) -> str:
    return term if "*" in term or "`" in term else f"**{term}**"


def _language(options: str) -> str:
    values = [value.strip() for value in options.split(",")]
    language = next((value.partition("=")[2].strip('"') for value in values if value.startswith("language=")), "")
    return language or (values[1] if len(values) > 1 and "=" not in values[1] and "%" not in values[1] else "")


def _fence(code: str, language: str = "") -> str:
    """Code as it is shown: a directive that is not to be followed stands behind a backslash in the source."""
    return fence_code(_ESCAPED_DIRECTIVE.sub("", code), language)


def _dedent(lines: Sequence[str]) -> str:
    return textwrap.dedent("\n".join(lines))
