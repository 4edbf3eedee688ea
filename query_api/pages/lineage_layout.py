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
        return _cut(self.item.note, 4)

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
        default_factory=lambda: [(_STEP * at, translate(name)) for at, name in enumerate(COLUMNS)]
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
    placed = {(at, key): y for at, rows in enumerate(columns) for key, y in _heights(rows).items()}
    boxes = [Box(column=at, x=_STEP * at, y=y, item=items[at, key]) for (at, key), y in placed.items()]
    links = {
        (at, here.key, there.key): None
        for way in ways
        for at, (here, there) in enumerate(zip([answer, *way], way, strict=False))
    }
    return Drawing(
        width=_STEP * (len(COLUMNS) - 1) + BOX + 4,
        height=max(box.y for box in boxes) + BOX_HEIGHT + 4,
        boxes=boxes,
        lines=[_line(at, placed[at, here], placed[at + 1, there]) for at, here, there in links],
    )


def _heights(rows: dict[str, list[int]]) -> dict[str, float]:
    """The top of each box of a column: beside the middle of the citations that lead to it, below the one before."""
    found: dict[str, float] = {}
    free = float(_TOP)
    for key, own in sorted(rows.items(), key=lambda each: sum(each[1]) / len(each[1]) if each[1] else 0):
        middle = sum(own) / len(own) if own else 0
        found[key] = max(free, _TOP + _LINE * middle)
        free = found[key] + _LINE
    return found


def _line(column: int, here: float, there: float) -> str:
    start, end = _STEP * column + BOX, _STEP * (column + 1)
    middle = (start + end) / 2
    top, bottom = here + BOX_HEIGHT / 2, there + BOX_HEIGHT / 2
    return f"M{start} {top:g}C{middle:g} {top:g} {middle:g} {bottom:g} {end} {bottom:g}"


def _cut(text: str, more: int = 0) -> str:
    longest = _MAX_LABEL_CHARS + more
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
