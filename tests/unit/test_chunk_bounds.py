"""Sizes of chunks at equality, borders that an edit leaves alone, and what a chunk repeats of the one before."""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.chunking.chunker import chunk_text
from headwater.chunking.packer import Sizes, TextUnit, join_short, join_tail, pack
from headwater.chunking.prose_chunker import ProseChunker

SIZES = Sizes(maximum=1000, minimum=300, overlap=0)


def _packed(lengths: list[int], strengths: list[int] | None = None) -> list[int]:
    """The sizes of pieces that are packed from units of some lengths."""
    text = "".join(chr(ord("a") + number) * length for number, length in enumerate(lengths))
    units, start = [], 0
    for length, strength in zip(lengths, strengths or [1] * len(lengths), strict=True):
        units.append(TextUnit(start=start, end=start + length, weight=length, strength=strength))
        start += length
    return [sum(unit.weight for unit in piece) for piece in pack(text, units, SIZES)]


def test_a_piece_may_have_exactly_the_maximum() -> None:
    """With one character more, the text is split (CHK-2)."""
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
    """With the overlap with the previous one: offset and line name the same position (CHK-2)."""
    text = "\n".join(f"Sentence number {number} stands on a line of its own." for number in range(60))
    chunks = chunk_text(
        text, title="", media_type="text/plain", settings={"maximum": 400, "minimum": 100, "overlap": 120}
    )
    assert sum(chunk.overlap > 0 for chunk in chunks) > 3
    assert [chunk.line for chunk in chunks] == [text.count("\n", 0, chunk.start) + 1 for chunk in chunks]
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_an_overlap_is_at_least_most_of_what_is_wanted() -> None:
    """A sentence that is too short for it does not begin one: a word does (CHK-1)."""
    before = "word " * 60 + "and the end. It is really so. "
    text = f"{before}The next one begins here."
    sizes = Sizes(maximum=1000, minimum=100, overlap=100)
    overlap = ProseChunker(text, "", sizes).chunk(len(before), len(text)).overlap
    assert 60 <= overlap <= 100
    longer = "word " * 60 + "and the end. It is really so, as everyone knows who has seen it once, or twice. "
    chunk = ProseChunker(f"{longer}Next.", "", sizes).chunk(len(longer), len(longer) + 5)
    assert chunk.text.startswith("It is really so")


@dataclass(frozen=True)
class _Section:
    name: str
    level: int
    is_short: bool = True


def test_a_short_section_joins_its_sibling_and_no_deeper_one() -> None:
    """A heading with deeper ones below joins the first of them."""

    def joined(*sections: _Section) -> list[str]:
        groups = join_short([one.level for one in sections], lambda number: sections[number].is_short)
        return ["".join(one.name for one in sections[begin:end]) for begin, end in groups]

    assert joined(_Section("a", 2), _Section("b", 2)) == ["ab"]
    assert joined(_Section("a", 2), _Section("b", 1)) == ["a", "b"]
    assert joined(_Section("a", 1, is_short=False), _Section("b", 2)) == ["ab"]
    assert joined(_Section("a", 1), _Section("b", 2), _Section("c", 2, is_short=False)) == ["ab", "c"]


_NAMES = (
    "amber",
    "basin",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "haven",
    "inlet",
    "jetty",
    "knoll",
    "lagoon",
    "marsh",
)
_PARAGRAPHS = [
    " ".join(_NAMES[(number * 5 + place * (number + 3)) % len(_NAMES)] for place in range(6 + number % 5)) + "."
    for number in range(40)
]


def _pieces(paragraphs: Sequence[str], before: Sequence[str] = ()) -> list[str]:
    settings = {"maximum": 300, "minimum": 80, "overlap": 0}
    text = "\n\n".join(paragraphs)
    chunks = chunk_text(text, title="", media_type="text/plain", settings=settings, before=before)
    return [chunk.text for chunk in chunks]


def test_borders_away_from_an_edit_stay_where_a_fresh_cut_would_move_them() -> None:
    """Wherever a paragraph is inserted, at most the piece around it is split again (CHK-5)."""
    old, moved = _pieces(_PARAGRAPHS), 0
    for place in range(len(_PARAGRAPHS)):
        edited = [*_PARAGRAPHS[:place], "A few words.", *_PARAGRAPHS[place:]]
        assert len({*old} - {*_pieces(edited, old)}) <= 1
        moved += len({*old} - {*_pieces(edited)}) > 1
    assert moved  # else keeping would be worth nothing here
