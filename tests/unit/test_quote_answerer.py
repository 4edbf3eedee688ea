"""Answers that are quotes: markers, citations, refusals, several questions and documents (ANS-3, ANS-4, ANS-5)."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.answering.answer_assembly import AssembledAnswer, fold
from headwater.answering.answer_evidence import Evidence
from headwater.answering.answer_quotes import find_quotes
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.events import Done
from headwater.answering.question_reader import read_question
from headwater.answering.quote_answerer import QuoteAnswerer
from headwater.answering.quote_text import compose
from headwater.answering.refusal import is_answered
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import Passage, SearchFilters
from headwater.quote.quotes import Quote, choose_quotes
from headwater.retrieval.search_result import SearchResult
from headwater.retrieval.trust import TrustedPassages
from headwater.settings import Settings
from headwater.understanding.question import understand
from headwater.understanding.words import content_words
from tests.fragments import BLOCKS
from tests.passages import passage

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BASE = KnowledgeBase(
    id=1, slug="pumps", name="Pumps", description="", settings=KnowledgeBaseSettings(), created_at=NOW, updated_at=NOW
)
SETTINGS = Settings(home=Path("home"), cache=Path("cache"))
MARKER = re.compile(r"\[\d+\]")
TEXT = "The pump lifts water.\n\n- It stops in winter.\n- Oil is for the wheel.\n"


@pytest.fixture(autouse=True)
def _shared_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the folder of `SETTINGS` be the one of this run, in which the local model is built once."""
    monkeypatch.chdir(cache.parent)


def trusted(text: str, **values: object) -> Passage:
    """A trusted passage in a language that no answer scorer knows, so that words decide."""
    return passage(text, **{"scores": {"trust": 0.9}, "language": "de", **values})


def answered(
    question: str,
    *shown: Passage,
    further: Sequence[Passage] = (),
    documents: Sequence[str] = (),
    settings: Settings = SETTINGS,
) -> AssembledAnswer:
    """Answer from passages; in English, the settings say where a model may be built."""
    evidence = gathered(question, *shown, further=further, documents=documents)
    read = read_question(settings, AnswerRequest(knowledge_base=BASE, question=question))
    return fold(QuoteAnswerer(settings).answer(evidence, read))


def gathered(
    question: str,
    *shown: Passage,
    further: Sequence[Passage] = (),
    documents: Sequence[str] = (),
    unsaid: str = "",
) -> Evidence:
    """The evidence that passages are."""
    return Evidence(
        knowledge_base=BASE,
        question=question,
        found=SearchResult(passages=shown, embedder=None, timings_ms={}, understanding=understand(question)),
        trusted=TrustedPassages(kept=shown, dropped=()),
        load_further=lambda: tuple(further),
        filters=SearchFilters(documents=tuple(documents)),
        unsaid=unsaid,
    )


def quotes(question: str, *passages: Passage) -> list[Quote]:
    return choose_quotes(question, passages, weights=dict.fromkeys(content_words(question), 1.0))


def test_an_answer_is_a_quote_below_its_headings() -> None:
    """The title comes first, what answers best is in bold, and the marker stands behind the last word."""
    found = trusted(
        "The pump lifts water.\n\nIt is oiled every week.\n",
        breadcrumb=("Pump", "Water"),
    )
    answer = answered("What does the pump lift?", found)
    assert answer.text == "**Pump › Water**\n\n**The pump lifts water.**\n\nIt is oiled every week. [1]"
    assert (answer.reason, answer.notes) == (None, ())


def test_each_quote_has_a_marker_and_each_marker_a_citation() -> None:
    """Markers count from 1, and the citation has the trust of its passage."""
    one = trusted("The pump lifts water.", uri="a.md", breadcrumb=("Pump", "A"))
    other = trusted("A valve leaks water.", uri="b.md", breadcrumb=("Pump", "B"), scores={"trust": 0.25})
    answer = fold([*compose(quotes("Which valve leaks water?", one, other)), Done()])
    assert answer.text == ("**Pump › B**\n\nA valve leaks water. [1]\n\n**Pump › A**\n\nThe pump lifts water. [2]")
    assert [(each.marker, each.uri, each.breadcrumb[-1]) for each in answer.citations] == [
        ("[1]", "b.md", "B"), ("[2]", "a.md", "A"),
    ]  # fmt: skip
    assert answer.citations[0].score == 0.25


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("def pick(rows: list[str]) -> dict", "**a.py › `def pick(rows: list[str]) -> dict`**"),
        ("def pick(rows: Rows[1]) -> dict", "**a.py › def pick(rows: Rows 1 ) -> dict**"),
    ],
)
def test_the_signature_above_code_stays_as_it_is(name: str, expected: str) -> None:
    """Its brackets and arrows are no markup; one that a reader could take for a marker is written without them."""
    code = passage(
        "def pick(rows):\n    return rows\n", kind="code", uri="a.py", title="a.py", breadcrumb=("a.py", name)
    )
    answer = fold([*compose(quotes("pick rows", code)), Done()])
    assert answer.text.startswith(expected)


