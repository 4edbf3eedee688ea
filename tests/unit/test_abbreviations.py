"""Abbreviations such as `R&D`: one word, spelt out in a text, and told apart from letters alone (RET-7)."""

import pytest

from headwater.answering.closest import missing_words
from headwater.retrieval.abbreviations import spelt_out
from headwater.retrieval.finding import _words as looked_up
from headwater.retrieval.question_words import evidence_words
from headwater.understanding.question import understand
from headwater.understanding.words import words
from tests.passages import passage


def test_an_abbreviation_with_an_ampersand_is_one_word() -> None:
    """In a question as in a text; code is cut as before."""
    assert words("Does AT&T fund the Q&A of R&D?") == ["att", "fund", "qa", "rd"]
    assert words("first & second") == ["first", "second"]


def test_a_letter_alone_is_no_evidence() -> None:
    """Digits and characters of other scripts are."""
    assert evidence_words("Has pump B 7 valves (v)?") == ["pump", "7", "valves"]
    assert evidence_words("泵") == ["泵"]


@pytest.mark.parametrize(
    ("question", "text", "found"),
    [
        ("Who leads R&D?", "She leads research and development.", {"rd"}),
        ("Who leads R&D?", "She leads Research & Development.", {"rd"}),
        ("Who leads R&D?", "The required documents are here.", set()),
        ("Who leads r&d?", "She leads research and development.", {"rd"}),
        ("What does the VP of pumps do?", "The Vice-President of Pumps decides.", {"vp"}),
        ("what do vps do", "Each vice president decides.", {"vps"}),
        ("WHO IS THE CEO?", "The chief executive officer is Ann.", {"ceo"}),
        ("Who is the vice president?", "Ann is VP.", {"vice", "president"}),
        ("Who is the vice president?", "Ann is in charge.", set()),
        ("Does the 24 hr pump run?", "Ask human resources.", set()),
        ("Where do I cd os?", "The operating system is old.", set()),
        ("Is the WPA member?", "The Water and Pump Association is.", {"wpa"}),
        ("Is the WPA member?", "The water pump association is.", set()),
        ("Is it a member?", "The Iron Trade is.", set()),
        ("IS THE WPA MEMBER?", "The Water and Pump Association is.", set()),
    ],
)
def test_a_text_spells_an_abbreviation_out(question: str, text: str, found: set[str]) -> None:
    """Its words have the letters as initials, in order, with capitals if no ampersand tells that they are two."""
    assert spelt_out(question, text) == found


def test_what_is_spelt_out_is_not_missing() -> None:
    """So a refusal does not say that a passage lacks it."""
    text = passage("She leads research and development.", title="Staff", uri="staff.md")
    assert missing_words("Who leads R&D in part B of Mars?", text) == ["mars"]


def test_a_well_known_abbreviation_is_searched_for_in_words() -> None:
    """A model for vectors does not know its letters; the question itself stays."""
    understanding = understand("Who leads R&D?")
    assert understanding.search_text == "Who leads R&D (research and development)?"
    assert understanding.question == "Who leads R&D?"
    assert understanding.search_words == understanding.search_text


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("What does the VP do?", "What does the VP (vice president) do?"),
        ("Who is vice president?", "Who is vice president (VP)?"),
        ("Who is the vice president (VP)?", "Who is the vice president (VP)?"),
        ("Do I hang the pump up?", "Do I hang the pump up?"),
    ],
)
def test_both_forms_of_an_abbreviation_are_searched_for(question: str, searched: str) -> None:
    """Documents may write either; a question with both stays as it is."""
    assert understand(question).search_words == searched


def test_a_file_name_names_a_document() -> None:
    """`In the pump manual` is found in a file of that name, whatever its title is."""
    text = passage("Oil the wheel.", title="Version 3", uri="files/pump_manual.pdf")
    assert missing_words("Does the pump manual say to oil the axle?", text) == ["axle"]


def test_a_question_that_is_one_name_still_asks_for_its_definition() -> None:
    """Although the name is an abbreviation."""
    assert looked_up(understand("cli")).exact == ["def cli"]
