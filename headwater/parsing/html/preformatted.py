"""Text that a page shows as it was typed: letters of mailing lists, RFCs and manuals stand in `pre` as code does.

Belongs here: telling such text from code, and dividing it. Not here: what says that a `pre` is code (`code_blocks`),
files of plain text (`headwater.parsing.plain_text`). Guarantee: apart from the heads and feet of printed pages and
lines of marks, nothing is lost; the work is linear.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

_ENOUGH_PROSE = ((40, 0.5), (20, 0.9))  # words in sentences, and their share of all: short examples hold fewer
_MIN_SENTENCE_WORDS = 8
_MIN_OPEN_WORDS = 15  # of a paragraph that does not end with a sentence, as at the end of a printed page
_MIN_PLAIN_SHARE = 0.75  # share of a sentence's words that are letters alone
_MAX_VERSE_CHARS = 50  # of the longest line of a text whose lines are meant, such as an address or a poem
_PLAIN_WORD = re.compile(r"[(\"'“‘*]*[^\W\d_]+(?:[-'’][^\W\d_]+)*[)\"'”’*.,:;!?]*")
_SENTENCE_END = re.compile(r"[.:!?…。][)\"'”’*]*\Z")
_NOT_SENTENCES = re.compile(r"\s*(?:--?\w|--|//|[;#%$] |\w+\(|[|+]|[{}<])")
_QUOTED = re.compile(r"\A[ \t]*> ?")
_ITEM = re.compile(r"[ \t]*(?P<mark>[-*•]|\d{1,2}[.)])[ \t]+(?=\S)")
_NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){1,4}\.?(?=[ \t])|\d{1,2}\.(?=[ \t]{2}))[ \t]+[^\W\d_][^\n]{1,78}[^\s.,;:]"
)
_CAPITALS = re.compile(r"(?P<title>[A-Z][A-Z0-9 /&'-]{2,60})[ \t]*(?:\n(?=[ \t])|\Z)")
_PAGE_BORDER = re.compile(r"^(?:.*\S[ \t]{2,}\[Page \d+\]|RFC \d+[ \t]{2,}.*\d{4})[ \t]*$", re.MULTILINE)
_RULER = re.compile(r"^[-=_*~#]{5,}[ \t]*$", re.MULTILINE)
_PARAGRAPH_BORDER = re.compile(r"\n[ \t]*\n")
Kind = Literal["heading", "text", "list", "quote", "code"]


@dataclass(frozen=True, slots=True)
class TypedBlock:
    """A block of typed text; `level` is that of a heading, from 1, else 0.

    Its line ends are to be kept. Each line of a list is an item behind its mark, as in markdown.
    """

    kind: Kind
    text: str
    level: int = 0


def read_typed_text(text: str) -> list[TypedBlock]:
    """The headings, paragraphs, lists, quotations and the rest of typed text; empty if it is no prose.

    Args:
        text: the text of a `pre` in which nothing says that it is code, with its spaces.
    """
    text = _RULER.sub("", _PAGE_BORDER.sub("", text))
    paragraphs = [paragraph.strip("\n") for paragraph in _PARAGRAPH_BORDER.split(text) if paragraph.strip()]
    words = sum(len(paragraph.split()) for paragraph in paragraphs if is_prose(paragraph))
    total = len(text.split())
    if not any(words >= count and words >= share * total for count, share in _ENOUGH_PROSE):
        return []
    blocks = [block for paragraph in paragraphs for block in _read_paragraph(paragraph)]
    joined: list[TypedBlock] = []
    for is_code, group in groupby(blocks, lambda block: block.kind == "code"):
        typed_blocks = list(group)
        code = "\n\n".join(block.text for block in typed_blocks)
        joined += [TypedBlock("code", code)] if is_code else typed_blocks
    return joined


def _read_paragraph(paragraph: str) -> Iterator[TypedBlock]:
    """The blocks of a paragraph: the name of a section above it, what it quotes, and the rest."""
    title = _CAPITALS.match(paragraph)
    if title is not None:
        yield TypedBlock("heading", title["title"], 1)
        paragraph = paragraph[title.end() :]
        if not paragraph:
            return
    numbered = _NUMBERED.fullmatch(paragraph.rstrip())
    if numbered is not None:
        yield TypedBlock("heading", paragraph.strip(), numbered["number"].rstrip(".").count(".") + 1)
        return
    for is_quoted, lines in groupby(paragraph.split("\n"), lambda line: _QUOTED.match(line) is not None):
        if is_quoted:
            yield TypedBlock("quote", _join_lines([_QUOTED.sub("", line) for line in lines]))
        else:
            yield _read_lines("\n".join(lines))


def _read_lines(text: str) -> TypedBlock:
    lines = text.split("\n")
    if _ITEM.match(lines[0]) and is_prose(_ITEM.sub("", text, count=1)):
        return TypedBlock("list", "\n".join(_join_items(lines)))
    if is_prose(text) or (len(lines) == 1 and not text[:1].isspace()):
        return TypedBlock("text", _join_lines(lines))
    return TypedBlock("code", text)


def _join_items(lines: list[str]) -> Iterator[str]:
    """The items of a list, each on a line."""
    item = ""
    for line in lines:
        match = _ITEM.match(line)
        if match is None:
            item = f"{item} {line.strip()}"
            continue
        if item:
            yield item
        mark = match["mark"] if match["mark"][0].isdigit() else "-"
        item = f"{mark} {line[match.end() :].strip()}"
    yield item


def _join_lines(lines: list[str]) -> str:
    """A paragraph on one line, unless its lines are meant."""
    is_verse = len(lines) > 2 and max(map(len, lines)) <= _MAX_VERSE_CHARS
    return ("\n" if is_verse else " ").join(line.strip() for line in lines)


def is_prose(paragraph: str) -> bool:
    """Whether a paragraph of typed text is a sentence or several, or their beginning."""
    lines = [_QUOTED.sub("", line) for line in paragraph.split("\n")]
    if any(_NOT_SENTENCES.match(line) for line in lines):
        return False
    words = " ".join(lines).split()
    least = _MIN_SENTENCE_WORDS if words and _SENTENCE_END.search(words[-1]) else _MIN_OPEN_WORDS
    plain_words = sum(1 for word in words if _PLAIN_WORD.fullmatch(word))
    return len(words) >= least and plain_words >= _MIN_PLAIN_SHARE * len(words)
