"""What makes a block the wrong answer: it denies, sums up, tells of a counterpart, or is one step of many (ANS-4)."""

import time
from datetime import UTC, datetime

import pytest

from headwater.answering.asked import read_asked
from headwater.answering.choosing import Choice, choose_units
from headwater.answering.deciding import deciding_spans
from headwater.answering.evidence import Evidence
from headwater.answering.fitting import Words, fits_of
from headwater.answering.growing import grown
from headwater.answering.sections import find_units, units_around
from headwater.answering.sides import find_sides, side_questions
from headwater.answering.signs import Want
from headwater.quote.stretches import make_stretches
from headwater.answering.units import Shape, Unit
from headwater.answering.unknown_names import has_unknown_name
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import Passage
from headwater.retrieval.found import Found
from headwater.retrieval.trust import Trusted
from headwater.understanding.question import understand
from headwater.understanding.words import content_words
from tests.passages import passage

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BASE = KnowledgeBase(
    id=1, slug="pumps", name="Pumps", description="", settings=KnowledgeBaseSettings(), created_at=NOW, updated_at=NOW
)


def units(text: str) -> list[Unit]:
    return list(find_units(make_stretches([passage(text)], ())[0]))


def unit(text: str, shape: Shape, beginning: str = "") -> Unit:
    return next(one for one in units(text) if one.shape == shape and one.text.startswith(beginning))


def fits(question: str, one: Unit) -> dict[str, float]:
    own = frozenset(content_words(one.text))
    near = frozenset(content_words(" ".join((*one.headings[-1:], one.lead))))
    return fits_of(one, read_asked(question), Words(asked=frozenset(content_words(question)), own=own, near=near))


def choose(question: str, *passages: Passage) -> list[Choice]:
    """Choose from trusted passages, without similarities."""
    evidence = Evidence(
        knowledge_base=BASE,
        question=question,
        found=Found(passages=passages, embedder=None, timings_ms={}, understanding=understand(question)),
        trusted=Trusted(kept=passages, dropped=()),
        started=time.perf_counter(),
    )
    return choose_units(evidence)


def trusted(text: str, **values: object) -> Passage:
    return passage(text, scores={"trust": 0.9, "vector": 0.5}, **values)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Overall, the pump lifts water well.", 1.0),
        ("In summary, the pump lifts water.", 1.0),
        ("By following these tips, you can keep the pump running.", 1.0),
        ("By default the pump lifts water.", 0.0),
        ("Overalls protect your clothes.", 0.0),
    ],
)
def test_a_paragraph_that_sums_up_is_known(text: str, value: float) -> None:
    """It repeats what stands above it."""
    assert fits("What does the pump lift?", unit(text, Shape.TEXT))["sums_up"] == value


def test_a_denial_must_deny_what_the_question_denies() -> None:
    """`So you do not have to worry` says nothing about what is not covered."""
    question = "What is not covered by the warranty?"
    assert fits(question, unit("The warranty covers pumps, so you don't have to worry.", Shape.TEXT))["positive"]
    assert not fits(question, unit("The warranty does not cover the cost of hoses.", Shape.TEXT))["positive"]
    assert not fits(question, unit("Hoses are exempt.", Shape.TEXT))["positive"]


def test_a_denied_list_does_not_answer_what_is() -> None:
    """Its lead-in says that these are not; an open question does not ask for them, one with `not` does."""
    text = "# Parts\n\nThese parts are not delivered with the pump.\n\n- hose\n- filter\n"
    assert fits("Which parts are delivered with the pump?", unit(text, Shape.LIST))["denied"]
    assert not fits("Which parts are not delivered with the pump?", unit(text, Shape.LIST))["denied"]
    plain = text.replace("are not", "are")
    assert not fits("Which parts are delivered with the pump?", unit(plain, Shape.LIST))["denied"]


def test_the_counterpart_of_a_compound_is_contrary() -> None:
    """`Off-site` is not `on-site`, although both are about a site; a text about both is neither."""
    question = "What does on-site repair cost?"
    assert fits(question, unit("Off-site repair costs 20 euros.", Shape.TEXT))["contrary"]
    assert not fits(question, unit("On-site repair costs 40 euros, off-site repair 20.", Shape.TEXT))["contrary"]
    assert not fits(question, unit("Repair costs 40 euros.", Shape.TEXT))["contrary"]


def test_a_further_block_says_nothing_contrary() -> None:
    """What is covered does not complete what is not."""
    above = ("Parts covered by the warranty",)
    no = trusted("The warranty does not cover these parts:\n\n- hoses\n- filters\n", uri="no.md", breadcrumb=above)
    yes = trusted("The warranty covers these parts:\n\n- pumps\n- valves\n", uri="yes.md", breadcrumb=above)
    (choice,) = choose(
        "Which parts, such as hoses, filters, pumps and valves, are not covered by the warranty?", no, yes
    )
    assert "hoses" in choice.unit.text


