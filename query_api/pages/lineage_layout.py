"""The lineage of an answer as six columns of boxes with lines between them.

Belongs here: which boxes there are, and where. Not here: how they look (`lineage.html`), the lineage itself
(`query_api.routes.lineage_payloads`). Guarantee: pure; a thing has one box however often it is cited; boxes of a column
do not overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from query_api.pages.catalogue import N_, translate

COLUMNS = (N_("Answer"), N_("Citation"), N_("Chunk"), N_("Version"), N_("Source"), N_("Run"))
BOX, BOX_HEIGHT = 144, 48
"""The width and height of a box in pixels."""
_STEP, _LINE, _TOP = 174, 62, 34  # from column to column, from row to row, the names of the columns
_MAX_LABEL_CHARS = 16  # characters that fit into a box


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """What a box stands for: `key` identifies it in its column, `url` is where it leads."""

    key: str
    title: str
    note: str
    url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """An item at its place; `title` and `note` are cut to what fits."""

    column: int
    x: int
    y: float
    item: Item

    @property
    def title(self) -> str:
        """The first line."""
        return _cut(self.item.title)

    @property
    def note(self) -> str:
        """The second line."""
        return _cut(self.item.note, 2)

    @property
    def words(self) -> str:
        """All of it."""
        return f"{translate(COLUMNS[self.column])}: {self.item.title}" + (
            f", {self.item.note}" if self.item.note else ""
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """Boxes, and the lines between them as SVG paths."""

    width: int
    height: float
    boxes: Sequence[Box]
    lines: Sequence[str]
    heads: Sequence[tuple[int, str]] = field(
        default_factory=lambda: [(_STEP * place, translate(name)) for place, name in enumerate(COLUMNS)]
    )


def draw(answer: Item, ways: Sequence[Sequence[Item]]) -> Drawing:
    """Draw an answer with the ways from its citations to their runs.

    Args:
        answer: the first column.
        ways: for each citation, its items in the other five columns.
    """
    columns: list[dict[str, list[int]]] = [{} for _ in COLUMNS]
    items: dict[tuple[int, str], Item] = {(0, answer.key): answer}
    columns[0][answer.key] = list(range(len(ways)))
    for row, way in enumerate(ways):
        for column, item in enumerate(way, start=1):
            items.setdefault((column, item.key), item)
            columns[column].setdefault(item.key, []).append(row)
    placed = {(place, key): y for place, rows in enumerate(columns) for key, y in _heights(rows).items()}
    boxes = [Box(column=place, x=_STEP * place, y=y, item=items[place, key]) for (place, key), y in placed.items()]
    links = {
        (place, here.key, there.key): None
        for way in ways
        for place, (here, there) in enumerate(zip([answer, *way], way, strict=False))
    }
    return Drawing(
        width=_STEP * (len(COLUMNS) - 1) + BOX + 4,
        height=max(box.y for box in boxes) + BOX_HEIGHT + 4,
        boxes=boxes,
        lines=[_line(place, placed[place, here], placed[place + 1, there]) for place, here, there in links],
    )


def _heights(rows: dict[str, list[int]]) -> dict[str, float]:
    """The top of each box of a column: beside the middle of the citations that lead to it, below the one before."""
    heights: dict[str, float] = {}
    free = float(_TOP)
    for key, line_numbers in sorted(rows.items(), key=lambda entry: sum(entry[1]) / len(entry[1]) if entry[1] else 0):
        middle = sum(line_numbers) / len(line_numbers) if line_numbers else 0
        heights[key] = max(free, _TOP + _LINE * middle)
        free = heights[key] + _LINE
    return heights


def _line(column: int, here: float, there: float) -> str:
    start, end = _STEP * column + BOX, _STEP * (column + 1)
    middle = (start + end) / 2
    top, bottom = here + BOX_HEIGHT / 2, there + BOX_HEIGHT / 2
    return f"M{start} {top:g}C{middle:g} {top:g} {middle:g} {bottom:g} {end} {bottom:g}"


def _cut(text: str, more: int = 0) -> str:
    longest = _MAX_LABEL_CHARS + more
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
