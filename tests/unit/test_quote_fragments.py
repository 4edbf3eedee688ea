"""Fragments: the pieces that are quoted whole, and what each needs to be understood (ANS-4)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.domain.documents import ChunkKind
from headwater.quote.block_reader import Kind
from headwater.quote.fragments import read_fragments
from headwater.quote.stretches import make_stretches
from headwater.understanding.words import count_words
from tests.fragments import BLOCKS, MARKUP, fragments, shown, stretch, verbatim
from tests.passages import passage

STEPS = """\
## Restore

Restore in this order:

1. Stop the pump.

```sh
pump stop
```

2. Open the valve.
3. Start the pump.
"""


def test_a_paragraph_is_cut_into_sentences() -> None:
    """Each is verbatim; a heading is none, it stands in the path of those below it."""
    text = "# Pump\n\nIt lifts water. Dr. Ada built it in 1890.\n"
    assert verbatim(text) == ["It lifts water.", "Dr. Ada built it in 1890."]


def test_an_item_is_whole_and_knows_its_lead_in() -> None:
    """With its sub-items; the sentence above introduces it if it ends with a colon."""
    text = "It needs oil. You need:\n\n- A brush:\n  - long\n  - soft\n- Water\n\nThen begin.\n\n- Now\n"
    found = fragments(text)
    assert verbatim(text)[2:4] == ["- A brush:\n  - long\n  - soft", "- Water"]
    assert [one.lead for one in found] == [None, None, 1, 1, None, None]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("- **`-t`, `--topic`** *name*: Where to.\n", "-t, --topic name"),
        ("- **pump.rate**: Messages per second.\n", "pump.rate"),
        ("**max_rate count**\n\nMessages per second.\n", "max_rate count"),
        ("- Messages per second.\n", "Pump"),
    ],
)
def test_a_fragment_knows_what_it_explains(text: str, label: str) -> None:
    """The label of its item, and the heading or the line in bold above it."""
    assert fragments(text)[0].labels[0] == label
    below = fragments("- **Default**: 5\n", title="Pump", breadcrumb=("Pump", "max_rate"))
    assert below[0].labels == ("Default", "max_rate")


def test_code_is_whole_and_knows_its_lead_in() -> None:
    """Half a command is useless; what it does stands above it."""
    lead, code = fragments("Ask the pump how it is:\n\n```sh\npump status\n\npump log\n```\n")
    assert (code.kind, code.plain, code.lead) == (Kind.CODE, "pump status\n\npump log", 0)
    assert lead.plain == "Ask the pump how it is:"


def test_code_that_would_be_an_image_is_code() -> None:
    """An example of markup, which a reader would miss below the sentence that introduces it."""
    assert [one.plain for one in fragments("To embed it:\n\n```md\n![[lid.png]]\n```\n")] == [
        "To embed it:",
        "![[lid.png]]",
    ]


def test_a_lead_in_introduces_nothing_in_another_section() -> None:
    """A heading between them is the end of it."""
    assert [one.lead for one in fragments("# A\n\nYou need:\n\n# B\n\n- Water\n", breadcrumb=("A",))] == [None, None]


def test_a_long_item_is_cut_into_sentences() -> None:
    """It would be longer than a quote; the other items stay whole."""
    text = f"- Stop.\n- {'Turn the wheel by one step. ' * 30}\n- Open it.\n"
    found = fragments(text)
    assert [one.kind for one in found].count(Kind.PARAGRAPH) == 30
    assert [found[0].kind, found[-1].kind] == [Kind.ITEM, Kind.ITEM]


@pytest.mark.parametrize(
    ("tag", "heading"),
    [
        ("**-P** *max*, **--max-procs**=*max*: Run", "-P max, --max-procs=max"),
        ("`--force`: Ask", "--force"),
        ("**Oiling:** The", "Oiling"),
        ("*TERM* — The", "TERM"),
        ("--binary-files=*TYPE*: If", "--binary-files=TYPE"),
        ("**nameserver** IP address: A", "nameserver IP address"),
        ("IF NOT EXISTS: Do", "IF NOT EXISTS"),
        ("Turn it: now", ""),
        ("**Stop.** It: is", ""),
    ],
)
def test_what_a_long_item_explains_is_above_its_sentences(tag: str, heading: str) -> None:
    """A sentence from its middle says nothing without the option that it is about."""
    text = f"- {tag} as many as it takes. {'Turn the wheel by one step. ' * 30}\n- Open it.\n"
    expected = ("Pump", heading) if heading else ("Pump",)
    assert {one.headings for one in fragments(text)[:-1]} == {expected}
    assert fragments(text)[-1].headings == ("Pump",)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("**Returns:** A\\\n**OAuth:** `x`\\\nSince 3.5\n", ["**Returns:** A", "**OAuth:** `x`", "Since 3.5"]),
        ("Ada Lovelace  \nSt James Square\n", ["Ada Lovelace", "St James Square"]),
        ("It wraps  \nby accident.\n", ["It wraps  \nby accident."]),
        ("Status: draft\nURL: https://a.example\n", ["Status: draft", "URL: https://a.example"]),
        ("It says\nNote: not so.\n", ["It says\nNote: not so."]),
    ],
)
def test_a_line_that_its_source_breaks_is_one(text: str, lines: list[str]) -> None:
    """By markdown's signs, or between fields; it is one in the quote, too."""
    assert verbatim(text) == lines
    assert shown(text) == "  \n".join(" ".join(line.split()) for line in lines)


