"""Fragments of a section that are quoted together.

Belongs here: what a selection is. Not here: which fragments it has (`windows`, `extension`), writing the quote
(`quote_markdown`). Guarantee: pure; all fragments of a selection are of one section.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from headwater.quote.block_reader import Kind
from headwater.quote.fragments import Fragment
from headwater.quote.stretches import Stretch

# `***At Higher Levels***.`, `**6.4** Refunds.`: words of a title, so that "**Yes**." and "**It is not**." are none.
_CAPITAL = r"[A-Z][\w'’()/-]*"
_NAME = re.compile(
    rf"(?P<mark>\*{{2,3}})(?:{_CAPITAL}(?: (?:{_CAPITAL}|\w{{1,3}})){{0,5}} {_CAPITAL})(?P=mark)\."
    r"|\*\*\d+(?:\.\d+)+\*\*\s+[A-Z][^.\n]{2,40}\."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Fragments of one section, at `positions` of their stretch, ascending; `core` are those that were chosen first.

    `is_cut` says that they end in the middle of a list that was asked for. `named_rows` are those of a table whose
    whole label is in the question, if one of them is in the window and has more of its words than the text there.
    `entry_share` is the share of the question's words in them and above them, if they explain an option or a term that
    it names.
    """

    fragments: Sequence[Fragment]
    positions: tuple[int, ...]
    core: tuple[int, ...]
    best: int
    score: float
    is_cut: bool = False
    named_rows: tuple[int, ...] = ()
    entry_share: float = 0.0

    @property
    def stretch(self) -> Stretch:
        """The stretch that they are of."""
        return self.fragments[self.best].stretch

    @property
    def chosen(self) -> list[Fragment]:
        """The fragments."""
        return [self.fragments[position] for position in self.positions]

    @property
    def headings(self) -> tuple[str, ...]:
        """The path of headings above them, the document's title first."""
        return self.fragments[self.best].headings

    @property
    def word_count(self) -> int:
        """How many words a reader sees, without headings."""
        return sum(fragment.word_count for fragment in self.chosen)


def introduces(fragment: Fragment) -> bool:
    """Whether a fragment only says what follows it, as a question does, or a name in bold before its description."""
    if fragment.kind != Kind.PARAGRAPH:
        return False
    text = fragment.stretch.text
    is_before_others = fragment.end < len(text[: fragment.block.end].rstrip())
    return fragment.plain.endswith((":", "：", "?", "？")) or (
        is_before_others and _NAME.fullmatch(text, fragment.start, fragment.end) is not None
    )
