"""What is quoted with the window that answers.

Belongs here: which fragments beside a window are quoted with it, and how long a quote may be. Not here: choosing the
window (`windows`), writing the quote (`quote_markdown`). Guarantee: pure; the quote is of one section, and no longer
than `MAX_WORDS`, unless the window is, or, with a list that is asked for or that its last sentence introduces, than
`MAX_LIST_WORDS`, or, with the opening of a section whose heading asks the question, by that opening.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile

from headwater.quote.block_reader import Kind
from headwater.quote.fragments import Fragment
from headwater.quote.selection import Selection, introduces
from headwater.understanding.connectives import begins_with_connective
from headwater.understanding.words import count_words

MAX_WORDS = 74
"""Of a quote: with 60, it holds the fact in 7 of 72 looked-at questions less; with 90, in no more."""
MAX_LIST_WORDS = 150
"""Of a list or a table that was asked for; a longer one is cut, and the quote says so."""
MAX_OPENING_WORDS = 40
"""Of the first sentences of a section whose heading asks the question."""
_ITALIC_LINE = re.compile(r"(?P<mark>[*_])(?![*_\s])[^*_\n]{2,80}(?<![.!?:。！？：])(?P=mark)")
_ENTRIES = (Kind.ITEM, Kind.ROW)
_TEXT = (Kind.PARAGRAPH, Kind.ITEM)


def extend_window(window: Selection, *, wants_list: bool = False, wants_opening: bool = False) -> Selection:
    """The window with what follows it in its section, then with what stands before it, as far as it is short enough.

    What a window's first word refers to comes first. Of a table with rows that the question names, no other rows are
    quoted: they say the same of something else.

    Args:
        window: the window.
        wants_list: whether the question asks which things there are: then a list of which the quote would have a part
            is quoted from its beginning.
        wants_opening: whether the section's heading asks the same: then the quote has its first sentences, too.
    """
    hidden_rows = frozenset() if wants_list else _find_hidden_rows(window)
    fragments, last = window.fragments, window.core[-1]
    first = next(position for position in window.core if last - position < len(window.core))  # behind a distant lead
    ahead = _same_section(fragments, range(last + 1, len(fragments)), window.headings)
    behind = [*_same_section(fragments, range(first - 1, -1, -1), window.headings)]
    needed = int(begins_with_connective(fragments[first].plain, window.stretch.chunks[0].language))
    core = tuple(position for position in window.core if position not in hidden_rows)
    words = sum(fragments[position].word_count for position in core)
    start, end = first, last
    for direction in (behind[:needed], ahead, behind[needed:]):
        for position in direction:
            is_beside = position in (start - 1, end + 1)  # one that was too long may lie between
            added = 0 if position in hidden_rows else fragments[position].word_count
            if not is_beside or words + added > MAX_WORDS:
                break
            words += added
            start, end = min(start, position), max(end, position)
    positions = sorted({*core, *range(start, end + 1)} - hidden_rows)
    while (positions[-1] > last and introduces(fragments[positions[-1]])) or (
        positions[-1] > window.best and _is_title(fragments[positions[-1]])
    ):
        positions.pop()
    while positions[0] < first and fragments[positions[0]].lead is not None:  # a list from its middle
        positions.pop(0)
    if positions[0] != window.best and _ends_aside(fragments[positions[0]]):
        positions.pop(0)
    quoted = replace(window, positions=tuple(positions), core=core)
    quoted = _complete_list(quoted) if wants_list else quoted
    quoted = _add_opening(quoted) if wants_opening else quoted
    return _complete_lead(quoted) if _is_open(fragments, quoted.positions[-1]) else quoted


def _find_hidden_rows(window: Selection) -> frozenset[int]:
    """The rows of its table that say nothing of those that the question names.

    A row without a label belongs to the row above it, and a label without values to the rows below it.
    """
    fragments, rows = window.fragments, set(window.named_rows)
    if not rows:
        return frozenset()
    group, titles = fragments[window.best].group, frozenset[int]()
    table = [position for position, fragment in enumerate(fragments) if fragment.group == group and fragment.cells]
    for position in table:
        label, *values = fragments[position].cells
        if not any(values):
            titles = frozenset((position,))
        elif position in rows:
            rows |= titles
        elif not label and position - 1 in rows:
            rows.add(position)
    return frozenset(table) - rows


def _is_open(fragments: Sequence[Fragment], position: int) -> bool:
    """Whether a fragment says only, or also, what follows it."""
    return introduces(fragments[position]) or any(
        fragment.lead == position for fragment in fragments[position + 1 : position + 2]
    )


def _is_title(fragment: Fragment) -> bool:
    """Whether a fragment is a line in italics, such as a caption or a heading: it says nothing of what is above it."""
    text, block = fragment.stretch.text, fragment.block
    is_paragraph = fragment.kind == Kind.PARAGRAPH and fragment.start == block.start
    return is_paragraph and _ITALIC_LINE.fullmatch(text[block.start : block.end].rstrip()) is not None


def _complete_lead(quoted: Selection) -> Selection:
    """The quote of which the last fragment only says what follows it, with what follows, or else without its end."""
    fragments, positions = quoted.fragments, [*quoted.positions]
    while positions[-1] > quoted.best and _is_open(fragments, positions[-1]):
        positions.pop()
    if not _is_open(fragments, positions[-1]):
        return replace(quoted, positions=tuple(positions))
    first, words = positions[-1] + 1, sum(fragments[position].word_count for position in positions)
    for position in _find_introduced(fragments, first):
        words += _count_shown(fragments[position])
        if words > MAX_LIST_WORDS:
            break
        positions.append(position)
    is_cut = positions[-1] >= first and _continues(fragments, positions[-1], first)
    return replace(quoted, positions=tuple(positions), is_cut=is_cut)


def _complete_list(quoted: Selection) -> Selection:
    """The quote with the list or table that it has a part of, from its beginning, as far as that is short enough.

    The quote stays as it is if its own part would be too far from the beginning.
    """
    listed = _find_list(quoted)
    if not listed:
        return quoted
    fragments, last_core = quoted.fragments, quoted.core[-1]
    lead = fragments[listed.start].lead
    behind = [position for position in quoted.positions if position >= listed.stop and position not in quoted.core]
    positions = {*quoted.positions, *(() if lead is None else (lead,))}.difference(behind)
    words = sum(_count_shown(fragments[position]) for position in positions)
    for position in (*listed, *behind):
        words += 0 if position in positions else _count_shown(fragments[position])
        if words > MAX_LIST_WORDS:
            if position < min(last_core, listed.stop):
                return quoted
            break
        positions.add(position)
    while (end := max(positions)) > last_core and introduces(fragments[end]):
        positions.remove(end)
    return replace(quoted, positions=tuple(sorted(positions)), is_cut=_continues(fragments, end, listed.start))


def _add_opening(quoted: Selection) -> Selection:
    """The quote with the first sentences of its section, if that is known from its beginning and begins with text."""
    fragments, start = quoted.fragments, quoted.positions[0]
    *_, first = start, *_same_section(fragments, range(start - 1, -1, -1), quoted.headings)
    if first == 0 and quoted.stretch.start and not quoted.stretch.text[: fragments[0].start].strip():
        return quoted  # it began in an earlier chunk
    opening = takewhile(lambda position: fragments[position].kind in _TEXT, range(first, start))
    word_counts = accumulate(fragments[position].word_count for position in opening)
    fitting = sum(count <= MAX_OPENING_WORDS for count in word_counts)
    return replace(quoted, positions=(*range(first, first + fitting), *quoted.positions))


def _find_introduced(fragments: Sequence[Fragment], first: int) -> Iterator[int]:
    """The positions of the block behind a sentence that introduces it; what a long item explains is no heading."""
    if first == len(fragments):
        return
    headings, group = fragments[first - 1].headings, fragments[first].group
    if fragments[first].headings != headings and fragments[first].line == fragments[first].plain:
        return
    for position in range(first, len(fragments)):
        if fragments[position].group != group or fragments[position].headings[: len(headings)] != headings:
            return
        yield position


def _continues(fragments: Sequence[Fragment], end: int, entry: int) -> bool:
    """Whether the list of an entry goes on behind a position."""
    return end + 1 < len(fragments) and fragments[end + 1].group == fragments[entry].group


def _count_shown(fragment: Fragment) -> int:
    """How many words a reader sees of a fragment that stands among others: of a row, not the names of its columns."""
    is_row = fragment.kind == Kind.ROW
    return count_words(fragment.stretch.text[fragment.start : fragment.end]) if is_row else fragment.word_count


def _find_list(quoted: Selection) -> range:
    """The positions of the list that the best fragment is of, else of the first one behind it, or the last before it.

    It is empty without one, if the list is not known from its beginning, or if an item before these is cut into parts.
    """
    fragments = quoted.fragments
    behind = [position for position in quoted.positions if position > quoted.best]
    earlier = [position for position in reversed(quoted.positions) if position < quoted.best]
    candidates = [quoted.best, *behind, *earlier]
    entry = next((position for position in candidates if fragments[position].kind in _ENTRIES), None)
    if entry is None:
        return range(0)

    example = fragments[entry]

    def is_beside(position: int) -> bool:
        fragment = fragments[position]
        is_same_list = (fragment.group, fragment.lead) == (example.group, example.lead)
        return fragment.kind in _ENTRIES and is_same_list and fragment.headings == example.headings

    first = min(takewhile(is_beside, range(entry, -1, -1)))
    last = max(takewhile(is_beside, range(entry, len(fragments))))
    begins_before = fragments[first - 1].group == example.group if first else quoted.stretch.start > 0
    return range(0) if begins_before else range(first, last + 1)


def _same_section(fragments: Sequence[Fragment], positions: range, headings: tuple[str, ...]) -> Iterator[int]:
    return takewhile(lambda position: fragments[position].headings == headings, positions)


def _ends_aside(fragment: Fragment) -> bool:
    """Whether a fragment is the end of what stands in parentheses, which an earlier one of its block opened."""
    text, start = fragment.stretch.text, fragment.start
    if "(" in fragment.plain or not fragment.plain.rstrip(" .*_").endswith(")"):
        return False
    return text.count("(", fragment.block.start, start) > text.count(")", fragment.block.start, start)
