"""The chunks of a document version as a row of rectangles.

Belongs here: how wide each is and what it stands for. Not here: how it looks (`document.html`). Guarantee: pure; the
rectangles are in order, do not overlap and fill the row; each is wide enough to be pointed at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from headwater.domain.versions import ChunkGroup
from query_api.pages.catalogue import N_, group_digits, translate

MAX_CHUNKS = 300
"""Chunks that have a rectangle each; with more, each rectangle stands for several."""
GROUPS = 150
"""Rectangles in a row, if there are more chunks."""
HEIGHT = 36
_GAP = 1.5
_MIN_WIDTH_PIXELS = 8.0  # width of a rectangle, in pixels
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
        text = N_("Chunk %(first)s") if self.first == self.last else N_("Chunks %(first)s to %(last)s")
        name = translate(text, first=self.first, last=self.last)
        values = {"chunk": name, "characters": group_digits(self.characters), "quality": f"{self.quality:.2f}"}
        return translate(N_("%(chunk)s, %(characters)s characters, quality %(quality)s")) % values


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Rectangles beside each other, and the width of all in pixels."""

    width: float
    segments: Sequence[Segment]


def level(quality: float) -> str:
    """A quality between 0 and 1 as `high`, `middle` or `low`."""
    return "high" if quality >= _HIGH else "middle" if quality >= _MIDDLE else "low"


def timeline(*rows: Sequence[ChunkGroup]) -> list[Row]:
    """The rows of a timeline, from groups of chunks in order; a row without any is left out."""
    return [_row(groups) for groups in rows if groups]


def _row(groups: Sequence[ChunkGroup]) -> Row:
    width = max(_WIDTH, 2 * _MIN_WIDTH_PIXELS * len(groups))
    shared, total = width - _MIN_WIDTH_PIXELS * len(groups), sum(group.character_count for group in groups)
    segments, x = [], 0.0
    for group in groups:
        box_width = _MIN_WIDTH_PIXELS + shared * (group.character_count / total if total else 1 / len(groups))
        segments.append(
            Segment(
                x=round(x, 1),
                width=round(box_width - _GAP, 1),
                id=group.id,
                first=group.first,
                last=group.last,
                characters=group.character_count,
                quality=group.quality,
                is_chosen=group.is_chosen,
            )
        )
        x += box_width
    return Row(width=width, segments=segments)
