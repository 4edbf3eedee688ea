"""Titles, slugs and descriptions of questions, by rules (ANS-1)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.understanding.intents import Intent, intent_of
from headwater.understanding.titles import description_of, slug_of_question, title_of, truncate

_WORDS = "how do i HOW install pg-vector ? ?? , please hi, THE x.y.z ... 如何 कैसे"
QUESTIONS = st.one_of(
    st.text(min_size=1, max_size=300),
    st.lists(st.sampled_from(_WORDS.split()), min_size=1).map(" ".join),
)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("hi, could you please tell me how do i install pgvector ??", "How do I install pgvector?"),
        ("HOW DO I INSTALL THE THING NOW", "How do I install the thing now?"),
        ("what  is the default port ,please", "What is the default port?"),
        ("pip-tools install fails", "pip-tools install fails"),
        ("I moved the server. where are the logs? thanks!", "Where are the logs?"),
        ("compare HNSW,IVFFlat", "Compare HNSW, IVFFlat"),
        ("Why does it fail?\n\n```\nrun --now\nstop --now\n```", "Why does it fail?"),
        ("如何安装pgvector?", "如何安装pgvector?"),
    ],
)
def test_a_title_is_the_mended_question(question: str, title: str) -> None:
    """Without politeness, with its capitals, spaces and end mark put right (ANS-1)."""
    assert title_of(question) == title


def test_a_long_title_is_cut_at_a_word() -> None:
    """With an ellipsis, which counts (ANS-1)."""
    title = title_of("what is the maximum number of dimensions that a halfvec column may have with an index")
    assert title == "What is the maximum number of dimensions that a halfvec…"
    assert len(title_of("x" * 500)) == 60
    assert truncate("one two three", 8) == "one two…"


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("How do I install pgvector?", "how-do-i-install-pgvector"),
        ("What's new in 2.0?", "whats-new-in-2-0"),
        ("Wie groß ist die Straße?", "wie-gross-ist-die-strasse"),
        ("Почему он не работает?", "почему-он-не-работает"),
        ("हिन्दी में कैसे लिखें?", "हिन्दी-में-कैसे-लिखें"),
        ("???", "question"),
        ("a" * 80, "a" * 50),
    ],
)
def test_a_slug_keeps_the_letters_of_any_script(question: str, slug: str) -> None:
    """Also combining marks, without which Hindi words fall apart (ANS-1)."""
    assert slug_of_question(question) == slug


@given(QUESTIONS)
def test_lengths_hold_for_every_question(question: str) -> None:
    """At most 60, at most 50, 100 to 150; none is empty, and the title invents no word (ANS-1)."""
    title, slug = title_of(question), slug_of_question(question)
    assert len(title) <= 60
    assert all(word in question.casefold() for word in re.findall(r"\w+", title.casefold()))
    assert 1 <= len(slug) <= 50
    assert re.fullmatch(r"[^\s/?#&A-Z]+", slug)
    for intent in Intent:
        assert 100 <= len(description_of(question, title, intent)) <= 150


def test_a_description_says_what_is_asked() -> None:
    """A long question describes itself; a short one is named with its kind (ANS-1)."""
    short = "How do I install pgvector?"
    assert description_of(short, short, intent_of(short)).startswith(f"{short} It asks how something is done")
    long = "Please tell me " + "which settings of the server decide how many connections it accepts, " * 3
    assert description_of(long, "", Intent.LOOKUP).startswith("Tell me which settings of the server")
