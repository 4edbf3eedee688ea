"""Where a text of markdown leads.

Belongs here: links as they are written. Not here: what they resolve to.
"""

import time

import pytest

from headwater.chunking.chunker import chunk_settings, cut_document, find_links
from headwater.chunking.markdown_links import LINK_LIMIT
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings

SETTINGS = chunk_settings(KnowledgeBaseSettings())


def found(text: str) -> tuple[tuple[int, str], ...]:
    """The links that splitting finds, which are those that are found without it."""
    links = cut_document(text, title="", media_type="text/markdown", settings=SETTINGS).found.references
    assert links == find_links(text, "text/markdown").references
    return links


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("See [this](../a.md#b) and [that](<b c.md> 'Title').", ("../a.md#b", "b c.md")),
        ("[one](a.md), [two](b.md) and [one again](a.md)", ("a.md", "b.md", "a.md")),
        ("[wiki](https://example.org/a_(b)) here", ("https://example.org/a_(b)",)),
        ("![image](a.png) and [![badge](b.svg)](https://example.org)", ("https://example.org",)),
        ("`[no](a.md)` and ``[no](`b.md)`` but [yes](c.md)", ("c.md",)),
        ("```\n[no](a.md)\n```\n\n    [no](b.md)\n\n[yes](c.md)", ("c.md",)),
        ("<https://example.org/a> and <mailto:a@example.org>", ("https://example.org/a", "mailto:a@example.org")),
        ("[full][ref], [ref][] and [Ref]\n\n[ref]: /there\n[other]: /unused", ("/there", "/there", "/there")),
        ("![image][ref] and [^1] and [ ] and [none]\n\n[ref]: /there.png\n\n[^1]: A note.", ()),
        ("\\[no](a.md) and [a \\] b](b.md)", ("b.md",)),
        ("[empty]() and [nested [brackets]](a.md)", ("a.md",)),
        ("No links, a < b and c[0](1)", ("1",)),
        ("Nothing at all.", ()),
    ],
)
def test_targets_are_as_written(text: str, targets: tuple[str, ...]) -> None:
    """In order; images and code have none (CHK-3)."""
    assert tuple(target for _, target in found(text)) == targets


def test_a_link_has_its_place() -> None:
    """Also if its target stands elsewhere in the document."""
    text = "# A\n\nOne [x][far].\n\n# B\n\nTwo [y](near.md)\n\n[far]: /far\n"
    assert found(text) == ((text.index("[x]"), "/far"), (text.index("[y]"), "near.md"))


def test_there_are_not_too_many() -> None:
    """Links do not fill the database."""
    assert len(found(" ".join(f"[a](b{number})" for number in range(LINK_LIMIT + 1)))) == LINK_LIMIT
    assert found(f"[a]({'b' * 3_000})") == ()


@pytest.mark.attacks
@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, "[a](" * 20_000, "[a]" * 30_000, "`" * 9 + "[a](b) `` ` " * 9_000, "[a](<b" * 20_000,
     "[](\\(" * 20_000, "[a](b " + "'" * 50_000, "]" * 50_000, "<a:" * 20_000, "[a]:\n" * 20_000,
     "![" * 30_000 + "](a)" * 30_000],
)  # fmt: skip
def test_odd_texts_take_no_longer(text: str) -> None:
    """The work grows with the text."""
    begun = time.thread_time()
    found(text)
    assert time.thread_time() - begun < 8
