"""Places of a text: which range a span has, how it is shown, where it opens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.places import Mark, PlaceKind, PlaceRange, Places, link_to

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
    ],
)
def test_ranges_that_touch_are_joined(one: PlaceRange, other: PlaceRange, label: str | None) -> None:
    """In either order; nothing that lies between two places is claimed (ANS-3)."""
    for joined in (one.joined(other), other.joined(one)):
        assert (joined and joined.label) == label


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
