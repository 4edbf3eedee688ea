"""Sizes of chunks at equality, and the line of a chunk that repeats some of the one before."""

from headwater.chunking.chunker import chunk_text
from headwater.chunking.packing import Sizes, Unit, join_tail, pack

SIZES = Sizes(maximum=1000, minimum=300, overlap=0)


def _packed(lengths: list[int], strengths: list[int] | None = None) -> list[int]:
    """The sizes of pieces made of units of some lengths."""
    text = "".join(chr(ord("a") + number) * length for number, length in enumerate(lengths))
    units, start = [], 0
    for length, strength in zip(lengths, strengths or [1] * len(lengths), strict=True):
        units.append(Unit(start=start, end=start + length, weight=length, strength=strength))
        start += length
    return [sum(unit.weight for unit in piece) for piece in pack(text, units, SIZES)]


def test_a_piece_may_have_exactly_the_maximum() -> None:
    """One character more is cut (CHK-2)."""
    assert _packed([500, 500]) == [1000]
    assert _packed([500, 501]) == [500, 501]


def test_a_border_may_leave_exactly_the_minimum() -> None:
    """The stronger border is taken though it leaves no more than that; with less it is not."""
    assert _packed([300, 400, 500], [9, 5, 1]) == [300, 900]
    assert _packed([299, 401, 500], [9, 5, 1]) == [700, 500]


def test_a_last_piece_of_exactly_the_minimum_stays_alone() -> None:
    """A smaller one joins the one before, if both fit."""

    def weigh(start: int, end: int) -> int:
        return end - start

    assert join_tail([500, 800], 300, weigh, lambda _start, _end: True) == [500, 800]
    assert join_tail([500, 799], 300, weigh, lambda _start, _end: True) == [799]
    assert join_tail([500, 799], 300, weigh, lambda _start, _end: False) == [500, 799]


def test_a_chunks_line_is_where_its_text_begins() -> None:
    """With what it repeats of the one before: offset and line say the same place (CHK-2)."""
    text = "\n".join(f"Sentence number {number} stands on a line of its own." for number in range(60))
    chunks = chunk_text(
        text, title="", media_type="text/plain", settings={"maximum": 400, "minimum": 100, "overlap": 120}
    )
    assert sum(chunk.overlap > 0 for chunk in chunks) > 3
    assert [chunk.line for chunk in chunks] == [text.count("\n", 0, chunk.start) + 1 for chunk in chunks]
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
