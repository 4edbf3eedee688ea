"""Inline markdown of a source, cleaned (ANS-3, SEC-1)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.quote.inline_cleanup import (
    bold,
    clean_inline,
    plain_path,
    without_addresses,
    without_escapes,
    without_marks,
)
from query_api.markdown_stream import MarkdownStream


@pytest.mark.parametrize(
    ("source", "clean"),
    [
        ("See [the guide](../guide.md).", "See the guide."),
        ("See [the site](https://example.org/a_(b)).", "See [the site](https://example.org/a_(b))."),
        ("See [the site][1] and [^2].", "See the site and ."),
        ("[go](javascript:alert(1)) [in](data:text/html;x)", "go in"),
        ("Press ![stop](stop.png) here, ![iOS](ios.svg)only", "Press stop here, iOS only"),
        ("![The pump beside the mill in May 2021](pump.png) lifts", "lifts"),
        ("![pump.png](pump.png) lifts ![](oil.png) oil", "lifts oil"),
        ("![The pump](pump.png)\nIt lifts.", "It lifts."),
        ("**![iOS](ios.svg)only**", "**iOS only**"),
        (r"It costs \$500.00\!", "It costs $500.00!"),
        (r"Keep \*stars\*, \[1\], \<b\> and `\$code`", r"Keep \*stars\*, \[1\], \<b\> and `\$code`"),
        (r"1\. is no list, \# no heading", r"1\. is no list, # no heading"),
        (r"\# is no heading", r"\# is no heading"),
        ("Zero\u200bwidth, soft\u00adhyphen, \ufeffmark, \u202eback\U000e0041", "Zerowidth, softhyphen, mark, back"),
        ("नमस्\u200dते 👩\u200d👧 می\u200cخواهم", "नमस्\u200dते 👩\u200d👧 می\u200cخواهم"),
        ("Do as follows::", "Do as follows:"),
        ("The name std::vector and a::b", "The name std::vector and a::b"),
        ("```sh\nrun it\n```", "run it"),
        ("Use ``` `a` ``` for `` `b` ``", "Use ``` `a` ``` for `` `b` ``"),
        ("[![build](a.svg)](https://example.org)", ""),
        ("<b>Now</b> or <BR>later<!-- never -->", "Now or later"),
        ("Set <name> to <https://example.org>", "Set `<name>` to https://example.org"),
        ("<Tabs default='a'>inside</Tabs>", "inside"),
        ("It was said [1] and [23].", "It was said (1) and (23)."),
        ("Title {#anchor} {: .class}", "Title"),
        ("`[1] <b> ![a](b)` stays", "`[1] <b> ![a](b)` stays"),
        ("two\n   lines", "two lines"),
        ("set  to   both margins, `a  b`", "set to both margins, `a  b`"),
        ("A card{ .lg .middle } here", "A card here"),
        (
            "See [[The pump|its pump]] and [[Oil]]. ![[a.png]] if [[ -f x ]] or [[0],[1]]",
            "See its pump and Oil. if [[ -f x ]] or [(0),(1)]",
        ),
        (
            "[[score]](a.ly), [[1]](#one), [[2]](https://example.com/)",
            "[score], (1), [(2)](https://example.com/)",
        ),
        ("[ ] open, [x] done, a[i]", "[ ] open, [x] done, a[i]"),
    ],
)
def test_words_stay_and_nothing_active_does(source: str, clean: str) -> None:
    """A link keeps its words and only an address of the web; images, tags, notes and false markers are gone."""
    assert clean_inline(source) == clean


@pytest.mark.parametrize(
    ("source", "strong"),
    [
        ("It lifts.", "**It lifts.**"),
        ("It **lifts** and __falls__.", "**It lifts and falls.**"),
        ("Set `**a**` now.", "**Set `**a**` now.**"),
        ("a `broken", "a `broken"),
        (" spaced ", " **spaced** "),
        ("", ""),
    ],
)
def test_bold_is_not_within_bold(source: str, strong: str) -> None:
    """Code keeps its asterisks; what would break code stays as it is."""
    assert bold(source) == strong


@pytest.mark.parametrize(
    "source",
    [
        "[<b>1</b>]",
        "[<!-- -->1]",
        "<scr<b>ipt>alert(1)</script>",
        "<<b>img src=x onerror=y>",
        "!<b></b>[x](https://x.example/i.png)",
        "[x]<b></b>(javascript:y)",
    ],
)
def test_nothing_active_is_put_together(source: str) -> None:
    """A tag within a tag, a marker, an image or a link that is only one without it (SEC-1)."""
    assert not re.search(r"\[\d+\]|<script|<img|!\[.*\]\(|\]\(javascript:", clean_inline(source))


@given(st.text(alphabet="ab1 ![]()<>/`^{}#:*_\n-\\$~=", max_size=80))
def test_any_line_is_one_line(text: str) -> None:
    """Without blanks around it; the letters that are left are letters of the source, in its order."""
    clean = clean_inline(text)
    assert clean == clean.strip()
    assert "\n" not in clean
    seen = iter(text)
    assert all(letter in seen for letter in clean if letter in "ab1")


@given(st.text(alphabet="a[]1<>\\`*_", max_size=60))
def test_text_without_escapes_has_no_marker(text: str) -> None:
    """What a backslash keeps from being a marker or a tag stays so (SEC-1)."""
    clean = clean_inline(text)
    assert len(re.findall(r"\[\d+\]", without_escapes(clean))) <= len(re.findall(r"\[\d+\]", clean))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Bold** and *odd* in *~/.ssh/known_hosts*", "Bold and odd in ~/.ssh/known_hosts"),
        ("2 * 3 * 4, a*b*c, `*x*` and \\*y\\*", "2 * 3 * 4, a*b*c, `*x*` and \\*y\\*"),
        ("__Bold__ file_name and a__init__b", "Bold file_name and a__init__b"),
    ],
)
def test_plain_text_has_no_marks_of_emphasis(text: str, plain: str) -> None:
    """Stars that multiply, or stand in code, are words."""
    assert without_marks(text) == plain


def test_names_of_files_keep_their_underscores_in_a_path_of_headings() -> None:
    """Those within words, and those that would put a word in bold."""
    growing = MarkdownStream()
    growing.add(f"**{plain_path(['turn_evidence.py', '__init__.py', '[1] *x*'])}**")
    (block,) = growing.changed(is_complete=True)
    assert block.html == "<p><strong>turn_evidence.py › __init__.py › 1 x</strong></p>\n"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("See [`vue-tsc`](https://example.com/a/b) first.", "See `vue-tsc` first."),
        ("(like [Inter](https://example.com/wiki/A_(b)))", "(like Inter)"),
        ("Write `[x](https://example.com)` so.", "Write `[x](https://example.com)` so."),
        ("[one] (https://example.com)", "[one] (https://example.com)"),
        (r"\[no link\](https://example.com)", r"\[no link\](https://example.com)"),
        (r"[Array\[T\]](https://example.com)", r"Array\[T\]"),
    ],
)
def test_plain_text_has_the_words_of_a_link_alone(text: str, plain: str) -> None:
    """Nobody reads an address as words, neither a reader of a line nor a model that compares it."""
    assert without_addresses(clean_inline(text)) == plain
