"""Which words of a question are read as others."""

import time
from dataclasses import replace

import pytest

from headwater.store.search.passage_search import Candidates, TermEvidence
from headwater.understanding.question import Understanding, understand
from headwater.understanding.spelling import respelt, spelling_notes
from headwater.understanding.words import find_asked_words
from tests.passages import passage

TEXT = "The turbine has a lubrication pump. Containers run on Kubernetes."


def read(question: str, *, held: str = "", language: str = "en", found_language: str = "") -> Understanding:
    """Read a question whose words no entry has, but for `held`."""
    terms = tuple(
        TermEvidence(lexeme=word, held=int(word in held), total=9, idf=2.0, words=(word,))
        for word in find_asked_words(question)
    )
    found = Candidates(passages=(passage(TEXT, language=language),), terms=terms)
    return respelt(replace(understand(question), found_language=found_language), found)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("How is the turbnie cleaned?", "How is the turbine cleaned?"),
        ("Where is the lubricatoin pmp?", "Where is the lubrication pmp?"),
        ("What runs on Kubernets?", "What runs on Kubernetes?"),
        ("What is the lubricaton-pump for?", "What is the lubrication-pump for?"),
        ("Is the tank weterproof, and redaible?", "Is the tank weterproof, and redaible?"),
        ("Is the yealry report there?", "Is the yearly report there?"),
        ("Where is the lubricationpump?", "Where is the lubrication pump?"),
    ],
)
def test_a_misspelt_word_is_read_as_what_the_documents_say(asked: str, meant: str) -> None:
    """One letter, in long words two; if no passage has a word like it, as an English word (RET-3)."""
    one = read(asked)
    assert (one.question, one.asked) == (meant, asked)


@pytest.mark.parametrize(
    "asked",
    [
        "Is the turbines' housing quiet?",  # an English word that no document has is no slip
        "Can Kafkas read it?",  # a name
        "What does `kubernets` mean in /srv/turbnie?",  # code and paths
        "Wie wird die Turbnie gereinigt?",  # German
    ],
)
def test_other_words_stay(asked: str) -> None:
    """English words, names, code, paths and other languages are not corrected."""
    assert read(asked).question == asked


def test_words_of_a_question_in_the_language_of_the_passages_stay() -> None:
    """Although its own words do not tell that it is German."""
    assert read("preis maschine", language="de").question == "preis machine"
    assert read("preis maschine", language="de", found_language="de").question == "preis maschine"


def test_a_word_that_a_document_has_stays() -> None:
    """The documents decide how a word is spelt."""
    assert read("What is a turbnie?", held="turbnie").question == "What is a turbnie?"


def test_endless_words_take_no_time() -> None:
    """A question may have one of 4,000 letters; looking for each way to cut it took twenty seconds."""
    started = time.process_time()
    assert read(f"Where is the {'ab' * 1_900}?").misspelt == {}
    assert time.process_time() - started < 1


def test_a_note_says_how_a_word_was_read() -> None:
    """It names no word where questions must not be stored."""
    one = read("How is the turbnie cleaned?")
    assert spelling_notes(one, may_name=True) == ("No document has the word “turbnie”; it was read as “turbine”.",)
    assert "turb" not in spelling_notes(one, may_name=False)[0]
