"""What links call the headings of a document."""

import pytest

from headwater.chunking.anchors import chunk_anchors
from headwater.chunking.chunker import chunk_settings, chunk_text, heading_hash
from headwater.domain.documents import Chunk, ChunkKind
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.parsing.markdown.headings import heading_anchor


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Getting started", "getting-started"),
        ("Why is the `NEBARI_KUBECONFIG` file in `/tmp`?", "why-is-the-nebari_kubeconfig-file-in-tmp"),
        ("Nebari 101 :zap:", "nebari-101-zap"),
        ("A & B", "a--b"),
        ("Über [uns](about.md) ##", "über-uns"),
        ("Named {#Own-Id}", "own-id"),
    ],
)
def test_a_heading_is_called_as_on_github(heading: str, anchor: str) -> None:
    """Lower case, no punctuation, hyphens for spaces, unless the heading has an explicit id."""
    assert heading_anchor(heading) == anchor


def _whole(text: str) -> Chunk:
    return Chunk(kind=ChunkKind.MARKDOWN, start=0, end=len(text), text=text, prose=text, breadcrumb=(), line=1)


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("# A\n\n## Use\n\n## Use\n", ("a", "use", "use-1")),
        ("Title\n=====\n\nSub\n---\n\n---\n\ntext\n", ("title", "sub")),
        ("# A\n\n```sh\n# no heading\n```\n\n~~~\n## none\n```\n~~~\n## B\n", ("a", "b")),
        ("    # code\n\n#no\n\n####### seven\n\n   ### yes\n", ("yes",)),
    ],
)
def test_headings_are_found_outside_code(text: str, anchors: tuple[str, ...]) -> None:
    """Underlined ones too; the second of the same name is numbered."""
    assert chunk_anchors(text, [_whole(text)]) == [anchors]


def test_each_heading_is_in_one_chunk() -> None:
    """The one that it begins in."""
    sections = [f"## Part {number}\n\n" + f"Sentence {number} says what it says. " * 20 for number in range(8)]
    text = "# Guide\n\n" + "\n\n".join(sections) + "\n"
    chunks = chunk_text(
        text, title="Guide", media_type="text/markdown", settings=chunk_settings(KnowledgeBaseSettings())
    )
    found = chunk_anchors(text, chunks)
    assert [name for names in found for name in names] == ["guide", *(f"part-{number}" for number in range(8))]
    for chunk, names in zip(chunks, found, strict=True):
        for name in names:
            assert f"# {name.replace('-', ' ').capitalize()}\n" in text[chunk.start : chunk.end]


def test_a_chunk_without_headings_has_no_heading_to_embed() -> None:
    """An empty text is not embedded."""
    assert heading_hash(()) is None
    assert heading_hash(("A", "B")) != heading_hash(("A",))
