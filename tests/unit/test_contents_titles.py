"""What people call the summaries of a tree (UI-4)."""

import pytest

from headwater.domain.summaries import NodeKind
from query_api.pages.contents import title_of


@pytest.mark.parametrize(
    ("kind", "ends", "title"),
    [
        (NodeKind.GROUP, ("Axle", "Wheel"), "Axle – Wheel"),
        (NodeKind.GROUP, ("Pump", "Pump"), "Pump"),
        (NodeKind.GROUP, None, "Group of 2 parts"),
        (NodeKind.DOCUMENT, ("Pump", "Mill"), "Manual"),
        (NodeKind.PIECE, None, "Part 3 of Manual"),
    ],
)
def test_a_group_is_called_by_its_documents(kind: NodeKind, ends: tuple[str, str] | None, title: str) -> None:
    """By the first and the last one below it, however deep; without documents only the number of its parts is known."""
    assert title_of(kind, "Manual", 2, 2, ends) == title