def test_a_row_has_the_header_of_its_table() -> None:
    """It is read with the names of its columns, also where the table began in an earlier chunk."""
    small, large = fragments("| Plan | Price |\n|---|---|\n| Small | 1 euro |\n| Large | |\n")
    assert (small.plain, large.plain) == ("Plan: Small, Price: 1 euro", "Plan: Large")
    (huge,) = fragments("| Huge | 3 euros |\n", breadcrumb=("Prices",), table_header="Plan | Price")
    assert huge.plain == "Plan: Huge, Price: 3 euros"
    assert huge.headings == ("Pump", "Prices")


def test_a_fragment_knows_the_headings_above_it() -> None:
    """The title first, without repeating it; a line in bold is a heading in all but markup."""
    text = (
        "# Pump\n\nOil it.\n\n## Settings\n\n**PORT**\n\nWhere it listens.\n\n"
        "**`max_rate` [ 1 | 2 ]**\n\nHow fast it runs.\n\n## Care\n\nClean it.\n"
    )
    assert {one.plain: one.headings for one in fragments(text)} == {
        "Oil it.": ("Pump",),
        "Where it listens.": ("Pump", "Settings", "PORT"),
        "How fast it runs.": ("Pump", "Settings", "max_rate [ 1 | 2 ]"),
        "Clean it.": ("Pump", "Care"),
    }


def test_what_says_nothing_is_no_fragment() -> None:
    """A badge, an image, a rule, an anchor."""
    text = "# Pump\n\n[![build](a.svg)](https://example.org)\n\n---\n\n![pump](pump.png)\n\n<br>\n\nIt lifts water.\n"
    assert verbatim(text) == ["It lifts water."]


def test_hashtags_that_file_a_page_are_no_fragment() -> None:
    """In a line or an item of their own, as words or links; within a sentence they are its words."""
    text = "[#mill](mill) [#pump](pump)\n\n- [#mill](mill)\n- Oil it. #care\n\n#done\n\nThe #pump lifts water.\n"
    assert verbatim(text) == ["- Oil it. #care", "The #pump lifts water."]


def test_a_quotation_is_cut_like_the_text_around_it() -> None:
    """Its sentences, items and code are fragments of their own."""
    text = "> The tank holds 300 litres. It is full.\n>\n> - Drain it\n>\n> ```\n> drain\n> ```\n"
    assert [one.kind for one in fragments(text)] == [Kind.PARAGRAPH, Kind.PARAGRAPH, Kind.ITEM, Kind.CODE]


def test_bullets_of_plain_text_are_items() -> None:
    """With their lead-in, as in markdown."""
    found = fragments("What is needed:\n• A long brush\n• Warm water\n", kind=ChunkKind.PROSE)
    assert [(one.kind, one.lead) for one in found] == [(Kind.PARAGRAPH, None), (Kind.ITEM, 0), (Kind.ITEM, 0)]


def test_source_code_is_cut_at_its_definitions() -> None:
    """A definition is code with the language of its file."""
    found = fragments("def lift():\n    return 1\n\n\ndef stop():\n    pass\n", kind=ChunkKind.CODE, uri="pump.py")
    assert [(one.kind, one.block.language) for one in found] == [(Kind.CODE, "py")] * 2