def test_what_denies_is_among_the_candidates() -> None:
    """Many blocks say more about the subject, but not what was asked."""
    covers = "\n\n".join(f"The warranty of the pump is good: it covers {part} of the pump." for part in "abcdefghij")
    text = f"# Pump warranty\n\n{covers}\n\n## Limits\n\nYou buy a hose anywhere. We do not cover those.\n"
    choices = choose("What is not covered by the warranty of the pump?", trusted(text))
    assert "do not cover those" in choices[0].unit.text


def test_a_further_block_is_about_the_named_thing() -> None:
    """The second pump's own page does not complete an answer about the first one."""
    question = "How many litres of water does the Alto pump lift to the roof in an hour of full load?"
    said = "pump lifts {} litres of water to the roof in an hour of full load. {}"
    red, blue = "Red paint, iron bolts, two handles, four feet and long pipes.", "Blue enamel, brass nuts and one rope."
    one = trusted(f"The Alto {said.format(20, red)}", uri="alto.md", title="Alto", breadcrumb=())
    other = trusted(f"The Basso {said.format(40, blue)}", uri="basso.md", title="Basso", breadcrumb=())
    texts = [choice.unit.text for choice in choose(question, one, other)]
    assert texts == [one.text]
    assert len(choose(question.replace("Alto ", ""), one, other)) > 1


STEPS = """\
# Frost

How to drain the pump

The pump must be empty in winter.

Step 1: Stop it

Press the red button and wait.

Step 2: Open the tap

Turn it to the left.

Care

Oil the pump.
"""


def test_labels_that_are_steps_are_one_procedure() -> None:
    """One of them alone tells a part of the way."""
    whole = unit(STEPS, Shape.SECTION, "How to drain")
    assert whole.is_steps
    assert whole.text.endswith("Turn it to the left.")
    lone = unit(STEPS, Shape.DEFINITION, "Step 2")
    assert fits("How do I open the tap?", lone)["lone_step"]
    assert not fits("How do I open the tap?", whole)["lone_step"]


def test_headings_that_are_steps_are_one_procedure() -> None:
    """The section after the last one is none of them."""
    text = "# Frost\n\n## Step 1: Stop it\n\nPress.\n\n## Step 2: Open it\n\nTurn.\n\n## Care\n\nOil it.\n"
    (whole,) = [one for one in units(text) if one.is_steps and "Press." in one.text and "Turn." in one.text]
    assert whole.text.startswith("## Step 1")
    assert "Oil" not in whole.text


def test_the_procedure_below_a_trusted_heading_answers() -> None:
    """The search found how the page begins; its steps stand in the next section."""
    begin = "# Drain the pump\n\nYou can drain the pump in winter.\n\n"
    steps = "## Steps\n\n1. Stop the pump.\n2. Open the tap.\n\n## Colour\n\nThe pump is red.\n"
    first = trusted(begin, breadcrumb=("Drain the pump",))
    beside = passage(steps, position=1, start=len(begin), breadcrumb=("Drain the pump", "Steps"))
    texts = [one.text for one in find_units(make_stretches([first], [beside])[0])]
    assert "1. Stop the pump.\n2. Open the tap." in texts
    assert "The pump is red." not in texts
    assert "The pump is red." in [one.text for one in units_around(make_stretches([first], [beside])[0])]


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("How do I check which version my pump has?", Want.STEPS),
        ("How is the alarm turned on?", Want.STEPS),
        ("Which pump does not need oil?", Want.ANYTHING),
        ("Which pump needs more oil, Alto or Basso?", Want.COMPARISON),
    ],
)
def test_the_wording_decides_what_is_asked_first(question: str, want: Want) -> None:
    """A version to check is asked as a procedure; `does not` in `which` is no fault of a pump."""
    assert read_asked(question).want == want


def test_sides_are_asked_for_what_they_are_compared_in() -> None:
    """Else the block of one side may lack it; without it, a side is asked what it is."""
    question = "Which pump has the higher yearly price, Alto or Basso?"
    sides = find_sides(question)
    first, second = side_questions(question, sides)
    assert content_words("yearly price Alto") <= content_words(first)
    assert "Alto" not in second
    difference = "What is the difference between a valve and a tap?"
    assert side_questions(difference, find_sides(difference)) == ("What is a valve?", "What is a tap?")


