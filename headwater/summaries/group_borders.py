"""Cutting a sequence into groups, so that a change moves only the borders beside it.

Belongs here: where groups end. Not here: what is summarised together (`tree`). Guarantee: pure; the same
identities always give the same groups, so an edit, which keeps its identity, moves no border.

A group ends after an item whose identity hashes to 0, between a least and a most size, as content-defined chunking cuts
files: after an insert or a delete, the borders are those of before from the first common border on. Source:
Muthitacharoen, Chen and Mazières 2001, A low-bandwidth network file system (https://doi.org/10.1145/502034.502052).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.identity import content_hash


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How large groups are, between `least` and `most`; the last may have up to `least - 1` more.

    Beyond the least size, a group ends after one in `spread` items.
    """

    least: int
    most: int
    spread: int

    def __post_init__(self) -> None:
        """Check the order.

        Raises:
            ValueError: the sizes do not rise from 1, or the spread is below 1.
        """
        if not 1 <= self.least <= self.most or self.spread < 1:
            raise ValueError(f"groups cannot have from {self.least} to {self.most}, with a spread of {self.spread}")


def group(identities: Sequence[bytes], sizes: Sizes, weights: Sequence[int] | None = None) -> list[range]:
    """Cut a sequence into groups.

    Args:
        identities: what each item is, whatever it says now.
        sizes: how large a group is, in weights.
        weights: of each item, at least 0; 1 each by default. An item that weighs more than the most is alone.

    Returns:
        The groups, which tile the sequence. What is left at the end and weighs too little is part of the last group.
    """
    ranges: list[range] = []
    start, size = 0, 0
    for place, identity in enumerate(identities):
        weight = 1 if weights is None else weights[place]
        if size and size + weight > sizes.most:
            ranges.append(range(start, place))
            start, size = place, 0
        size += weight
        if size >= sizes.most or (size >= sizes.least and is_border(identity, sizes)):
            ranges.append(range(start, place + 1))
            start, size = place + 1, 0
    if start < len(identities):
        if ranges and size < sizes.least:
            start = ranges.pop().start
        ranges.append(range(start, len(identities)))
    return ranges


def is_border(identity: bytes, sizes: Sizes) -> bool:
    """Whether a group that is large enough ends after an item."""
    return int.from_bytes(content_hash("border", identity.hex())[:8]) % sizes.spread == 0
