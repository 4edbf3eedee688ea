"""Plain text into chunks.

Belongs here: properties of the prose chunker, its overlap and its sizes. Not here: markdown, packing by itself.
"""

from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.chunking.chunker import chunk_ids, chunk_settings, chunk_text, settings_hash
from headwater.chunking.packer import SNIPPET_LIMIT, Sizes
from headwater.domain.documents import Chunk, ChunkKind
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings

SIZES = Sizes(maximum=1000, minimum=300, overlap=0)
WITH_OVERLAP = Sizes(maximum=1000, minimum=300, overlap=100)
DOCUMENT = UUID(int=7)

WORDS = st.text(min_size=1, max_size=12)
SENTENCES = st.lists(WORDS, min_size=1, max_size=15).map(lambda words: " ".join(words) + ". ")
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=8).map(lambda sentences: "".join(sentences) + "\n\n")
TEXTS = st.text() | st.lists(PARAGRAPHS, max_size=8).map("".join) | st.text("a \n\t.\r\u2028\U0001f600", max_size=3000)
SMALL = st.builds(
    lambda maximum, minimum, overlap: Sizes(maximum=maximum, minimum=minimum, overlap=overlap),
    st.integers(200, 600),
    st.integers(1, 100),
    st.integers(0, 100),
)


def essay(count: int) -> str:
    """Paragraphs of three sentences, all different."""
    return "\n\n".join(
        f"Paragraph {i} opens with its number. It names the river {i * 7919 % 1000} and the town {i * 104729 % 997}. "
        f"It closes with the year {1000 + i * 31 % 900}, which is a fine year."
        for i in range(count)
    )


def chunk_prose(text: str, title: str, sizes: Sizes, before: Sequence[Chunk] = ()) -> list[Chunk]:
    pieces = [chunk.text[chunk.overlap :] for chunk in before]
    return chunk_text(text, title=title, media_type="text/plain", settings=asdict(sizes), before=pieces)


def check(text: str, chunks: list[Chunk], sizes: Sizes) -> None:
    assert "".join(chunk.text[chunk.overlap :] for chunk in chunks) == (text if text.strip() else "")
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.kind is ChunkKind.PROSE
        assert chunk.text.strip()
        assert chunk.line == text.count("\n", 0, chunk.start) + 1
        assert 0 <= chunk.overlap <= sizes.overlap
        assert len(chunk.text.strip()) <= sizes.maximum or has_blank_run(chunk.text)
        assert chunk.parent is None
        assert 0 <= chunk.quality <= 1
        assert chunk.token_count > 0
    if len(chunks) > 1 and len(chunks[-1].text) - chunks[-1].overlap < sizes.minimum:
        before = chunks[-2].start + chunks[-2].overlap
        assert chunks[-1].end - before > sizes.maximum - sizes.overlap


def has_blank_run(text: str) -> bool:
    """White space on its own may take a chunk beyond the maximum, as it joins a neighbour."""
    return len(" ".join(text.split())) < len(text.strip())


@given(TEXTS, SMALL)
def test_chunks_laid_end_to_end_are_the_document(text: str, sizes: Sizes) -> None:
    """Without their overlap, chunks give the document back; none is blank or too large; offsets are right (CHK-2)."""
    chunks = chunk_prose(text, "", sizes)
    check(text, chunks, sizes)
    assert chunk_prose(text, "", sizes) == chunks


@given(st.integers(1, 40), SMALL)
def test_ordinary_text_keeps_to_the_maximum(count: int, sizes: Sizes) -> None:
    """Where there are no runs of white space, no chunk is beyond the maximum, overlap included (CHK-2)."""
    text = essay(count)
    chunks = chunk_prose(text, "Essay", sizes)
    check(text, chunks, sizes)
    assert all(len(chunk.text.strip()) <= sizes.maximum for chunk in chunks)
    assert all(chunk.breadcrumb == ("Essay",) for chunk in chunks)


