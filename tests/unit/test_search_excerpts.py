"""Excerpts on the search page: without the signs of markdown, with the words of the query marked."""

import pytest

from query_api.pages.search import _pieces
from query_api.routes.search_payloads import ExcerptPayload


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It has *three* legs, _all_ **red**.", "It has three legs, all red."),
        ("## Legs\nIt has *three red* legs.", "Legs\nIt has three red legs."),
        ("three times 2 * 3 * 4, three * and my_three_names", "three times 2 * 3 * 4, three * and my_three_names"),
    ],
)
def test_signs_of_emphasis_are_not_shown(text: str, shown: str) -> None:
    """Also around a word of the query; signs that emphasise nothing stay."""
    start = text.index("three")
    matches = [{"start": start, "end": start + 5}]
    excerpt = ExcerptPayload.model_validate({"text": text, "start": 0, "end": len(text), "matches": matches})
    pieces = list(_pieces(excerpt))
    assert "".join(piece for piece, _ in pieces) == shown
    assert [piece for piece, is_match in pieces if is_match] == ["three"]
