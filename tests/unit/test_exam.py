"""The exam's questions, marks and results (bench/exam)."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bench.exam.answers import first_quote
from bench.exam.attempts import Attempt, Cited, mark, outcome_of
from bench.exam.plain_script import says_unknown
from bench.exam.questions import LOOKED_AT, MEASURED, Question, count_words, holds, load_questions
from bench.exam.report import ResultFile, figures, table


def _question(**given: Any) -> Question:
    fields = {"kb": "leave", "kind": "how-many", "question": "How many days?", "answerable": True, "truth": "30 days"}
    return Question.model_validate({**fields, "must": [r"\b30\s+days", "organ"], **given})


DAYS = _question(where=["leave/organs.md:3-4"])
UNANSWERABLE = _question(answerable=False, must=[])


@pytest.mark.parametrize(
    "text",
    [
        "An ORGAN donor gets 30 days.",
        "An **organ** donor gets **30** days [1].",
        "An [or](a.md)gan donor gets\n30\ndays.",
        "| organ | `30` days |",
        "> An organ donor gets 30\\\n> days",
    ],
)
def test_the_truth_is_found_behind_marks_and_links(text: str) -> None:
    """Case, markdown's marks, targets of links, markers of citations and line breaks do not matter."""
    assert holds(DAYS, text)


@pytest.mark.parametrize("text", ["", "A donor gets 30 days.", "An organ donor gets days."])
def test_a_text_holds_the_truth_only_if_every_pattern_matches(text: str) -> None:
    """A part of the truth is not the truth."""
    assert not holds(DAYS, text)


def test_a_text_with_a_forbidden_pattern_does_not_hold_the_truth() -> None:
    """A contradiction beside the truth counts, also behind marks."""
    question = _question(must_not=["not paid"])
    assert holds(question, "30 days, paid, for an organ.")
    assert not holds(question, "30 days, **not** paid, for an organ.")


def test_words_are_those_that_a_reader_sees() -> None:
    """Marks, targets of links and markers are no words."""
    assert count_words("## The [leave policy](https://example.org/a b)\n\n- **30** days [1]") == 5


@pytest.mark.parametrize(("path", "kb_count"), [(LOOKED_AT, 3), (MEASURED, 5)], ids=["looked_at", "measured"])
def test_each_half_has_twenty_questions_a_knowledge_base(path: Path, kb_count: int) -> None:
    """Sixteen with an answer, its patterns and its place; four without; loading compiles every pattern."""
    file = load_questions(path)
    assert len(file.sources) == kb_count
    counts = Counter((question.kb, question.is_answerable) for question in file.questions)
    assert counts == {(kb, answerable): 16 if answerable else 4 for kb in file.sources for answerable in (True, False)}
    assert all(bool(question.must) is question.is_answerable for question in file.questions)
    assert all(question.pages and "" not in question.pages for question in file.questions if question.is_answerable)
    assert {question.half for question in file.questions} == {path.stem}


def test_no_knowledge_base_is_in_both_halves() -> None:
    """What developers read does not measure."""
    assert not set(load_questions(LOOKED_AT).sources) & set(load_questions(MEASURED).sources)


@pytest.mark.parametrize(
    "wrong", [{"must": ["("]}, {"must": []}, {"answerable": False}, {"must_not": ["["]}, {"pages": ["a.md"]}]
)
def test_a_malformed_question_is_refused(wrong: dict[str, Any]) -> None:
    """A pattern that does not compile, an answer without patterns, patterns without an answer, an unknown field."""
    with pytest.raises(ValidationError):
        _question(**wrong)


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know.",
        "I don’t know.",
        "The sources do not contain the answer.",
        "The provided sources don't mention a price [1].",
        "The salary is not mentioned in the sources.",
        "The price isn't specified.",
        "There is no information about a price in the sources.",
        "There is no specific information\non this.",
        "I cannot find an answer in the sources.",
    ],
)
def test_a_reply_that_says_so_counts_as_a_refusal(reply: str) -> None:
    """In the words that small models use."""
    assert says_unknown(reply)


