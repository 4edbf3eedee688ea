"""Quotes as markdown: whole units, numbers, gaps, and nothing active (ANS-3, ANS-4)."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.domain.documents import ChunkKind
from headwater.quote.quote_markdown import render
from query_api.markdown_stream import MarkdownStream
from tests.fragments import BLOCKS, MARKUP, fragments, shown

STEPS = """\
Restore in this order:

1. Stop the pump.

```sh
pump stop
```

2. Open the valve.
3. Start the pump.
"""


def html(markdown: str) -> str:
    """What a page shows of it."""
    growing = MarkdownStream()
    growing.add(markdown)
    return "".join(block.html for block in growing.changed(is_complete=True))


def test_steps_keep_their_numbers() -> None:
    """Also those behind code that is not indented, and where a quote begins in the middle."""
    assert shown(STEPS) == STEPS.strip()
    assert shown(STEPS, 3, 4) == "2. Open the valve.\n3. Start the pump."
    assert shown("3) third\n4) fourth\n") == "3) third\n4) fourth"


def test_a_long_step_keeps_its_number() -> None:
    """It is cut into sentences, of which the first one is the beginning of the step."""
    text = f"Do this:\n\n1. Stop the pump.\n2. {'Turn the wheel by one step. ' * 20}\n3. Open it.\n"
    assert re.findall(r"^\d\.", shown(text), re.MULTILINE) == ["1.", "2.", "3."]


OPTIONS = "".join(f"  --wheel-{n}   turns wheel number {n} by some steps (default {n})\n" for n in range(40))


@pytest.mark.parametrize("prefix", ["", "> ", "   "])
def test_of_long_code_some_lines_are_shown(prefix: str) -> None:
    """Pieces that follow each other are one block; where the code is cut, a mark says so."""
    fenced = "".join(f"{prefix}{line}\n" for line in ["```sh", *OPTIONS.splitlines(), "```"])
    text = f"The options:\n\n{'1. These:' * (prefix == '   ')}\n\n{fenced}\nThen it runs.\n"
    count = len(fragments(text))
    assert count > 10
    whole = shown(text)
    assert whole.count("```") == 2
    assert "[…]" not in whole
    assert [line.strip() for line in whole.split("```sh")[1].split("```")[0].strip().splitlines()] == [
        line.strip() for line in OPTIONS.splitlines()
    ]
    middle = shown(text, 4, 5)
    assert (middle.count("```"), middle.count("[…]")) == (2, 2)
    first = next(position for position, one in enumerate(fragments(text)) if "--wheel-0" in one.plain)
    assert shown(text, first).startswith("```sh\n")
    assert shown(text, first).endswith("\n```\n\n[…]")


@pytest.mark.parametrize("code", [OPTIONS, "valve off\n"])
def test_two_blocks_of_code_stay_two(code: str) -> None:
    """Also long ones below each other, in one item, and in a quotation."""
    blocks = f"~~~sh\n{code}~~~\n\n~~~js\n{code}~~~\n".splitlines()
    for prefix in ("", "  ", "> "):
        text = f"{'- Do:' * (prefix == '  ')}\n\n" + "".join(f"{prefix}{line}\n" for line in blocks)
        assert shown(text).count("```") == 4


def test_the_last_line_of_long_code_is_shown() -> None:
    """Also a bracket alone, and a line of backticks in the middle."""
    lines = [f"  const value{n} = read the meter number {n} of the pump;" for n in range(30)]
    code = "\n".join(["function start(a) {", *lines[:15], "```", "", *lines[15:], "}"])
    text = shown(f"~~~js\n{code}\n~~~\n")
    assert text == f"````js\n{code}\n````"


def test_sentences_of_one_paragraph_stand_in_one_line() -> None:
    """Two paragraphs stay two."""
    assert shown("It lifts\nwater. It is red.\n\nOil it.\n") == "It lifts water. It is red.\n\nOil it."


def test_items_and_rows_of_a_quotation_have_one_mark() -> None:
    """That of the quotation is not theirs."""
    assert shown("> - Close it.\n> - Open it.\n") == "- Close it.\n- Open it."
    assert shown("> 1. Close it.\n> 2. Open it.\n") == "1. Close it.\n2. Open it."
    assert (
        shown("> | part | price |\n> | --- | --- |\n> | lid | 3 |\n") == "| part | price |\n| --- | --- |\n| lid | 3 |"
    )


def test_what_is_left_out_is_marked() -> None:
    """Between sentences of a paragraph in its line, between paragraphs in a line of its own."""
    text = "One. Two. Three.\n\nFour.\n\nFive.\n"
    assert shown(text, 0, 2) == "One. […] Three."
    assert shown(text, 0, 4) == "One.\n\n[…]\n\nFive."
    assert shown(text, 0, 1) == "One. Two."


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("You need:\n\n- A brush\n- Water\n- Oil\n", (0, 2, 3)),
        ("You need:\n\n- A brush\n- Water\n- Oil\n", (0, 1, 3)),
        ("| Plan |\n|---|\n| Small |\n| Large |\n| Huge |\n", (0, 2)),
    ],
)
def test_what_is_left_out_of_a_list_is_marked(text: str, positions: tuple[int, ...]) -> None:
    """Otherwise a part of what is needed passes for all of it."""
    assert "[…]" in shown(text, *positions)


def test_a_list_keeps_its_lead_in_and_its_sub_items() -> None:
    """Items follow each other without a blank line."""
    text = "You need:\n\n- A brush:\n  - long\n  - soft\n- Water\n"
    assert shown(text) == text.strip()


def test_an_item_with_code_is_whole() -> None:
    """The code stays inside the item."""
    text = "- Stop it:\n\n  ```sh\n  pump stop\n  ```\n"
    assert shown(text) == text.strip()


def test_rows_have_the_header_of_their_table() -> None:
    """Once for each table, and also where the table began in an earlier chunk."""
    text = "| Plan | Price |\n|---|---|\n| Small | 1 euro |\n| Large | 2 euros |\n"
    assert shown(text) == "| Plan | Price |\n| --- | --- |\n| Small | 1 euro |\n| Large | 2 euros |"
    assert shown(text, 1) == "| Plan | Price |\n| --- | --- |\n| Large | 2 euros |"
    later = shown("| Huge | 3 euros |\n", breadcrumb=("Prices",), table_header="Plan | Price")
    assert later == "| Plan | Price |\n| --- | --- |\n| Huge | 3 euros |"
    two = f"{text}\nAnd:\n\n| Part |\n|---|\n| Hose |\n"
    assert shown(two).count("| --- |") == 2


def test_a_table_without_a_header_is_still_a_table() -> None:
    """Its first row is a row like the others."""
    text = "| `a` | one |\n|---|---|\n| `b` | two |\n"
    assert shown(text, 0) == "|  |  |\n| --- | --- |\n| `a` | one |"


def test_a_table_without_a_header_is_still_a_table_in_its_later_chunks() -> None:
    """Its rows stay rows, and none of them names the columns."""
    assert shown("| red | #f00 |\n| blue | #00f |\n") == "|  |  |\n| --- | --- |\n| red | #f00 |\n| blue | #00f |"


def test_marks_of_blocks_of_other_markups_stay_out() -> None:
    """Also in a text that is read as plain, where they stand on lines of their own."""
    assert shown("[NOTE]\n----\nIt never asks.\n----\n", kind="prose") == "**Note:**\n\nIt never asks."
    assert shown("{% hint %}\nIt never asks.\n{% endhint %}\n") == "It never asks."
    assert shown("Use it as follows::\n\n    run\n") == "Use it as follows:\n\n```\nrun\n```"


def test_a_fence_in_plain_text_opens_no_code() -> None:
    """What stands behind it, such as the marker of a citation, would be code (ANS-3)."""
    assert shown("```sh never closed\nrun it\n\nThen wait.\n", kind="prose") == "never closed run it\n\nThen wait."


@pytest.mark.parametrize(
    "text",
    [
        "Jump to a section:\n\n- [One](#one)\n  - [Two (2)](#two_(2))\n",
        "[Jump to a section](#sections)\n",
        "**On this page**\n\n1. [One](#one)\n2. [Two](#two)\n",
        "- [Back to top ↑](#top)\n",
        "**[`^   back to top   ^`](#top)**\n",
        "## Table of contents\n\n* [One](#one)\n",
    ],
)
def test_what_only_leads_elsewhere_on_the_page_stays_out(text: str) -> None:
    """Lists of links to its headings, and the words above them."""
    assert shown(f"{text}\nThe pump lifts water.\n") == "The pump lifts water."


def test_code_is_as_it_was() -> None:
    """With its language, below its caption; a fence within it cannot end it."""
    text = 'Ask the pump:\n\n```sh\npump  status "[1]" <b>\n```\n'
    assert shown(text) == text.strip()
    nested = shown("````md\n```sh\npump\n```\n````\n")
    assert nested == "````md\n```sh\npump\n```\n````"


def test_source_code_is_in_a_fence() -> None:
    """With the language of its file."""
    text = "def lift():\n    return 1\n"
    assert shown(text, kind=ChunkKind.CODE, uri="pump.py") == "```py\ndef lift():\n    return 1\n```"


def test_marks_of_quotations_and_admonitions_are_words() -> None:
    """A quotation's sentences stand without its marks; a warning is named."""
    assert shown("> Water runs down. It runs\n> and runs.\n") == "Water runs down. It runs and runs."
    assert shown("> [!WARNING]\n> Never open it.\n") == "**Warning:** Never open it."
    assert shown("> [!tip]- In winter\n> Never open it.\n") == "**In winter:** Never open it."
    assert shown("!!! note\n    Close it first.\n").endswith("Close it first.")
    assert shown("> [!warning] Never open it. It is hot.\n") == "**Never open it.** It is hot."


