"""Pictures of summary trees: whatever a source says, they are safe, and they fit (SUM-3)."""

from datetime import UTC, datetime
from itertools import pairwise
from urllib.parse import quote
from uuid import UUID
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.summaries import NodeKind, SummaryNode
from query_api.tree_drawing import DrawnTree, draw_trees

_SVG = "{http://www.w3.org/2000/svg}"


def _parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314 - our own


def _node(number: int, *, parent: int | None, kind: NodeKind, title: str, text: str, children: int = 0) -> SummaryNode:
    return SummaryNode(
        id=UUID(int=number),
        kind=kind,
        parent_id=None if parent is None else UUID(int=parent),
        position=number,
        depth=0 if parent is None else 1,
        source="docs",
        title=title,
        uri=None,
        document_id=None,
        text=text,
        model="builtin/extractive",
        prompt_version="1",
        run_id="run",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        child_count=children,
        chunk_count=0,
    )


def _tree(*below: SummaryNode, source: str = "docs", text: str = "All of it.", children: int = 0) -> DrawnTree:
    top = _node(0, parent=None, kind=NodeKind.SOURCE, title="", text=text, children=children or len(below))
    return DrawnTree(source=source, nodes=(top, *below))


@given(st.text(), st.text(), st.text())
def test_any_text_makes_a_well_formed_picture(name: str, title: str, text: str) -> None:
    """Nothing of a source becomes an element, an attribute or a style."""
    document = _node(1, parent=0, kind=NodeKind.DOCUMENT, title=title, text=text)
    drawn = _parsed(draw_trees(name, [_tree(document, source=title, text=text)]))
    assert {one.tag for one in drawn.iter()} <= {
        f"{_SVG}{tag}" for tag in ("svg", "title", "style", "rect", "path", "a", "g", "text")
    }
    assert len(list(drawn.iter(f"{_SVG}a"))) == 2


def test_hostile_text_stays_text() -> None:
    """Markup, scripts and addresses that run something."""
    evil = '</text><script>alert(1)</script><a href="javascript:alert(1)">&"\' ]]> <![CDATA['
    document = _node(1, parent=0, kind=NodeKind.DOCUMENT, title=evil, text=f"{evil}: {evil}")
    drawn = draw_trees(evil, [_tree(document, source=evil, text=evil)], root="http://127.0.0.1:8080")
    assert "<script" not in drawn
    links = [one.get("href") for one in _parsed(drawn).iter(f"{_SVG}a")]
    pages = f"http://127.0.0.1:8080/kb/{quote(evil, safe='')}/summaries"
    assert links == [f"{pages}/{UUID(int=number)}" for number in (0, 1)]


@pytest.mark.parametrize("word", ["word ", "長い文章", "w" * 300, "한국어 "])
def test_no_line_is_wider_than_its_box(word: str) -> None:
    """Whether words are short, wide or endless; what is cut ends with dots."""
    document = _node(1, parent=0, kind=NodeKind.DOCUMENT, title=word * 40, text=word * 90)
    drawn = _parsed(draw_trees("kb", [_tree(document)]))
    lines = [one for one in drawn.iter(f"{_SVG}text") if one.get("class") in ("title", "line")]
    for line in lines:
        units = sum(2 if ord(character) > 0x1100 and character != "…" else 1 for character in line.text or "")
        assert units <= (40 if line.get("class") == "title" else 47)
    assert any((line.text or "").endswith("…") for line in lines)


def test_boxes_do_not_overlap_and_levels_left_out_are_counted() -> None:
    """Each is in its own row; a node says how many below it are not shown."""
    groups = [_node(n, parent=0, kind=NodeKind.GROUP, title="", text=f"Group {n}.", children=n) for n in range(1, 9)]
    text = draw_trees("kb", [_tree(*groups), _tree(*groups, source="notes", children=12)])
    drawn = _parsed(text)
    boxes = [(float(one.get("x") or 0), float(one.get("y") or 0)) for one in drawn.iter(f"{_SVG}rect")
             if one.get("class") == "box"]  # fmt: skip
    assert len(boxes) == len(set(boxes)) == 2 * 9 + 1
    heights = sorted(y for x, y in boxes if x == max(x for x, _ in boxes))
    assert min(after - before for before, after in pairwise(heights)) >= 72
    assert "group, 3 below" in text
    assert "source, 4 below" in text
    assert draw_trees("kb", [_tree(*groups), _tree(*groups, source="notes", children=12)]) == text


def test_no_tree_is_a_picture_that_says_so() -> None:
    """Not an error."""
    assert "It has no summaries." in draw_trees("kb", [])
