"""Labels: short lines in bold or large letters that repeat above paragraphs, such as `Note` and `Returns`.

Belongs here: telling them from headings, and joining them with their paragraphs. Not here: headings (`headings`).
Guarantee: only a file with an outline has labels, because there the outline says what the headings are.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from headwater.parsing.pdf.blocks import TEXT, Block

_TIMES, _WORDS = 3, 4  # a label repeats, and is short


def find_labels(headings: Sequence[Block], titles: set[str]) -> list[Block]:
    """The blocks that look like headings, repeat, and are none of the titles of the outline."""
    counts = Counter(block.text for block in headings)
    return [
        block
        for block in headings
        if counts[block.text] >= _TIMES and block.text not in titles and len(block.text.split()) <= _WORDS
    ]


def join_labels(blocks: list[Block], labels: Sequence[Block]) -> None:
    """Make a label the beginning of the paragraph below it: `Note: …`; one without a paragraph stays a line."""
    label_ids = {id(block) for block in labels}
    for label, paragraph in pairwise(blocks):
        if id(label) in label_ids and paragraph.kind == TEXT and id(paragraph) not in label_ids:
            text, page = paragraph.parts[0]
            paragraph.parts[0] = f"{label.text.rstrip(' :.')}: {text}", page
            label.parts = []
    blocks[:] = [block for block in blocks if block.parts]
