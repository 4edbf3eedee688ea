"""The sections of a document, by its headings.

Belongs here: finding headings in the text of chunks, and which of them are the sections. Not here: writing a summary
(`extractive`). Guarantee: pure; the work is linear in the text.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from headwater.parsing.markdown.headings import plain_heading

_LINE = re.compile(r"^[ ]{0,3}(?:(?P<fence>`{3,}|~{3,})|(?P<marks>#{1,6})[ \t]+(?P<words>[^\n]+))", re.MULTILINE)
_TEMPLATE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}")


_FEW, _MOST_BELOW = 3, 8


class Heading(NamedTuple):
    """A heading: 1 is the highest level."""

    level: int
    words: str


def headings_of(texts: Sequence[str]) -> tuple[Heading, ...]:
    """The headings in the texts of a document's chunks, in order, outside blocks of code."""
    return tuple(heading for text in texts for heading in _in_text(text))


def sections_of(headings: Sequence[Heading], title: str) -> list[str]:
    """The words of the highest headings of which there are several, each once; without the document's title.

    Where there are few, those below each are named too.
    """
    other_headings = [heading for heading in headings if heading.words.casefold() != title.casefold()]
    counts = Counter(heading.level for heading in dict.fromkeys(other_headings))
    level = next((level for level in sorted(counts) if counts[level] > 1), None)
    if level is None:
        return []
    subheadings: dict[str, dict[str, None]] = {}
    last = ""
    for heading in other_headings:
        if heading.level == level:
            last = heading.words
            subheadings.setdefault(last, {})
        elif heading.level == level + 1 and last:
            subheadings[last][heading.words] = None
    is_few = len(subheadings) <= _FEW
    return [f"{words} ({', '.join(children)})" if is_few and 0 < len(children) <= _MOST_BELOW else words
            for words, children in subheadings.items()]  # fmt: skip


def _in_text(text: str) -> Iterator[Heading]:
    fence = ""
    for match in _LINE.finditer(text):
        if mark := match["fence"]:
            fence = "" if fence and mark.startswith(fence) else fence or mark
        elif not fence:
            words = plain_heading(_TEMPLATE.sub("", match["words"])).rstrip(" .:")
            if any(sign.isalnum() for sign in words):
                yield Heading(len(match["marks"]), words)
