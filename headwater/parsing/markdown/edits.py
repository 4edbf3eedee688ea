"""Tracking replacements between a file and its text, to map each line of the text to lines of the file.

Belongs here: replacements, step by step, and following them back. Not here: the replacements themselves (`markup`,
`text_assembly`, `indentation`). Guarantee: the mapped lines contain everything that a line comes from; the work is
linear.
"""

import re
from array import array
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from headwater.domain.places import Mark, PlaceKind, Places

Step: TypeAlias = "array[int]"
"""Three numbers per edit: the text between the first two offsets was replaced by that many characters."""
MAX_EDITS = 100_000
"""The most edits, and marks, of a text: with more, a program wrote it, and tracking them would take too much memory."""
Offsets = NDArray[np.int64]
_VISIBLE = re.compile(r"[^\s](?:[^\n]*[^\s])?")
_LINE_END = re.compile(r"\n")


class Edits:
    """The replacements of all steps from a file's text to a document's, in order."""

    def __init__(self) -> None:
        self._steps: list[Step] = []

    def add(self, step: Step) -> None:
        """Record the replacements of one step, by their offsets in the text before it, in order."""
        if step:
            self._steps.append(step)

    def cut(self, length: int) -> None:
        """Record that a text lost this many characters at its beginning."""
        if length:
            self.add(new_step([(0, length, 0)]))

    def lines(self, original: str, text: str) -> Places | None:
        """The places of a text in the lines of its original; None if there are too many to keep."""
        if sum(map(len, self._steps)) > 3 * MAX_EDITS:
            return None
        if not self._steps:
            return Places(kind=PlaceKind.LINE)
        borders = (border for match in _VISIBLE.finditer(text) for border in match.span())
        spans = np.fromiter(borders, dtype=np.int64).reshape(-1, 2)
        low, high = spans[:, 0], spans[:, 1] - 1
        text_lines = _line_of(text, low)
        for step in (np.array(step, dtype=np.int64).reshape(-1, 3) for step in reversed(self._steps)):
            low, high = _before(step, low), _before(step, high, is_end=True)
        first, last = _line_of(original, low) - text_lines, _line_of(original, high) - text_lines
        is_new = (np.diff(first, prepend=0) != 0) | (np.diff(last, prepend=0) != 0)
        if np.count_nonzero(is_new) > MAX_EDITS:
            return None
        marks = zip(spans[is_new, 0].tolist(), first[is_new].tolist(), last[is_new].tolist(), strict=True)
        return Places(kind=PlaceKind.LINE, marks=tuple(Mark(*mark) for mark in marks))


def new_step(edits: Iterable[tuple[int, int, int]] = ()) -> Step:
    """A step with these edits, stored as numbers, because a text may have millions."""
    return array("q", [value for edit in edits for value in edit])


def substitute(
    pattern: re.Pattern[str], words: Callable[[re.Match[str]], str], text: str, *, base: int, step: Step
) -> str:
    """The result of `pattern.sub` on a text; its edits are recorded, with the text beginning at `base` of the whole."""

    def noted(match: re.Match[str]) -> str:
        new = words(match)
        step.extend((base + match.start(), base + match.end(), len(new)))
        return new

    return pattern.sub(noted, text)


def fence_edits(text: str, start: int, end: int, *, mark: str, language: str, code: str) -> Step:
    """The edits that replace a span with a fence.

    Args:
        text: the whole text.
        start: where the span begins.
        end: where it ends.
        mark: the fence's mark, which begins and ends it.
        language: the word behind the mark that begins it.
        code: the text between them, before the surrounding newlines are removed.
    """
    stripped = code.strip("\n")
    if text.count("\n", start, end) != code.count("\n"):  # its lines differ from the span's
        return new_step([(start, end, len(f"{mark}{language}{mark}") + len(stripped) + 2)])
    begins = [start, *(match.end() for match in _LINE_END.finditer(text, start, end)), end]
    skipped = len(code) - len(code.lstrip("\n"))
    lengths = [len(line) + 1 for line in stripped.split("\n")]
    borders = begins[skipped : skipped + len(lengths) + 1]
    line_edits = [(a, b, length) for (a, b), length in zip(pairwise(borders), lengths, strict=True)]
    return new_step([(start, borders[0], len(mark + language) + 1), *line_edits, (borders[-1], end, len(mark))])


def _before(step: Offsets, offsets: Offsets, *, is_end: bool = False) -> Offsets:
    """Offsets of a text in the text before a step; inside a replacement, its beginning or its end."""
    starts, ends, lengths = step[:, 0], step[:, 1], step[:, 2]
    grown = np.cumsum(lengths - (ends - starts))
    new_starts = starts + np.concatenate(([0], grown[:-1]))
    edit_numbers = np.searchsorted(new_starts, offsets, side="right") - 1
    edit_index = np.maximum(edit_numbers, 0)
    beyond = offsets - new_starts[edit_index]
    inside = np.maximum(starts[edit_index], ends[edit_index] - 1) if is_end else starts[edit_index]
    origins = np.where(beyond < lengths[edit_index], inside, ends[edit_index] + beyond - lengths[edit_index])
    return np.where(edit_numbers < 0, offsets, origins)


def _line_of(text: str, offsets: Offsets) -> Offsets:
    """The lines of offsets, from 1."""
    ends = np.fromiter((match.start() for match in _LINE_END.finditer(text)), dtype=np.int64)
    return np.searchsorted(ends, offsets, side="left").astype(np.int64) + 1
