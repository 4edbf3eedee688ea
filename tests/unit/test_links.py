"""Where a text of markdown leads.

Belongs here: link targets of chunks, as they are written. Not here: what they resolve to.
"""

import time

import pytest

from headwater.chunking.chunker import chunk_settings, chunk_text
from headwater.chunking.links import LINK_LIMIT
from headwater.domain.documents import Chunk
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings

SETTINGS = chunk_settings(KnowledgeBaseSettings())


def cut(text: str) -> list[Chunk]:
    return chunk_text(text, title="", media_type="text/markdown", settings=SETTINGS)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("See [this](../a.md#b) and [that](<b c.md> 'Title').", ("../a.md#b", "b c.md")),
        ("[one](a.md), [two](b.md) and [one again](a.md)", ("a.md", "b.md")),
        ("[wiki](https://example.org/a_(b)) here", ("https://example.org/a_(b)",)),
        ("![image](a.png) and [![badge](b.svg)](https://example.org)", ("https://example.org",)),
        ("`[no](a.md)` and ``[no](`b.md)`` but [yes](c.md)", ("c.md",)),
        ("```\n[no](a.md)\n```\n\n    [no](b.md)\n\n[yes](c.md)", ("c.md",)),
        ("<https://example.org/a> and <mailto:a@example.org>", ("https://example.org/a", "mailto:a@example.org")),
        ("[full][ref], [ref][] and [Ref]\n\n[ref]: /there\n[other]: /unused", ("/there",)),
        ("![image][ref] and [^1] and [ ] and [none]\n\n[ref]: /there.png\n\n[^1]: A note.", ()),
        ("\\[no](a.md) and [a \\] b](b.md)", ("b.md",)),
        ("[empty]() and [nested [brackets]](a.md)", ("a.md",)),
        ("No links, a < b and c[0](1)", ("1",)),
        ("Nothing at all.", ()),
    ],
)
def test_targets_are_as_written(text: str, targets: tuple[str, ...]) -> None:
    """Each once, in order; images and code have none (CHK-3)."""
    (chunk,) = cut(text)
    assert chunk.outgoing == targets


def test_a_chunk_has_its_own_links() -> None:
    """Also by definitions that stand elsewhere in the document."""
    words = "A sentence about the pump and its valve. " * 12
    first, second = cut(f"# A\n\n{words}[x][far]\n\n# B\n\n{words}[y](near.md)\n\n[far]: /far\n")
    assert (first.outgoing, second.outgoing) == (("/far",), ("near.md",))


def test_there_are_not_too_many() -> None:
    """An index of links does not fill the database."""
    (chunk,) = cut(" ".join(f"[a](b{number})" for number in range(110)))[:1]
    assert len(chunk.outgoing) <= LINK_LIMIT
    longest = cut(f"[a]({'b' * 3_000})")
    assert all(chunk.outgoing == () for chunk in longest)


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, "[a](" * 20_000, "[a]" * 30_000, "`" * 9 + "[a](b) `` ` " * 9_000, "[a](<b" * 20_000,
     "[](\\(" * 20_000, "[a](b " + "'" * 50_000, "]" * 50_000, "<a:" * 20_000, "[a]:\n" * 20_000,
     "![" * 30_000 + "](a)" * 30_000],
)  # fmt: skip
def test_odd_texts_take_no_longer(text: str) -> None:
    """The work grows with the text."""
    begun = time.thread_time()
    cut(text)
    assert time.thread_time() - begun < 8
