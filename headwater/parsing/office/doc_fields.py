"""The fields of a Word file up to 2003: hyperlinks, references, tables of contents.

Belongs here: which characters of fields are shown, and which are links. Not here: how links are written (`docx_xml`).
Guarantee: of a field only its result is shown, and of a table of contents nothing; the ends of paragraphs stay. A field
without an end hides nothing.
"""

import re
from bisect import bisect_right
from typing import NamedTuple

_BEGIN, _SEPARATOR = "\x13", "\x14"
_MARKS = re.compile("[\x13-\x15]")
INSTRUCTION_CHARS = 4_000
"""Those of an instruction that are read."""
_CONTENTS = re.compile(r"\s*TOC\b")
_LINK = re.compile(r'\s*HYPERLINK\s+(?:\\[a-km-z]\s+)*(?:"(?P<quoted>[^"”\\]+)|(?P<bare>[^"”\s\\]+))')
_BASE_TEXT = re.compile(r"\s*EQ\s+\\o\b.*[,;](?P<words>[^(),;]*)\)\s*", re.DOTALL | re.IGNORECASE)
_SCHEMES = ("http://", "https://", "mailto:")
_SHOWN = re.compile("[^\r\x07\x0c]")  # of what is hidden, all but the ends of paragraphs


class Link(NamedTuple):
    """The shown text of a hyperlink, and where it leads."""

    begin: int
    end: int
    target: str


class Fields(NamedTuple):
    """The text of a file with NUL for each hidden character, and its links."""

    text: str
    links: list[Link]

    def link_at(self, position: int) -> str:
        """Where a character leads; empty if it is no link."""
        index = bisect_right(self.links, position, key=lambda link: link.begin) - 1
        return self.links[index].target if index >= 0 and position < self.links[index].end else ""


class _Field(NamedTuple):
    begin: int
    separator: int
    end: int


def read_fields(text: str) -> Fields:
    """Find the fields in a text.

    Args:
        text: the text, with the marks of fields.

    Returns:
        What is shown of it.
    """
    hidden: list[tuple[int, int]] = []
    links: list[Link] = []
    for field in _match_marks(text):
        instruction = text[field.begin + 1 : min(field.separator, field.begin + INSTRUCTION_CHARS)]
        if is_contents(instruction):
            hidden.append((field.begin, field.end))
            continue
        hidden += _hide_instruction(field, instruction)
        target = read_target(instruction)
        is_apart = not links or links[-1].end <= field.separator
        if target and is_apart:
            links.append(Link(field.separator, field.end, target))
    return Fields(_hide(text, hidden), links)


def is_contents(instruction: str) -> bool:
    """Whether a field is a table of contents."""
    return _CONTENTS.match(instruction) is not None


def read_target(instruction: str) -> str:
    """The web address to which a field leads; empty if it is no such link."""
    link = _LINK.match(instruction)
    target = (link["quoted"] or link["bare"]).strip().replace(" ", "%20") if link else ""
    return target if target.startswith(_SCHEMES) else ""


def _hide_instruction(field: _Field, instruction: str) -> list[tuple[int, int]]:
    """What is hidden of a field: its instruction, but of characters over each other those that stand below."""
    base = _BASE_TEXT.fullmatch(instruction) if field.separator == field.end else None
    if base is None:
        return [(field.begin, field.separator)]
    begin = field.begin + 1
    return [(field.begin, begin + base.start("words")), (begin + base.end("words"), field.end)]


def _match_marks(text: str) -> list[_Field]:
    """The fields that have an end, by where they begin; one without a separator has no result."""
    fields: list[_Field] = []
    unmatched: list[list[int]] = []
    for mark in _MARKS.finditer(text):
        if mark[0] == _BEGIN:
            unmatched.append([mark.start()])
        elif mark[0] == _SEPARATOR:
            if unmatched:
                unmatched[-1].append(mark.start())
        elif unmatched:
            field = unmatched.pop()
            fields.append(_Field(field[0], field[1] if len(field) > 1 else mark.start(), mark.start()))
    return sorted(fields)


def _hide(text: str, hidden: list[tuple[int, int]]) -> str:
    """A text of the same length; the ranges are sorted by where they begin."""
    stretches = []
    position = 0
    for begin, end in hidden:
        if end <= position:
            continue
        first = max(begin, position)
        stretches += [text[position:first], _SHOWN.sub("\0", text[first:end])]
        position = end
    return "".join([*stretches, text[position:]])
