"""Questions by rules (QST-1)."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.questions.question_generator import Recipe, Subject
from headwater.questions.question_rules import HeadingPart, ask_by_rules

TITLE = "Pump handbook"


def asked(
    text: str, *, title: str = TITLE, above: tuple[str, ...] = (), language: str = "en", most: int = 20
) -> list[str]:
    """The questions of a document with one chunk."""
    part = HeadingPart(text=text, breadcrumb=(title, *above))
    return [one.question for one in ask_by_rules(title, [part], language, most=most)]


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("How often is the pump inspected?", "How often is the pump inspected?"),
        ("How To Replace The Filter Cartridge", "How do I replace the filter cartridge?"),
        ("Replacing the filter cartridge", "How do I replace the filter cartridge?"),
        ("3. Replace your filter cartridge", "How do I replace my filter cartridge?"),
        ("WHAT IF I HAVE OTHER COVERAGE?", "What if I have other coverage?"),
        ("Connect to Keycloak", "How do I connect to Keycloak?"),
        ("Deploying and Running Keycloak locally", "How do I deploy and run Keycloak locally?"),
    ],
)
def test_a_heading_that_asks_or_instructs_is_a_question(heading: str, question: str) -> None:
    """In the words of somebody who asks; names keep their capitals, other words do not."""
    prose = "The login of Keycloak is next to the filter, the cartridge and other coverage. It uses Keycloak for all."
    assert asked(prose, above=(heading,))[:1] == [question]


@pytest.mark.parametrize(
    "heading",
    [
        "Overview", "Request context", "Log retention period", "Release 2023.1", "What's next?", "How does it work?",
        "Use this",
        "Install these Keycloak plugins",
        "Delete", "Install via Homebrew", "Split copay", "Upgrade guide", "What happens next?",
    ],
)  # fmt: skip
def test_a_heading_that_says_too_little_is_none(heading: str) -> None:
    """A noun, a pointer to something else, or nothing to ask about."""
    assert asked("There is nothing here that defines anything of note.", above=(heading,)) == []


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("A pump is a machine that lifts water out of a well.", "What is a pump?"),
        ("The pump handbook covers maintenance, storage and repair.", "What does the pump handbook cover?"),
        ("The pump manager is responsible for the yearly inspection.", "What is the pump manager responsible for?"),
        ("The pump handbook is stored in the north shed beside the keys.", "Where is the pump handbook stored?"),
        ("To replace the filter of your pump, open the lid.", "How do I replace the filter of my pump?"),
        ("You can find spare filters for your pump through the portal.", "How can I find spare filters for my pump?"),
    ],
)
def test_a_sentence_answers_a_question(sentence: str, question: str) -> None:
    """It is the answer, and its words are the quote."""
    part = HeadingPart(text=f"Some words come first, for the reader. {sentence}", breadcrumb=(TITLE, "Pump manager"))
    found = ask_by_rules(TITLE, [part], "en", most=9)
    assert [(one.question, one.answer, one.quote) for one in found] == [(question, sentence, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "It is a machine that lifts water out of a well for everybody.",
        "A wheel is a machine that turns and turns for everybody.",  # not what the headings are about
        "The pump is a great way to save time and money for everybody.",
        "The pump covers everything that anybody may want to know.",  # any pump
        "To replace it with another one, open the lid of the box.",
        "Although a pump is a machine, it is a thing of beauty too.",
    ],
)
def test_a_sentence_that_needs_its_place_answers_none(sentence: str) -> None:
    """Its subject would not be known elsewhere."""
    assert asked(sentence) == []


def test_requirements_are_asked_with_what_they_are_for() -> None:
    """The heading itself says nothing."""
    found = asked("You need a wrench and a bucket for that.", title="Replace the pump filter", above=("Prerequisites",))
    assert found == ["How do I replace the pump filter?", "What do I need to replace the pump filter?"]


def test_kinds_of_questions_take_turns() -> None:
    """So a few of them are not all of one kind; the title comes first."""
    text = (
        "# Replace the filter cartridge\n\nA pump is a machine that lifts water.\n\n## Clean the filter cartridge\n\n"
        "Rinse the whole cartridge.\n\n## How often is the filter cleaned?\n\nEvery year, in the spring.\n"
    )
    assert asked(text, title="Repair the pump", most=4) == [
        "How do I repair the pump?",
        "How often is the filter cleaned?",
        "How do I replace the filter cartridge?",
        "What is a pump?",
    ]


def test_documents_that_nobody_asks_about_ask_nothing() -> None:
    """Licences and release notes."""
    assert asked("A pump is a machine that lifts water.", title="Release notes") == []
    assert asked("A pump is a machine that lifts water.", above=("Release notes",)) == []


def test_in_other_languages_only_questions_are_asked() -> None:
    """The rules for sentences and instructions know English."""
    text = "## Wie oft wird die Pumpe geprüft?\n\nDie Pumpe ist eine Maschine.\n\n## Install the pump\n\nText."
    assert asked(text, title="Pumpen", language="de") == ["Wie oft wird die Pumpe geprüft?"]
    assert "How do I install the pump?" in asked(text, title="Pump", language="en-GB")


@given(st.text(max_size=400), st.lists(st.text(max_size=60), max_size=3))
def test_any_text_gives_questions_or_none(text: str, above: list[str]) -> None:
    """Each is one line with one question mark, and quotes stand in the text."""
    for one in ask_by_rules("Title", [HeadingPart(text=text, breadcrumb=("Title", *above))], "", most=20):
        assert re.fullmatch(r"[^\n]+\?", one.question)
        assert one.quote in text


@pytest.mark.parametrize(
    "run", ["a", "A", "[", "`", "a_", "# ", " ", "a b ", "a?\n\n", "~~~\n", "The a is a ", "[](", ":a:`<"]
)
def test_a_hostile_text_takes_no_long(run: str) -> None:
    """The time of the processor does not grow with the square of the length."""
    began = time.process_time()
    asked(run * (40_000 // len(run)), above=(run * 100,))
    assert time.process_time() - began < 1


def test_the_key_says_what_questions_were_made_of_and_how() -> None:
    """Equal keys, equal questions; anything that a maker reads changes the key."""
    recipe = Recipe(model="m", prompt_version="1", per_document=5)
    one = Subject(document_id=None, title="t", text="x", parts=[HeadingPart(text="p", breadcrumb=("b",))])
    others = [
        Subject(document_id=None, title="u", text="x", parts=one.parts),
        Subject(document_id=None, title="t", text="y", parts=one.parts),
        Subject(document_id=None, title="t", text="x", parts=[HeadingPart(text="p", breadcrumb=("c",))]),
        Subject(document_id=None, title="t", text="x", parts=one.parts, language="de"),
    ]
    keys = {each.key(recipe) for each in (one, *others)}
    keys |= {
        one.key(Recipe(model=m, prompt_version=v, per_document=n))
        for m, v, n in (("n", "1", 5), ("m", "2", 5), ("m", "1", 4))
    }
    assert len(keys) == 8
