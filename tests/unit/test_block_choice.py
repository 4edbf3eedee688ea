"""Which block is the right one: what a question asks for, its sides, and the passages behind the shown ones (ANS-4)."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from headwater.answering.asked import has_sign, read_asked
from headwater.answering.choosing import Choice, choose_units
from headwater.answering.events import Delta
from headwater.answering.evidence import Evidence
from headwater.answering.extractive import ExtractiveAnswerer
from headwater.answering.fitting import beside
from headwater.answering.growing import items_joined
from headwater.answering.reading import ReadQuestion
from headwater.answering.sides import compared_kind, find_sides
from headwater.answering.signs import Want
from headwater.answering.units import Shape
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import Passage
from headwater.retrieval.found import Found
from headwater.retrieval.trust import Trusted
from headwater.understanding.intents import Intent
from headwater.understanding.question import understand
from tests.blocks import fits, unit, units
from tests.passages import passage

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BASE = KnowledgeBase(
    id=1, slug="pumps", name="Pumps", description="", settings=KnowledgeBaseSettings(), created_at=NOW, updated_at=NOW
)


def evidence(question: str, shown: Sequence[Passage], further: tuple[Passage, ...] = ()) -> Evidence:
    return Evidence(
        knowledge_base=BASE,
        question=question,
        found=Found(passages=tuple(shown), embedder=None, timings_ms={}, understanding=understand(question)),
        trusted=Trusted(kept=tuple(shown), dropped=()),
        started=time.perf_counter(),
        load_further=lambda: further,
    )


def trusted(text: str, **values: object) -> Passage:
    return passage(text, scores={"trust": 0.9, "vector": 0.5}, **values)


def test_a_block_behind_the_shown_passages_may_answer() -> None:
    """Passages rank as a whole: the block with the answer may stand in a later one."""
    question = "At which pressure does the red valve open?"
    first = trusted("The red valve was painted by Ada, who likes red.\n", rank=1)
    later = trusted("The red valve opens at a pressure of 3 bar.\n", rank=9, position=1, start=900)
    assert "3 bar" in choose_units(evidence(question, [first], (later,)).widened())[0].unit.text


def test_what_ranks_behind_makes_no_answer_of_a_refusal() -> None:
    """Whether a question is refused depends on the shown passages."""
    later = trusted("The red valve opens at a pressure of 3 bar.\n", rank=9)
    assert evidence("When does the red valve open?", [], (later,)).widened().passages == ()


@pytest.mark.parametrize(
    ("question", "text", "is_answer"),
    [
        ("Which variable holds the pump's address?", "Set `PUMP_ADDRESS` before the start.", True),
        ("Which variable holds the pump's address?", "The `pump` has an address.", False),
        ("What flag makes the pump quiet?", "Add `--quiet` to the command.", True),
        ("What flag makes the pump quiet?", "A quiet pump is a happy pump.", False),
        ("What decorator marks a valve?", "Write @valve above the function.", True),
        ("What decorator marks a valve?", "A valve is marked by its function.", False),
    ],
)
def test_a_thing_of_code_is_written_in_the_block_that_names_it(question: str, text: str, *, is_answer: bool) -> None:
    """A variable in capitals, a flag with its dashes, a decorator with its sign."""
    assert has_sign(read_asked(question), text) is is_answer


def test_the_oldest_of_something_is_a_version() -> None:
    """`and newer` says which is the oldest; the word itself need not be there."""
    asked = read_asked("What's the oldest firmware the pump runs on?")
    assert asked.want == Want.NUMBER
    assert has_sign(asked, "The pump supports firmware 4 and newer.")
    assert not has_sign(asked, "The pump supports firmware of all makers.")


def test_once_is_a_number_only_if_it_counts() -> None:
    asked = read_asked("How many checks does a pump need?")
    assert has_sign(asked, "It is checked once a year.")
    assert not has_sign(asked, "Once the pump runs, check it.")


def test_an_age_is_counted_in_what_is_old() -> None:
    asked = read_asked("Up to what age may a pump be returned?")
    assert beside("A pump up to 30 days old is taken back.", asked) > beside("A pump weighs 30 kilos.", asked)


def test_a_negation_counts_only_in_the_sentence_that_asks() -> None:
    """`It does not start` tells what happened; the answer need not deny anything."""
    assert not read_asked("The pump does not start. How do I reset it?").is_negated
    assert read_asked("I own a pump. Which valves does it not need?").is_negated


def test_general_advice_is_no_fact() -> None:
    """Tips share many words with a question, but say neither when nor how much."""
    tips = unit("# Oil\n\nTips for owners of pumps:\n\n- Keep the oil clean\n- Ask about the oil\n", Shape.LIST)
    assert fits("When is the oil of the pump changed?", tips)["tips"]
    assert not fits("Are there tips about the oil of the pump?", tips)["tips"]


def test_whether_one_thing_is_covered_is_in_the_list_of_what_is() -> None:
    """The list names kinds, such as `spare parts`, and not the thing that people ask for."""
    text = "# Warranty\n\nThese are not covered:\n\n- spare parts\n- damage by frost\n"
    assert fits("Will the warranty pay for a new hose?", unit(text, Shape.LIST))["scope"]
    assert not fits("Will the warranty end?", unit(text, Shape.LIST))["scope"]


def test_a_list_of_other_pages_leads_elsewhere() -> None:
    """Web addresses are kept: a list of libraries is made of them."""
    inside = "# Next\n\n- [Start the pump](start.md): your first run\n- [Stop the pump](stop.md): when you leave\n"
    outside = (
        "# Parts\n\n- [Alto](https://alto.example) makes all hoses\n- [Cor](https://cor.example) makes all valves\n"
    )
    assert fits("How do I start a pump?", unit(inside, Shape.LIST))["link"]
    assert not fits("Which parts are there?", unit(outside, Shape.LIST))["link"]


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("fill vs drain vs flush?", ("fill", "drain", "flush")),
        ("What is the difference between a valve, a tap and a hose?", ("a valve", "a tap", "a hose")),
        ("What is the difference between a valve and a tap?", ("a valve", "a tap")),
    ],
)
def test_a_comparison_has_as_many_sides_as_it_names(question: str, sides: tuple[str, ...]) -> None:
    assert find_sides(question) == sides


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How do the pumps differ in price?", {"pump"}),
        ("Does it matter which pump I have?", {"pump"}),
        ("Do both pumps need oil?", {"pump"}),
        ("Which pump costs less per year?", {"pump"}),
        ("How do I oil the pump?", set()),
        ("What is the difference between Alto and Basso?", set()),
    ],
)
def test_things_are_compared_without_their_names(question: str, kind: set[str]) -> None:
    assert compared_kind(question) == kind


def test_a_side_is_told_by_the_block_that_begins_with_it() -> None:
    """Rather than by one that only mentions it beside the other side."""
    text = (
        "# Valves\n\nWith soft closing, a spring gives hard closing, too, at the end of the hard closing way.\n\n"
        "Hard closing shuts the pipe at once.\n\nSoft closing takes two seconds.\n"
    )
    found = choose_units(evidence("What is the difference between hard closing and soft closing?", [trusted(text)]))
    shown = " ".join(choice.unit.text for choice in found)
    assert "shuts the pipe at once" in shown
    assert "takes two seconds" in shown


def test_items_of_one_list_are_shown_as_the_list_beside_other_blocks() -> None:
    """The lead-in is not shown twice."""
    found = units("# Rights\n\nThe log is yours.\n\nYou may:\n\n- read the log\n- copy the log\n- delete the log\n")
    text = next(one for one in found if one.text == "The log is yours.")
    items = [one for one in found if one.shape == Shape.ITEM]
    choices = [Choice(unit=one, score=1.0) for one in (items[0], text, items[2])]
    assert [one.unit.shape for one in items_joined(choices, found)] == [Shape.LIST, Shape.TEXT]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Who may propose somebody for the core team?", "Core"),
        ("Who may propose somebody for the triage team?", "Triage"),
    ],
)
def test_a_row_is_told_by_its_first_cell(question: str, row: str) -> None:
    """Not by the other cells, which name other rows: the core team decides about each."""
    table = "| Team | Proposed by | Decided by |\n|---|---|---|\n"
    table += "| Triage | Any member | The core team |\n| Core | Any member and one of the team | The core team |\n"
    assert choose_units(evidence(question, [trusted(f"# Join\n\n{table}")]))[0].unit.text.startswith(f"| {row} |")


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("Which vice president speaks at conferences?", True),
        ("Who speaks at conferences?", False),
        ("Which conferences are there to speak at?", False),
    ],
)
def test_one_of_a_kind_is_named_by_the_heading_above(question: str, *, is_shown: bool) -> None:
    """The block alone does not say which one it is about."""
    text = "# Vice President of Pumps\n\nSpeaks at all conferences about pumps, and at the conferences about valves.\n"
    given = evidence(question, [trusted(text, breadcrumb=("Roles", "Vice President of Pumps"))])
    read = ReadQuestion(
        search_text=question, title="", slug="", description="", intent=Intent.LOOKUP, word_limit=100, instructions=""
    )
    answer = "".join(event.text for event in ExtractiveAnswerer().answer(given, read) if isinstance(event, Delta))
    assert "Speaks at all conferences" in answer
    assert answer.startswith("**Vice President of Pumps**\n\n") is is_shown