def test_a_list_that_crosses_chunks_is_whole() -> None:
    """The chunk beside the one that was found completes it."""
    text = "You need:\n\n- A brush\n- Water\n- Oil\n"
    cut = text.index("- Water")
    found, beside = passage(text[:cut]), passage(text[cut:], position=1, start=cut)
    (whole,) = make_stretches([found], [found, beside])
    assert whole.text == text
    assert [one.lead for one in read_fragments(whole)] == [None, 0, 0, 0]


def test_a_numbered_list_goes_on_after_code_that_is_not_indented() -> None:
    """Markdown sees two lists; they are the steps of one procedure, and the sentence above introduces all of them."""
    steps = [one for one in fragments(STEPS) if one.kind == Kind.ITEM]
    assert [step.lead for step in steps] == [0, 0, 0]


@pytest.mark.parametrize("mark", ["> [!WARNING]\n> Never open it.", "!!! note\n    Never open it."])
def test_the_mark_of_an_admonition_is_no_text(mark: str) -> None:
    """Neither a reader of the quote's first sentence nor the model sees it."""
    assert fragments(mark)[0].plain in ("Never open it.", "Warning: Never open it.", "Note: Never open it.")


@settings(deadline=None)
@given(MARKUP | BLOCKS, st.sampled_from(list(ChunkKind)))
def test_any_text_is_cut_into_fragments_that_tile_it(text: str, kind: ChunkKind) -> None:
    """Fragments are verbatim, in the order of the text, and do not overlap; what a reader sees of each is not empty."""
    at = 0
    found = read_fragments(stretch(text, kind=kind))
    for position, one in enumerate(found):
        assert at <= one.start < one.end <= len(text)
        assert text[one.start : one.end].strip() != ""
        assert text[one.start : one.end] == text[one.start : one.end].rstrip()
        assert one.plain.strip()
        assert one.word_count == count_words(one.plain)
        assert one.lead is None or one.lead < position
        at = one.end


PIECES = (
    "Word {}. Word {}!\n", "- Item {}\n", "1. Step {}:\n\n   More {}.\n", "- a:\n  - Inner {}\n    of {}\n",
    "| {} |\n|---|\n| {} |\n", "> Said {}. Said {}.\n", "> - Said {}\n", "```sh\nrun {}\n\nrun {}\n```\n",
    "!!! note\n    Note {}.\n", "- " + "Long {}. " * 50 + "\n", "    indented {}\n", "Set {}\nof `{}`.\n",
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(list(ChunkKind)))
def test_no_word_of_a_text_without_headings_is_lost(pieces: list[str], kind: ChunkKind) -> None:
    """Each is in a fragment, or in the header of its table."""
    numbers = iter(range(1000))
    text = re.sub(r"\{\}", lambda _: f"w{next(numbers)}x", "\n".join(pieces))
    held = " ".join(f"{one.header} {one.plain}" for one in fragments(text, kind=kind))
    assert [word for word in re.findall(r"w\d+x", text) if word not in held] == []


def test_the_name_of_a_note_counts_for_the_block_below_it() -> None:
    """What follows the note is below the heading again."""
    text = "# Pump\n\n## Care\n\n**Warning**\n\nMind it.\n\nOil it.\n\n**In winter**\n\nDrain it.\n\nDry it.\n"
    found = {one.plain: one.headings[1:] for one in fragments(text, breadcrumb=("Pump", "Care"))}
    assert found == {
        "Mind it.": ("Care", "Warning"), "Oil it.": ("Care",), "Drain it.": ("Care", "In winter"),
        "Dry it.": ("Care", "In winter"),
    }  # fmt: skip


def test_an_item_alone_has_no_bullet() -> None:
    """Its number stays, and so do the words of an option."""
    found = fragments("- -x: Open.\n- [ ] Lift.\n\n1. Close.\n\n-5 degrees.\n")
    assert [one.line for one in found] == ["-x: Open.", "☐ Lift.", "1. Close.", "-5 degrees."]


def test_a_cell_loses_its_escapes_once() -> None:
    """And so does the name of its column: what an escaped backslash stands before is no escape."""
    (row,) = fragments("| Sign \\* | Of |\n|---|---|\n| \\\\* | C |\n")
    assert (row.plain, row.cells) == ("Sign *: \\*, Of: C", ["\\*", "C"])
