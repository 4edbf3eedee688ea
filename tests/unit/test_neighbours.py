"""Hits of one document and what stands beside them (RET-6).

Belongs here: merging and adding, over cuts of a text. Not here: reading chunks.
"""

from dataclasses import replace
from itertools import pairwise
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.search import Passage
from headwater.retrieval.neighbours import CLOSEST, DOCUMENTS, closest, merge_neighbours
from tests.passages import passage

TEXT = "".join(f"Sentence {number} of the text. " for number in range(40))


def cut(uri: str = "a", size: int = 50, overlap: int = 0, text: str = TEXT) -> list[Passage]:
    """A document's chunks, none of them ranked."""
    borders = [*range(0, len(text), size), len(text)]
    return [
        passage(
            text[max(0, start - overlap) : end],
            uri=uri,
            position=number,
            start=max(0, start - overlap),
            line=number + 1,
            breadcrumb=("Guide", f"Part {number}"),
        )
        for number, (start, end) in enumerate(pairwise(borders))
    ]


def hits(*chunks: Passage) -> list[Passage]:
    """Chunks as they were found, best first."""
    return [replace(chunk, rank=rank, score=1 / rank) for rank, chunk in enumerate(chunks, start=1)]


def test_hits_that_touch_become_one() -> None:
    """The best one's ids and score, the text of all; what they share of headings."""
    chunks = cut()
    (merged,) = merge_neighbours(hits(chunks[3], chunks[4], chunks[2]))
    assert (merged.start, merged.end, merged.text) == (100, 250, TEXT[100:250])
    assert (merged.chunk_id, merged.score, merged.rank) == (chunks[3].chunk_id, 1, 1)
    assert (merged.line, merged.position, merged.breadcrumb) == (3, 2, ("Guide",))


def test_what_they_repeat_is_there_once() -> None:
    """By offsets, not by comparing text."""
    chunks = cut(overlap=20)
    (merged,) = merge_neighbours(hits(chunks[1], chunks[2]))
    assert merged.text == TEXT[30:150] == TEXT[merged.start : merged.end]


def test_hits_apart_stay_apart() -> None:
    """In the same document, in others, in another version."""
    chunks = cut()
    other = replace(chunks[2], document_version_id=UUID(int=1), chunk_id=UUID(int=2))
    found = hits(chunks[1], chunks[3], cut("b")[2], other)
    assert [(p.uri, p.text, p.rank) for p in merge_neighbours(found)] == [
        (hit.uri, hit.text, rank) for rank, hit in enumerate(found, start=1)
    ]


def test_a_chunk_within_another_adds_nothing() -> None:
    """As a section's child, which traversal brought."""
    section = passage(TEXT[:200], start=0)
    child = passage(TEXT[50:100], start=50, position=1)
    assert [p.text for p in merge_neighbours(hits(child, section))] == [TEXT[:200]]


def test_the_closest_chunks_join_their_hits() -> None:
    """Five, nearest first, and the earlier of two as near; one that touches nothing is left out."""
    chunks = cut()
    (merged,) = merge_neighbours(hits(chunks[10]), chunks)
    assert (merged.start, merged.end) == (350, 650)
    assert merged.text == TEXT[350:650]
    (alone,) = merge_neighbours(hits(chunks[10]), [chunks[5], chunks[-1]])
    assert alone.text == chunks[10].text


def test_only_the_best_documents_are_read_around() -> None:
    """Three of them, whichever have the best hits."""
    documents = [cut(name) for name in "abcd"]
    nearby = [chunk for chunks in documents for chunk in chunks]
    found = hits(*(chunks[10] for chunks in documents))
    added = closest(found, nearby)
    assert {chunk.uri for chunk in added} == set("abc")
    assert len(added) == DOCUMENTS * CLOSEST
    *grown, last = merge_neighbours(found, nearby)
    assert [len(p.text) for p in grown] == [300, 300, 300]
    assert last.text == documents[3][10].text


def test_nothing_found_stays_nothing() -> None:
    """Whatever is nearby."""
    assert merge_neighbours([], cut()) == []


@given(st.data())
def test_merged_text_is_the_documents(data: st.DataObject) -> None:
    """Whatever cut, overlap and hits: exact, nothing twice, no hit lost."""
    size = data.draw(st.integers(5, 200))
    overlap = data.draw(st.integers(0, size))
    chunks = cut(size=size, overlap=overlap)
    found = hits(*data.draw(st.lists(st.sampled_from(chunks), unique_by=id, max_size=8)))
    nearby = data.draw(st.lists(st.sampled_from(chunks), unique_by=id))
    merged = merge_neighbours(found, nearby)
    assert all(p.text == TEXT[p.start : p.end] for p in merged)
    spans = sorted((p.start, p.end) for p in merged)
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    assert all(any(start <= hit.start and hit.end <= end for start, end in spans) for hit in found)
    assert [p.rank for p in merged] == list(range(1, len(merged) + 1))
    assert [p.score for p in merged] == sorted((p.score for p in merged), reverse=True)
