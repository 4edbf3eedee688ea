"""Places of a text: which range a span has, how it is shown, where it opens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.place_links import link_to
from headwater.domain.places import Mark, PlaceKind, PlaceRange, Places

PAGES = Places.of(PlaceKind.PAGE, [(0, 1), (10, 2), (20, 3), (30, 5)])
TEXT = "x" * 40


def place(kind: PlaceKind, first: int | str, last: int | str | None = None, address: str = "") -> PlaceRange:
    """A range; of one place when no last is given."""
    return PlaceRange(kind=kind, first=first, last=first if last is None else last, address=address)


@pytest.mark.parametrize(
    ("found", "label"),
    [
        (place(PlaceKind.PAGE, 12, 14), "p. 12–14"),
        (place(PlaceKind.PAGE, 12), "p. 12"),
        (place(PlaceKind.SLIDE, 3), "slide 3"),
        (place(PlaceKind.SLIDE, 3, 4), "slides 3–4"),
        (place(PlaceKind.SHEET, "Budget"), "sheet Budget"),
        (place(PlaceKind.SHEET, "Budget", "Costs"), "sheets Budget–Costs"),
        (place(PlaceKind.CELL, "Prices!B14"), "Prices!B14"),
        (place(PlaceKind.CELL, "Prices!A14", "Prices!F17"), "Prices!A14:F17"),
        (place(PlaceKind.CELL, "'It''s'!A14", "'It''s'!AB14"), "'It''s'!A14:AB14"),
        (place(PlaceKind.CELL, "Prices!A3", "Costs!B4"), "Prices!A3 – Costs!B4"),
        (place(PlaceKind.SECOND, 135), "02:15"),
        (place(PlaceKind.SECOND, 59, 3600), "00:59–1:00:00"),
        (place(PlaceKind.LINE, 10, 42), "L10–L42"),
        (place(PlaceKind.LINE, 10), "L10"),
        (place(PlaceKind.PART, "#Oil-the-valve%3F", "#Later"), "§ Oil the valve?"),
        (place(PlaceKind.PART, "#Opening_hours_2"), "§ Opening hours 2"),
        (place(PlaceKind.PART, "?focusedCommentId=12#comment-12"), "comment 12"),
        (place(PlaceKind.PART, f"#{'0af' * 10}00"), ""),
        (place(PlaceKind.PART, ""), ""),
    ],
)
def test_a_range_is_shown_as_people_name_it(found: PlaceRange, label: str) -> None:
    """Each kind in its own words; a range of one place names it once."""
    assert found.label == label


@pytest.mark.parametrize(
    ("one", "other", "label"),
    [
        (place(PlaceKind.PAGE, 12), place(PlaceKind.PAGE, 13, 14), "p. 12–14"),
        (place(PlaceKind.PAGE, 12, 20), place(PlaceKind.PAGE, 14), "p. 12–20"),
        (place(PlaceKind.PAGE, 12), place(PlaceKind.PAGE, 14), None),
        (place(PlaceKind.PAGE, 12), place(PlaceKind.SLIDE, 12), None),
        (place(PlaceKind.LINE, 3, 5), place(PlaceKind.LINE, 6), "L3–L6"),
        (place(PlaceKind.SECOND, 60, 90), place(PlaceKind.SECOND, 90, 95), "01:00–01:35"),
        (place(PlaceKind.SECOND, 60, 90), place(PlaceKind.SECOND, 91), None),
        (place(PlaceKind.SHEET, "Budget"), place(PlaceKind.SHEET, "Budget"), "sheet Budget"),
        (place(PlaceKind.SHEET, "Budget"), place(PlaceKind.SHEET, "Costs"), None),
        (place(PlaceKind.CELL, "A!A3", "A!F4"), place(PlaceKind.CELL, "A!A5", "A!F5"), "A!A3:F5"),
        (place(PlaceKind.CELL, "A!A3", "A!F9"), place(PlaceKind.CELL, "A!B4"), "A!A3:F9"),
        (place(PlaceKind.CELL, "A!A3", "A!F4"), place(PlaceKind.CELL, "A!A6", "A!F6"), None),
        (place(PlaceKind.CELL, "A!A3", "A!B3"), place(PlaceKind.CELL, "A!D3", "A!E3"), None),
        (place(PlaceKind.CELL, "A!A3"), place(PlaceKind.CELL, "B!A3"), None),
    ],
)
def test_ranges_that_touch_are_joined(one: PlaceRange, other: PlaceRange, label: str | None) -> None:
    """In either order; nothing that lies between two places is claimed (ANS-3)."""
    for joined in (one.joined(other), other.joined(one)):
        assert (joined and joined.label) == label


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("## Prices", "Prices!A3"), ("| Article", "Prices!A3:B3"), ("| Bolt | 2 |", "Prices!A4:B4"),
        ("| Nut | 3 |", "Prices!A6:B6"), ("| Bolt | 2 |\n| Nut | 3 |", "Prices!A4:B6"), ("2 |\n| Nut", "Prices!A4:B6"),
        ("gross", "Prices!D9"), ("| Nut | 3 |\n\nnet\ngross", "Prices!A6:D9"),
        ("gross\n\n## It's", "Prices!D9 – 'It''s'!A1"),
    ],
)  # fmt: skip
def test_a_span_of_a_sheet_covers_the_cells_of_its_lines(words: str, label: str) -> None:
    """A row of the text is a row of the sheet; several lines of one cell are one cell, and nothing is left out."""
    text = "## Prices\n\n| Article | Price |\n|---|---|\n| Bolt | 2 |\n| Nut | 3 |\n\nnet\ngross\n\n## It's\n\n7"
    at = text.index
    sheet = Places(
        kind=PlaceKind.CELL,
        marks=(
            Mark(0, "Prices!A3", "Prices!A3"), Mark(at("| Article"), "Prices!A:B", 0), Mark(at("|-"), "Prices!A:B", -1),
            Mark(at("| Nut"), "Prices!A:B", 0), Mark(at("net"), "Prices!D9", "Prices!D9"),
            Mark(at("## It"), "'It''s'!A1", "'It''s'!A1"),
        ),
    )  # fmt: skip
    begin = at(words)
    span = (begin, begin + len(words))
    for found in (
        sheet.between(*span, text=text),
        sheet.between(*span, text=words, offset=begin, line=text.count("\n", 0, begin) + 1),
        Places.from_json(sheet.to_json(), within=span).between(*span, text=text),
    ):
        assert (found and found.label) == label


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [(0, 10, 1, 1), (9, 11, 1, 2), (10, 20, 2, 2), (5, 25, 1, 3), (29, 30, 3, 3), (29, 31, 3, 5), (30, 40, 5, 5)],
)
def test_a_chunk_that_spans_pages_names_the_first_and_the_last(start: int, end: int, first: int, last: int) -> None:
    """The character at the end is not part of it: a chunk that ends where a page begins is not on that page."""
    assert PAGES.between(start, end, text=TEXT) == place(PlaceKind.PAGE, first, last)


def test_white_space_around_a_span_has_no_place() -> None:
    """A chunk that ends in blank lines does not reach to the page behind them."""
    assert PAGES.between(8, 30, text=" " * 12 + "x" * 5 + "\n" * 23) == place(PlaceKind.PAGE, 2)
    assert PAGES.between(8, 30, text=" " * 40) == place(PlaceKind.PAGE, 1)


def test_text_before_the_first_mark_has_no_place() -> None:
    """Nobody knows the page of a text before the first page; a line is the text's own until a mark says otherwise."""
    late = Places.of(PlaceKind.PAGE, [(10, 1)])
    assert late.between(0, 20, text=TEXT) is None
    assert late.between(10, 20, text=TEXT) == place(PlaceKind.PAGE, 1)
    lines = Places(kind=PlaceKind.LINE, marks=(Mark(4, 7, 7),))
    assert lines.between(0, 7, text="a\nb\nc\nd") == place(PlaceKind.LINE, 1, 11)


