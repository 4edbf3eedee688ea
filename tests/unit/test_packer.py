"""Units into pieces.

Belongs here: sizes, borders and what an edit moves, on units made by hand. Not here: what a unit is.
"""

import random

from hypothesis import given
from hypothesis import strategies as st

from headwater.chunking.packer import SNIPPET_LIMIT, Sizes, TextUnit, cut_lines, cut_sentences, pack

SIZES = Sizes(maximum=1000, minimum=300, overlap=0)
WORDS = ("amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jetty", "knoll", "lagoon")


def make_units(lengths: list[int], strengths: list[int] | None = None) -> tuple[str, list[TextUnit]]:
    """Units of given lengths over a text of words that differ from unit to unit."""
    chooser = random.Random(1)
    parts = []
    for length in lengths:
        words = " ".join(chooser.choices(WORDS, k=length // 4 + 1))
        parts.append(words[: length - 1] + "\n")
    units, start = [], 0
    for index, part in enumerate(parts):
        strength = strengths[index] if strengths else 1
        units.append(TextUnit(start=start, end=start + len(part), weight=len(part), strength=strength))
        start += len(part)
    return "".join(parts), units


def weights(pieces: list[list[TextUnit]]) -> list[int]:
    return [sum(unit.weight for unit in piece) for piece in pieces]


@given(st.lists(st.integers(2, 1500), max_size=60))
def test_pieces_tile_the_units(lengths: list[int]) -> None:
    """Every unit is in one piece, in order; a piece beyond the maximum is one unit (CHK-2)."""
    text, units = make_units(lengths)
    pieces = pack(text, units, SIZES)
    assert [unit for piece in pieces for unit in piece] == units
    assert all(len(piece) == 1 or weight <= 1000 for piece, weight in zip(pieces, weights(pieces), strict=True))


@given(st.lists(st.integers(2, 150), min_size=1, max_size=200))
def test_pieces_reach_the_minimum_where_units_are_small(lengths: list[int]) -> None:
    """No piece of small units is below the minimum, unless all of them together are (CHK-2)."""
    text, units = make_units(lengths)
    found = weights(pack(text, units, SIZES))
    assert min(found) >= 300 or len(found) == 1


def test_a_stronger_border_is_cut_first() -> None:
    """Where several borders leave enough on both sides, the strongest one is taken."""
    text, units = make_units([100] * 12, [9, 1, 1, 1, 1, 5, 1, 1, 1, 1, 1, 1])
    assert weights(pack(text, units, SIZES)) == [500, 700]


def test_code_beyond_what_may_stay_whole_makes_a_border() -> None:
    """Code counts apart from prose: a run holds at most `SNIPPET_LIMIT` times the maximum of it (CHK-4)."""
    text = "x" * 20_000
    units = [TextUnit(start=at, end=at + 1000, weight=10, strength=1) for at in range(0, 20_000, 1000)]
    pieces = pack(text, units, SIZES)
    assert [unit for piece in pieces for unit in piece] == units
    assert all(sum(unit.end - unit.start - unit.weight for unit in piece) <= 4000 for piece in pieces)
    assert len(pieces) < 10
    assert SNIPPET_LIMIT == 4


def test_white_space_joins_a_neighbour() -> None:
    """A piece of white space only is never left alone."""
    text = " " * 990 + "a" * 990 + " " * 990 + "b" * 990 + "\n" * 990
    units = [TextUnit(start=at, end=at + 990, weight=990, strength=1) for at in range(0, len(text), 990)]
    assert [(piece[0].start, piece[-1].end) for piece in pack(text, units, SIZES)] == [(0, 2970), (2970, 4950)]


def test_white_space_without_a_neighbour_is_kept() -> None:
    """The caller decides about it: no text is lost (CHK-2)."""
    units = [TextUnit(start=at, end=at + 990, weight=990, strength=1) for at in (0, 990)]
    assert pack(" " * 1980, units, SIZES) == [units]


def test_no_units_make_no_pieces() -> None:
    """Nothing in, nothing out."""
    assert pack("", [], SIZES) == []


def test_one_more_unit_changes_the_pieces_around_it_only() -> None:
    """Among many units, a new one changes the few pieces around it and leaves the rest (CHK-5)."""
    text, units = make_units([90] * 100)
    before = {text[piece[0].start : piece[-1].end] for piece in pack(text, units, SIZES)}
    changed = []
    for position in range(1, 100):
        added = "The sentence that is new here ends right about now, and is over.\n"
        at = units[position].start
        longer = text[:at] + added + text[at:]
        moved = [TextUnit(start=at, end=at + len(added), weight=len(added), strength=1)] + [
            TextUnit(start=unit.start + len(added), end=unit.end + len(added), weight=unit.weight, strength=1)
            for unit in units[position:]
        ]
        after = {longer[piece[0].start : piece[-1].end] for piece in pack(longer, units[:position] + moved, SIZES)}
        changed.append(len(after - before))
    assert sum(changed) / len(changed) < 2.5
    assert max(changed) <= 6 < len(before)


@given(st.text(max_size=400), st.integers(1, 50))
def test_sentences_and_lines_tile_the_span(text: str, maximum: int) -> None:
    """Cut units tile the span, and none is larger than the maximum, however long its words are (CHK-2)."""
    for cut in (cut_sentences, cut_lines):
        units = list(cut(text, 0, len(text), maximum, lambda start, end: end - start))
        assert "".join(text[unit.start : unit.end] for unit in units) == text
        assert all(0 < unit.end - unit.start <= maximum for unit in units)


def test_long_sentences_are_cut_between_words() -> None:
    """A sentence beyond the maximum is cut after white space where there is any."""
    text = "word " * 100
    units = list(cut_sentences(text, 0, len(text), 73, lambda start, end: end - start))
    assert {text[unit.start : unit.end].strip(" ").split(" ")[0] for unit in units} == {"word"}
    assert all(unit.start % 5 == 0 for unit in units)


def test_a_long_line_is_cut_between_sentences() -> None:
    """An item of a list may be one line; only what is still too long is cut between words."""
    text = "- One two three. Four five six seven. Eight.\n- Nine.\n"
    parts = [text[unit.start : unit.end] for unit in cut_lines(text, 0, len(text), 24, lambda a, b: b - a)]
    assert parts == ["- One two three. ", "Four five six seven. ", "Eight.\n", "- Nine.\n"]


def test_equal_units_are_packed() -> None:
    """However many: that it costs no more than others is `test_growth`'s."""
    text = "the same line\n" * 50_000
    units = list(cut_lines(text, 0, len(text), 1000, lambda start, end: end - start))
    pieces = pack(text, units, SIZES)
    assert len(pieces) > 700
