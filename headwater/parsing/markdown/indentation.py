"""The meaning of a line's indentation in markdown, and in MDX, which has no indented code.

Belongs here: list items, admonitions and definitions below headings as containers of lines. Not here: tags (`markup`).
Guarantee: fenced code keeps its own indentation; the work is linear in the text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from headwater.parsing.markdown.edits import Edits, Step, new_step, substitute

Span = tuple[int, int]

_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<rest>[^\n]*)\n?")
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
_ADMONITION = re.compile(
    r"(?:!!!|\?\?\?\+?)[ \t]+(?P<type>[\w-]+)[\w \t-]*(?P<title>\"[^\"\n]*\")?[ \t]*$"
    r"|===[+!]?[ \t]+(?P<tab>\"[^\"\n]*\")[ \t]*$"
)
_INDENT = re.compile(r"^[ \t]+(?=\S)", re.MULTILINE)
_DEFINITION = re.compile(r":[ \t]+(?=\S)")
_WORTH_A_LOOK = re.compile(r"^(?: {4}| {0,3}\t|(?:!!!|\?\?\?|===|:)[+ \t])", re.MULTILINE)
_DEEP = 4  # columns from which a line of markdown is code
_TAB = 4


class PartKind(Enum):
    """Whether a part of a text is prose, whose lines move one by one, or a fence, code by its indentation, a block."""

    PROSE = "prose"
    FENCE = "fence"
    INDENTED = "indented"
    BLOCK = "block"
    """A table or a list of HTML, which has its indentation from its author's elements."""


class CodeSpan(NamedTuple):
    """A part of a text that is moved as a whole."""

    start: int
    end: int
    kind: PartKind = PartKind.FENCE


@dataclass(frozen=True, slots=True)
class _Container:
    """A list item, admonition or definition: the column where its lines begin, and the column they are moved to."""

    column: int
    new: int
    is_definition: bool = False


def find_deep_lines(text: str, fences: Sequence[Span]) -> list[Span]:
    """The lines of a markdown text that are indented like code, each with those right below it.

    Args:
        text: the text.
        fences: its fenced code, in order.
    """
    if not _WORTH_A_LOOK.search(text):
        return []
    lines = _Lines(finds_code=True)
    spans: list[Span] = []
    for start, end, line in _outside(text, [CodeSpan(*fence) for fence in fences]):
        if isinstance(line, CodeSpan):
            continue
        lines.place(line)
        if lines.is_code:
            is_next = bool(spans) and spans[-1][1] == start
            spans[-1:] = [(spans[-1][0], end)] if is_next else [*spans[-1:], (start, end)]
    return spans


def reindent(text: str, code: Sequence[CodeSpan], edits: Edits, *, is_mdx: bool) -> str:
    """Move lines so that markdown reads them correctly: text in elements, components and admonitions is not code.

    Args:
        text: markdown without tags.
        code: its code and tables, in order; each is moved as a whole.
        edits: records the moves.
        is_mdx: whether it is MDX, whose lines are moved even within a paragraph.
    """
    if not _WORTH_A_LOOK.search(text):
        return text
    lines = _Lines(finds_code=False, is_mdx=is_mdx)
    texts: list[str] = []
    step = new_step()
    copied_end = 0  # unchanged text is copied in one piece
    for start, end, line in _outside(text, code):
        opening = _line_at(text, start) if isinstance(line, CodeSpan) else line
        old = _width(opening["indent"])
        new = lines.place(opening, line.kind if isinstance(line, CodeSpan) else PartKind.PROSE)
        label = lines.label
        if new == old and label is None:
            continue
        texts.append(text[copied_end:start])
        if label is not None:
            texts.append(label)
            step.extend((start, end, len(label)))
        elif not isinstance(line, CodeSpan):
            texts.append(" " * new + text[line.start("rest") : end])
            step.extend((start, line.start("rest"), new))
        else:
            texts.append(_shift_lines(text[start:end], new - old, base=start, step=step))
        copied_end = end
    edits.add(step)
    return "".join([*texts, text[copied_end:]])


