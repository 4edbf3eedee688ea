"""Text that a page shows as it was typed: letters of mailing lists, RFCs and manuals stand in `pre` as code does.

Belongs here: telling such text from code, and dividing it. Not here: code (`code_blocks`), files of plain text
(`headwater.parsing.plain_text`). Guarantee: code is never taken for sentences if a language or an element `code` says
what it is; apart from the numbers of printed pages and lines of marks, nothing is lost.
"""

import re
from dataclasses import dataclass
from typing import Literal

_ENOUGH_PROSE = ((40, 0.5), (20, 0.9))  # words in sentences, and their share of all: short examples hold fewer
_MIN_SENTENCE_WORDS = 8
_MIN_PLAIN_SHARE = 0.75  # share of a sentence's words that are letters alone
_PLAIN_WORD = re.compile(r"[(\"'“‘*]*[^\W\d_]+(?:[-'’][^\W\d_]+)*[)\"'”’*.,:;!?]*")
_SENTENCE_END = re.compile(r"[.:!?…。][)\"'”’*]*\Z")
_NOT_SENTENCES = re.compile(r"\s*(?:--?\w|[$#%] |\w+\(|[|+]|[{}<])")
_QUOTED = re.compile(r"\s*> ?")
_HEADING = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?P<title>[^\W\d_][^\n]{1,78}[^\s.,;:])")
_PAGE_END = re.compile(r"^.*\[Page \d+\][ \t]*$", re.MULTILINE)
_RULER = re.compile(r"^[-=_*~#]{5,}[ \t]*$", re.MULTILINE)
_PARAGRAPH_BORDER = re.compile(r"\n[ \t\f]*\n")


@dataclass(frozen=True, slots=True)
class TypedBlock:
    """A block of typed text; `level` is that of a heading, from 1, else 0."""

    kind: Literal["heading", "text", "quote", "code"]
    text: str
    level: int = 0


def read_typed_text(text: str) -> list[TypedBlock]:
    """The headings, paragraphs, quoted paragraphs and the rest of typed text; empty if it is no prose.

    Args:
        text: the text of a `pre` in which nothing says that it is code, with its spaces.
    """
    text = _RULER.sub("", _PAGE_END.sub("", text))
    paragraphs = [paragraph.strip("\n\f") for paragraph in _PARAGRAPH_BORDER.split(text) if paragraph.strip()]
    prose = [paragraph for paragraph in paragraphs if _is_prose(paragraph)]
    words = sum(len(paragraph.split()) for paragraph in prose)
    total = len(text.split())
    if not any(words >= count and words >= share * total for count, share in _ENOUGH_PROSE):
        return []
    blocks: list[TypedBlock] = []
    for paragraph in paragraphs:
        block = _read_paragraph(paragraph)
        if block.kind == "code" and blocks and blocks[-1].kind == "code":
            blocks[-1] = TypedBlock("code", f"{blocks[-1].text}\n\n{block.text}")
        else:
            blocks.append(block)
    return blocks


def _read_paragraph(paragraph: str) -> TypedBlock:
    heading = _HEADING.fullmatch(paragraph.rstrip())
    if heading is not None and not paragraph[0].isspace():
        return TypedBlock("heading", " ".join(paragraph.split()), heading["number"].count(".") + 1)
    if not _is_prose(paragraph):
        is_line = "\n" not in paragraph and not paragraph[0].isspace()
        return TypedBlock("text" if is_line else "code", paragraph)
    lines = paragraph.split("\n")
    if all(_QUOTED.match(line) for line in lines):
        return TypedBlock("quote", "\n".join(_QUOTED.sub("", line) for line in lines))
    return TypedBlock("text", paragraph)


def _is_prose(paragraph: str) -> bool:
    """Whether a paragraph is a sentence or several."""
    lines = [_QUOTED.sub("", line) for line in paragraph.split("\n")]
    if any(_NOT_SENTENCES.match(line) for line in lines):
        return False
    words = " ".join(lines).split()
    if len(words) < _MIN_SENTENCE_WORDS or not _SENTENCE_END.search(words[-1]):
        return False
    return sum(1 for word in words if _PLAIN_WORD.fullmatch(word)) >= _MIN_PLAIN_SHARE * len(words)