def test_a_citation_is_the_span_of_its_quote() -> None:
    """In offsets of the document version, not of the chunk."""
    (citation,) = answered("When does it stop in winter?", trusted(TEXT, start=100)).citations
    assert (citation.start, citation.end) == (100, 100 + len(TEXT) - 1)


def test_a_marker_stands_below_code_and_tables() -> None:
    """Behind their last line it would become part of them."""
    answer = answered("Which command starts the pump?", trusted("Start the pump:\n\n```sh\npump start\n```\n"))
    assert answer.text.endswith("```sh\npump start\n```\n\n[1]")


def test_a_passage_without_a_title_is_named_by_its_file() -> None:
    """A quote never stands without its source."""
    answer = answered("What lifts water?", trusted("The pump lifts water.", title="", breadcrumb=(), uri="a/pump.md"))
    assert answer.text.startswith("**pump.md**\n\n")


def test_a_passage_behind_the_shown_ones_may_answer() -> None:
    """Passages rank as a whole: the words that answer may stand in a later one."""
    first = trusted("The red valve was painted by Ada, who likes red.\n", rank=1)
    later = trusted("The red valve opens at a pressure of 3 bar.\n", rank=6, position=1, start=900, breadcrumb=("B",))
    answer = answered("At which pressure does the red valve open?", first, further=[later])
    assert "3 bar" in answer.text


def test_what_ranks_behind_makes_no_answer_of_a_refusal() -> None:
    """Whether a question is refused depends on the shown passages; a refusal cites nothing."""
    later = trusted("The red valve opens at a pressure of 3 bar.\n", rank=9)
    answer = answered("When does the red valve open?", further=[later])
    assert (answer.reason, answer.citations) == ("nothing_relevant", ())


def test_passages_that_say_nothing_are_refused() -> None:
    """An image is no quote."""
    answer = answered("What does the pump look like?", trusted("![the pump](pump.png)\n"))
    assert answer.reason == "nothing_relevant"
    assert not MARKER.search(answer.text)


def test_each_of_several_questions_has_its_quote() -> None:
    """In the order of the questions; two that the same words answer have one quote."""
    care = trusted("Oil the wheel every week.\n", uri="care.md", breadcrumb=("Pump", "Care"))
    stop = trusted("Stop the pump with the red button.\n", uri="stop.md", breadcrumb=("Pump", "Stop"))
    both = answered("Who may stop the pump? When is the wheel oiled every week?", care, stop)
    assert [each.uri for each in both.citations] == ["stop.md", "care.md"]
    assert MARKER.findall(both.text) == ["[1]", "[2]"]
    one = answered("When do I oil the wheel? How often do I oil the wheel?", care, stop)
    assert [each.uri for each in one.citations] == ["care.md"]


def test_each_selected_document_has_its_quote() -> None:
    """In the order in which they were selected; a document without passages is named."""
    passages = [
        trusted(f"The pump of {name} lifts {litres} litres.\n", uri=f"{name}.md", title=name, breadcrumb=())
        for name, litres in (("alto", 20), ("basso", 40))
    ]
    answer = answered("How much does the pump lift?", *passages, documents=["basso.md", "alto.md", "tenore.md"])
    assert [each.uri for each in answer.citations] == ["basso.md", "alto.md"]
    assert answer.notes == ("No passage with enough trust was found in tenore.md.",)


def test_a_selected_document_that_says_nothing_is_named() -> None:
    """A note tells it from one that was forgotten."""
    alto = trusted("The pump lifts 20 litres.\n", uri="alto.md", title="Alto", breadcrumb=())
    basso = trusted("![pump](pump.png)\n", uri="basso.md", title="Basso", breadcrumb=())
    answer = answered("How much does the pump lift?", alto, basso, documents=["alto.md", "basso.md"])
    assert [each.uri for each in answer.citations] == ["alto.md"]
    assert answer.notes == ("Nothing in Basso answers the question.",)


