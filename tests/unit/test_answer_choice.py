"""What a question asks for, what a block has of it, and which of its words decide (ANS-4)."""

import pytest

from headwater.answering.asked import asking_part, clauses, has_sign, read_asked
from headwater.answering.choosing import Choice
from headwater.answering.deciding import deciding_spans, narrowed
from headwater.answering.fitting import beside
from headwater.answering.growing import grown
from headwater.answering.signs import Want
from headwater.answering.units import Shape
from headwater.answering.verbs import opposites, synonyms
from headwater.answering.weights import WEIGHTS, weighed
from headwater.understanding.words import content_words, stem
from tests.blocks import fits, unit, units


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("How many valves does the pump have?", Want.NUMBER),
        ("oldest supported firmware?", Want.NUMBER),
        ("default tank size", Want.NUMBER),
        ("What share of the water is lost?", Want.NUMBER),
        ("I moved house. How far ahead do I have to call?", Want.NUMBER),
        ("Who oils the pump?", Want.PERSON),
        ("When is the filter changed?", Want.TIME),
        ("In which room does the pump stand?", Want.PLACE),
        ("reason we only pump at night", Want.REASON),
        ("limit the pump to two bar", Want.STEPS),
        ("I want to drain the tank", Want.STEPS),
        ("The pump is stuck. What now?", Want.STEPS),
        ("In what countries does the service offer repairs?", Want.LIST),
        ("Which parts come along with the pump?", Want.LIST),
        ("For which file extensions are drawings shown?", Want.LIST),
        ("yaml to start two pumps", Want.CODE),
        ("The pump ignores my file. Which variable?", Want.CODE),
        ("What key sets the pressure?", Want.CODE),
        ("What are the key points to consider about pumps?", Want.ANYTHING),
        ("what are valves for", Want.DEFINITION),
        ("bleeding meaning in the handbook", Want.DEFINITION),
        ("Does the pump run dry?", Want.YES_NO),
        ("What is the difference between a valve and a tap?", Want.COMPARISON),
        ("valve or tap, which one is faster?", Want.COMPARISON),
        ("How is a valve different from a tap?", Want.COMPARISON),
        ("pump room", Want.ANYTHING),
        ("What does the company not pay for?", Want.ANYTHING),
    ],
)
def test_the_wording_of_a_question_says_what_it_asks_for(question: str, want: Want) -> None:
    """Also without a question mark, as people type into a field."""
    assert read_asked(question).want == want


def test_a_word_that_looks_like_a_comparison_is_none() -> None:
    """`VS Code` compares nothing, because nothing stands on one side."""
    assert read_asked("my vs code never stops").sides == ()


@pytest.mark.parametrize("question", ["Walk me through restoring it.", "It broke. Any way to mend the valve?"])
def test_steps_are_asked_for_in_many_words(question: str) -> None:
    """Also in the second of two sentences."""
    assert read_asked(question).want == Want.STEPS


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between a valve and a tap?", ("a valve", "a tap")),
        ("It leaks. How is a valve different from a tap?", ("a valve", "a tap")),
        ("valve or tap, which one leaks?", ("valve", "tap")),
        ("valve or tap, what are the trade-offs?", ("valve", "tap")),
    ],
)
def test_the_sides_of_a_comparison_are_found(question: str, sides: tuple[str, str]) -> None:
    """Both are looked for."""
    assert read_asked(question).sides == sides


def test_only_the_sentence_that_compares_is_asked() -> None:
    """How the question came up says nothing about the sides; without a comparison the whole text counts."""
    assert asking_part("My tank is full. What is the difference between a valve and a tap?").startswith("What is")
    assert asking_part("My tank is full. What now?") == "My tank is full. What now?"


def test_a_definition_has_a_subject_and_a_count_what_it_counts() -> None:
    """A number must stand beside the counted thing, a definition be about its subject."""
    assert read_asked("what are check valves for").subject == content_words("check valves")
    assert read_asked("How many valves are there?").measured == content_words("valves")


def test_questions_joined_by_and_are_questions_of_their_own() -> None:
    """A pronoun in the second is replaced by what the first is about."""
    first, second = clauses("What is a valve and how do I open it?")
    assert first == "What is a valve?"
    assert "valve" in second
    assert clauses("Where are valves and taps?") == ()


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("How long does it run?", "It runs for two hours.", "It runs well."),
        ("How often is it oiled?", "Oil it every week.", "Oil it well."),
        ("What share is lost?", "A loss of 5 % is normal.", "A loss of 5 is normal."),
        ("Who oils it?", "The owner oils it.", "It is oiled well."),
        ("Why is it off?", "It is off because of the frost.", "It is off."),
    ],
)
def test_an_answer_has_the_signs_of_its_kind(question: str, yes: str, no: str) -> None:
    """A duration, a frequency, a person, a reason."""
    asked = read_asked(question)
    assert has_sign(asked, yes)
    assert not has_sign(asked, no)


