"""Text that repeats on the pages of a site: banners, menus, notes and footers that no markup gives away.

Belongs here: which blocks repeat, and dropping them. Not here: parts that a page itself marks as no content
(`headwater.parsing.html.page_frame`). Guarantee: pure; which blocks repeat does not depend on the order of pages; a
page never loses all its text, and never code.

The first `SAMPLE` pages of a source, in the order of its links or lists, decide for all: a block repeats if its words
stand on most of them, wherever its links lead, or if several of them end with it and the same blocks around it, as
articles end with a list of the latest ones. Each page's record (`state`) keeps the marks of the blocks near its
ends, so a later sync decides without fetching the sample again, and a page that has changed is read as it would have
been read then. When the sample itself changes, pages that have not changed keep their text until a full sync.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from headwater.identity import content_hash
from headwater.parsing.html.blocks import Block

SAMPLE = 30
"""Pages that decide what repeats."""
_MIN_PAGES = 4  # pages that a block must stand on
_SHARE = 0.6  # of the sample
_RUN = 5  # blocks in a row with which pages must end, if fewer than most of them do
_RUN_SHARE = 1 / 3  # of the sample
_NEAR = 15  # blocks from either end of a page that may repeat
_LONG = 40  # characters of a block that is dropped between others: a shorter one may be a label, such as "Example"
_MAX_BLOCK_CHARS = 2_000
_TARGET = re.compile(r"\]\((?:<[^<>\n]*>|[^\s()]*)\)")  # "previous" and "next" lead elsewhere on each page


def marks_of(blocks: Sequence[Block]) -> tuple[str, ...]:
    """The marks of the blocks near a page's ends."""
    nearby = blocks if len(blocks) <= 2 * _NEAR else (*blocks[:_NEAR], *blocks[-_NEAR:])
    return tuple(dict.fromkeys(mark for block in nearby if (mark := _mark(block))))


def find_repeating(sample: Sequence[Sequence[str]]) -> frozenset[str]:
    """The marks of blocks that repeat.

    Args:
        sample: the marks of each page.
    """
    counts = Counter(mark for marks in sample for mark in set(marks))
    repeats = _frequent(counts, _SHARE * len(sample))
    shared = _frequent(counts, _RUN_SHARE * len(sample))
    runs = (tuple(takewhile(shared.__contains__, reversed(marks))) for marks in sample)
    return repeats.union(*(run for run in runs if len(run) >= _RUN))


def _frequent(counts: Counter[str], needed: float) -> frozenset[str]:
    return frozenset(mark for mark, count in counts.items() if count >= max(_MIN_PAGES, needed))


def without_repeats(blocks: Sequence[Block], repeats: frozenset[str]) -> tuple[Block, ...]:
    """A page's blocks without those that repeat: all at its ends, and long ones near them."""
    if not repeats:
        return tuple(blocks)
    marks = [_mark(block) for block in blocks]
    count = len(blocks)
    start = next((place for place in range(count) if marks[place] not in repeats), count)
    end = next((place for place in range(count - 1, start, -1) if marks[place] not in repeats), start) + 1
    remaining = [
        block
        for place, block in enumerate(blocks[start:end], start=start)
        if not (_is_near(place, count) and marks[place] in repeats and _stands_alone(block))
    ]
    return tuple(remaining) if any(block.kind != "heading" for block in remaining) else tuple(blocks)


def _mark(block: Block) -> str:
    """A short name of a block's words, wherever its links lead; empty for what never counts as repeated."""
    if block.kind == "code" or len(block.text) > _MAX_BLOCK_CHARS:
        return ""
    return content_hash(_TARGET.sub("]", block.text)).hex()[:8]


def _is_near(place: int, count: int) -> bool:
    return place < _NEAR or place >= count - _NEAR


def _stands_alone(block: Block) -> bool:
    return block.kind in ("text", "list", "quote") and len(block.text) >= _LONG
