"""Which quotes answer a question, and what is known of each (ANS-3, ANS-4)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.domain.places import Mark, PlaceKind, Places
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.hash_embedder import HashEmbedder
from headwater.quote.quotes import MAX_QUOTES, Quote, choose_quotes
from headwater.understanding.words import content_words
from tests.fragments import BLOCKS
from tests.passages import passage

PUMP = "# Pump\n\nThe pump lifts water. It stops in frost.\n\n## Care\n\nOil the wheel every week.\n"


def choose(question: str, *texts: str, embedder: Embedder | None = None) -> list[Quote]:
    """Choose from texts, each the one passage of a document, best first."""
    passages = [
        passage(text, uri=f"{number}.md", breadcrumb=("Pump", "Pump"), scores={"trust": 0.9})
        for number, text in enumerate(texts)
    ]
    return choose_quotes(question, passages, weights=dict.fromkeys(content_words(question), 1.0), embedder=embedder)


def test_the_section_with_the_words_of_the_question_comes_first() -> None:
    """One quote of each section, each with its path of headings."""
    first, second = choose("When is the wheel oiled?", PUMP)
    assert (first.text, first.headings) == ("Oil the wheel every week.", ("Pump", "Care"))
    assert second.headings == ("Pump",)
    assert first.score > second.score


def test_a_quote_is_a_span_of_the_document() -> None:
    """Its offsets are those of the document version, and its passage is the one that it is taken from."""
    text = "The pump lifts water.\n\n- It stops in winter.\n- Oil is for the wheel.\n"
    found = passage(text, start=100, scores={"trust": 0.9})
    (quote,) = choose_quotes("pump, winter, oil?", [found], weights={"pump": 1.0, "winter": 1.0, "oil": 1.0})
    assert (quote.start, quote.end) == (100, 100 + len(text.rstrip()))
    assert quote.passage.chunk_id == found.chunk_id
    assert quote.plain == "The pump lifts water. - It stops in winter. - Oil is for the wheel."
    assert quote.word_count == len(quote.plain.split())


def test_the_deciding_sentence_is_in_bold() -> None:
    """It has more of the question's words than any other; it is the quote's line."""
    text = "The frost is loud. It stops when frost comes. Frost is quite red.\n"
    (quote,) = choose("Does it stop in frost?", text)
    assert quote.text == "The frost is loud. **It stops when frost comes.** Frost is quite red."
    assert quote.line == "It stops when frost comes."


def test_the_deciding_row_of_a_table_is_in_bold() -> None:
    """Cell by cell, because markdown has no other way; the place of the quote is that row's, too."""
    text = "| Model | Weight |\n|---|---|\n| Aero | 1.1 |\n| Titan II | 2.8 |\n| Flex | |\n"
    (quote,) = choose("How heavy is the Titan?", text)
    assert "| Aero | 1.1 |\n| **Titan II** | **2.8** |\n| Flex |  |" in quote.text


def test_a_sentence_alone_is_not_in_bold() -> None:
    """There is nothing that it could be told from."""
    assert choose("Does it stop in frost?", "It stops when frost comes.\n")[0].text == "It stops when frost comes."


def test_a_wanted_quantity_counts() -> None:
    """Of two sentences with the same words, the one with a number is in bold for `how many`."""
    without, having = "The pump lifts litres of water.", "The pump lifts forty or 50 litres of water."
    assert choose("How many litres of water?", f"{without} {having}\n")[0].line == having
    assert choose("Which litres of water?", f"{without} {having}\n")[0].line == without


def test_of_equal_candidates_the_better_passage_answers() -> None:
    """The order of the search decides."""
    quotes = choose("water?", "The water is cold.\n", "The water is warm.\n")
    assert [quote.text for quote in quotes] == ["The water is cold.", "The water is warm."]


def test_a_model_compares_the_fragments_with_the_question() -> None:
    """Of two that have all of its words, the one that says little else is more similar."""
    other, same = "Red dust and sand, iron, brass and oil ruin every pump of the mill.\n", "Oil the red pump.\n"
    assert choose("oil the red pump", other, same)[0].text == other.strip()
    assert choose("oil the red pump", other, same, embedder=HashEmbedder())[0].text == same.strip()


def test_there_are_few_quotes() -> None:
    """However many passages were found."""
    assert len(choose("water?", *[f"The water has {number} degrees.\n" for number in range(12)])) == MAX_QUOTES


