"""Follow-ups by rules: which questions need their conversation, and what is searched for instead (RET-4)."""

import re
from uuid import uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.domain.answers import Turn
from headwater.understanding.follow_ups import TurnKind, needs_conversation, read_turn, stand_alone
from headwater.understanding.reader_texts import is_offered

AWS = "How do I deploy the cluster on AWS?"


@pytest.mark.parametrize(
    "question",
    [
        "And on Windows?",
        "what about Azure?",
        "How do I undo it?",
        "Why?",
        "Which one is faster?",
        "What are the requirements?",
        "Can I do that from the command line?",
        "How long are they kept?",
        "on Windows?",
        "Tell me more",
        "If it fails, where are the logs?",
        "Is there a better way?",
        "Und unter Windows?",
        "Windows呢?",
    ],
)
def test_a_question_that_names_nothing_of_its_own_needs_the_conversation(question: str) -> None:
    """Pronouns, fragments and beginnings such as "and" tell it (RET-4)."""
    assert needs_conversation(question)
    assert stand_alone(question, [AWS]) != question
    assert stand_alone(question, []) == question


@pytest.mark.parametrize(
    "question",
    [
        "What is a blueprint?",
        "How do I write tests for a Flask application?",
        "Is it possible to log to a file?",
        "How can I make sure the database is backed up before I upgrade it?",
        "Which port does the server use when it starts?",
        "In Flask, how do I stream a response?",
        "Is there a better way to deploy Flask?",
        "What does this do?\n\n```\nrestart --pump\nstop --pump\n```",
        "Thank you so much!",
        "And how do I start the mill?",
        "pgvector",
    ],
)
def test_a_self_contained_question_stays_as_it_is(question: str) -> None:
    """Also if a pronoun refers to something in the question itself (RET-4)."""
    assert not needs_conversation(question)
    assert stand_alone(question, [AWS]) == question


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        ([AWS], "And on Azure?", "How do I deploy the cluster on Azure?"),
        ([AWS], "What about Azure?", "How do I deploy the cluster on Azure?"),
        ([AWS, "And on Azure?"], "and on GCP?", "How do I deploy the cluster on GCP?"),
        (["How do I run the app behind nginx?"], "What about Apache?", "How do I run the app behind Apache?"),
        (["Can I get it back if I forgot to pay?"], "What about Team?", "Can I get it back if I forgot to pay Team?"),
        (["How do I create an HNSW index?"], "What about IVFFlat?", "How do I create an IVFFlat index?"),
        ([AWS], "without a domain?", "How do I deploy the cluster on AWS without a domain?"),
        ([AWS], "How do I destroy it?", "How do I destroy it? cluster AWS"),
        ([AWS], "Why?", "Why? deploy cluster AWS"),
        ([AWS, "thanks!"], "Why?", "Why? deploy cluster AWS"),
        (["What is the idle culler?"], "What is the default?", "What is the default? idle culler"),
        (
            ["How do I set up monitoring?", "Where do I find the logs?"],
            "How long are they kept?",
            "How long are they kept? find logs set monitoring",
        ),
        (["如何安装pgvector?"], "那Windows呢?", "那Windows呢? 如何安装pgvector"),
    ],
)
def test_a_follow_up_gets_what_it_leaves_unsaid(earlier: list[str], question: str, expected: str) -> None:
    """A place or a name is replaced; otherwise the subject words of the earlier questions are added (RET-4)."""
    assert stand_alone(question, earlier) == expected


@pytest.mark.parametrize("question", ["When is the backup?", "How much is parking?", "Where's the kitchen?"])
def test_a_noun_that_was_not_spoken_of_is_a_subject_of_its_own(question: str) -> None:
    """A new subject is not mixed with the former one; what follows is about the new one (RET-4)."""
    earlier = ["How do I descale the coffee machine?"]
    answer = "Fill in the powder, then press the button. The backups of the recipes are kept in the kitchen; park here."
    assert stand_alone(question, earlier, "Fill in the powder, then press the button.") == question
    assert stand_alone(question, earlier, answer) == f"{question} descale coffee machine"
    following = stand_alone("Why is it late?", [*earlier, question])
    assert following != "Why is it late?"
    assert "coffee" not in following


