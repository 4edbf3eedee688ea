"""Markers in a model's reply: which come out, which vanish, and what else of a reply is made harmless (ANS-3)."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.generation.markers import MarkerScanner

PASSAGES = 5
PIECES = (
    "[", "]", "1", "2", "9", ",", " ", "(", ")", "!", "a", "word", "`", "```\n", "~~~\n", "\\", "<", "http://known/a",
    "http://evil/", "\n", ":", "-", " and ", "[1]", "[7]", "【", "】", "_", "[3, 8]", "[2-4]", "[^1]", "[[1]]", "[x]",
    "[a](", "![", '"', "。", "passage ",
)  # fmt: skip
_LEFT = re.compile(r"(?<![\w)\]\\])[\[【［][ \t]*\d+[ \t]*[\]】］]")


def scan(text: str, size: int = 10_000) -> str:
    """What comes out of a reply that comes in pieces of a size; markers are shown as `{1}`."""
    scanner = MarkerScanner(PASSAGES, lambda address: address.startswith("http://known/"))
    out = []
    for start in range(0, len(text), size):
        out += scanner.feed(text[start : start + size])
    out += scanner.end()
    return "".join(item if isinstance(item, str) else "".join(f"{{{n}}}" for n in item.numbers) for item in out)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("It stops [1].", "It stops {1}."),
        ("It stops[1]. So", "It stops{1}. So"),
        ("It [1, 3], [2][4] it", "It {1}{3}{2}{4} it"),
        ("It [1-3] and [3–5]", "It {1}{2}{3}{4}{5}"),
        ("It [4-2]", "It {2}{3}{4}"),
        ("It 【1】, ［2］ and 【3†lines 4-5】", "It {1}{2}{3}"),
        ("It [^1] [passage 2] [Source: 3] [#4]", "It {1}{2}{3}{4}"),
        ("It [1, p. 12] it", "It {1} it"),
        ("It [[1]] \\[2\\]", "It {1}{2}"),
        ("止まる[1]。", "止まる{1}。"),
        ("It ([1]) it", "It ({1}) it"),
        ("```x``` [1] ` [2]", "```x``` {1} ` {2}"),
        ("Stop![1] It", "Stop!{1} It"),
        ("[1](http://evil/) it", "{1} it"),
        ("[1]([2])", "{1}({2})"),
        ("[1]: it", "{1} : it"),
    ],
)
def test_models_write_markers_in_many_ways(written: str, read: str) -> None:
    """Each way names the same passages; an address that a model puts behind a marker does not come out."""
    assert scan(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("It stops [9].", "It stops."),
        ("It stops ([9]) there", "It stops there"),
        ("It [0] stops [6][7], too", "It stops, too"),
        ("It [1][9] stops", "It {1} stops"),
        ("[9] It stops", "It stops"),
        ("- [9] It stops [1-999999999]", "- It stops {1}{2}{3}{4}{5}"),
        ("It [9]stops", "It stops"),
        ("Stop! [9]", "Stop!"),
        ("Stop![9]", "Stop!"),
        ("It [[1[9]]", "It [[1…]"),
        ("It [8](http://evil/9) it", "It it"),
        (f"It [{'7' * 40}] it", "It it"),
        (f"It [{', '.join(map(str, range(5, 60)))}] it", "It {5} it"),
    ],
)
def test_a_number_that_is_no_passage_vanishes(written: str, read: str) -> None:
    """With the blanks and brackets around it; and no new marker arises from what is left."""
    assert scan(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "Set `a[1]` and ``b`[2]``.",
        "```python\nx = a[1]\n[2]\n```\n",
        "~~~\n[1]\n~~~\n",
        "- ```\n  a[1]\n  ```\n",
        "a[0] and a[1] and list_of[2]",
        "- [x] done\n- [ ] not done",
        "[TODO], [1.5], [sic] and [a very long remark that no marker ever has, in square brackets]",
        "See [the page](http://known/a) and [it](http://known/a_(b)).",
        "see [note](as written below)",
        "3 < 4 <- 5",
        "an open [1",
        "\\[x\\]",
    ],
)
def test_other_brackets_stay(text: str) -> None:
    """Code, indexes, boxes to tick, remarks, links to what the passages link to."""
    assert scan(text) == text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("![x](http://evil/x.png?q=secret)", "[x]"),
        ("![x](http://known/x.png)", "[x](http://known/x.png)"),
        ("[here](http://evil/?q=secret)", "[here]"),
        ("[here](<http://evil/a b>)", "[here]"),
        ('[here](http://evil/ "a title")', "[here]"),
        ("[here](/api/v1/cancel)", "[here]"),
        ("[here](javascript:alert)", "[here]"),
        ('[here](http://evil/ "a) title")', '[here]\\(http://evil/ "a) title")'),
        ('[here](http://evil/\n"title")', '[here]\\(http://evil/\n"title")'),
        ("[here]\n\n[here]: http://evil/", "[here]\n\n[here] : http://evil/"),
        ("[1] it\n\n[1]: http://evil/", "{1} it\n\n{1} : http://evil/"),
        ("<script>x</script>", "\\<script>x\\</script>"),
        ("\\<b>", "\\<b>"),
        ("<http://evil/>", "\\<http://evil/>"),
        ("`x`(http://evil/)", "`x`(http://evil/)"),
        ("a <data> <database x>", "a \\<data> \\<database x>"),
    ],
)
def test_nothing_active_comes_out(written: str, read: str) -> None:
    """No picture, no HTML, and no link to an address that no passage has: they could carry a secret away."""
    assert scan(written) == read


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.integers(1, 4))
def test_how_a_reply_is_cut_does_not_matter(text: str, size: int) -> None:
    """It comes out the same whether it comes at once or letter by letter."""
    assert scan(text, size) == scan(text)


def test_many_markers_in_a_row_come_out_as_they_come() -> None:
    """Also letter by letter: they are read in groups, so that a reply of nothing else is not read again and again."""
    assert scan("[1]" * 500, 1) == scan("[1]" * 500)


def test_in_a_thousand_invented_replies_no_false_marker_is_left() -> None:
    """Outside code and indexes, what looks like a marker is one of the five passages; the seed is fixed."""
    dice = random.Random(13)
    pieces = [piece for piece in PIECES if not set("`~_\\") & set(piece)]
    for _ in range(1000):
        text = "".join(dice.choice(pieces) for _ in range(dice.randint(1, 30)))
        read = scan(text, dice.randint(1, 5))
        assert not _LEFT.search(read), (text, read)
        assert all(1 <= int(number) <= PASSAGES for number in re.findall(r"\{(\d+)\}", read)), (text, read)
