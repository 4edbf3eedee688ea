"""Pictures of neighbourhoods: every neighbour is in them, and no text can add to them."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.drawing.neighbourhood import ROW_LIMIT, Group, Node, neighbourhood_svg

SVG = "{http://www.w3.org/2000/svg}"


def draw(count: int, other: int = 0, **node: str) -> ElementTree.Element:
    """A picture with neighbours on the left and on the right."""
    nodes = [Node(name=f"neighbour {number}", detail=f"a.py:{number}", **node) for number in range(count)]
    left = [Group(title="called by", kind="calls", nodes=nodes)]
    right = [Group(title="imports", kind="imports", nodes=nodes[:other])]
    return ElementTree.fromstring(neighbourhood_svg(Node(name="pump", detail="p.py:1"), left, right))  # noqa: S314 - ours


def boxes(picture: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    """The boxes: left, top, right, bottom."""
    found = [one for one in picture.iter(f"{SVG}rect") if one.get("class") == "box"]
    sizes = [[float(one.get(name, "0")) for name in ("x", "y", "width", "height")] for one in found]
    return [(x, y, x + width, y + height) for x, y, width, height in sizes]


@pytest.mark.parametrize(("count", "other"), [(0, 0), (1, 0), (3, 2), (12, 12), (60, 20), (200, 200)])
def test_boxes_are_in_the_picture_and_do_not_overlap(count: int, other: int) -> None:
    """All neighbours up to the limit have one; the rest is counted."""
    picture = draw(count, other)
    width, height = float(picture.get("width", "0")), float(picture.get("height", "0"))
    found = boxes(picture)
    assert len(found) == 1 + min(count, ROW_LIMIT) + min(other, ROW_LIMIT)
    assert all(x >= 0 and y >= 0 and right <= width and bottom <= height for x, y, right, bottom in found)
    pairs = [(a, b) for place, a in enumerate(found) for b in found[:place]]
    assert not [pair for pair in pairs if _overlap(*pair)]
    words = ["".join(one.itertext()) for one in picture.iter(f"{SVG}text")]
    assert (f"and {count - ROW_LIMIT} more" in words) == (count > ROW_LIMIT)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize(
    ("address", "is_link"), [('http://127.0.0.1/a?b="c&d', True), ("javascript:alert(1)", False), ("", False)]
)
def test_only_addresses_become_links(address: str, is_link: bool) -> None:
    """A script is none."""
    found = [one.get("href") for one in draw(1, address=address).iter(f"{SVG}a")]
    assert found == ([address] if is_link else [])


@given(st.text(max_size=300), st.text(max_size=300))
def test_texts_are_only_texts(name: str, detail: str) -> None:
    """Whatever they contain, the picture has the same elements; a long one is shortened."""
    node = Node(name=name, detail=detail)
    svg = neighbourhood_svg(node, [Group(title="calls", kind="calls", nodes=[node])], [])
    visible = "".join(sign for sign in svg if sign.isprintable() or sign == "\n")
    picture = ElementTree.fromstring(visible)  # noqa: S314 - ours
    assert sorted(one.tag for one in picture.iter()) == sorted(one.tag for one in draw(1).iter())
    assert all(len("".join(one.itertext())) < 60 for one in picture.iter(f"{SVG}text"))
