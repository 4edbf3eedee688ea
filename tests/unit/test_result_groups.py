"""A search counts documents, and those of one stand together (RET-6)."""

from headwater.retrieval.result_groups import BENEATH, behind, group_passages, is_short, select_visible
from tests.passages import passage

FOUND = [
    passage(uri=uri, position=position, rank=rank)
    for rank, (uri, position) in enumerate(
        [("a", 0), ("a", 1), ("b", 0), ("a", 2), ("c", 0), ("b", 1), ("a", 3), ("a", 4), ("d", 0)], start=1
    )
]


def _places(passages: object) -> list[str]:
    return [f"{one.uri}{one.position}" for one in passages]  # type: ignore[attr-defined]


def test_documents_are_counted_and_their_other_passages_stand_beneath() -> None:
    """Two documents are wanted: what ranks before the third document's first passage is shown, nothing behind it."""
    chosen = select_visible(FOUND, 2, "document")
    assert _places(chosen) == ["a0", "a1", "b0", "a2"]
    assert [_places(group) for group in group_passages(chosen, "document")] == [["a0", "a1", "a2"], ["b0"]]


def test_passages_are_counted_where_that_is_wanted() -> None:
    """The first passages, whosesoever, each on its own."""
    chosen = select_visible(FOUND, 2, "passage")
    assert _places(chosen) == ["a0", "a1"]
    assert [_places(group) for group in group_passages(chosen, "passage")] == [["a0"], ["a1"]]


def test_a_document_shows_few_of_many_passages() -> None:
    """However many of its passages were found."""
    found = [passage(uri="a", position=position) for position in range(20)]
    assert len(select_visible(found, 2, "document")) == 1 + BENEATH
    assert is_short(found, 5, "document")
    assert not is_short(found, 1, "document")
    assert not is_short(found, 5, "passage")


def test_what_is_not_shown_has_its_place_and_a_reason() -> None:
    """A document too many, or a passage too many of a document that is shown; each passage is shown or named once."""
    dropped = behind(FOUND, 2, "document")
    assert [(_places([one.passage])[0], one.passage.rank, one.reason) for one in dropped][:2] == [
        ("c0", 5, "Its document has rank 3, but 2 were requested."),
        ("b1", 6, "Better passages of its document are shown."),
    ]
    together = [one.passage.chunk_id for one in dropped] + [
        one.chunk_id for one in select_visible(FOUND, 2, "document")
    ]
    assert sorted(together) == sorted(one.chunk_id for one in FOUND)
    assert behind(FOUND, 8, "passage")[0].reason == "It has rank 9, but 8 were requested."


def test_what_ranks_first_is_shown_however_it_is_grouped() -> None:
    """Whatever a search for as many passages shows is among the documents' passages, even if all are of one."""
    found = [passage(uri="a", position=position, rank=position + 1) for position in range(12)]
    for limit in (1, 5, 8):
        together = {one.chunk_id for one in select_visible(found, limit, "document")}
        assert {one.chunk_id for one in select_visible(found, limit, "passage")} <= together
    assert len(select_visible(found, 8, "document")) == 8