class _Lines:
    """Lines in order, and the column of each."""

    def __init__(self, *, finds_code: bool, is_mdx: bool = False) -> None:
        self._finds_code = finds_code
        self._is_mdx = is_mdx
        self._containers = [_Container(0, 0)]
        self._may_be_code = True  # code cannot interrupt a paragraph
        self._is_below_heading = False
        self.label: str | None = None
        self.is_code = False

    def place(self, line: re.Match[str], kind: PartKind = PartKind.PROSE) -> int:
        """The column of the first line of a part; sets `is_code`, and `label` to what replaces the line, if any."""
        self.label, self.is_code = None, False
        if not line["rest"].strip():
            self._may_be_code = True
            return _width(line["indent"])
        indent = _width(line["indent"])
        if self._goes_on(line["rest"]):
            return self._containers[-1].new
        while len(self._containers) > 1 and self._containers[-1].column > indent:
            self._containers.pop()
        innermost = self._containers[-1]
        beyond = indent - innermost.column
        looks_like_code = beyond >= _DEEP and self._may_be_code
        is_fence = kind == PartKind.FENCE and not self._is_mdx
        if kind == PartKind.INDENTED or (looks_like_code and (self._finds_code or is_fence)):
            self.is_code = True
            return innermost.new + beyond
        is_heading = line["rest"].startswith("#")
        self._may_be_code = is_heading
        if looks_like_code or (beyond >= _DEEP and self._is_mdx):  # it has its indentation from an element
            beyond = 0
        self._open(line["rest"], indent, innermost.new + beyond)
        self._is_below_heading = is_heading or any(container.is_definition for container in self._containers)
        return innermost.new + beyond

    def _goes_on(self, rest: str) -> bool:
        """Whether a line goes on with the paragraph of a definition, wherever it begins."""
        return self._containers[-1].is_definition and not self._may_be_code and not rest.startswith("#")

    def _open(self, rest: str, column: int, new: int) -> None:
        """Record the containers that begin on a line."""
        admonition = _ADMONITION.match(rest)
        if admonition:
            self._containers.append(_Container(column + _DEEP, new))
            title = (admonition["title"] or admonition["tab"] or admonition["type"].capitalize()).strip('" \t')
            self.label = f"{' ' * new}**{title}**\n\n" if title else "\n"
            self._may_be_code = True
            return
        definition = _DEFINITION.match(rest) if self._is_below_heading else None
        if definition:
            self._containers.append(_Container(column + _DEEP, new, is_definition=True))
            self.label = f"{' ' * new}{rest[definition.end() :]}\n"
            return
        position = 0
        while len(self._containers) < 100 and (marker := _MARKER.match(rest, position)):
            gap = _width(_spaces(rest, marker.end()))
            room = gap if 0 < gap <= _DEEP else 1  # anything further in is code in the item
            width = marker.end() - position + room
            column, new = column + width, new + width
            self._containers.append(_Container(column, new))
            position = marker.end() + room


def _outside(text: str, code: Sequence[CodeSpan]) -> Iterator[tuple[int, int, re.Match[str] | CodeSpan]]:
    """Lines with their match, and whole parts that are code."""
    position = 0
    for span in [*code, CodeSpan(len(text), len(text))]:
        start, stop, _ = span
        while position < start:
            line = _line_at(text, position)
            end = min(line.end(), start)
            yield position, end, line
            position = end
        if stop > start:
            position = text.find("\n", max(stop - 1, start)) + 1 or len(text)
            yield start, position, span


def _line_at(text: str, position: int) -> re.Match[str]:
    match = _LINE.match(text, position)
    assert match is not None  # noqa: S101 - it matches anything
    return match


def _shift_lines(text: str, by: int, *, base: int, step: Step) -> str:
    """Lines moved to the left, each as far as its spaces allow."""
    return substitute(_INDENT, lambda match: " " * max(0, _width(match[0]) + by), text, base=base, step=step)


def _spaces(text: str, start: int) -> str:
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]


def _width(indent: str) -> int:
    return len(indent.expandtabs(_TAB)) if "\t" in indent else len(indent)