def test_a_block_about_both_sides_answers_a_comparison() -> None:
    """It is preferred to one that is slightly better for one side."""
    lead = "Two words to know about pressure:\n\n- limit: the highest pressure of a pump.\n"
    item = "- guarantee: the pressure that a pump always has.\n"
    above = passage(lead, rank=5, breadcrumb=("Terms",), scores={"trust": 0.6})
    below = passage(item, position=1, start=len(lead), breadcrumb=("Terms",), scores={"trust": 0.7})
    (choice,) = choose("What is the difference between limit and guarantee of pressure in a pump?", below, above)
    assert "limit: the highest" in choice.unit.text
    assert "guarantee: the pressure" in choice.unit.text


def marked(question: str, one: Unit) -> list[str]:
    weights = dict.fromkeys(content_words(question), 1.0)
    return [one.stretch.text[slice(*span)] for span in deciding_spans(one, read_asked(question), weights)]


def test_a_number_of_the_question_is_not_its_answer() -> None:
    text = unit("With a tank of 80 litres use 3 valves.", Shape.TEXT)
    assert marked("How many valves for a tank of 80 litres?", text) == ["3 valves"]
    assert marked("How many hoses for a tank of 80 litres?", unit("A tank of 80 litres has 3 valves.", Shape.TEXT)) == [
        "3 valves"
    ]
    assert marked("How many hoses?", unit("A tank of 80 litres has 3 valves.", Shape.TEXT)) == []


def test_only_a_column_that_is_clearly_asked_for_is_marked() -> None:
    """Two that share the question's word leave it open; a time is not in the digits of an address."""
    two = unit("| Who | Rules of oiling | Oilers |\n|---|---|---|\n| Pump | weekly | Ada |\n", Shape.ROW)
    assert marked("What are the conditions for oiling?", two) == []
    table = "| Rhythm | Release list |\n|---|---|\n| in the 3rd week | [list](https://pump.example/a?b=12) |\n"
    assert marked("When is a release?", unit(table, Shape.ROW)) == ["in the 3rd week"]


def test_a_row_without_the_quoted_message_is_left_out() -> None:
    """The question quotes one message; the row of another one misleads."""
    table = (
        "# Faults\n\n| Message | Cause | Fix |\n|---|---|---|\n"
        "| tank is empty | the pump fails to start | fix the leak in the pump |\n"
        "| `valve is stuck` | frost | warm it |\n"
    )
    choices = choose('The pump fails to start with "valve is stuck". What is the fix?', trusted(table))
    assert "warm it" in choices[0].unit.text
    assert all("leak" not in choice.unit.text for choice in choices if choice.unit.shape == Shape.ROW)


def test_a_quantity_that_no_block_has_is_refused() -> None:
    """A text about the thing is no number; a question that only may ask for one is answered."""
    text = "# Pump\n\nThe red pump stands in the yard.\n"
    assert choose("How many litres does the red pump lift?", trusted(text)) == []
    assert choose("Where does the red pump stand?", trusted(text))


def test_a_name_of_several_words_must_be_known() -> None:
    """Its words alone, apart from each other, are about something else."""
    texts = [f"The {colour} pump lifts water." for colour in ("red", "grey", "black")]
    passages = [passage(text) for text in [*texts, "A blue valve.", "The manual of Mr Ocean."]]
    assert has_unknown_name("What does the Blue Ocean cost?", passages)
    assert not has_unknown_name("What does the blue ocean cost?", passages)
    assert not has_unknown_name("What does the Grey Pump lift?", passages)
    assert not has_unknown_name("What does the Ocean Pump lift?", passages)
    assert not has_unknown_name("What Does The Blue Ocean Cost?", passages)


def test_a_name_in_another_writing_is_known() -> None:
    """A hyphen, an ending or another case hides no name; a title may be the only place that has it."""
    question = "How do I order the Deep Well at home?"
    for known in (passage("Order a deep-well."), passage("Order deep wells."), passage("Order.", title="Deep Well")):
        assert not has_unknown_name(question, [known, passage("Another."), passage("One more.")])


def test_several_things_are_told_in_the_paragraphs_around() -> None:
    """Prose that is too long to be shown whole is shown from the best paragraph on, also beyond what was found."""
    first, second, third = (f"{word} thing to check is {'the oil ' * 36}." for word in ("One", "Another", "A third"))
    begin = f"# Checks\n\n{first}\n\n"
    found = trusted(begin, breadcrumb=("Checks",))
    beside = passage(
        f"{second}\n\n{third}\n\n{'The end is near. ' * 60}\n", position=1, start=len(begin), breadcrumb=("Checks",)
    )
    around = list(units_around(make_stretches([found], [beside])[0]))
    choices = [Choice(unit=next(one for one in around if one.text == first), score=1.0)]
    (choice,) = grown(choices, around, read_asked("What things should be checked?"))
    assert choice.unit.text.startswith("One")
    assert "Another" in choice.unit.text
    assert "The end" not in choice.unit.text
    assert grown(choices, around, read_asked("Why is it checked?")) == choices
