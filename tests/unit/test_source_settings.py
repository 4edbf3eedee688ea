"""How a source is kept, as it is written (SRC-10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from headwater.domain.source_settings import SourceSettings, format_interval, parse_interval


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("15m", 900),
        ("6h", 21_600),
        ("1d", 86_400),
        ("90s", 90),
        ("900", 900),
        (60, 60),
        ("365d", 31_536_000),
        (None, None),
    ],
)
def test_an_interval_is_a_number_with_a_unit_or_of_seconds(written: object, seconds: int | None) -> None:
    """And no interval is none."""
    assert parse_interval(written) == seconds


@pytest.mark.parametrize(
    "written", ["", "m", "1w", "1.5h", "-1d", 59, "59s", "366d", 10**12, True, 90.0, ["1h"], "1 h", "٣h"]
)
def test_what_is_no_interval_is_refused(written: object) -> None:
    """So is one shorter than a minute or longer than a year; the message says what would do."""
    with pytest.raises(ValidationError, match=r"must be (a number of seconds|at least 60s)"):
        SourceSettings.model_validate({"refresh": written})


@given(st.integers(min_value=60, max_value=31_536_000))
def test_an_interval_is_read_as_it_was_written(seconds: int) -> None:
    """Formatting loses nothing."""
    assert parse_interval(format_interval(seconds)) == seconds


def test_intervals_are_shown_in_the_largest_unit() -> None:
    """So that 900 comes back as people say it."""
    assert [format_interval(seconds) for seconds in (90, 900, 7200, 172_800)] == ["90s", "15m", "2h", "2d"]


def test_tags_and_category_have_one_form() -> None:
    """Applying them in another order, or with other slashes, changes nothing."""
    settings = SourceSettings.model_validate({"tags": ["b", "a", "b"], "category": "/guides / kitchen/"})
    assert (settings.tags, settings.category) == (("a", "b"), "guides/kitchen")


@pytest.mark.parametrize(
    "wrong", [{"tags": ["No Slug"]}, {"tags": "a"}, {"category": "a\x00b"}, {"category": "x" * 201}]
)
def test_tags_and_category_are_checked(wrong: dict[str, object]) -> None:
    """Tags are slugs; a category is a path of at most 200 characters."""
    with pytest.raises(ValidationError):
        SourceSettings.model_validate(wrong)
