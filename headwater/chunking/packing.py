"""Spans of text into pieces of a wanted size, cut where the text itself says.

Belongs here: choosing borders between units. Not here: what a unit is (`markdown`, `prose`). Guarantee: pieces tile the
units; a piece is larger than `maximum` only if it is one unit that cannot be cut,
or by white space that would be a piece of its own.

A greedy packer moves every later border when one paragraph grows. Here a border is chosen by its strength, then by
the hash of the text behind it, from the whole downwards (the treap's rule; Seidel and Aragon 1996), so an edit
changes the piece that holds it and, only if that piece outgrows the maximum, how that piece is cut.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from headwater.chunking.sentences import sentence_spans
from headwater.identity import content_hash

_WORD_END = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Characters of a chunk: at most, at least where the text allows, and how many repeat the one before."""

    maximum: int
    minimum: int
    overlap: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """A span better left whole. `weight` counts towards the size; `strength` is that of the border before it."""

    start: int
    end: int
    weight: int
    strength: int


def pack(text: str, units: Sequence[Unit], sizes: Sizes) -> list[list[Unit]]:
    """Group adjacent units into pieces of at most `sizes.maximum`, and at least `sizes.minimum` where that is possible."""
    pieces: list[list[Unit]] = []
    todo = [list(units)] if units else []
    while todo:
        run = todo.pop()
        if len(run) == 1 or sum(unit.weight for unit in run) <= sizes.maximum:
            pieces.append(run)
            continue
        border = _best_border(text, run, sizes)
        todo += [run[border:], run[:border]]
    return _without_blank(text, pieces)


def _without_blank(text: str, pieces: list[list[Unit]]) -> list[list[Unit]]:
    """Join pieces of white space only to a neighbour: nobody searches for them, but they belong to the document."""
    kept: list[list[Unit]] = []
    blank: list[Unit] = []
    for piece in pieces:
        if not text[piece[0].start : piece[-1].end].strip():
            (kept[-1] if kept else blank).extend(piece)
        else:
            kept.append(blank + piece)
            blank = []
    return kept


def _best_border(text: str, run: Sequence[Unit], sizes: Sizes) -> int:
    before = list(accumulate(unit.weight for unit in run))
    total, middle = before[-1], len(run) / 2

    def smaller_side(border: int) -> int:
        return min(before[border - 1], total - before[border - 1])

    borders = range(1, len(run))
    allowed = [border for border in borders if smaller_side(border) >= sizes.minimum]
    if not allowed:
        return max(borders, key=lambda border: (smaller_side(border), -abs(border - middle)))
    strongest = max(run[border].strength for border in allowed)
    allowed = [border for border in allowed if run[border].strength == strongest]
    # Among equal texts the hash is equal too; then the middle keeps the work at n log n.
    return max(allowed, key=lambda border: (_border_hash(text, run[border]), -abs(border - middle)))


def _border_hash(text: str, unit: Unit) -> bytes:
    return content_hash(text[unit.start : min(unit.end, unit.start + 64)].strip())


def cut_sentences(text: str, start: int, end: int, maximum: int, weigh: Callable[[int, int], int]) -> list[Unit]:
    """Cut a span into sentences, and a sentence beyond `maximum` into runs of words."""
    units = []
    for begin, stop in sentence_spans(text, start, end):
        spans = [(begin, stop)] if weigh(begin, stop) <= maximum else _word_runs(text, begin, stop, maximum)
        units += [Unit(start=a, end=b, weight=weigh(a, b), strength=0) for a, b in spans]
    return units


def cut_lines(text: str, start: int, end: int, maximum: int, weigh: Callable[[int, int], int]) -> list[Unit]:
    """Cut a span into lines, and a line beyond `maximum` into runs of words."""
    units, begin = [], start
    while begin < end:
        newline = text.find("\n", begin, end)
        stop = end if newline < 0 else newline + 1
        spans = [(begin, stop)] if weigh(begin, stop) <= maximum else _word_runs(text, begin, stop, maximum)
        units += [Unit(start=a, end=b, weight=weigh(a, b), strength=0) for a, b in spans]
        begin = stop
    return units


def _word_runs(text: str, start: int, end: int, maximum: int) -> list[tuple[int, int]]:
    """Runs of whole words of at most `maximum` characters; a longer word is cut."""
    spans, begin = [], start
    while end - begin > maximum:
        stop = begin + maximum
        breaks = [match.end() for match in _WORD_END.finditer(text, begin + maximum // 2, stop)]
        stop = breaks[-1] if breaks else stop
        spans.append((begin, stop))
        begin = stop
    return [*spans, (begin, end)]
