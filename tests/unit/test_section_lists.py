"""What stands below the headings of a document (SUM-4)."""

import time

import pytest

from headwater.retrieval.section_lists import _lists, _Outline
from headwater.understanding.inventory import inventory_of


@pytest.mark.parametrize("text", ["## Dials\n", "# Dials\n## Dials\n### Dials\n"])
def test_a_document_of_nothing_but_the_asked_heading_takes_no_time(text: str) -> None:
    """Each heading looks at what is below it and on the way to it, not at all the others."""
    inventory = inventory_of("Which dials are there?")
    assert inventory is not None
    started = time.process_time()
    list(_lists(_Outline(title="Miller", text=text * (20_000 // text.count("\n"))), inventory, inventory.words))
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text",
    [
        "## Dials\n\n**[`^ back to top ^`](#top)**\n\nThe dials of the mill.\n\n_See also: [Levers](#levers)_\n\n",
        "## All dials\n\n",
    ],
)
def test_a_list_is_what_its_heading_says(text: str) -> None:
    """Also below words that only lead elsewhere."""
    inventory = inventory_of("Which dials are there?")
    assert inventory is not None
    outline = _Outline(title="Mill", text=f"{text}- [[Speed]]\n\t- Turns a minute.\n- [[Gauges/Heat|Heat]]\n- Noise\n")
    (_, path, entries), *_ = _lists(outline, inventory, inventory.words)
    assert path[0] == "Mill"
    assert [entry.text for entry in entries] == ["[[Speed]]", "[[Gauges/Heat|Heat]]", "Noise"]


@pytest.mark.parametrize(
    ("question", "text", "items"),
    [
        ("Which dials are there?", "## Dials\n\nThe dials turn.\n\nSee also:\n\n- Levers\n- Wheels\n- Belts\n", []),
        ("Which full dials are there?", "## Full dials\n\n- Speed\n- Heat\n- Noise\n", ["Speed", "Heat", "Noise"]),
    ],
)
def test_a_list_of_other_things_is_none(question: str, text: str, items: list[str]) -> None:
    """What a question says is asked for, also where other headings say it of the whole list."""
    inventory = inventory_of(question)
    assert inventory is not None
    lists = [entries for _, _, entries in _lists(_Outline(title="Mill", text=text), inventory, inventory.words)]
    assert [entry.text for entries in lists for entry in entries] == items


def test_the_path_to_a_heading_skips_what_ends_before_it() -> None:
    """Levels may be left out, and a higher heading ends every deeper one."""
    outline = _Outline(title="Miller", text="# Mill\n\n### Noise\n\n## Dials\n\n#### Speed\n\n# Shed\n\n## Dials\n")
    assert [outline.path(index) for index in range(6)] == [
        ("Miller", "Mill"),
        ("Miller", "Mill", "Noise"),
        ("Miller", "Mill", "Dials"),
        ("Miller", "Mill", "Dials", "Speed"),
        ("Miller", "Shed"),
        ("Miller", "Shed", "Dials"),
    ]


@pytest.mark.parametrize(
    ("sections", "listed"),
    [
        (("Introduction", "Speed", "Heat", "Noise", "Summary"), ["Speed", "Heat", "Noise"]),
        (("Speed", "Heat", "Why do they turn?"), []),
        (("Overview", "Summary", "Billing"), ["Overview", "Summary", "Billing"]),
        (("Speed", "Heat", "Noise", "Which one do I need?"), ["Speed", "Heat", "Noise"]),
    ],
)
def test_what_is_told_about_things_is_none_of_them(sections: tuple[str, ...], listed: list[str]) -> None:
    """A chapter about dials has an introduction, and asks questions about them."""
    inventory = inventory_of("Which dials are there?")
    assert inventory is not None
    text = "# Dials\n\n" + "".join(f"## {section}\n\nText.\n\n" for section in sections)
    lists = [entries for _, _, entries in _lists(_Outline(title="Dials", text=text), inventory, inventory.words)]
    assert [entry.text for entries in lists for entry in entries] == listed
