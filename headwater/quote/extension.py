"""What is quoted with the window that answers.

Belongs here: which fragments beside a window are quoted with it, and how long a quote may be. Not here: choosing the
window (`windows`), writing the quote (`quote_markdown`). Guarantee: pure; the quote is of one section, and no longer
than `MAX_WORDS`, unless the window is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from headwater.quote.fragments import Fragment
from headwater.quote.selection import Selection, introduces
from headwater.understanding.connectives import begins_with_connective

MAX_WORDS = 74
"""Of a quote: with 60, it holds the fact in 7 of 72 looked-at questions less; with 90, in no more."""


def extend_window(window: Selection) -> Selection:
    """The window with what follows it in its section, then with what stands before it, as far as it is short enough.

    What a window's first word refers to comes first.
    """
    fragments, last = window.fragments, window.core[-1]
    first = next(position for position in window.core if last - position < len(window.core))  # behind a distant lead
    ahead = _same_section(fragments, range(last + 1, len(fragments)), window.headings)
    behind = [*_same_section(fragments, range(first - 1, -1, -1), window.headings)]
    needed = int(begins_with_connective(fragments[first].plain, window.stretch.chunks[0].language))
    words, start, end = window.word_count, first, last
    for direction in (behind[:needed], ahead, behind[needed:]):
        for position in direction:
            is_beside = position in (start - 1, end + 1)  # one that was too long may lie between
            if not is_beside or words + fragments[position].word_count > MAX_WORDS:
                break
            words += fragments[position].word_count
            start, end = min(start, position), max(end, position)
    positions = sorted({*window.core, *range(start, end + 1)})
    while positions[-1] > last and introduces(fragments[positions[-1]]):
        positions.pop()
    while positions[0] < first and fragments[positions[0]].lead is not None:  # a list from its middle
        positions.pop(0)
    return replace(window, positions=tuple(positions))


def _same_section(fragments: Sequence[Fragment], positions: range, headings: tuple[str, ...]) -> Iterator[int]:
    return takewhile(lambda position: fragments[position].headings == headings, positions)
