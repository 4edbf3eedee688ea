"""What people call the summaries of a tree (UI-4)."""

import pytest

from headwater.domain.summaries import NodeKind
from query_api.pages.contents import title_of


@pytest.mark.parametrize(
    ("kind", "below", "title"),
    [
        (NodeKind.GROUP, ("Pump", "Mill"), "Pump – Mill"),
        (NodeKind.GROUP, ("Axle – Pump", "Rope – Wheel"), "Axle – Wheel"),
        (NodeKind.GROUP, ("Pump", "Pump"), "Pump"),
        (NodeKind.GROUP, ("Pump",), "Group of 2 parts"),  # the last one is not loaded
        (NodeKind.GROUP, (), "Group of 2 parts"),
        (NodeKind.DOCUMENT, ("Pump", "Mill"), "Manual"),
        (NodeKind.PIECE, (), "Part 3 of Manual"),
    ],
)
def test_a_group_is_called_by_its_parts(kind: NodeKind, below: tuple[str, ...], title: str) -> None:
    """By the first and the last one, through several levels; without them only their number is known."""
    assert title_of(kind, "Manual", 2, 2, below) == title
