"""Rows of the store as objects."""

from dataclasses import dataclass

import pytest

from headwater.store.server.typed_rows import from_row


@dataclass(frozen=True, kw_only=True, slots=True)
class _Lamp:
    name: str
    colours: tuple[str, ...] | None
    watts: int = 40


def test_a_field_is_the_column_of_its_name() -> None:
    """An array becomes a tuple, so that the object is completely frozen; superfluous columns are ignored."""
    row = {"name": "desk", "colours": ["red", "blue"], "watts": 5, "owner": "nobody"}
    assert from_row(_Lamp, row) == _Lamp(name="desk", colours=("red", "blue"), watts=5)
    assert from_row(_Lamp, {**row, "colours": None}).colours is None


def test_what_is_given_takes_the_place_of_a_column() -> None:
    """For a field that is not simply one column."""
    assert from_row(_Lamp, {"name": "desk", "watts": 5, "colours": "red blue"}, colours=("red", "blue")).colours == (
        "red", "blue",
    )  # fmt: skip


def test_a_column_that_is_missing_is_an_error() -> None:
    """Even where the field has a default: a query that forgot it would say something wrong."""
    with pytest.raises(KeyError):
        from_row(_Lamp, {"name": "desk", "colours": []})
