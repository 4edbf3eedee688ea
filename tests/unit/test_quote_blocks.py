"""The blocks of markdown, prose and source code, and where they are (ANS-4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.documents import ChunkKind
from headwater.quote.block_reader import Block, Kind, cell_spans, each_block, read_blocks
from headwater.quote.plain_blocks import read_code, read_prose
from tests.fragments import MARKUP, stretch


def kinds(text: str) -> list[Kind]:
    return [block.kind for block in read_blocks(text)]


def test_each_kind_of_block_is_found() -> None:
    """In the order of the text; a rule and a comment are none."""
    text = (
        "# Pump\n\nIt lifts.\n\n- a\n- b\n\n| c |\n|---|\n| d |\n\n```sh\ne\n```\n\n> f\n\n---\n\n<!-- g -->\n\n    h\n"
    )
    assert kinds(text) == [
        Kind.HEADING, Kind.PARAGRAPH, Kind.LIST, Kind.TABLE, Kind.CODE, Kind.QUOTE, Kind.CODE,
    ]  # fmt: skip


def test_a_block_is_verbatim() -> None:
    """Its offsets are those of the text, with its marks; a heading's words and the inside of code stand beside."""
    text = "Intro.\n\n## The *pump*\n\n```sh\npump --up\n```\n"
    heading, code = read_blocks(text)[1:]
    assert (text[heading.start : heading.end], heading.level, heading.content) == ("## The *pump*", 2, "The *pump*")
    assert (text[code.start : code.end], code.language, code.content) == (
        "```sh\npump --up\n```", "sh", "pump --up",
    )  # fmt: skip


def test_the_language_of_code_is_a_name_alone() -> None:
    """Behind it may stand which lines are marked."""
    assert [read_blocks(f"```{info}\nx\n```\n")[0].language for info in ("vue{3}", "py title=a", "{1}", "c++")] == [
        "vue", "py", "", "c++",
    ]  # fmt: skip


def test_a_numbered_list_knows_its_first_number() -> None:
    """A list that goes on after something else does not begin at 1."""
    (steps,) = read_blocks("4. Close it.\n5. Lock it.\n")
    assert steps.number == 4
    assert [part.kind for part in steps.parts] == [Kind.ITEM, Kind.ITEM]


def test_a_text_that_begins_in_code_is_read_from_the_end_of_the_code() -> None:
    """A chunk cut out of a long block begins in code: its first bare fence closes."""
    text = "image: one\n```\n\nThe port is optional.\n"
    (block,) = read_blocks(text)
    assert text[block.start : block.end] == "The port is optional."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("    - 5b1) Repair\n    - 5b2) Permitted:\n        - a\n- 5c) Stop\n\nEnd.\n",
         [(Kind.LIST, "- 5b1) Repair\n    - 5b2) Permitted:\n        - a"), (Kind.LIST, "- 5c) Stop"),
          (Kind.PARAGRAPH, "End.")]),
        ("        - a\n    - b\n- c\n", [(Kind.LIST, "- a"), (Kind.LIST, "- b"), (Kind.LIST, "- c")]),
        ("      1. a\n", [(Kind.LIST, "1. a")]),
        ("    Use the hammer for it, not the saw.\n\n    ```sh\n    hit\n    ```\n\n2. Rest.\n",
         [(Kind.PARAGRAPH, "Use the hammer for it, not the saw."), (Kind.CODE, "```sh\n    hit\n    ```"),
          (Kind.LIST, "2. Rest.")]),
        ("    x = 1\n    f(x)\n", [(Kind.CODE, "x = 1\n    f(x)")]),
    ],
)  # fmt: skip
def test_a_text_that_begins_within_an_item_is_read_as_such(text: str, found: list[tuple[Kind, str]]) -> None:
    """A chunk cut out of a nested list has its indentation, which alone would make it code."""
    assert [(block.kind, text[block.start : block.end]) for block in read_blocks(text)] == found


def test_the_header_of_a_table_may_be_in_an_earlier_chunk() -> None:
    """It is given, and has no length in the text; rows keep their offsets."""
    text = "| Huge | 3 euros |\n"
    (table,) = read_blocks(text, "| Plan | Price |")
    header, row = table.parts
    assert header.start == header.end == 0
    assert text[row.start : row.end] == "| Huge | 3 euros |"


def test_a_first_row_of_values_is_no_header() -> None:
    """Where all rows begin with code, the first one is a row like the others."""
    (table,) = read_blocks("| `a` | one |\n|---|---|\n| `b` | two |\n")
    assert [row.end > row.start for row in table.parts] == [False, True, True]


def test_an_admonition_is_no_code() -> None:
    """Its text is indented, and still a paragraph."""
    assert Kind.CODE not in kinds("!!! note\n    Close it first.\n\n    Then open it.\n\nAfter.\n")


