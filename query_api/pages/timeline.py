"""The chunks of a document version as a row of rectangles.

Belongs here: how wide each is and what it stands for. Not here: how it looks (`document.html`). Guarantee: pure; the
rectangles are in order, do not overlap and fill the row; each is wide enough to be pointed at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.versions import ChunkSpan

MOST = 300
"""Chunks that have a rectangle each; with more, each rectangle stands for several."""
_GROUPS = 150  # rectangles in a row, if there are more chunks
HEIGHT = 36
_GAP = 1.5
_LEAST = 8.0  # width of a rectangle, in pixels
_WIDTH = 960.0  # of the row; wider if there are too many for it
_HIGH, _MIDDLE = 0.7, 0.4  # quality


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A rectangle for the chunks from number `first` to `last`, counted from 1; `id` is that of the first."""

    x: float
    width: float
    id: UUID
    first: int
    last: int
    characters: int
    quality: float
    is_chosen: bool

    @property
    def level(self) -> str:
        """Its colour: `high`, `middle` or `low`."""
        return level(self.quality)

    @property
    def words(self) -> str:
        """What it is, in words."""
        name = f"Chunk {self.first}" if self.first == self.last else f"Chunks {self.first} to {self.last}"
        return f"{name}, {self.characters:,} characters, quality {self.quality:.2f}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Rectangles beside each other, and the width of all in pixels."""

    width: float
    segments: Sequence[Segment]


def level(quality: float) -> str:
    """A quality between 0 and 1 as `high`, `middle` or `low`."""
    return "high" if quality >= _HIGH else "middle" if quality >= _MIDDLE else "low"


def timeline(chunks: Sequence[ChunkSpan], chosen: int | None = None) -> list[Row]:
    """The rows of a timeline: none without chunks; two if there are too many and one of them is chosen.

    Args:
        chunks: the chunks of a version in order.
        chosen: the index of the chosen one.
    """
    if not chunks:
        return []
    size = 1 if len(chunks) <= MOST else -(-len(chunks) // _GROUPS)
    groups = [range(start, min(start + size, len(chunks))) for start in range(0, len(chunks), size)]
    rows = [_row(chunks, groups, chosen)]
    if size > 1 and chosen is not None:
        inside = next(group for group in groups if chosen in group)
        rows.append(_row(chunks, [range(each, each + 1) for each in inside], chosen))
    return rows


def _row(chunks: Sequence[ChunkSpan], groups: Sequence[range], chosen: int | None) -> Row:
    lengths = [sum(chunks[each].character_count for each in group) for group in groups]
    width = max(_WIDTH, 2 * _LEAST * len(groups))
    shared, total = width - _LEAST * len(groups), sum(lengths)
    segments, x = [], 0.0
    for group, length in zip(groups, lengths, strict=True):
        own = _LEAST + shared * (length / total if total else 1 / len(groups))
        segments.append(
            Segment(
                x=round(x, 1),
                width=round(own - _GAP, 1),
                id=chunks[group[0]].id,
                first=group[0] + 1,
                last=group[-1] + 1,
                characters=length,
                quality=sum(chunks[each].quality for each in group) / len(group),
                is_chosen=chosen is not None and chosen in group,
            )
        )
        x += own
    return Row(width=width, segments=segments)
