"""The lists of AsciiDoc as markdown.

Belongs here: items, terms, what is attached to them. Not here: other blocks (`blocks`). Guarantee: every line is read
once per level of nesting; what a `+` attaches stays in its item.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from headwater.parsing.asciidoc.lines import (
    DELIMITER,
    HEADING,
    ITEM,
    OPTIONS,
    TERM,
    TITLE,
    is_block_start,
    is_item,
    match_term,
)
from headwater.parsing.markdown.writer import indent_block, item

MAX_DEPTH = 12
_CHECK = re.compile(r"\[[ xX*]\][ \t]+")


class Document(Protocol):
    """What a list needs of the document that it stands in."""

    def words(self, text: str) -> str:
        """A paragraph as markdown."""

    def read_blocks(self, lines: Sequence[str], depth: int) -> list[str]:
        """The blocks of some lines."""

    def is_silent(self, line: str) -> bool:
        """Whether a line is not shown."""

    def attributes(self) -> Mapping[str, str]:
        """The values of the document's attributes so far."""


class ListReader:
    """Reads the lists among the lines of one level."""

    def __init__(self, document: Document, lines: Sequence[str], depth: int) -> None:
        """Begin at the first line."""
        self._document = document
        self._lines = lines
        self._depth = depth
        self._at = 0

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
            elif len(marks) < MAX_DEPTH:
                marks.append(mark)
                numbers.append(0)
            numbers[-1] += 1
            label = f"{numbers[-1]}." if _is_numbered(mark) else "-"
            words = self._document.words(_CHECK.sub("", text)) if text else ""
            if terms:
                bold = ", ".join(_bold(self._document.words(term)) for term in terms)
                words = f"{bold}: {words}" if words else f"{bold}"
            blocks = self._document.read_blocks(body, self._depth + 1)
            text = indent_block(item("\n\n".join(filter(None, [words, *blocks])), label), "  " * (len(marks) - 1))
            yield "\n\n".join([text, *self._ancestor_blocks(marks)])
            del numbers[len(marks) :]

    def _ancestor_blocks(self, marks: list[str]) -> Iterator[str]:
        """The blocks that a `+` below blank lines attaches, each blank line one list further out; those lists go on."""
        while (position := self._next_line()) < len(self._lines) and self._lines[position] == "+":
            level = max(0, len(marks) - 1 - (position - self._at))
            self._at = position + 1
            del marks[level + 1 :]
            indent = "  " * level + ("   " if _is_numbered(marks[level]) else "  ")
            for block in self._document.read_blocks(self._read_attached(), self._depth + 1):
                yield indent_block(block, indent)

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
        """The rest of an item's paragraph, and the lines of what is attached to it by a `+` or as indented code."""
        text, body = [first] if first else [], []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line == "+":
                self._at += 1
                body += ["", *self._read_attached()]
            elif not line.strip():
                if not self._skip_to_code():
                    break
                body += ["", *self._read_attached()]
            elif is_block_start(line):
                break
            elif not self._document.is_silent(line):
                text.append(line.strip())
                self._at += 1
            else:
                self._at += 1
        return "\n".join(text), body

    def _skip_to_code(self) -> bool:
        """Go on to the next line with words if it is indented code, which belongs to the item above."""
        position = self._next_line()
        line = self._lines[position] if position < len(self._lines) else ""
        if line[:1] not in (" ", "\t") or is_block_start(line):
            return False
        self._at = position
        return True

    def _next_line(self) -> int:
        """Where the next line with words is."""
        position = self._at
        while position < len(self._lines) and not self._lines[position].strip():
            position += 1
        return position

    def _read_attached(self) -> list[str]:
        """The lines of one block, with the options above it."""
        lines: list[str] = []
        position = self._next_line()
        line = self._lines[position] if position < len(self._lines) else ""
        if position > self._at and (not line or is_item(line) or HEADING.fullmatch(line)):
            return lines
        self._at = position
        while self._at < len(self._lines) and (
            OPTIONS.fullmatch(self._lines[self._at]) or TITLE.fullmatch(self._lines[self._at])
        ):
            lines.append(self._lines[self._at])
            self._at += 1
            self._at = self._next_line()
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


def _is_numbered(mark: str) -> bool:
    return mark.startswith((".", "<")) or mark[0].isalnum()
