"""The heading that is a markdown document's title.

Belongs here: which heading it is. Not here: its words (`headings`), titles among fields (`title_fields`). Guarantee:
pure; headings in code are none; the work is linear in the text.
"""

import re
from pathlib import PurePosixPath

from headwater.parsing.markdown.fences import outside_code
from headwater.parsing.markdown.headings import plain_heading
from headwater.parsing.navigation import is_navigation

# Possessive where it repeats, so that the time is linear for any text.
UNDERLINED_TOP = re.compile(r"^(?=[^ \n][^\n]*\n=)([^\n]*+)\n=++[ \t]*+$", re.MULTILINE)
"""A heading of the first level above a line of `=`."""
_HEADING = re.compile(rf"^ {{0,3}}#[ \t]++(.+)$|{UNDERLINED_TOP.pattern}", re.MULTILINE)
_WORD = re.compile(r"[\w.+-]+")
_OF_RELEASE = re.compile(
    r"v?\d+[.-]\d[\w.+-]*|(?:19|20)\d\d(?:\d{4})?|version|release|unreleased|[-.+]+", re.IGNORECASE
)
_EXAMPLE_BELOW = 2  # lower headings above one of the top level
_LOWER_HEADING = re.compile(r"^ {0,3}(#{2,6})[ \t]++(\S[^\n]*)$", re.MULTILINE)
_NAME = re.compile(r"[^\W_]+")
_ANY_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]++(\S[^\n]*)$", re.MULTILINE)


def find_top_heading(body: str) -> str | None:
    """The first top-level heading.

    None if it stands below several lower ones, as an example of a heading does, or if it and another one are releases,
    as in a change log without a title.
    """
    headings: list[str] = []
    lower_headings: list[str] = []  # down to the first of the top level

    def look(prose: str) -> None:
        if headings and not is_release(headings[0]):
            return
        tops = list(_HEADING.finditer(prose))
        if not headings:
            end = tops[0].start() if tops else len(prose)
            lower_words = (plain_heading(match[2]) for match in _LOWER_HEADING.finditer(prose, 0, end))
            lower_headings.extend(words for words in lower_words if words and not is_navigation(words))
        titles = (plain_heading(match.group(1) or match.group(2)) for match in tops)
        headings.extend(title for title in titles if title and not is_navigation(title))

    outside_code(body, look)
    is_change_log = bool(headings) and is_release(headings[0]) and any(map(is_release, headings[1:]))
    return headings[0] if headings and len(lower_headings) < _EXAMPLE_BELOW and not is_change_log else None


def is_release(heading: str) -> bool:
    """Whether a heading has nothing but a version or a date, or both."""
    heading_words = _WORD.findall(heading)
    return bool(heading_words) and all(map(_OF_RELEASE.fullmatch, heading_words))


def find_opening_heading(text: str, uri: str) -> str:
    """The heading that a text begins with, if it is above all of the text or called like its file; empty without one.

    Args:
        text: markdown, without leading blank lines.
        uri: the path or the address of its file.
    """
    opening = _ANY_HEADING.match(text)
    words = plain_heading(opening[2]) if opening else ""
    if not opening or not words or is_navigation(words):
        return ""
    levels: list[int] = []
    pattern = _ANY_HEADING if len(opening[1]) == 1 else _LOWER_HEADING  # one above the first may be an example
    outside_code(text, lambda prose: levels.extend(len(match[1]) for match in pattern.finditer(prose)))
    is_above_all = all(level > len(opening[1]) for level in levels[1:])
    return words if is_above_all or _names(PurePosixPath(uri).stem) <= _names(words) else ""


def _names(text: str) -> set[str]:
    return set(_NAME.findall(text.casefold()))