def test_a_part_of_the_text_has_the_same_lines_as_the_whole() -> None:
    """A passage counts from the line that it begins in."""
    whole, lines = "a\nb\nc\nd\ne", Places(kind=PlaceKind.LINE, marks=(Mark(4, 10, 10), Mark(6, 10, 12)))
    assert lines.between(4, 7, text=whole) == place(PlaceKind.LINE, 13, 16)
    assert lines.between(4, 7, text=whole[4:7], offset=4, line=3) == place(PlaceKind.LINE, 13, 16)


@given(st.sets(st.integers(0, 60), min_size=1), st.integers(0, 59), st.integers(1, 20))
def test_the_marks_within_a_span_say_what_all_of_them_say(offsets: set[int], start: int, length: int) -> None:
    """A passage keeps only the marks it needs; JSON gives back what was put in."""
    places = Places.of(PlaceKind.PAGE, [(offset, page) for page, offset in enumerate(sorted(offsets), start=1)])
    end = min(60, start + length)
    some = Places.from_json(places.to_json(), within=(start, end))
    assert some.between(start, end, text="x" * 60) == places.between(start, end, text="x" * 60)
    assert Places.from_json(some.to_json()) == some


def test_marks_of_a_range_survive_storing() -> None:
    """A place that is known from one line to another keeps both; a sheet keeps its name."""
    lines = Places(kind=PlaceKind.LINE, marks=(Mark(4, 7, 9), Mark(6, 2, 2)))
    assert lines.to_json() == {"kind": "line", "marks": [[4, 7, 9], [6, 2]]}
    assert Places.from_json(lines.to_json()) == lines
    sheets = Places.of(PlaceKind.SHEET, [(0, "Budget")])
    assert Places.from_json(sheets.to_json()) == sheets


