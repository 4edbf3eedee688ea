"""Documents that differ in a word of their titles, long quotations, and what stands below a short paragraph (ANS-4)."""

from uuid import UUID

import pytest

from headwater.answering.asked import read_asked
from headwater.answering.choosing import Choice
from headwater.answering.deciding import narrowed
from headwater.answering.growing import grown
from headwater.quote.rendering import render
from headwater.answering.siblings import others_meant
from headwater.answering.units import Shape
from headwater.understanding.words import content_words
from tests.blocks import unit, units
from tests.passages import passage

STANDARD = passage("Call us.", title="Water Care Standard Plan", document_id=UUID(int=1))
PLUS = passage("Call them.", title="Water Care Plus Plan", document_id=UUID(int=2))
PUMPS = passage("They lift.", title="Pumps", document_id=UUID(int=3))


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("plus plan: who do I call?", {STANDARD.document_id}),
        ("Whom do members of the Standard plan call?", {PLUS.document_id}),
        ("Whom do I call?", set()),
        ("Does Plus cover more than Standard?", set()),
        ("Do pumps need a plan?", set()),
    ],
)
def test_a_word_that_one_title_has_names_the_document(question: str, others: set[UUID]) -> None:
    """Its sibling is not meant; a question that names none or both means all, and other documents stay in."""
    assert others_meant(question, [STANDARD, PLUS, PUMPS]) == others


def test_a_part_of_a_long_quotation_is_written() -> None:
    """A quotation that is cut to its best sentences has text, without the marks of the lines."""
    text = "> Water runs down. " + "It runs and runs.\n> " * 40 + "The tank holds 300 litres.\n"
    asked, weights = read_asked("How many litres does the tank hold?"), dict.fromkeys(content_words("litres tank"), 1.0)
    shown = render(narrowed(unit(text, Shape.TEXT), asked, weights)).text
    assert "The tank holds 300 litres." in shown
    assert ">" not in shown


def test_a_short_paragraph_is_shown_with_those_below_it() -> None:
    """It often poses the problem that they solve."""
    poses = "Sometimes the valve must open before the pump runs, and then there is no pressure that could open it."
    text = f"## Valves\n\n{poses}\n\nTurn the red wheel by hand.\n\n{'Then wait for the pump to begin. ' * 40}\n"
    all_units = units(text)
    first = next(one for one in all_units if one.text == poses)
    (choice,) = grown(
        [Choice(unit=first, score=1.0)], all_units, read_asked("How do I open the valve before the pump?")
    )
    assert "Turn the red wheel" in choice.unit.text