def test_links_images_tags_and_false_markers_are_cleaned() -> None:
    """Words stay; a link leads only to the web; nothing of the source can be taken for a citation."""
    text = "See [the guide](../guide.md), [the site](https://example.org) ![x](y.png)<b>now</b> for v[1] and <name>."
    assert shown(text) == "See the guide, [the site](https://example.org) x now for v(1) and `<name>`."


def test_links_and_images_of_a_wiki_are_read_as_it_shows_them() -> None:
    """An image stands for no word; a link to a heading names its page and the heading."""
    text = "Press ![[bin.svg#icon]] or ![[lid.png|100]] as [[Mill#Stop]], [[Mill#Stop|here]] or [[#^stop]] say.[^1]"
    assert shown(text) == "Press or as Mill > Stop, here or stop say."
    assert shown("[^1]: In winter only.") == "In winter only."
    assert shown("[#](#stop) [¶](#stop)\nStop the mill.") == "Stop the mill."
    assert shown("Use [`+`](#add) or [-](#less) here.") == "Use `+` or - here."


def test_what_decides_is_in_bold() -> None:
    """Once, without the mark of an item, and without bold within it; code cannot be."""
    assert shown("It is red. It **lifts** water.\n", 0, 1, deciding=1) == "It is red. **It lifts water.**"
    assert shown("- [ ] Oil it\n- Clean it\n", 0, 1, deciding=0) == "- ☐ **Oil it**\n- Clean it"
    assert "**" not in shown("It lifts.\n\n```\npump\n```\n", 0, 1, deciding=1)