def test_cells_keep_bars_that_are_escaped() -> None:
    """A bar behind a backslash is part of a cell."""
    row = r"| a \| b |  | c"
    assert [row[slice(*span)] for span in cell_spans(row, 0, len(row))] == [r"a \| b", "", "c"]


@pytest.mark.parametrize("marks", ["**", "12"])
def test_an_indented_list_of_plain_text_has_its_first_item(marks: str) -> None:
    """A blank line above it, as in release notes: the paragraph begins behind the blanks, but its line does not."""
    first, second = (f"{mark}." if mark.isdigit() else mark for mark in marks)
    text = f"The rules:\n\n  {first} Wear gloves\n  {second} Mind the saw\n"
    rules, items = read_prose(text)
    assert text[rules.start : rules.end] == "The rules:"
    assert [text[item.start : item.end] for item in items.parts] == [f"{first} Wear gloves", f"{second} Mind the saw"]


def test_bullets_and_titles_of_plain_text_are_found() -> None:
    """A list that is only typed is a list; a short line above a paragraph is one of its own."""
    text = "Cleaning the pump\nYou need what follows, each of it in one piece.\n• A long brush\n• Warm water\n"
    title, lead, bullets = read_prose(text)
    assert text[title.start : title.end] == "Cleaning the pump"
    assert text[lead.start : lead.end].startswith("You need")
    assert [text[item.start : item.end] for item in bullets.parts] == ["• A long brush", "• Warm water"]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("   adm\n          Group adm may read the log files of the system.\n",
         ["adm", "Group adm may read the log files of the system."]),
        ("The rest is the draw pile of the game.\nObjective\nYou play cards to take counters from others.\n",
         ["The rest is the draw pile of the game.", "Objective", "You play cards to take counters from others."]),
        ("   one line\n   two lines of the same paragraph, not a word more.\n",
         ["one line\n   two lines of the same paragraph, not a word more."]),
    ],
)  # fmt: skip
def test_a_title_of_plain_text_is_no_part_of_the_paragraphs_around_it(text: str, blocks: list[str]) -> None:
    """It stands alone, whether what it names is below it or further in."""
    assert [text[block.start : block.end] for block in read_prose(text)] == blocks


def test_lines_of_plain_text_that_count_are_a_list() -> None:
    """A single number at the beginning of a line is one of the text."""
    (steps,) = read_prose("7) Tell your page to the\nother player.\n8) Turn to it.\n")
    assert ([part.start for part in steps.parts], steps.number) == ([0, 39], 7)
    assert [block.kind for block in read_prose("It was built in\n12. June and\n14. July.\n")] == [Kind.PARAGRAPH]


def test_source_code_is_cut_at_its_outermost_definitions() -> None:
    """A function is whole, with its comment and its blank lines."""
    text = '# Lifts.\ndef lift(litres):\n    """Lift."""\n\n    return litres\n\n\ndef stop():\n    pass\n'
    blocks = read_code(stretch(text, kind=ChunkKind.CODE, uri="pump.py"))
    assert [text[block.start : block.end] for block in blocks] == [
        '# Lifts.\ndef lift(litres):\n    """Lift."""\n\n    return litres',
        "def stop():\n    pass",
    ]
    assert {block.language for block in blocks} == {"py"}


def check_blocks(blocks: tuple[Block, ...], text: str) -> None:
    """Blocks are visible spans in order; parts are within their block."""
    before = 0
    for block in blocks:
        assert before <= block.start <= block.end <= len(text)
        assert block.start == block.end or text[block.start : block.end].strip()
        check_blocks(block.parts, text[: block.end])
        before = block.start


@given(MARKUP, st.sampled_from(["", "| a | b |"]))
def test_any_markdown_gives_blocks_within_it(text: str, header: str) -> None:
    """Whatever the text: every block begins and ends with something visible, and none before the one above it."""
    blocks = read_blocks(text, header)
    check_blocks(blocks, text)
    assert len(list(each_block(blocks))) >= len(blocks)


@pytest.mark.parametrize("kind", [ChunkKind.PROSE, ChunkKind.CODE])
@given(text=MARKUP)
def test_any_plain_text_is_covered_by_its_blocks(kind: ChunkKind, text: str) -> None:
    """No visible character of prose or code is outside all blocks, and no two blocks overlap."""
    blocks = read_prose(text) if kind == ChunkKind.PROSE else read_code(stretch(text, kind=kind))
    check_blocks(tuple(blocks), text)
    covered = [place for block in blocks for place in range(block.start, block.end)]
    assert len(covered) == len(set(covered))
    assert {place for place, letter in enumerate(text) if not letter.isspace()} <= set(covered)