@pytest.mark.parametrize(
    ("uri", "found", "link"),
    [
        ("https://x.org/a.pdf", place(PlaceKind.PAGE, 12, 14), "https://x.org/a.pdf#page=12"),
        ("https://x.org/a.pdf#page=12", place(PlaceKind.PAGE, 12), "https://x.org/a.pdf#page=12"),
        ("https://x.org/a#intro", place(PlaceKind.PAGE, 12), "https://x.org/a#intro"),
        ("https://www.youtube.com/watch?v=ab", place(PlaceKind.SECOND, 75), "https://www.youtube.com/watch?v=ab&t=75s"),
        ("https://youtu.be/ab?t=10", place(PlaceKind.SECOND, 75), "https://youtu.be/ab?t=75s"),
        ("https://youtube.com/watch?t=1m&v=ab&start=9&at=3", place(PlaceKind.SECOND, 75), "https://youtube.com/watch?v=ab&at=3&t=75s"),
        ("https://a.test/b#video=2", place(PlaceKind.SECOND, 75), "https://a.test/b#video=2&t=75"),
        ("https://youtu.be/ab", place(PlaceKind.SECOND, 75, 80), "https://youtu.be/ab?t=75s"),
        ("https://x.org/a.mp4", place(PlaceKind.SECOND, 75), "https://x.org/a.mp4#t=75"),
        (
            "https://github.com/o/r/blob/main/a.md",
            place(PlaceKind.LINE, 10, 42),
            "https://github.com/o/r/blob/main/a.md?plain=1#L10-L42",
        ),
        ("https://github.com/o/r/blob/v1/a.py", place(PlaceKind.LINE, 7), "https://github.com/o/r/blob/v1/a.py?plain=1#L7"),
        (
            "https://git.x.org/o/r/-/blob/main/a.md",
            place(PlaceKind.LINE, 10, 42),
            "https://git.x.org/o/r/-/blob/main/a.md?plain=1#L10-42",
        ),
        ("https://x.org/page", place(PlaceKind.LINE, 10, 42), "https://x.org/page"),
        ("https://x.org/deck", place(PlaceKind.SLIDE, 3), "https://x.org/deck"),
        (
            "https://a.sharepoint.com/_layouts/15/Doc.aspx?sourcedoc=%7B1%7D&activecell=x&action=default",
            place(PlaceKind.CELL, "'It''s'!B14", "'It''s'!F14"),
            "https://a.sharepoint.com/_layouts/15/Doc.aspx?sourcedoc=%7B1%7D&action=default&activeCell=%27It%27%27s%27!B14",
        ),
        ("https://x.org/a.xlsx", place(PlaceKind.CELL, "Prices!B14"), "https://x.org/a.xlsx"),
        ("https://x.org/a?b=1", place(PlaceKind.PART, "?focusedCommentId=12#c"), "https://x.org/a?b=1&focusedCommentId=12#c"),
        ("https://x.org/a", place(PlaceKind.PART, "#Oil", "#Later"), "https://x.org/a#Oil"),
        ("https://x.org/a", place(PlaceKind.PART, ""), "https://x.org/a"),
        ("https://x.org/page", None, "https://x.org/page"),
        ("docs/a.md", place(PlaceKind.LINE, 10), None),
        ("manual.pdf#page=3", place(PlaceKind.PAGE, 3), None),
        ("https://[x", place(PlaceKind.PAGE, 3), None),
        ("javascript:alert(1)", place(PlaceKind.PAGE, 3), None),
    ],
)  # fmt: skip
def test_a_link_opens_at_the_place_where_its_address_can(uri: str, found: PlaceRange | None, link: str | None) -> None:
    """Only what browsers and hosts understand is added; what is no address of the web has no link."""
    assert link_to(uri, found) == link


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://files.x.org/a.PDF", "https://files.x.org/a.PDF#page=12"),
        ("https://mail.x.org/?id=7@x.org", "https://mail.x.org/?id=7@x.org"),
        ("https://cloud.x.org/f/7", "https://cloud.x.org/f/7"),
    ],
)
def test_a_page_belongs_to_a_file_alone(address: str, link: str) -> None:
    """Not to the message that it is attached to, nor to a page that shows it."""
    assert link_to("mid:7@x.org#part=1/a.pdf", place(PlaceKind.PAGE, 12, address=address)) == link
