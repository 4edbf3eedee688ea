"""What models write as words alone: no text that they read makes it lead elsewhere (SEC-1)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from headwater.generation.plain_words import leads_elsewhere, without_links
from headwater.parsing.markdown.html_tags import ELEMENTS
from headwater.questions import question_generator

HOSTILE = {
    "Visit <img src=https://evil.example/p.png onerror=a()> now.": "Visit now.",
    "See [the guide](https://evil.example/a?b=c) for more.": "See the guide for more.",
    "Go to https://evil.example/x.": "Go to.",
    "Read this (https://evil.example/x) first.": "Read this first.",
    "![logo](https://evil.example/p.png) It pumps.": "It pumps.",
    "It pumps.\n\n[1]: https://evil.example": "It pumps.",
    "<https://evil.example> and www.evil.example/x.": "and.",
    "[see `x`](https://evil.example)": "[see `x`]",
    "<<b>img src=https://evil.example>Text": "Text",
    "Text <img src=x": "Text < img src=x",
    "\\`<img src=x>\\`": "\\`\\`",
    "<x onclick=a()>Text</x><!-- hidden -->": "Text",
    "<a href='https://evil.example'>Text</a>": "Text",
    "Write to <a@evil.example>.": "Write to.",
    "[![i](https://evil.example/p)](https://evil.example)": "[]",
}
PLAIN = [
    "It pumps if a < b, or a<5.", "A `<img>` has `src`, as in `https://h.example`.",
    "List<String>, Map<String, Int>, <name>",     "foo() returns [] or x[1]", "Read [1] and (a).", "", "Größe: 3 m²",
]  # fmt: skip


def _one_line(text: str) -> str:
    return re.sub(r" +(?=[.,])", "", " ".join(text.split()))


@pytest.mark.parametrize(("text", "words"), HOSTILE.items())
def test_tags_images_and_addresses_are_taken_out(text: str, words: str) -> None:
    """The words of a link stay."""
    assert _one_line(without_links(text)) == words


@pytest.mark.parametrize("text", PLAIN)
def test_everything_else_stays(text: str) -> None:
    """Code, comparisons, types, placeholders, markers."""
    assert without_links(text) == text


@given(
    st.lists(st.sampled_from([*"<>!-/`\\()[] \n:=", "img src=x", "b", "https://evil.example", "www.e.example", "a"]))
)
def test_no_mixture_leads_elsewhere(pieces: list[str]) -> None:
    """Whatever markdown makes of it: nothing that loads, nothing to follow; and cleaning again changes nothing."""
    words = without_links("".join(pieces))
    assert without_links(words) == words
    tokens = MarkdownIt("commonmark", {"html": True}).parse(words)
    flat = [one for token in tokens for one in (token, *(token.children or ()))]
    assert not [one for one in flat if one.type == "image"]
    for link in (one for one in flat if one.type == "link_open"):
        assert "evil" not in str(link.attrs["href"])
    for tag in (one.content for one in flat if one.type in ("html_inline", "html_block")):
        names = re.findall(r"<[/!?]?([a-z]+)", tag)
        assert not {*names} & ELEMENTS, tag


def test_tags_in_tags_take_no_time() -> None:
    """A thousand deep, and images that never close."""
    for text in ("<" * 3_000 + "b>" * 3_000, "![" * 3_000, "<!--" * 3_000, "[" * 3_000 + "](https://e.example)" * 500):
        words = without_links(text)
        assert "<b" not in words
        assert "example" not in words


def test_no_question_leads_elsewhere() -> None:
    """One that a model made is dropped: readers are offered it, and a golden set shows it."""
    asked = ["What does the pump lift?", "Have you seen https://evil.example/x?", "What is <img src=x>?"]
    assert [one for one in map(question_generator._clean, asked) if one] == asked[:1]
    assert [leads_elsewhere(one) for one in asked] == [False, True, True]