def test_a_noun_of_the_conversation_is_no_subject_of_its_own() -> None:
    """The button that the answer names is that of the machine; a deadline is always one of something (RET-4)."""
    earlier = ["How do I descale the coffee machine?"]
    assert "coffee" in stand_alone("Where is the button?", earlier, "Press the button.")
    assert "coffee" in stand_alone("When is the deadline?", earlier)


@pytest.mark.parametrize(
    ("question", "kind", "text"),
    [
        ("other than that, how do I change my email address?", TurnKind.ALONE, "how do I change my email address?"),
        ("ok. different topic: how do I change my password", TurnKind.ALONE, "how do I change my password"),
        ("abgesehen davon, wie ändere ich mein Passwort?", TurnKind.ALONE, "wie ändere ich mein Passwort?"),
        ("other than that, is there a limit?", TurnKind.FOLLOWS, "is there a limit? annual leave"),
        ("can I skip the second approval?", TurnKind.OPEN, "can I skip the second approval? annual leave"),
        (
            "other question: how many of those who apply get in?",
            TurnKind.ALONE,
            "how many of those who apply get in?",
        ),
        ("what about sick leave", TurnKind.FOLLOWS, "how much sick leave do I get?"),
        (
            "can I test that first without a form?",
            TurnKind.FOLLOWS,
            "can I test that first without a form? annual leave",
        ),
        ("and if I move away?", TurnKind.FOLLOWS, "and if I move away? annual leave"),
        ("is there something less strict?", TurnKind.FOLLOWS, "is there something less strict? annual leave"),
        ("great, thanks!", TurnKind.ALONE, "great, thanks!"),
    ],
)
def test_a_turn_follows_stands_alone_or_is_open(question: str, kind: TurnKind, text: str) -> None:
    """A change of subject is noticed, and is not searched for; words alone cannot tell of every turn (RET-4)."""
    reading = read_turn(question, [Turn(question="how much annual leave do I get?")])
    assert (reading.kind, reading.text) == (kind, text)


def test_a_question_that_was_offered_stands_alone() -> None:
    """Only the whole question as the answer quotes it; a word of the answer is none (RET-4)."""
    asked = "Do you mean “can I skip it” or “can I skip it (second approval)”?"
    earlier = [Turn(question="how do I get the second approval?"), Turn(question="can I skip it", answer=asked)]
    assert read_turn("can I skip it (second approval) ", earlier).kind is TurnKind.ALONE
    assert read_turn("skip", earlier).kind is not TurnKind.ALONE
    assert not is_offered(" ", asked)


def test_a_turn_that_followed_leaves_no_words_behind_once_its_answer_is_known() -> None:
    """What the last answer cites says more about it than the words of the turn (RET-4)."""
    first = Turn(question="How do I back up the server?", search_text="How do I back up the server?")
    then = Turn(question="How do I restore one?", search_text="How do I restore one? server")
    assert read_turn("How long is it kept?", [first, then]).unsaid.endswith("restore one")
    known = [first, Turn(question=then.question, search_text=then.search_text, documents=(uuid4(),))]
    assert read_turn("How long is it kept?", known).unsaid == "back server"


@example(["A:"], "A:")
@example(["A\x1b"], "T")  # a name is replaced, and the sign after it stays
@given(st.lists(st.text(max_size=400), max_size=4), st.text(max_size=400))
def test_nothing_is_invented_and_little_is_added(earlier: list[str], question: str) -> None:
    """Every word of the result is in one of the questions, whatever they hold (RET-4)."""
    result = stand_alone(question, earlier)
    said = " ".join((question, *earlier))
    assert all(word in said for word in re.findall(r"\w+", result))
    assert len(result) <= max(len(question), 0) + 700