def test_the_number_of_a_step_is_no_sign() -> None:
    """It counts steps, not what was asked for."""
    step = unit("Do this:\n\n1. Open it.\n2. Close it.\n", Shape.ITEM)
    assert "unsigned" in fits("How many valves are there?", step)


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("How long may the pump stand still?", "idle_timeout: 15", "It stops, one of the safest ways."),
        ("How often is the filter changed?", "Every other day.", "Every filter is changed regularly."),
        ("How often does the pump start?", "schedule: 0 3 * * *", "The schedule is a setting."),
        ("How far ahead do I have to call?", "Call three days before.", "Call 911."),
        ("oldest supported firmware?", "Firmware 3 and newer.", "It has 3 valves."),
        ("minimum firmware version", "This raises the minimum version to 11.", "There are 11 valves."),
        ("Which port does the pump listen on?", "It listens on `8022`.", "It listens on 10.0.0.1"),
        ("How many pumps are there?", "Twelve pumps", "One of the pumps has an S3 valve."),
    ],
)
def test_a_quantity_is_of_the_asked_sort(question: str, yes: str, no: str) -> None:
    """A setting and a phrase such as `and newer` are quantities, a digit of a name or an address is none (ANS-4)."""
    asked = read_asked(question)
    assert asked.want == Want.NUMBER
    assert (has_sign(asked, yes), has_sign(asked, no)) == (True, False)


def test_an_address_has_no_number_that_was_asked_for() -> None:
    """The `2` of a link's target counts nothing."""
    linked = unit("See the [pump](https://example.com/2/3) and its valves.", Shape.TEXT)
    assert "unsigned" in fits("How many valves does the pump have?", linked)


def test_nothing_is_known_of_a_question_for_anything() -> None:
    """Then no sign is missed."""
    assert has_sign(read_asked("pump room"), "Anything.") is None


def test_verbs_have_opposites_and_synonyms() -> None:
    """A verb that is not listed has none."""
    assert stem("unlock") in opposites({stem("lock")})
    assert stem("delete") in synonyms({stem("remove")})
    assert opposites({stem("paint")}) == synonyms({stem("paint")}) == frozenset()


def test_a_number_stands_beside_what_it_counts() -> None:
    """Days of vacation are no length of a week."""
    asked = read_asked("How many days of vacation do we get?")
    assert beside("We get 20 days of vacation.", asked) > beside("We work in 4-day weeks.", asked)


LOCKS = "## Unlock a valve\n\nTurn the key:\n\n```sh\nvalve unlock 7\n```\n"


def test_the_opposite_action_counts_against_a_block() -> None:
    """Unlocking does not answer how to lock."""
    code = unit(LOCKS, Shape.CODE)
    assert fits("How do I lock the gate?", code)["opposite"] == 1
    assert fits("How do I unlock the gate?", code).get("opposite", 0) == 0


def test_a_message_that_the_question_quotes_is_no_answer() -> None:
    """What to do about it stands below it."""
    code = unit("This error may come:\n\n```\npressure too high\n```\n\nOpen the valve.\n", Shape.CODE)
    assert fits('The pump says "pressure too high". What now?', code)["quoted"] == 1
    assert fits("Which pressure does the pump have?", code)["quoted"] == 0


def test_a_text_that_only_announces_is_no_answer() -> None:
    """What a page is about stands above what it says."""
    question = "How do I start the pump?"
    assert fits(question, unit("# Pump\n\nThis page outlines the basics of pumps.\n", Shape.TEXT))["announces"]
    assert not fits(question, unit("# Pump\n\nThis pump starts at the wheel.\n", Shape.TEXT))["announces"]


def test_a_long_list_counts_less_but_not_steps() -> None:
    """Of a long list an item answers; steps are one answer, however long."""
    points = "".join(f"- {'Water runs down the pipe to the tank. ' * 3}\n" for _ in range(12))
    steps = "".join(f"{number}. {'Turn the wheel by one step. ' * 3}\n" for number in range(1, 13))
    assert fits("How do I start it?", unit(f"Note these:\n\n{points}", Shape.LIST))["long"] > 0
    assert fits("How do I start it?", unit(f"Do this:\n\n{steps}", Shape.LIST))["long"] == 0


def test_every_value_has_a_weight() -> None:
    """A value whose weight is forgotten is an error, not a zero."""
    questions = ("How do I lock it?", "What is a valve?", "How many?", "Why is `PORT` not read?")
    names = {name for question in questions for one in units(LOCKS) for name in fits(question, one)}
    assert names <= WEIGHTS.keys()
    with pytest.raises(KeyError):
        weighed({"forgotten": 1.0})


def test_a_long_paragraph_is_cut_to_what_decides() -> None:
    """The deciding sentence stays, and it alone is in bold."""
    text = "Water runs down. " * 30 + "The tank holds 300 litres. " + "Water runs up. " * 30
    asked, weights = read_asked("How many litres does the tank hold?"), dict.fromkeys(content_words("litres tank"), 1.0)
    cut = narrowed(unit(text, Shape.TEXT), asked, weights)
    assert len(cut.text) <= 600
    (span,) = deciding_spans(cut, asked, weights)
    assert cut.stretch.text[slice(*span)] == "The tank holds 300 litres."