@pytest.mark.parametrize(
    "reply", ["No, award leave is not paid out [1].", "You do not need a key [2].", "30 days; see Information [1]."]
)
def test_a_reply_that_says_no_is_no_refusal(reply: str) -> None:
    """An answer may deny what was asked."""
    assert not says_unknown(reply)


@pytest.mark.parametrize(
    ("question", "attempt", "outcome"),
    [
        (DAYS, Attempt(text="30 days for an organ."), "right"),
        (DAYS, Attempt(text="30 days for an organ; I don't know more.", says_unknown=True), "right"),
        (DAYS, Attempt(text="30 days for an organ.", quote="30 days"), "wrong"),
        (DAYS, Attempt(text="7 days."), "wrong"),
        (DAYS, Attempt(text="I don't know.", says_unknown=True), "refused"),
        (DAYS, Attempt(text="See: 30 days for an organ.", is_refusal=True), "refused"),
        (DAYS, Attempt(text="30 days for an organ.", error="MODEL_UNAVAILABLE"), "error"),
        (UNANSWERABLE, Attempt(text="30 days for an organ."), "wrong"),
        (UNANSWERABLE, Attempt(text="I don't know.", says_unknown=True), "refused"),
    ],
)
def test_an_attempt_is_right_wrong_refused_or_an_error(question: Question, attempt: Attempt, outcome: str) -> None:
    """The quote is judged where there is one; a refusal that names a document with the truth stays a refusal."""
    assert outcome_of(question, attempt) == outcome


def test_a_citation_is_right_if_it_leads_to_a_truth_that_the_answer_holds() -> None:
    """Its span or its chunk; a page is right whichever folder was synced."""
    cited = (
        Cited(uri="organs.md", texts=("Donors get", "Donors get 30 days.")),
        Cited(uri="other.md", texts=("Organs.",)),
        Cited(uri="[9]", texts=()),
    )
    result = mark(DAYS, Attempt(text="30 days.", cited=cited), variant="ours", model="m")
    assert (result.citations, result.right_citations, result.has_right_page) == (3, 1, True)


@pytest.mark.parametrize(
    ("text", "markers", "quote"),
    [
        ("One. [1]\n\nTwo. [2]", ["[1]", "[2]"], "One. [1]"),
        ("One. [1]\n\nTwo. [1]\n\nThree. [2]", ["[1]", "[1]", "[2]"], "One. [1]\n\nTwo. [1]"),
        ("One. [1] More.", ["[1]"], "One. [1]"),
        ("Nothing.", [], "Nothing."),
    ],
)
def test_the_first_quote_ends_with_its_marker(text: str, markers: list[str], quote: str) -> None:
    """The quotes that follow are not judged."""
    assert first_quote(text, markers) == quote


def test_a_later_run_goes_on_with_the_results_of_an_earlier_one(tmp_path: Path) -> None:
    """A result is read back as it was written; another model or variant is asked anew."""
    path = tmp_path / "results.jsonl"
    cited = (Cited(uri="leave/organs.md", texts=("30 days",)),)
    result = mark(DAYS, Attempt(text="30 days: organ. [1]", cited=cited), variant="ours", model="m")
    ResultFile(path).add(result)
    again = ResultFile(path)
    assert again.select(lambda _: True) == [result]
    assert again.has("ours", "m", "leave", "How many days?")
    assert not again.has("ours", "n", "leave", "How many days?")
    assert not again.has("plain", "m", "leave", "How many days?")


def test_the_table_counts_answers_and_refusals_apart() -> None:
    """Of two questions with an answer one is right; the one without an answer is refused, as it should be."""
    right = mark(DAYS, Attempt(text="30 days: organ."), variant="ours", model="m")
    results = [
        replace(right, seconds=1.0),
        mark(DAYS, Attempt(text="7 days."), variant="ours", model="m"),
        mark(UNANSWERABLE, Attempt(is_refusal=True), variant="ours", model="m"),
    ]
    assert figures(results)[:7] == ["2", "1", "1", "0", "0", "1", "1/1"]
    assert table(results).count("  ours ") == 1
