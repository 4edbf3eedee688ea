"""What is no text of a book, although its files have it.

Belongs here: pictures without their files, the frame that Project Gutenberg puts around its books, titles and authors
that a program invents. Not here: chapters (`epub`). Guarantee: pure; words for people who do not see a picture stay.
"""

import re

from headwater.parsing.office.package import picture

_PICTURE = re.compile(r"(?<!\\)!\[(?P<words>(?:\\.|[^\[\]\\\n]){0,2000})\]\((?:<[^<>\n]{1,500}>|[^()\s]{1,500})\)")
_INITIAL = re.compile(r"[^\w\s]?[^\W\d_]")
_NO_WORDS = re.compile(
    r"(?:(?:book|front|back)[ -]?)?(?:cover|image|picture|illustration|figure)(?: (?:image|page|\d+))?", re.IGNORECASE
)
_BLANK_LINES = re.compile(r"\n{3,}")
_START, _END = (
    re.compile(rf"^(?:\\?\*){{3}} ?{word} OF (?:THE|THIS) PROJECT GUTENBERG EBOOK\b.*$", re.MULTILINE)
    for word in ("START", "END")
)
_FENCE = re.compile(r"^```", re.MULTILINE)
_MAX_HEAD_CHARS, _MAX_TAIL_CHARS = 20_000, 30_000  # the licence has 18,000, and stood above some books before 2003
_PUBLISHER = "gutenberg"
_UNKNOWN = "unknown"
_PLACEHOLDERS = frozenset(["untitled", "untitled document", _UNKNOWN, "unknown author"])  # of Google, Pandoc, Calibre


def describe_pictures(text: str) -> str:
    """A text whose pictures are their words; they have no others, because their files are in the book."""
    return _BLANK_LINES.sub("\n\n", _PICTURE.sub(_describe, text)) if "![" in text else text


def _describe(match: re.Match[str]) -> str:
    words = match["words"]
    if _NO_WORDS.fullmatch(words.strip()) or not (description := picture(words)):
        return ""
    sign_before = match.string[max(0, match.start() - 1) : match.start()]
    sign_after = match.string[match.end() : match.end() + 1]
    if _INITIAL.fullmatch(words) and sign_after.isalpha() and not sign_before.isalpha():
        return words
    return description if {sign_before, sign_after} <= {"", "\n"} else f"({description})"


def drop_frame(text: str) -> str:
    """A book without what Project Gutenberg says of it above and below, if each mark stands there once.

    Several of them are of several books in a file, a mark in code would leave the code open, and a book that cites
    both marks has more around them than such a frame.
    """
    starts, ends = list(_START.finditer(text)), list(_END.finditer(text))
    if len(starts) != 1 or len(ends) != 1 or starts[0].end() > ends[0].start():
        return text
    head, tail = text[: starts[0].start()], text[ends[0].end() :]
    if not _may_be_frame(head, _MAX_HEAD_CHARS) or not _may_be_frame(tail, _MAX_TAIL_CHARS):
        return text
    book = text[starts[0].end() : ends[0].start()].strip()
    is_in_code = len(_FENCE.findall(head)) % 2 or len(_FENCE.findall(book)) % 2
    return text if is_in_code else book


def _may_be_frame(text: str, max_chars: int) -> bool:
    return len(text) <= max_chars and (not text.strip() or _PUBLISHER in text.lower())


def is_placeholder(value: str, *, is_title_of: str = "") -> bool:
    """Whether a title or an author is what programs write that know none.

    Args:
        value: the title or the author.
        is_title_of: the author of a title; who knows one, has not written "Unknown" for want of a title.
    """
    return value.lower() in _PLACEHOLDERS and not (is_title_of and value.lower() == _UNKNOWN)