def test_the_cell_that_was_asked_for_decides() -> None:
    """It is in the row of the thing and the column of the question."""
    row = unit("| Pump | Litres | Bar |\n|---|---|---|\n| Small | 20 | 2 |\n", Shape.ROW)
    asked = read_asked("How many litres does the small pump lift?")
    (span,) = deciding_spans(row, asked, dict.fromkeys(content_words("litres small"), 1.0))
    assert row.stretch.text[slice(*span)] == "20"


SHORT = "## Frost\n\nThe pump stops in frost.\n\nDrain it before the winter.\n\n## Care\n\nOil it.\n"


@pytest.mark.parametrize(
    ("question", "row", "marked"),
    [
        ("How long does valve B1 last?", "| B1 | brass | 12 years |", ["12 years"]),
        ("How many metals does valve B1 have?", "| B1 | brass | 12 years |", ["12 years"]),
        ("How many screws does valve B1 have?", "| B1 | brass | steel |", []),
    ],
)
def test_a_number_is_never_marked_in_a_cell_without_one(question: str, row: str, marked: list[str]) -> None:
    """Nor in the column that the question names."""
    table = unit(f"| Valve | Metals | Life |\n| --- | --- | --- |\n{row}\n", Shape.ROW)
    weights = dict.fromkeys(content_words(question), 1.0)
    spans = deciding_spans(table, read_asked(question), weights)
    assert [table.stretch.text[slice(*span)] for span in spans] == marked


def test_of_two_sentences_that_say_as_much_none_is_marked() -> None:
    """Bold on the wrong sentence is worse than none; the same holds for a number that no sentence has."""
    text = unit("The pump is red. The pump is loud. It stands in the yard.", Shape.TEXT)
    assert deciding_spans(text, read_asked("pump colour"), {"pump": 1.0}) == ()
    assert deciding_spans(text, read_asked("How many yards?"), {"yard": 1.0}) == ()
    assert len(deciding_spans(text, read_asked("yard"), {"yard": 1.0})) == 1


def test_a_block_of_a_short_section_is_shown_with_all_of_it() -> None:
    """The cause without the cure is half an answer; what decides stays."""
    found = units(SHORT)
    first = next(one for one in found if one.text == "The pump stops in frost.")
    second = next(one for one in found if one.text.startswith("Drain"))
    choices = [Choice(unit=first, score=1.0, deciding=((first.start, first.end),)), Choice(unit=second, score=0.5)]
    (whole,) = grown(choices, found, read_asked("The pump stops in frost, what now?"))
    assert whole.unit.text == "The pump stops in frost.\n\nDrain it before the winter."
    assert whole.deciding == ((first.start, first.end),)


def test_a_long_section_stays_as_it_is() -> None:
    """Only a short one is one answer."""
    stops = f"The pump stops. {'It is cold outside today. ' * 6}".strip()
    found = units(f"## Frost\n\n{stops}\n\n{'Water is cold in winter. ' * 45}\n")
    choices = [Choice(unit=next(one for one in found if one.text == stops), score=1.0)]
    assert grown(choices, found, read_asked("Why does it stop?")) == choices


def test_a_short_paragraph_brings_those_around_it() -> None:
    """It only leads to what a long section says next, as long as that fits."""
    cause, cold = "Frost blocks the wheel.", f"{'Water is cold in winter. ' * 45}".strip()
    found = units(f"## Frost\n\nThe pump may stop.\n\n{cause}\n\n{cold}\n")
    choices = [Choice(unit=next(one for one in found if one.text == "The pump may stop."), score=1.0)]
    (whole,) = grown(choices, found, read_asked("Why does it stop?"))
    assert whole.unit.text == f"The pump may stop.\n\n{cause}"


def test_a_text_that_only_says_where_to_read_on_leads_elsewhere() -> None:
    question = "How is the pump installed at sea?"
    pointers = "# Next\n\nMore about pumps:\n\n- To learn more about the sea, read [the guide](a.md)\n- [Pumps](b.md)\n"
    assert fits(question, unit(pointers, Shape.LIST))["link"]
    assert fits(question, unit("# Next\n\nFor other ways, visit [this page](a.md).\n", Shape.TEXT))["link"]
    answers = "# Next\n\nAt sea:\n\n- Bolt the pump to the deck\n- See [the guide](a.md)\n"
    assert not fits(question, unit(answers, Shape.LIST))["link"]


def test_two_items_of_a_list_are_shown_as_the_list() -> None:
    """The items between them answer, too, and the lead-in is not shown twice."""
    found = units("# Rights\n\nYou may:\n\n- read the log\n- copy the log\n- delete the log\n")
    items = [Choice(unit=one, score=1.0) for one in found if one.shape == Shape.ITEM]
    (whole,) = grown([items[0], items[2]], found, read_asked("What may I do with the log?"))
    assert whole.unit.shape == Shape.LIST
    assert grown(items[:1], found, read_asked("What may I do with the log?")) == items[:1]
