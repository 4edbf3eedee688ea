"""What is no text of a book, although its files have it.

Belongs here: pictures without their files, the frame that Project Gutenberg puts around its books, titles and authors
that a program invents. Not here: chapters (`epub`). Guarantee: pure; words for people who do not see a picture stay.
"""

import re

from headwater.parsing.office.package import picture

_PICTURE = re.compile(r"(?<!\\)!\[(?P<words>(?:\\.|[^\[\]\\\n]){0,2000})\]\([^()\s]{1,500}\)")
_NO_WORDS = re.compile(
    r"(?:(?:book|front|back)[ -]?)?(?:cover|image|picture|illustration|figure)(?: (?:image|page|\d+))?", re.IGNORECASE
)
_BLANK_LINES = re.compile(r"\n{3,}")
_START, _END = (
    re.compile(rf"^(?:\\?\*){{3}} ?{word} OF (?:THE|THIS) PROJECT GUTENBERG EBOOK\b.*$", re.MULTILINE)
    for word in ("START", "END")
)
_FENCE = re.compile(r"^```", re.MULTILINE)
_PLACEHOLDERS = frozenset(["untitled", "untitled document", "unknown", "unknown author"])  # of Google, Pandoc, Calibre


def describe_pictures(text: str) -> str:
    """A text whose pictures are their words; they have no others, because their files are in the book."""
    return _BLANK_LINES.sub("\n\n", _PICTURE.sub(_describe, text)) if "![" in text else text


def _describe(match: re.Match[str]) -> str:
    words = match["words"]
    if _NO_WORDS.fullmatch(words.strip()) or not (description := picture(words)):
        return ""
    signs_around = {
        match.string[max(0, match.start() - 1) : match.start()],
        match.string[match.end() : match.end() + 1],
    }
    return description if signs_around <= {"", "\n"} else f"({description})"


def drop_frame(text: str) -> str:
    """A book without what Project Gutenberg says of it above and below, if each mark stands there once.

    Several of them are of several books in a file, and a mark in code would leave the code open.
    """
    starts, ends = list(_START.finditer(text)), list(_END.finditer(text))
    if len(starts) != 1 or len(ends) != 1 or starts[0].end() > ends[0].start():
        return text
    book = text[starts[0].end() : ends[0].start()].strip()
    is_in_code = len(_FENCE.findall(text[: starts[0].start()])) % 2 or len(_FENCE.findall(book)) % 2
    return text if is_in_code else book


def is_placeholder(value: str) -> bool:
    """Whether a title or an author is what programs write that know none."""
    return value.lower() in _PLACEHOLDERS
