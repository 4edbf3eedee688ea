"""Manual pages on websites, whose `pre` holds what `man` shows in a terminal.

Belongs here: which pages and which `pre` are so, and their blocks. Not here: what indentation means
(`headwater.parsing.troff.formatted_page`). Guarantee: code, which is not indented as such pages are, stays code.
"""

import re
from collections.abc import Sequence
from typing import Any

from headwater.parsing.html.preformatted import is_prose
from headwater.parsing.text_structure import is_formatted_manual
from headwater.parsing.troff.formatted_page import MIN_TEXT, read_formatted_page
from headwater.parsing.troff.manual_page import Page

_SUBSECTION = 3  # columns before the names of subsections
_PARAGRAPH_BORDER = re.compile(r"\n[ \t]*\n")
_MIN_TEXT_SHARE = 0.5  # of the lines that are indented as text
_HEADINGS = ("h1", "h2", "h3", "h4")


def has_manual_sections(root: Any) -> bool:
    """Whether the headings of a page are those that every manual page has."""
    words = {(heading.text_content() or "").strip().partition(" ")[0].upper() for heading in root.iter(*_HEADINGS)}
    first_words = {word.split()[0] for word in words if word}
    return "NAME" in first_words and not first_words.isdisjoint({"SYNOPSIS", "DESCRIPTION"})


def read_manual(text: str, *, level: int, section: str, has_sections: bool) -> Sequence[str]:
    """The blocks of a manual page, or of a section of one, as markdown; nothing if the text is none.

    Args:
        text: that of a `pre`.
        level: the level of the heading above it.
        section: the words of that heading.
        has_sections: what `has_manual_sections` says of the page.
    """
    is_whole = level <= 1 and is_formatted_manual(text.encode("utf-8", "replace"))
    if not is_whole and not (has_sections and _is_indented(text) and _has_prose(text, section)):
        return ()
    page = Page()
    page.is_synopsis = section.upper().startswith("SYNOPSIS")
    read_formatted_page(text, page, level=max(level, 1) - (not is_whole))
    return page.blocks()


def _is_indented(text: str) -> bool:
    indents = [len(line) - len(line.lstrip()) for line in text.expandtabs().split("\n") if line.strip()]
    are_valid = all(indent >= MIN_TEXT or indent == _SUBSECTION for indent in indents)
    return are_valid and sum(indent >= MIN_TEXT for indent in indents) > _MIN_TEXT_SHARE * len(indents)


def _has_prose(text: str, section: str) -> bool:
    """Whether a part of a page has sentences; those that name a command and show its use are short."""
    if section.partition(" ")[0].upper() in ("NAME", "SYNOPSIS"):
        return True
    return any(is_prose(paragraph) for paragraph in _PARAGRAPH_BORDER.split(text))
