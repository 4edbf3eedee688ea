"""The form that a question wishes its answer in is no part of its subject (RET-3, RET-7)."""

import pytest

from headwater.retrieval.answer_forms import without_form
from headwater.retrieval.question_words import evidence_words
from headwater.understanding.intents import Intent
from headwater.understanding.question import understand


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Make me a small table: how much oil does a pump need?", "how much oil does a pump need?"),
        ("In one sentence, what is a valve?", "what is a valve?"),
        ("tl;dr of the pump manual", "the pump manual"),
        ("Can you give me a short summary of the warranty", "the warranty"),
        ("I'd like a table of the prices", "the prices"),
        ("Quick question: where is the valve?", "where is the valve?"),
        ("What does it cost? Make it a table please.", "What does it cost?"),
        ("How is it oiled? Answer in two sentences.", "How is it oiled?"),
        ("What does it cost, just the number please", "What does it cost"),
        ("What are the prices as a bulleted list please", "What are the prices"),
        ("Compare the pumps in a table", "Compare the pumps"),
        ("Explain the valve in plain English", "Explain the valve"),
    ],
)
def test_a_wish_for_a_form_is_left_out(question: str, rest: str) -> None:
    """Before the question, behind it, or as a sentence of its own."""
    assert without_form(question) == rest


@pytest.mark.parametrize(
    "question",
    [
        "How do I render data as a table?",
        "Create a table with a vector column",
        "How do I list users?",
        "What is shown in the list of users?",
        "Can I store a list in a table?",
        "Version of the pump?",
        "Which type should I use: array, table?",
        "The question queue is full, what now?",
        "List comprehension in a filter",
        "Make me a table",
        "Overview",
    ],
)
def test_a_form_that_is_the_subject_stays(question: str) -> None:
    """Such as a table that something is made of; so does a question that is only a wish."""
    assert without_form(question) == question


def test_a_wish_is_neither_searched_for_nor_missing() -> None:
    """The question's kind is that of what is left; the question as it was asked stays for a chat model."""
    understanding = understand("In one sentence, what is a valve?")
    assert understanding.asked == "In one sentence, what is a valve?"
    assert understanding.question == understanding.search_text == understanding.search_words == "what is a valve?"
    assert understanding.intent is Intent.DEFINITION
    assert evidence_words("Give me a quick list of the valves") == ["valves"]


def test_a_wished_list_is_still_a_list() -> None:
    """If no question is left, its wording says what kind of answer it wants."""
    understanding = understand("Give me a quick list of the valves")
    assert (understanding.intent, understanding.search_words) == (Intent.LIST, "the valves")
