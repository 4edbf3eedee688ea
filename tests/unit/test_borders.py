"""Borders that an edit leaves where they were (CHK-5)."""

from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from headwater.chunking.chunker import chunk_text
from headwater.chunking.packer import Sizes
from headwater.domain.documents import Chunk

SIZES = Sizes(maximum=300, minimum=80, overlap=40)
PARTS = st.lists(
    st.sampled_from(
        ["# One", "## Two", "```\ncode\nmore\n```", "- item\n- other", "Short.", "A sentence here. " * 6, "\u2028"]
    )
    | st.text(max_size=60),
    max_size=25,
)
TYPES = st.sampled_from(["text/markdown", "text/plain"])


def cut(text: str, media_type: str, before: list[Chunk] | None = None) -> list[Chunk]:
    pieces = [chunk.text[chunk.overlap :] for chunk in before or []]
    return chunk_text(text, title="T", media_type=media_type, settings=asdict(SIZES), before=pieces)


def check(text: str, chunks: list[Chunk]) -> None:
    assert "".join(chunk.text[chunk.overlap :] for chunk in chunks) == (text if text.strip() else "")
    assert all(chunk.text.strip() and text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


@given(PARTS, PARTS, PARTS, PARTS, TYPES)
def test_whatever_the_edit_the_document_is_tiled(
    front: list[str], old: list[str], new: list[str], back: list[str], media_type: str
) -> None:
    """Replacing any part by any other loses nothing, keeps offsets right, and makes no blank chunk (CHK-2)."""
    before = "\n\n".join([*front, *old, *back])
    after = "\n\n".join([*front, *new, *back])
    check(after, cut(after, media_type, cut(before, media_type)))


@given(PARTS, TYPES)
def test_an_unchanged_text_is_cut_as_before(parts: list[str], media_type: str) -> None:
    """The previous version decides, whichever chunker split it."""
    text = "\n\n".join(parts)
    once = cut(text, media_type)
    assert cut(text, media_type, once) == once


def test_what_is_put_in_between_is_cut_by_itself() -> None:
    """A new section is a chunk; its neighbours are as they were."""
    sections = [f"## Part {n}\n\n" + f"Sentence {n} about the pump and its valve. " * 4 + "\n\n" for n in range(6)]
    old = cut("".join(sections), "text/markdown")
    added = "## New\n\n" + "Another matter altogether is told here. " * 4 + "\n\n"
    new = cut("".join([*sections[:3], added, *sections[3:]]), "text/markdown", old)
    assert [chunk.text for chunk in new if chunk.text not in {o.text for o in old}] == [added]


def test_a_short_paragraph_put_in_joins_the_one_before() -> None:
    """No splinter of a line is left between two chunks."""
    text = "\n\n".join(
        f"Paragraph {n} tells of river {n * 31} and of what it carries to the sea. " * 2 for n in range(8)
    )
    old = cut(text, "text/plain")
    place = old[1].end
    new = cut(text[:place] + "A short one.\n\n" + text[place:], "text/plain", old)
    assert len(new) == len(old)


def test_a_heading_put_into_a_chunk_parts_it() -> None:
    """An edit that changes the structure is cut afresh."""
    first, second = "First matter. " * 8, "Second matter. " * 8
    old = cut(f"## A\n\n{first}\n\n{second}\n", "text/markdown")
    assert len(old) == 1
    new = cut(f"## A\n\n{first}\n\n## B\n\n{second}\n", "text/markdown", old)
    assert [chunk.breadcrumb[-1] for chunk in new] == ["A", "B"]


def test_a_piece_that_outgrows_the_maximum_is_cut() -> None:
    """Only that piece; the rest keeps its borders."""
    text = "\n\n".join(
        f"Paragraph {n} tells of river {n * 31} and of what it carries to the sea. " * 2 for n in range(8)
    )
    old = cut(text, "text/plain")
    grown = text.replace("Paragraph 3 tells", "Paragraph 3 at great length " + "and again " * 30 + "tells", 1)
    new = cut(grown, "text/plain", old)
    assert all(len(chunk.text) <= SIZES.maximum for chunk in new)
    assert {chunk.text for chunk in old[:2]} <= {chunk.text for chunk in new}
    assert old[-1].text in {chunk.text for chunk in new}