def test_a_text_within_the_maximum_is_one_chunk() -> None:
    """A text that fits is not split, even if it is short."""
    text = "Short. And done.\n"
    (chunk,) = chunk_prose(text, "", WITH_OVERLAP)
    assert (chunk.text, chunk.breadcrumb, chunk.line, chunk.overlap) == (text, (), 1, 0)


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\n", "\u3000"])
def test_a_text_without_a_visible_character_has_no_chunks(text: str) -> None:
    """Blank text is nothing to search for."""
    assert chunk_prose(text, "Title", SIZES) == []


def test_overlap_begins_with_a_sentence() -> None:
    """The overlap is whole sentences where one fits (CHK-1)."""
    chunks = chunk_prose(essay(20), "", WITH_OVERLAP)
    assert len(chunks) > 3
    assert chunks[0].overlap == 0
    for chunk in chunks[1:]:
        assert 60 <= chunk.overlap <= 100
    assert sum(chunk.text.startswith(("Paragraph", "It")) for chunk in chunks[1:]) > 0.4 * len(chunks)


@pytest.mark.parametrize(
    "sentence",
    ["Go. ", "It rains on the lake. ", "The pump number nine feeds the large lake in the north of the town, too. "],
)
def test_overlap_is_near_what_is_wanted(sentence: str) -> None:
    """Neither one short sentence of many nor nothing beside a long one: 60 to 100 characters (CHK-1)."""
    chunks = chunk_prose(sentence * (4_000 // len(sentence)), "", WITH_OVERLAP)
    assert len(chunks) > 2
    assert all(60 <= chunk.overlap <= 100 for chunk in chunks[1:])
    assert all(chunk.text.startswith(sentence) for chunk in chunks[1:])


def test_overlap_of_a_script_without_spaces_is_characters() -> None:
    """A sentence of Japanese begins the overlap where one fits, else a character does."""
    sentence = "湖の水は春になると北の町へ流れて行き、夏には畑をうるおし、秋には魚を育てる。"
    for text in (sentence * 60, sentence.replace("。", "、") * 60):
        chunks = chunk_prose(text, "", WITH_OVERLAP)
        check(text, chunks, WITH_OVERLAP)
        assert all(60 <= chunk.overlap <= 100 for chunk in chunks[1:])


def test_overlap_of_long_sentences_begins_with_a_word() -> None:
    """Where no sentence fits, the overlap is whole words."""
    text = "lantern " * 400
    chunks = chunk_prose(text, "", WITH_OVERLAP)
    assert all(chunk.overlap and chunk.text.startswith("lantern ") for chunk in chunks[1:])


def test_a_short_last_piece_joins_the_one_before() -> None:
    """No chunk of ordinary text is below the minimum (CHK-2)."""
    text = essay(30) + "\n\nThe end."
    assert min(len(chunk.text) for chunk in chunk_prose(text, "", SIZES)) >= 300


# Code

FENCED = "```python\nfirst = 1\n\nsecond = 2\n```\n"
INDENTED = "    for pump in pumps:\n        pump.start()\n\n    report(pumps)\n"


@pytest.mark.parametrize("code", [FENCED, FENCED.replace("`", "~"), INDENTED, INDENTED.replace("    ", "\t")])
def test_code_of_several_lines_is_kept_out_of_the_prose(code: str) -> None:
    """Plain text shows its code with the chunk, and does not embed it (CHK-4)."""
    text = f"Before it.\n\n{code}\nAfter it.\n"
    (chunk,) = chunk_prose(text, "", WITH_OVERLAP)
    assert chunk.text == text
    assert "".join(chunk.prose.split()) == "Beforeit.Afterit."


@pytest.mark.parametrize(
    "block",
    [
        "Run `make demo` now.\n",
        "```\nmake demo\n```\n",
        "    make demo\n",
        "    Two roads diverged in a wood, and I,\n    I took the one less traveled by.\n",
        "    12 Harbour Street\n    Northport\n",
        "```\nnever closed\nsecond line\n",
        "1. First\n    and more of it\n    and yet more of it\n",
    ],
)
def test_one_line_code_and_what_is_no_code_stays_in_the_prose(block: str) -> None:
    """Verse and addresses are indented, too (CHK-4)."""
    (chunk,) = chunk_prose(f"Before it.\n\n{block}\nAfter it.\n", "", WITH_OVERLAP)
    assert chunk.prose == chunk.text


def test_code_stays_whole_and_counts_apart() -> None:
    """A block of up to `SNIPPET_LIMIT` times the maximum is in one chunk; a longer one is cut; none is repeated."""
    line = "value = compute(value)\n"
    for count, pieces in ((150, [1]), (400, [3, 4, 5])):
        text = f"{essay(3)}\n\n```\n{line * count}```\n\n{essay(12)}"
        chunks = chunk_prose(text, "", WITH_OVERLAP)
        assert "".join(chunk.text[chunk.overlap :] for chunk in chunks) == text
        assert len([chunk for chunk in chunks if line in chunk.text]) in pieces
        assert not any("compute" in chunk.prose for chunk in chunks if chunk.prose != chunk.text)
        assert all(line not in chunk.text[: chunk.overlap] for chunk in chunks)
        assert all(len(chunk.text) <= (SNIPPET_LIMIT + 1) * 1000 for chunk in chunks)


def test_another_word_leaves_the_other_chunks_alone() -> None:
    """Chunks that do not hold the edited paragraph keep text and id (CHK-5)."""
    settings = settings_hash(chunk_settings(KnowledgeBaseSettings()))
    text = essay(60)
    old = chunk_prose(text, "", SIZES)
    before = set(chunk_ids(DOCUMENT, settings, old))
    for number in range(60):
        edited = text.replace(f"Paragraph {number} opens", f"Paragraph {number} commences")
        after = set(chunk_ids(DOCUMENT, settings, chunk_prose(edited, "", SIZES, old)))
        assert len(after - before) == 1


def test_ids_tell_equal_chunks_apart() -> None:
    """Equal texts within one document have different ids; equal documents have equal ids (CHK-5)."""
    settings = settings_hash(chunk_settings(KnowledgeBaseSettings()))
    chunks = chunk_prose("The same line again.\n\n" * 300, "", SIZES)
    ids = chunk_ids(DOCUMENT, settings, chunks)
    assert len(set(ids)) == len(ids)
    assert ids == chunk_ids(DOCUMENT, settings, chunks)
    assert not set(ids) & set(chunk_ids(UUID(int=8), settings, chunks))


def test_other_settings_make_other_ids() -> None:
    """Ids of two settings never meet, so both sets of chunks can stand side by side."""
    chunks = chunk_prose(essay(5), "", SIZES)
    hashes = [settings_hash(chunk_settings(KnowledgeBaseSettings(chunk_max=size))) for size in (1000, 900)]
    assert not set(chunk_ids(DOCUMENT, hashes[0], chunks)) & set(chunk_ids(DOCUMENT, hashes[1], chunks))


def test_the_chunker_is_chosen_by_type() -> None:
    """Plain text is never read as markdown (CHK-1)."""
    settings = chunk_settings(KnowledgeBaseSettings())
    kinds = [
        chunk_text("# A\n\nText.", title="", media_type=media_type, settings=settings)[0].kind
        for media_type in ("text/plain", "text/markdown")
    ]
    assert kinds == [ChunkKind.PROSE, ChunkKind.MARKDOWN]


HOSTILE = {
    "long line": "word " * 60_000,
    "long word": "w" * 300_000,
    "equal lines": "the same line\n" * 20_000,
    "equal paragraphs": "the same paragraph\n\n" * 10_000,
    "stops": "." * 100_000,
    "blank": "x" + " \n" * 100_000 + "x",
    "carriage returns": "a\r" * 50_000,
    "combining": "e\u0301" * 50_000,
    "surrogates": "\ud800 \udfff" * 20_000,
}


@pytest.mark.attacks
@pytest.mark.parametrize("name", HOSTILE)
def test_odd_texts_lose_nothing(name: str) -> None:
    """Whatever the text is, it is cut, and nothing is lost (CHK-2); `test_growth` counts the work."""
    chunks = chunk_prose(HOSTILE[name], "", WITH_OVERLAP)
    check(HOSTILE[name], chunks, WITH_OVERLAP)
