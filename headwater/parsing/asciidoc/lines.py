"""What the lines of AsciiDoc begin.

Belongs here: the marks of blocks. Not here: reading them (`blocks`). Guarantee: pure; each look at a line is linear.
"""

import re
from collections.abc import Sequence

HEADING = re.compile(r"(?P<marks>={1,6}|#{1,6})[ \t]+(?P<words>\S.*?)(?:[ \t]+(?P=marks))?[ \t]*")
UNDERLINES = "=-~^+"
ATTRIBUTE = re.compile(r":(?P<name>!?[\w-]+!?):(?:[ \t]+(?P<value>.*))?")
OPTIONS = re.compile(r"\[(?!\[)(?P<options>[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*)\][ \t]*|\[\[[^\[\]\n]*\]\][ \t]*")
TITLE = re.compile(r"\.(?P<words>[^\s.].*)")
DELIMITER = re.compile(
    r"(?P<mark>-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|`{3,}|~{3,}|--|[|,:!]={3,})"
    r"(?P<language>(?<=`)[\w+#.-]*)?[ \t]*"
)
DIRECTIVE = re.compile(r"(?:include|ifdef|ifndef|ifeval|endif|toc|video|audio)::\S*\[[^\n]*\][ \t]*")
IMAGE = re.compile(r"image::(?P<target>[^\s\[\]]+)\[(?P<label>[^\]\n]*)\][ \t]*")
ITEM = re.compile(r"[ \t]*(?P<mark>\*{1,5}|-|\.{1,5}|\d{1,4}\.|[a-zA-Z]\.|<(?:\d{1,3}|\.)>)[ \t]+(?P<text>\S.*)")
TERM = re.compile(r"[ \t]*(?P<term>(?!//)\S.*?)(?P<mark>:{2,4}|;;)(?:[ \t]+(?P<text>\S.*))?[ \t]*")
_VERBATIM = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[ \t]*")
_CONTINUED = re.compile(r":!?[\w-]+!?:[ \t].*[ \t]\\")


def join_values(lines: Sequence[str]) -> list[str]:
    """The lines, with each attribute's value on one line; it goes on behind a backslash, and ` + ` is a line's end."""
    joined: list[str] = []
    position, border = 0, ""  # of the code around a line
    while position < len(lines):
        value = [lines[position]]
        if _VERBATIM.fullmatch(value[0]) and border in ("", value[0].rstrip()):
            border = "" if border else value[0].rstrip()
        is_value = not border and value[0].startswith(":") and _CONTINUED.fullmatch(value[0])
        while is_value and value[-1].endswith(" \\") and position + 1 < len(lines):
            position += 1
            value[-1] = value[-1].removesuffix(" \\").removesuffix(" +")
            value.append(lines[position].strip())
        joined.append(" ".join(value))
        position += 1
    return joined


def is_comment(line: str) -> bool:
    """Whether a line is a comment or a directive."""
    return bool((line.startswith("//") and not line.startswith("////")) or DIRECTIVE.fullmatch(line))


def is_underlined(lines: Sequence[str], at: int) -> bool:
    """Whether a line is a title by the line below it."""
    if at + 1 >= len(lines) or not lines[at].strip() or lines[at][0] in " \t[.|":
        return False
    underline = lines[at + 1]
    is_line = len(underline) > 1 and underline[0] in UNDERLINES and underline == underline[0] * len(underline)
    return is_line and abs(len(underline) - len(lines[at])) <= 2 and any(sign.isalnum() for sign in lines[at])


def match_term(line: str) -> re.Match[str] | None:
    """The terms of a definition at the beginning of a line; None if it begins none."""
    return None if ITEM.fullmatch(line) else TERM.fullmatch(line)


def is_item(line: str) -> bool:
    """Whether a line begins an item of a list."""
    return bool(ITEM.fullmatch(line) or TERM.fullmatch(line))


def is_block_start(line: str) -> bool:
    """Whether a line ends the paragraph above it."""
    return bool(is_item(line) or DELIMITER.fullmatch(line) or OPTIONS.fullmatch(line) or HEADING.fullmatch(line))