@pytest.mark.parametrize(
    "heading",
    ["See [7]", "![x](https://x.example/y.png)", "<img src=x onerror=y>", "[go](javascript:x)", "Use **now"],
)
def test_nothing_active_is_left_of_a_heading(heading: str) -> None:
    """It is text of the source like any other: no image, no tag, no marker without a citation (SEC-1)."""
    first, *_ = answered(
        "What lifts water?", trusted("The pump lifts water.", title=heading, breadcrumb=())
    ).text.partition("\n\n")
    assert not re.search(r"\[7\]|!\[|(?<!`)<img|\]\(javascript:|\*\*.*\*\*.*\*\*", first)


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("LANGUAGE=<lang>", "`LANGUAGE=<lang>`"),
        ("Map<K, V> and a < b", "`Map<K, V>` and a < b"),
        ("Set __x__ -> y", "Set \\_\\_x\\_\\_ -> y"),
        ("`<b>` <i", "`<b>` i"),
        ("<1a@x.example> <\u200bimg>", "`<1a@x.example>` `<img>`"),
    ],
)
def test_a_name_in_a_heading_keeps_its_signs(heading: str, name: str) -> None:
    """As code, because a page would take them for a tag."""
    passage = trusted("The pump lifts water.", title=heading, breadcrumb=())
    assert answered("What lifts water?", passage).text.startswith(f"**{name}**")


@settings(deadline=None)
@given(st.lists(BLOCKS, min_size=1, max_size=3))
def test_every_marker_of_any_answer_has_a_citation(texts: list[str]) -> None:
    """Whatever the documents say: one marker for each citation, in order, and spans that are within the document."""
    passages = [trusted(text, uri=f"{number}.md") for number, text in enumerate(texts)]
    answer = answered("Who lifts water? What is d?", *passages)
    assert MARKER.findall(answer.text) == [each.marker for each in answer.citations]
    assert (answer.reason is None) == bool(answer.citations)
    lengths = {each.uri: len(each.text) for each in passages}
    assert all(0 <= each.start < each.end <= lengths[each.uri] for each in answer.citations)


@pytest.mark.parametrize(
    ("text", "trust", "is_answer"),
    [
        ("A room costs 40 euros a night, breakfast included.", 0.6, True),
        ("A room is cleaned at night, and the key is at the bakery.", 0.6, False),
        ("A room is cleaned at night, and the key is at the bakery.", 0.99, False),
    ],
)
def test_what_reads_the_quote_decides_whether_it_answers(
    text: str, trust: float, cache: Path, *, is_answer: bool
) -> None:
    """However many of the question's words a passage has: the cross-encoder knows that it does not say it (ANS-4)."""
    shown = passage(text, scores={"trust": trust}, language="en")
    answer = answered("How much is a room for a night?", shown, settings=replace(SETTINGS, cache=cache))
    assert (answer.reason is None) == is_answer


@pytest.mark.parametrize(
    ("trust", "score", "is_answer"),
    [(0.5, 0.42, False), (0.5, 0.43, True), (0.05, 0.77, True), (0.05, 0.76, False), (0.99, 0.03, False)],
)
def test_trust_counts_half_beside_the_score_of_the_quote(trust: float, score: float, *, is_answer: bool) -> None:
    """In log-odds: a passage with all words of the question answers only if the reader thinks so, too (ANS-4)."""
    shown = passage(scores={"trust": trust})
    quote = Quote(
        text=shown.text, headings=(), passage=shown, start=0, end=9, score=score, word_count=4, line="", plain="",
        is_read=True,
    )  # fmt: skip
    assert is_answered(gathered("What lifts water?", shown), [quote]) == is_answer


@pytest.mark.parametrize(("unsaid", "is_read"), [("", True), ("room night", False)])
def test_a_turn_with_words_of_earlier_turns_is_not_read(unsaid: str, cache: Path, *, is_read: bool) -> None:
    """The cross-encoder knows sentences, and a turn with words behind it is none (CNV-1)."""
    text = "A room costs 40 euros a night. Breakfast is 9 euros more."
    shown = passage(text, scores={"trust": 0.9}, language="en")
    question = f"and with breakfast? {unsaid}".strip()
    quotes = find_quotes(gathered(question, shown, unsaid=unsaid), replace(SETTINGS, cache=cache))
    assert [quote.is_read for quote in quotes] == [is_read]
    assert is_answered(gathered(question, shown, unsaid=unsaid), quotes) or is_read


@pytest.mark.parametrize(
    ("question", "uris", "quoted"),
    [
        ("Which function lifts water?", ("pump.md", "pump.py", "tests/pump.py"), {"pump.py"}),
        ("Who lifts water?", ("pump.md", "pump.py"), {"pump.md", "pump.py"}),
        ("Which function lifts water?", ("tests/pump.py",), {"tests/pump.py"}),
        ("Which function lifts water?", ("pump.md",), {"pump.md"}),
    ],
)
def test_code_is_quoted_if_it_is_asked_for(question: str, uris: Sequence[str], quoted: set[str]) -> None:
    """Documentation does not say where code is, nor do tests; without code they are quoted (ANS-4)."""
    shown = [trusted("It lifts water.", uri=uri, kind="chunk" if uri.endswith(".md") else "code") for uri in uris]
    assert {quote.passage.uri for quote in find_quotes(gathered(question, *shown), SETTINGS)} == quoted
