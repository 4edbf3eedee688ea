"""Which blocks are shown beside the best one, and which of all their sentences is in bold (ANS-4)."""

import pytest

from headwater.answering.asked import has_sign, read_asked
from headwater.answering.choosing import Choice, choose_units
from headwater.answering.extractive import compose
from headwater.answering.fitting import Words, fits_of
from headwater.answering.growing import grown
from headwater.answering.marking import marked
from headwater.quote.rendering import render
from headwater.answering.sections import find_units
from headwater.answering.signs import Want
from headwater.quote.stretches import make_stretches
from headwater.answering.units import Shape, Unit
from headwater.understanding.words import content_words
from tests.passages import passage
from tests.unit.test_block_choice import evidence, trusted


def units(text: str) -> list[Unit]:
    return list(find_units(make_stretches([passage(text)], ())[0]))


def bold(question: str, text: str, *, first: str) -> list[str]:
    """The marked sentences of the paragraphs of a text, if each has marked the sentence that begins with `first`."""
    asked, words = read_asked(question), content_words(question)
    choices = []
    for one in (unit for unit in units(text) if unit.shape == Shape.TEXT):
        at = one.stretch.text.find(first, one.start, one.end)
        spans = ((at, one.stretch.text.index(".", at) + 1),) if at >= 0 else ()
        choices.append(Choice(unit=one, score=1.0, deciding=spans))
    found = marked(choices, asked, lambda _, said: len(words & content_words(said)) / len(words))
    return [choice.unit.stretch.text[slice(*span)] for choice in found for span in choice.deciding]


@pytest.mark.parametrize(
    ("question", "text", "decides"),
    [
        (
            "Is diving insured?",
            "Diving is insured up to a sum. Ask for a form.\n\nDiving is not insured below 20 metres. Take care.",
            ["Diving is not insured below 20 metres."],
        ),
        (
            "How many days may a diver rest?",
            "A diver may rest some days. It is good.\n\nA diver may rest for 3 days. Sleep well.",
            ["A diver may rest for 3 days."],
        ),
        (
            "How many days may a diver rest?",
            "A diver may rest for 2 days. Sleep well.\n\nIn winter a diver may rest for 3 days. Sleep well.",
            [],
        ),
        ("When does the diver rest?", "The diver may rest. Sleep well.\n\nThe diver is here. Swim.", []),
        ("Tell me about a diver's rest", "A diver may rest. It is good.\n\nSwim. Eat.", ["A diver may rest."]),
    ],
)
def test_only_the_sentence_that_decides_is_bold(question: str, text: str, decides: list[str]) -> None:
    """A denial for a yes or no, a number for `how many`; none if two blocks may decide or none does."""
    first = text.partition(".")[0]
    assert bold(question, text, first=first) == decides


EXCEPTIONS = """\
## Exceptions

The shop repairs most boats. These are the exceptions:

- boats without a name
- boats of steel

In addition, the shop does not repair rafts.
"""


def test_a_sentence_that_adds_to_a_list_is_shown_with_it() -> None:
    """`In addition` alone would name the least of the exceptions."""
    long = f"{EXCEPTIONS}\n{'The harbour is open all year long. ' * 30}\n"
    found = units(long)
    last = next(one for one in found if one.text.startswith("In addition"))
    (whole,) = grown([Choice(unit=last, score=1.0)], found, read_asked("Which boats are not repaired?"))
    assert whole.unit.text.startswith("The shop repairs most boats.")
    assert whole.unit.text.endswith("does not repair rafts.")


def test_what_is_not_covered_is_not_paid_for() -> None:
    """A handbook denies in other verbs than a question; a denial of something else is none."""
    asked = read_asked("Which costs are not paid?")
    words = Words(asked=frozenset(), own=frozenset(), near=frozenset())
    values = [
        fits_of(next(one for one in units(text) if one.shape == Shape.TEXT), asked, words)["positive"]
        for text in ("The fund does not cover meals.", "The fund is not open on Mondays.", "The fund covers meals.")
    ]
    assert values == [0.0, 1.0, 1.0]
    tips = "## Tips\n\n- Be sure to ask first.\n- If it is not covered, save money.\n- Make sure to keep the bill.\n"
    advice = next(one for one in units(tips) if one.shape == Shape.LIST)
    assert fits_of(advice, asked, words)["positive"] == 1.0


def test_who_may_is_told_by_a_permission() -> None:
    """`You can` tells how, and not who; a question for a name is not asked so."""
    asked = read_asked("Who is allowed to start the pump?")
    assert asked.want == Want.PERSON
    assert has_sign(asked, "Only members of the group `pilots` have permission.")
    assert not has_sign(asked, "You can start it with the key.")
    assert has_sign(read_asked("Who built the pump?"), "You can ask Ada.")
    assert has_sign(read_asked("Who can I ask about the pump?"), "You can ask Ada.")


def test_a_table_without_a_header_gets_none() -> None:
    """Another row above the one that answers would be taken for the names of the columns."""
    text = "The kinds:\n\n| `tank` | holds water |\n| --- | --- |\n| `pump` | lifts water |\n| `weir` | stops water |\n"
    rows = [one for one in units(text) if one.shape == Shape.ROW]
    assert rows[0].text == "| `tank` | holds water |"
    assert render(rows[1]).text == "|  |  |\n| --- | --- |\n| `pump` | lifts water |"
    named = [one for one in units(text.replace("`tank`", "Kind")) if one.shape == Shape.ROW]
    assert render(named[0]).text == "| Kind | holds water |\n| --- | --- |\n| `pump` | lifts water |"


def test_an_answer_names_the_spelt_out_department() -> None:
    """The question's `R&D` is the passage's `research and development`."""
    text = "# Staff\n\nThe head of research and development has 5 years.\n\nThe head of sales has 7 years.\n"
    (best, *_) = choose_units(evidence("How many years has the head of R&D?", [trusted(text)]))
    shown = "".join(event.text for event in compose([best]) if hasattr(event, "text"))
    assert "research and development has **5 years**." in shown
