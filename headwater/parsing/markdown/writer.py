"""Writing markdown from other formats.

Belongs here: fences, tables, list items, plain text, the lines of an original that a text keeps. Not here: reading any
format. Guarantee: code cannot end its fence, and a cell cannot end its row; the work is linear.
"""

import re
from collections.abc import Iterable, Sequence

from headwater.domain.places import Mark, PlaceKind, Places

_TICKS = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_MARKUP = re.compile(r"^(?=[>|]|`{3}|~{3}|#{1,6}(?:[ \t]|$)|[-=*_+](?:[-=*_+ \t]*$|[ \t]))", re.MULTILINE)
_NUMBER = re.compile(r"[-–−+(]?[$€£¥]?\s?[-–−(]?\d[\d.,' ]{0,30}\s?(?:%|[A-Za-z]{1,3})?\)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_SIGN = re.compile(r"(?<![\w\\])[*_](?=\S)|`")
_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_BREAKS = re.compile(r"\s*\n\s*")


def fence_code(code: str, language: str = "") -> str:
    """A fenced code block; its fence is longer than any within it."""
    longest = max((len(ticks) for ticks in _TICKS.findall(code)), default=2)
    fence = "`" * max(3, longest + 1)
    name = language if _LANGUAGE.fullmatch(language) else ""
    return f"{fence}{name}\n{code.strip(chr(10)).rstrip()}\n{fence}"


def row(cells: Sequence[str]) -> str:
    """A row of a pipe table."""
    return f"| {' | '.join(map(_cell, cells))} |"


def ruler(width: int) -> str:
    """The line below the header row of a pipe table."""
    return f"|{' --- |' * width}"


def pipe_table(rows: Sequence[Sequence[str]], *, has_header: bool = True) -> str:
    """A table; shorter rows are filled up.

    Args:
        rows: its rows.
        has_header: whether the first row names the columns; otherwise the columns have no names.
    """
    width = max((len(cells) for cells in rows), default=0)
    if not width:
        return ""
    table_rows = rows if has_header else [[""] * width, *rows]
    lines = [row([*cells, *[""] * (width - len(cells))]) for cells in table_rows]
    return "\n".join([lines[0], ruler(width), *lines[1:]])


def names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table may be its header: none of its numbers, except years, stands above numbers."""
    first, *body = rows or [[]]
    for column, cell in enumerate(first):
        values = [cells[column].strip() for cells in body if column < len(cells) and cells[column].strip()]
        is_value = _NUMBER.fullmatch(cell.strip()) and not _YEAR.fullmatch(cell.strip())
        if is_value and 2 * sum(_NUMBER.fullmatch(text) is not None for text in values) > len(values):
            return False
    return True


def indent_block(text: str, indent: str) -> str:
    """A block with all lines indented, except blank ones."""
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def item(text: str, mark: str = "-") -> str:
    """A list item."""
    indent = " " * (len(mark) + 1)
    return f"{mark} {indent_block(text, indent).removeprefix(indent)}"


def bold(words: str) -> str:
    """Words in bold; words of which some are bold already stay, because bold within bold shows its asterisks."""
    return words if "**" in words else f"**{words}**"


def escape_tags(text: str) -> str:
    """A text in which nothing is a tag of HTML, which a reader would not see."""
    return _TAG_START.sub(r"\\<", text)


def escape_signs(text: str) -> str:
    """A text within a line in which no sign is emphasis, code or a tag."""
    return escape_tags(_SIGN.sub(r"\\\g<0>", text))


def quote_code(words: str) -> str:
    """Words within a line as code; words with two backticks in a row stay as they are."""
    text = " ".join(words.split())
    if "``" in text or not text:
        return words
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def plain_markdown(text: str) -> str:
    """A text in which no line is a heading, a quotation, a fence, a table or a rule of markdown."""
    stripped = "\n".join(line.strip() for line in text.strip().splitlines())
    return _MARKUP.sub(r"\\", _BLANK.sub("\n\n", stripped))


def line_places(starts: Iterable[tuple[int, int]], text: str) -> Places:
    """Places by lines.

    Args:
        starts: offsets of the text, in order, and for each the line of the original that begins there, from 1.
        text: the text.
    """
    marks: list[Mark] = []
    line, position = 1, 0
    for offset, original in starts:
        line += text.count("\n", position, offset)
        position = offset
        ahead = original - line
        if not marks or marks[-1].first != ahead:
            marks.append(Mark(offset, ahead, ahead))
    return Places(kind=PlaceKind.LINE, marks=tuple(marks))


def _cell(text: str) -> str:
    return _BREAKS.sub(" ", text.strip()).replace("|", "\\|")
