"""Labels: short lines in bold or large letters that repeat above paragraphs, such as `Note` and `Returns`.

Belongs here: telling them from headings, and joining them with their paragraphs. Not here: headings (`headings`).
Guarantee: only a file whose outline has most of its headings has labels.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from headwater.parsing.pdf.blocks import TEXT, Block

_TIMES, _WORDS = 3, 4  # a label repeats, and is short
_KNOWN = 0.6  # of the headings that do not repeat are in the outline: it says what the headings are
_NEAR = 2.5  # times its size: how far below a label its paragraph begins


def find_labels(headings: Sequence[Block], is_title: Callable[[Block], bool]) -> list[Block]:
    """The blocks that look like headings, repeat, and are none.

    Args:
        headings: every block that looks like a heading.
        is_title: whether a block is a title of the outline.
    """
    counts = Counter(block.text for block in headings)
    other_headings = [block for block in headings if counts[block.text] < _TIMES]
    if sum(map(is_title, other_headings)) < _KNOWN * len(other_headings):
        return []
    short = (block for block in headings if len(block.text.split()) <= _WORDS)
    return [block for block in short if counts[block.text] >= _TIMES and not is_title(block)]


def join_labels(blocks: list[Block], labels: Sequence[Block], headings: Sequence[Block]) -> None:
    """Make a label the beginning of the paragraph below it: `Note: …`; one without a paragraph stays a line."""
    label_ids, heading_ids = {id(block) for block in labels}, {id(block) for block in headings}
    for label, paragraph in pairwise(blocks):
        if id(label) in label_ids and id(paragraph) not in heading_ids and _is_below(label, paragraph):
            text, page = paragraph.parts[0]
            paragraph.parts[0] = f"{label.text.rstrip(' :.')}: {text}", page
            label.parts = []
    blocks[:] = [block for block in blocks if block.parts]


def _is_below(label: Block, paragraph: Block) -> bool:
    line, first_line = label.last, paragraph.first
    is_same_column = line.page == first_line.page and line.column == first_line.column
    return paragraph.kind == TEXT and is_same_column and 0 < first_line.base - line.base < _NEAR * line.size
