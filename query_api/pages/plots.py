"""Values over time as a line.

Belongs here: the points of the line. Not here: how it looks (`status.html`), which values. Guarantee: pure; every point
lies inside the drawing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 280, 90
"""Of a plot in pixels."""
_EDGE = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """A line through points; `low` and `high` are the ends of its scale."""

    name: str
    points: Sequence[tuple[float, float]]
    values: Sequence[float]
    low: float
    high: float

    @property
    def path(self) -> str:
        """The points as an SVG polyline has them."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.points)


def plot(name: str, values: Sequence[float]) -> Plot:
    """Draw values, oldest first; the scale is from 0 to 1, or to the largest value if that is more.

    Args:
        name: what they measure.
        values: at least one.
    """
    low, high = min(0.0, *values), max(1.0, *values)
    step = (WIDTH - 2 * _EDGE) / max(1, len(values) - 1)
    points = [
        (round(_EDGE + step * index, 1), round(HEIGHT - _EDGE - (HEIGHT - 2 * _EDGE) * (value - low) / (high - low), 1))
        for index, value in enumerate(values)
    ]
    return Plot(name=name, points=points, values=tuple(values), low=low, high=high)
