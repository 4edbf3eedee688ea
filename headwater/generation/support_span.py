"""The part of a passage that supports a statement.

Belongs here: what a support is, and the parts that are no sentences: a whole passage, lines of code. Not here: finding
the sentences (`support`). Guarantee: pure; a support is verbatim text of one passage.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from headwater.domain.search import Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """Sentences of a passage: `start` and `end` are offsets in its text.

    `score` is the share of the statement's words, weighted by how rare they are here, that the sentences contain.
    """

    passage: Passage
    start: int
    end: int
    score: float

    @property
    def text(self) -> str:
        """The sentences."""
        return self.passage.text[self.start : self.end]


def take_passage(passage: Passage) -> Support:
    """All of a passage."""
    text = passage.text
    return Support(passage=passage, start=len(text) - len(text.lstrip()), end=len(text.rstrip()), score=0.0)


def take_lines(passage: Passage, wanted: Collection[str], score: float) -> Support:
    """The part of a passage from the first to the last of some lines."""
    spans: list[tuple[int, int]] = []
    position = 0
    for line in passage.text.splitlines(keepends=True):
        spaced = " ".join(line.split()).casefold()
        if any(code_line in spaced for code_line in wanted):
            spans.append((position, position + len(line.rstrip())))
        position += len(line)
    if not spans:
        return replace(take_passage(passage), score=score)
    return Support(passage=passage, start=spans[0][0], end=spans[-1][1], score=round(score, 4))