def test_a_task_says_whether_it_is_done() -> None:
    """Else what nobody did yet would be told as a fact."""
    text = "- [x] Agencies have signed\n- [ ] Guests have signed\n"
    assert shown(text) == "- ☑ Agencies have signed\n- ☐ Guests have signed"
    assert [fragment.line for fragment in fragments(text)] == ["☑ Agencies have signed", "☐ Guests have signed"]


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("It lifts.", True),
        ("- It lifts.", True),
        ("- It lifts:\n\n  ```\n  pump\n  ```", False),
        ("```\npump\n```", False),
        ("| a |\n|---|\n| b |", False),
    ],
)
def test_a_marker_fits_only_behind_text(text: str, is_open: bool) -> None:
    """Behind code or a row it would become part of it."""
    found = fragments(text)
    assert render(found, range(len(found))).is_open is is_open


def test_a_step_that_says_nothing_is_no_fragment() -> None:
    """A quote of it alone would be empty."""
    assert all(shown("1.\n2. Open it.\n", position) for position in range(len(fragments("1.\n2. Open it.\n"))))


@settings(deadline=None)
@given(BLOCKS, st.randoms())
def test_every_word_of_a_quote_is_shown_in_order(text: str, chooser: random.Random) -> None:
    """Whatever is quoted, and whatever is in bold."""
    found = fragments(text)
    positions = sorted(chooser.sample(range(len(found)), chooser.randint(0, len(found))))
    markdown = render(found, positions, chooser.choice([None, *positions])).text
    quoted = " ".join(text[found[position].start : found[position].end] for position in positions)
    seen = iter(_words(markdown))
    assert all(word in seen for word in _words(quoted))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]{2,}", re.sub(r"</?b>", "", text.casefold()))


