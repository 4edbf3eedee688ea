"""Words and numbers as the pages write them (UI-1 to UI-5)."""

import pytest

from query_api.pages.catalogue import trust_words
from query_api.pages.page_renderer import dollars
from query_api.pages.source_views import schedule_words
from query_api.pages.turns import shorten_text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0 3 * * *", "daily at 03:00"),
        ("15 17 * * 1-5", "Monday to Friday at 17:15"),
        ("*/5 3 * * *", "at */5 3 * * *"),
        ("0 3 1 * *", "at 0 3 1 * *"),
        ("0 3 * * 0", "at 0 3 * * 0"),
    ],
)
def test_a_simple_cron_line_is_said_in_words(line: str, words: str) -> None:
    """Another one stands as it is, rather than as words that are nearly right."""
    assert schedule_words(line) == words


@pytest.mark.parametrize(
    ("amount", "words"), [(0, "$0.00"), (0.00042, "$0.0004"), (0.02, "$0.0200"), (5, "$5.00"), (1234.5, "$1,234.5")]
)
def test_an_amount_below_a_dollar_has_four_decimals(amount: float, words: str) -> None:
    """An answer costs less than a cent; nothing and whole dollars need no more than cents."""
    assert dollars(amount) == words


def test_an_excerpt_ends_with_a_word() -> None:
    """Without the signs of headings and of bold; a text that fits is whole."""
    text = "## Pumps\n\nThe **pump** lifts forty litres per minute."
    assert shorten_text(text, 100) == "Pumps\n\nThe pump lifts forty litres per minute."
    assert shorten_text(text, 20) == "Pumps\n\nThe pump…"


def test_trust_has_two_decimals() -> None:
    """Like the colour beside it, it is for people."""
    assert trust_words(0.9149) == "trust 0.91"
