"""The blocks of a document, and the units that can answer (ANS-4)."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.quote.blocks import Kind, cell_spans, each_block, read_blocks
from headwater.quote.rendering import render
from headwater.answering.sections import find_units
from headwater.quote.stretches import Stretch, make_stretches
from headwater.answering.units import Shape, Unit
from headwater.domain.documents import ChunkKind
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

## Care

Oil it.
"""


def stretch(text: str, kind: str = ChunkKind.MARKDOWN) -> Stretch:
    """A text that was found as one passage."""
    return make_stretches([passage(text, kind=kind)], ())[0]


def units(text: str, shape: Shape, kind: str = ChunkKind.MARKDOWN) -> list[Unit]:
    return [unit for unit in find_units(stretch(text, kind)) if unit.shape == shape]


def shown(text: str, shape: Shape) -> list[str]:
    return [render(unit).text for unit in units(text, shape)]


def test_a_numbered_list_goes_on_after_code_that_is_not_indented() -> None:
    """Steps are given whole, with their lead-in, whatever interrupts them."""
    (steps,) = [text for text in shown(STEPS, Shape.LIST) if text.startswith("Restore in this order:")]
    assert steps.index("1. Stop") < steps.index("pump stop") < steps.index("2. Open") < steps.index("3. Start")
    assert "Oil it" not in steps


def test_a_list_that_crosses_chunks_is_whole() -> None:
    """The chunk beside the one that was found completes it; its own blocks answer nothing."""
    cut = STEPS.index("2. Open")
    found = passage(STEPS[:cut], position=0)
    beside = passage(STEPS[cut:], position=1, start=cut, line=11)
    (whole,) = make_stretches([found], [found, beside])
    assert whole.text == STEPS
    lists = [unit for unit in find_units(whole) if unit.shape == Shape.LIST]
    assert any(unit.text.endswith("3. Start the pump.") for unit in lists)
    assert not any(unit.text == "Oil it." for unit in find_units(whole))


def test_code_is_shown_with_its_lead_in_and_its_output() -> None:
    """Neither stands alone."""
    text = "Ask the pump how it is:\n\n```sh\npump status\n```\n\n```text\nall is well\n```\n"
    (code,) = shown(text, Shape.CODE)
    assert code == text.strip()


def test_rows_have_the_header_of_their_table() -> None:
    """Also where the table began in an earlier chunk, whose header the breadcrumb holds."""
    text = "| Plan | Price |\n|---|---|\n| Small | 1 euro |\n| Large | 2 euros |\n"
    assert shown(text, Shape.ROW)[1] == "| Plan | Price |\n| --- | --- |\n| Large | 2 euros |"
    later = passage("| Huge | 3 euros |\n", breadcrumb=("Prices", "Plan | Price"))
    (row,) = [unit for unit in find_units(make_stretches([later], ())[0]) if unit.shape == Shape.ROW]
    assert render(row).text == "| Plan | Price |\n| --- | --- |\n| Huge | 3 euros |"


def test_a_line_in_bold_names_the_text_below_it() -> None:
    """It is a heading in all but markup: a definition is the name with its text."""
    text = "Settings:\n\n**PORT**\n\nWhere it listens. Default: 80.\n\n**HOST**\n\nWho may call it.\n"
    definitions = units(text, Shape.DEFINITION)
    assert [unit.term for unit in definitions] == ["PORT", "HOST"]
    assert render(definitions[0]).text == "**PORT**\n\nWhere it listens. Default: 80."


def test_marks_of_admonitions_are_words() -> None:
    """GitHub's and MkDocs' marks are not shown raw, and a line that only names a version is left out."""
    text = "> [!WARNING]\n> Never open it.\n\nNew in version 1.2\n\n!!! note\n    Close it first.\n"
    texts = shown(text, Shape.TEXT)
    assert "**Warning:** Never open it." in texts
    assert "Close it first." in texts
    assert not any("1.2" in one for one in texts)


def test_links_images_tags_and_false_markers_are_cleaned() -> None:
    """Words stay; a link leads only to the web; nothing of the source can be taken for a citation."""
    text = "See [the guide](../guide.md), [the site](https://example.org) ![x](y.png)<b>now</b> for v[1] and <name>."
    assert shown(text, Shape.TEXT) == ["See the guide, [the site](https://example.org) now for v(1) and `<name>`."]


def test_badges_and_tables_of_contents_are_no_units() -> None:
    """They lead elsewhere and say nothing."""
    text = "# Pump\n\n[![build](a.svg)](https://example.org)\n\n- [Care](#care)\n- [Stop](#stop)\n\nIt lifts water.\n"
    assert [unit.text for unit in find_units(stretch(text))] == ["It lifts water."]


def test_bullets_and_titles_of_plain_text_are_found() -> None:
    """A list that is only typed is a list."""
    text = "What is needed:\n• A long brush\n• Warm water\n"
    assert shown_prose(text) == ["What is needed:\n\n- A long brush\n- Warm water"]


def shown_prose(text: str) -> list[str]:
    return [render(unit).text for unit in units(text, Shape.LIST, ChunkKind.PROSE)]


def test_source_code_is_cut_at_its_outermost_definitions() -> None:
    """A function is shown with its signature and its comment."""
    text = '# Lifts.\ndef lift(litres):\n    """Lift."""\n\n    return litres\n\n\ndef stop():\n    pass\n'
    assert [unit.text for unit in units(text, Shape.CODE, ChunkKind.CODE)] == [
        '# Lifts.\ndef lift(litres):\n    """Lift."""\n\n    return litres',
        "def stop():\n    pass",
    ]


def test_a_text_that_begins_in_code_is_read_from_the_end_of_the_code() -> None:
    """A chunk cut out of a long block begins in code: its first bare fence closes."""
    text = "image: one\n```\n\nThe port is optional.\n"
    assert [block.kind for block in read_blocks(text)] == [Kind.PARAGRAPH]


def test_cells_keep_bars_that_are_escaped() -> None:
    """A bar behind a backslash is part of a cell."""
    row = r"| a \| b |  | c"
    assert [row[slice(*span)] for span in cell_spans(row, 0, len(row))] == [r"a \| b", "", "c"]


@given(st.text(alphabet="aB .?!\n#-|`~>•:1)=日[](*_", max_size=200), st.sampled_from(list(ChunkKind)))
def test_any_text_gives_units_within_it(text: str, kind: ChunkKind) -> None:
    """Whatever the text: blocks and units are spans of it that begin and end with something visible."""
    for block in each_block(read_blocks(text)):
        assert 0 <= block.start <= block.end <= len(text)
        assert text[block.start : block.end].strip()
    for unit in find_units(stretch(text, kind)):
        assert unit.text == text[unit.start : unit.end] == unit.text.rstrip() != ""
        render(unit, [(unit.start, unit.end)])
