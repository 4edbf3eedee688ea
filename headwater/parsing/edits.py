"""What was replaced on a text's way out of its file, and so which lines of the file each of its lines comes from.

Belongs here: replacements, step by step, and following them back. Not here: what is replaced (`markup`, `parts`,
`indentation`). Guarantee: the lines that are named hold all that a line comes from; the work grows with the text.
"""

import re
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from headwater.domain.places import Mark, PlaceKind, Places

Edit = tuple[int, int, int]
"""Instead of the text from the first to the second offset stand so many characters."""
Offsets = NDArray[np.int64]
_VISIBLE = re.compile(r"[^\s](?:[^\n]*[^\s])?")
_LINE_END = re.compile(r"\n")


class Edits:
    """The replacements of every step from a file's text to a document's, in order."""

    def __init__(self) -> None:
        self._steps: list[Offsets] = []

    def add(self, step: Sequence[Edit]) -> None:
        """Note the replacements of one step, by their offsets in the text before it, in order."""
        if step:
            self._steps.append(np.array(step, dtype=np.int64))

    def cut(self, length: int) -> None:
        """Note that a text lost so many characters at its beginning."""
        if length:
            self.add([(0, length, 0)])

    def lines(self, original: str, text: str) -> Places:
        """The places of a text in the lines of the text that it was made of."""
        if not self._steps:
            return Places(kind=PlaceKind.LINE)
        spans = np.array([found.span() for found in _VISIBLE.finditer(text)], dtype=np.int64).reshape(-1, 2)
        low, high = spans[:, 0], spans[:, 1] - 1
        own = _line_of(text, low)
        for step in reversed(self._steps):
            low, high = _before(step, low), _before(step, high, is_end=True)
        first, last = _line_of(original, low) - own, _line_of(original, high) - own
        is_new = (np.diff(first, prepend=0) != 0) | (np.diff(last, prepend=0) != 0)
        marks = zip(spans[is_new, 0].tolist(), first[is_new].tolist(), last[is_new].tolist(), strict=True)
        return Places(kind=PlaceKind.LINE, marks=tuple(Mark(*mark) for mark in marks))


def substituted(
    pattern: re.Pattern[str], words: Callable[[re.Match[str]], str], text: str, *, base: int, edits: list[Edit]
) -> str:
    """What `pattern.sub` makes of a text; its edits are added, with the text beginning at `base` of the whole."""

    def noted(match: re.Match[str]) -> str:
        new = words(match)
        edits.append((base + match.start(), base + match.end(), len(new)))
        return new

    return pattern.sub(noted, text)


def fence_edits(text: str, start: int, end: int, *, mark: int, code: str) -> list[Edit]:
    """The edits that put a fence in place of a span.

    Args:
        text: the whole text.
        start: where the span begins.
        end: where it ends.
        mark: the length of the fence's marks, each of which stands in a line of its own.
        code: what stands between them, before the line ends around it are taken off.
    """
    stripped = code.strip("\n")
    if text.count("\n", start, end) != code.count("\n"):  # its lines are not the span's
        return [(start, end, 2 * mark + len(stripped) + 2)]
    begins = [start, *(found.end() for found in _LINE_END.finditer(text, start, end)), end]
    skipped = len(code) - len(code.lstrip("\n"))
    lengths = [len(line) + 1 for line in stripped.split("\n")]
    borders = begins[skipped : skipped + len(lengths) + 1]
    inner = [(a, b, length) for (a, b), length in zip(pairwise(borders), lengths, strict=True)]
    return [(start, borders[0], mark + 1), *inner, (borders[-1], end, mark)]


def _before(step: Offsets, offsets: Offsets, *, is_end: bool = False) -> Offsets:
    """Offsets of a text in the text before a step; within what was written, its beginning or its end."""
    starts, ends, lengths = step[:, 0], step[:, 1], step[:, 2]
    grown = np.array([0, *accumulate((lengths - (ends - starts)).tolist())], dtype=np.int64)
    written = starts + grown[:-1]
    number = np.searchsorted(written, offsets, side="right") - 1
    at = np.maximum(number, 0)
    beyond = offsets - written[at]
    inside = np.maximum(starts[at], ends[at] - 1) if is_end else starts[at]
    found = np.where(beyond < lengths[at], inside, ends[at] + beyond - lengths[at])
    return np.where(number < 0, offsets, found)


def _line_of(text: str, offsets: Offsets) -> Offsets:
    """The lines of offsets, from 1."""
    ends = np.array([found.start() for found in _LINE_END.finditer(text)], dtype=np.int64)
    return np.searchsorted(ends, offsets, side="left").astype(np.int64) + 1