@settings(deadline=None)
@given(MARKUP | BLOCKS)
def test_nothing_active_is_left_of_any_markdown(text: str) -> None:
    """No image, no tag, no link that runs something, and outside code no marker (SEC-1)."""
    attack = "![a](https://x.example/y.png) <img src=x onerror=y> [go](javascript:z) <script>q</script> [1] [^2]"
    markdown = shown(f"{text.replace('`', '')}\n\n{attack}\n")
    assert not re.search(r"<img|<script|javascript:", html(markdown))
    if "```" not in markdown:  # what is code stays as it was
        assert not re.search(r"!\[[^\]]*\]\(|<img|<script|\]\(javascript:|\[\d+\]|\[\^", markdown)


@settings(deadline=None)
@given(MARKUP, st.sampled_from(list(ChunkKind)))
def test_any_quote_is_shown_as_itself(text: str, kind: ChunkKind) -> None:
    """It is one piece of markdown that does not reach beyond its end: a line below it is a paragraph of its own."""
    markdown = shown(text, kind=kind)
    assert markdown == markdown.strip()
    assert html(f"{markdown}\n\nThe end.").endswith("<p>The end.</p>\n")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("| A | B |  |\n|---|---|---|\n| 1 | 2 |  |\n| 3 | 4 | |\n", "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"),
        ("| A | B |  |\n|---|---|---|\n| 1 |  | x |\n", "| A | B |  |\n| --- | --- | --- |\n| 1 |  | x |"),
        ("| | | |\n|---|---|---|\n| 1 |  | 2 |\n", "|  |  |\n| --- | --- |\n| 1 | 2 |"),
        ("- Prices:\n\n  | A | |\n  |---|---|\n  | 1 | |\n", "- Prices:\n\n  | A |\n  | --- |\n  | 1 |"),
    ],
)  # fmt: skip
def test_a_column_without_words_is_not_shown(text: str, written: str) -> None:
    """Programs leave empty columns behind; one that has a name, or a word in a row, stays."""
    assert shown(text) == written


def test_items_with_the_same_number_are_counted() -> None:
    """As markdown does: many write 1 before each of them; other numbers stay as they are."""
    assert shown("1. Open.\n1. Lift.\n1. Close.\n") == "1. Open.\n2. Lift.\n3. Close."
    assert shown("1. Open.\n1. Lift.\n1. Close.\n", 1, 2) == "2. Lift.\n3. Close."
    assert shown("4. Lift.\n6. Close.\n") == "4. Lift.\n6. Close."
