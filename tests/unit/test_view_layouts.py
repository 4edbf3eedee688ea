"""The layouts of pages: timelines, the drawing of lineage, plots, and differences between versions (UI-3, UI-4)."""

from collections.abc import Sequence
from itertools import pairwise
from uuid import UUID

import pytest

from headwater.domain.versions import ChunkGroup
from query_api.pages.diff import MAX_LINES, difference
from query_api.pages.lineage_layout import BOX_HEIGHT, COLUMNS, Item, draw
from query_api.pages.plots import HEIGHT, WIDTH, plot
from query_api.pages.timeline import MAX_CHUNKS, Row, timeline


def _chunks(lengths: Sequence[int]) -> list[ChunkGroup]:
    return [
        ChunkGroup(id=UUID(int=at), first=at, last=at, quality=at % 10 / 10, character_count=length, is_chosen=at == 2)
        for at, length in enumerate(lengths, start=1)
    ]


def _fills(row: Row) -> None:
    end = 0.0
    for each in row.segments:
        assert end <= each.x == pytest.approx(end, abs=2)
        assert each.width >= 6
        end = each.x + each.width
    assert end == pytest.approx(row.width, abs=2)


@pytest.mark.parametrize("count", [1, 2, MAX_CHUNKS])
def test_a_timeline_fills_its_row(count: int) -> None:
    """Whatever the lengths of the chunks; a row without any is left out."""
    chunks = _chunks([at * 37 % 900 for at in range(count)])
    (row,) = timeline(chunks, ())
    _fills(row)
    assert [(each.first, each.last, each.characters) for each in row.segments] == [
        (each.first, each.last, each.character_count) for each in chunks
    ]
    assert [each.first for each in row.segments if each.is_chosen] == [2][: count - 1]
    assert len(timeline(chunks, chunks)) == 2


def test_longer_chunks_are_wider_and_empty_ones_are_still_there() -> None:
    """A version without chunks has no row."""
    (row,) = timeline(_chunks([0, 100, 300]))
    narrow, middle, wide = (each.width for each in row.segments)
    assert narrow < middle < wide
    assert timeline([]) == []
    assert timeline(_chunks([0, 0]))[0].segments[1].width > 6


def test_a_drawing_has_one_box_for_each_thing_and_none_overlap() -> None:
    """Citations share what they have in common; a long title is cut, an empty drawing has the answer alone."""

    def item(key: str) -> Item:
        return Item(key=key, title=f"{key} with a long name", note="", url=f"#{key}")

    ways = [[item(f"c{at}"), item(f"k{at // 2}"), item(f"v{at % 3}"), item("s"), item("r")] for at in range(9)]
    drawing = draw(item("a"), ways)
    counts = [sum(box.column == at for box in drawing.boxes) for at in range(len(COLUMNS))]
    assert counts == [1, 9, 5, 3, 1, 1]
    for column in range(len(COLUMNS)):
        tops = sorted(box.y for box in drawing.boxes if box.column == column)
        assert all(below - above > BOX_HEIGHT for above, below in pairwise(tops))
        assert tops[-1] + BOX_HEIGHT <= drawing.height
    assert len(drawing.lines) == len(set(drawing.lines)) == 9 + 9 + 9 + 3 + 1
    assert all(len(box.title) <= 16 for box in drawing.boxes)
    assert [box.item.key for box in draw(item("a"), []).boxes] == ["a"]


def test_points_of_a_plot_lie_inside_it() -> None:
    """One value, negative ones and those above 1; more is higher."""
    for values in ([0.5], [0.0, 1.0, 0.2], [-3.0, 40.0]):
        drawn = plot("recall", values)
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in drawn.points)
    low, high = plot("recall", [0.1, 0.9]).points
    assert high[1] < low[1]


def test_a_difference_is_bounded_and_says_so() -> None:
    """Added and removed lines; equal texts, texts too large, and a long difference."""
    lines = difference("a\nb\nc", "a\nx\nc").lines
    assert [(line.kind, line.text) for line in lines[1:]] == [
        ("same", " a"), ("removed", "-b"), ("added", "+x"), ("same", " c"),
    ]  # fmt: skip
    assert "equal" in difference("a", "a").said
    assert "ends of lines" in difference("a\n", "a\r\n").said
    assert "too many" in difference("a\n" * (MAX_LINES + 1), "b").said
    assert "too large" in difference("a" * 400_001, "b").said
    long = difference("\n".join(f"a{at}" for at in range(500)), "b")
    assert (len(long.lines), "first 400" in long.said) == (400, True)
    assert len(difference("a", "b" * 5_000).lines[-1].text) == 401