def test_no_passages_give_no_quotes() -> None:
    """Neither does a passage that says nothing."""
    assert choose_quotes("water?", [], weights={"water": 1.0}) == []
    assert choose("water?", "![water](water.png)\n") == []


def test_a_list_is_completed_by_the_chunk_beside_it() -> None:
    """The quote crosses the border between the two."""
    text = "You need:\n\n- A brush\n- Water\n"
    cut = text.index("- Water")
    found, beside = passage(text[:cut], scores={"trust": 0.9}), passage(text[cut:], position=1, start=cut)
    (quote,) = choose_quotes("brush, water?", [found], [found, beside], weights={"brush": 1.0, "water": 1.0})
    assert (quote.start, quote.end) == (0, len(text) - 1)
    assert quote.text.endswith("- Water")
    assert quote.passage.chunk_id == found.chunk_id


def test_what_stands_beside_a_passage_answers_nothing_by_itself() -> None:
    """It only completes the passage; nobody has said that it can be trusted (RET-7)."""
    cut = PUMP.index("## Care")
    found = passage(PUMP[:cut], scores={"trust": 0.9})
    beside = passage(PUMP[cut:], position=1, start=cut, breadcrumb=("Pump", "Care"))
    quotes = choose_quotes("When is the wheel oiled?", [found], [found, beside], weights={"wheel": 1.0, "oil": 1.0})
    assert {quote.passage.chunk_id for quote in quotes} == {found.chunk_id}


@pytest.mark.parametrize(
    ("text", "question", "label"),
    [
        (
            "| Article | Price |\n|---|---|\n| Bolt | 2 |\n| Millstone | 1250 |\n| Gear | 86 |",
            "What is the price of a millstone?",
            "A!A5:B5",
        ),
        ("- Customer: Baker Vogt\n- Contract: K-4471", "What is the contract of the customer Vogt?", "A!A2:B3"),
    ],
)
def test_the_place_of_a_table_is_the_row_that_decides(text: str, question: str, label: str) -> None:
    """However many rows are quoted; the rows of a form belong together."""
    ahead = 1 if text.startswith("-") else 2
    marks = [Mark(0, "A!A:B", ahead), *([Mark(text.index("|--"), "A!A:B", 1)] if ahead > 1 else [])]
    places = Places(kind=PlaceKind.CELL, marks=tuple(marks))
    (quote,) = choose_quotes(question, [passage(text, places=places)], weights={"millston": 1.0, "contract": 1.0})
    assert quote.place is not None
    assert quote.place.label == label


@pytest.mark.parametrize(("kind", "first", "last"), [(PlaceKind.PAGE, 4, 9), (PlaceKind.SECOND, 9, 9)])
def test_the_place_of_a_quote_is_where_it_stands(kind: PlaceKind, first: int, last: int) -> None:
    """Of pages all of it; of a recording the second at which the deciding sentence is said."""
    text = "Frost is quite red. It stops when frost comes.\n"
    places = Places.of(kind, [(0, 4), (text.index("It stops"), 9)])
    (quote,) = choose_quotes(
        "Does it stop in frost?", [passage(text, places=places)], weights={"frost": 1.0, "stop": 1.0}
    )
    assert quote.place is not None
    assert (quote.place.first, quote.place.last) == (first, last)


@settings(deadline=None)
@given(st.lists(BLOCKS, max_size=4), st.sampled_from(["pump lifts water?", "How many litres?", "", "d e"]))
def test_quotes_are_the_same_each_time_and_verbatim(texts: list[str], question: str) -> None:
    """Of any texts: best first, one of each section, each from the first word that it says to the last."""
    quotes = choose(question, *texts)
    assert choose(question, *texts) == quotes
    assert [quote.score for quote in quotes] == sorted((quote.score for quote in quotes), reverse=True)
    assert len({(quote.passage.document_version_id, quote.headings) for quote in quotes}) == len(quotes) <= MAX_QUOTES
    for quote in quotes:
        span = quote.passage.text[quote.start : quote.end]
        assert span == span.rstrip() != ""
        assert quote.text
        untagged = re.sub(r"</?b>", "", quote.passage.text)
        assert all(word in untagged.casefold() for word in re.findall(r"\w{2,}", quote.plain.casefold()))
        assert quote.line in quote.plain
