"""Windows that models read or compare with the question (ANS-4).

Belongs here: which fragments make a window, which windows are read, in what order quotes come. Not here: the model
(`test_cross_encoder`), what any window keeps (`test_quote_selection`). Guarantee: pure; a stub scores texts.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.models_gateway.hash_embedder import HashEmbedder
from headwater.quote.extension import MAX_OPENING_WORDS, MAX_WORDS
from headwater.quote.quotes import Quote, choose_quotes
from headwater.quote.windows import FIRST_READ, MAX_COMPARED, MAX_READ
from headwater.understanding.words import content_words
from tests.passages import passage

READ_WORDS = 45
"""Of a window with its headings."""
LONG = "# Pump\n\n" + " ".join(f"Sentence number {number} says a thing about the pump." for number in range(60))


class Reader:
    """Scores texts by a rule, and keeps what it was given."""

    model = "stub/reader"

    def __init__(self, rule: Callable[[str], float]) -> None:
        self._rule = rule
        self.read: list[str] = []

    def score(self, _question: str, texts: Sequence[str]) -> list[float]:
        """The scores of the rule."""
        self.read += texts
        return [self._rule(text) for text in texts]


def choose(
    question: str,
    texts: Sequence[str],
    reader: Reader | None,
    embedder: Embedder | None = None,
    *,
    language: str = "en",
) -> list[Quote]:
    """Quotes of passages that are each a document."""
    passages = [
        passage(text, uri=f"{number}.md", title=f"Paper {number}", breadcrumb=(), language=language)
        for number, text in enumerate(texts)
    ]
    weights = dict.fromkeys(content_words(question, language), 1.0)
    return choose_quotes(question, passages, weights=weights, reader=reader, embedder=embedder)


def test_the_model_decides_among_windows_with_the_words() -> None:
    """What it scores highest is the first quote, though another passage ranks first and has more words."""
    texts = ["# Pump\n\nThe pump room is painted each spring.", "# Oil\n\nIn winter, use grade 5 in the pump."]
    reader = Reader(lambda text: 0.9 if "grade" in text else 0.1)
    first, second = choose("Which oil for the pump room in spring?", texts, reader)
    assert (first.text, first.score, first.is_read) == ("In winter, use grade 5 in the pump.", 0.9, True)
    assert second.score == 0.1
    assert sorted(text.partition(": ")[0] for text in reader.read) == ["Paper 0", "Paper 1"]


def test_a_document_is_known_by_the_name_of_its_file() -> None:
    """The model reads the name if only it has a word of the question; the title has `Paper` (ANS-4)."""
    passages = [
        passage("It says what a version is.", uri=f"rfc-{number}.txt", title=f"Paper {word}", breadcrumb=())
        for number, word in (("0034", "one"), ("0035", "two"))
    ]
    weights = dict.fromkeys(content_words("what is RFC 34"), 1.0)
    reader = Reader(lambda text: float("rfc 0034" in text))
    quotes = choose_quotes("what is RFC 34", passages, weights=weights, reader=reader, embedder=None)
    assert quotes[0].passage.uri == "rfc-0034.txt"
    reader.read.clear()
    choose_quotes("what is paper one", passages, weights=dict.fromkeys(["paper", "one"], 1.0), reader=reader)
    assert not [text for text in reader.read if "rfc" in text]


def test_without_a_model_headings_have_words_too() -> None:
    """What only a heading names is found below it, though elsewhere a word of the question stands alone (ANS-4)."""
    passages = [
        passage("Tiramisu is for winter.", uri="list.md", title="List", breadcrumb=()),
        passage("Stir the eggs and cool the cream.", uri="tiramisu.md", title="Tiramisu", breadcrumb=()),
    ]
    weights = dict.fromkeys(content_words("eggs for tiramisu"), 1.0)
    quotes = choose_quotes("eggs for tiramisu", passages, weights=weights)
    assert quotes[0].passage.uri == "tiramisu.md"


def test_a_window_is_as_long_as_a_quote_and_windows_overlap() -> None:
    """So that no two neighbouring sentences are never read together; only some windows are read."""
    reader = Reader(lambda text: text.count("number 17 ") + text.count("number 18 "))
    (quote, *_) = choose("What does the pump say?", [LONG], reader)
    assert len(reader.read) == MAX_READ
    assert all(len(text.split()) <= READ_WORDS for text in reader.read)
    assert READ_WORDS < quote.word_count <= MAX_WORDS
    assert quote.core is not None
    assert any(text.endswith(quote.core.text.replace("**", "")) for text in reader.read)


def test_no_more_is_read_than_is_needed() -> None:
    """A likely window among the first ends the reading."""
    reader = Reader(lambda _text: 0.9)
    choose("Which grade for the pump?", [LONG], reader)
    assert len(reader.read) == FIRST_READ


class Nearest(HashEmbedder):
    """Finds the question and texts with one word alike, and no others."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self._word = word

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The first axis for them, the second for others."""
        return np.array([(1, 0) if not number or self._word in text else (0, 1) for number, text in enumerate(texts)])


def test_vectors_decide_between_equally_likely_windows() -> None:
    """They are of another model; without it, the search's order remains. What is far behind stays behind."""
    texts = ["# Pump\n\nThe pump is blue.", "# Oil\n\nOil is for the pump.", "# Bolt\n\nThe pump has a bolt."]
    reader = Reader(lambda text: 0.1 if "bolt" in text else 0.9)
    firsts = [choose("pump?", texts, reader, Nearest(word))[0].text for word in ("blue", "Oil", "bolt")]
    assert firsts == ["The pump is blue.", "Oil is for the pump.", "The pump is blue."]
    assert choose("pump?", texts, reader)[0].text == "The pump is blue."


def test_vectors_decide_where_no_model_reads() -> None:
    """A limited number of windows gets a vector."""
    texts = ["# Pump\n\nThe pump is blue.", "# Oil\n\nOil is for the pump."]
    firsts = [choose("pump?", texts, None, Nearest(word))[0].text for word in ("blue", "Oil")]
    assert firsts == ["The pump is blue.", "Oil is for the pump."]
    counted = Counted()
    choose("What does the pump say?", [LONG], None, counted)
    assert counted.count == 1 + MAX_COMPARED


def test_a_model_of_another_language_decides_only_between_equals() -> None:
    """It finds names and parts of words alike, but what it says weighs less than the question's words."""
    texts = ["Die Pumpe ist blau.", "Die Pumpe ist aus Eisen.", "Farben kosten Geld."]
    firsts = [
        choose("Welche Farbe hat die Pumpe?", texts, None, Nearest(word), language="de")[0].text
        for word in ("blau", "Eisen", "Geld")
    ]
    assert firsts == ["Die Pumpe ist blau.", "Die Pumpe ist aus Eisen.", "Die Pumpe ist blau."]


class Counted(HashEmbedder):
    """Counts the texts that it compares."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the built-in model does."""
        self.count += len(texts)
        return super().embed(texts)


def test_the_sentence_above_a_list_stays_with_its_items() -> None:
    """A list is not quoted without what introduces it, and the quote is whole items around the window."""
    items = "\n".join(
        f"- step {number}: turn the wheel to mark {number} and wait for the bell to ring" for number in range(8)
    )
    reader = Reader(lambda text: 0.9 if "step 6" in text else 0.1)
    (quote, *_) = choose("Which step is sixth?", [f"Start the pump like this:\n\n{items}"], reader)
    assert quote.text.startswith("Start the pump like this:")
    assert "step 6" in quote.text
    assert quote.text.endswith(("ring", "ring**"))


def test_no_passage_no_quote() -> None:
    """And nothing is read."""
    reader = Reader(lambda _text: 1.0)
    assert choose("pump?", [], reader) == []
    assert reader.read == []


def test_a_model_that_fails_is_an_error() -> None:
    """The caller chooses without it."""

    def fail(_text: str) -> float:
        raise ModelUnavailableError("no file")

    with pytest.raises(ModelUnavailableError):
        choose("pump?", ["The pump."], Reader(fail))


def test_a_list_does_not_begin_in_its_middle() -> None:
    """What stands before the window is left out if it needs a sentence for which there is no place."""
    items = "\n".join(
        f"- part {number} of the pump, which needs grease, oil and water once a month" for number in range(9)
    )
    text = f"These parts want care:\n\n{items}\n\nThe answer is forty litres, as everybody knows who has seen the pump."
    (quote, *_) = choose("How many litres?", [text], Reader(lambda read: float("forty litres" in read)))
    assert "forty litres" in quote.text
    assert "- part" not in quote.text or quote.text.startswith("These parts")


def test_no_item_is_marked_where_the_whole_list_answers() -> None:
    """One that has a word of the question of its own is."""
    text = "The pump may lift these liquids, among others:\n\n- Warm water\n- Thin oil\n- Milk\n"
    (whole,) = choose("Which liquids may the pump lift?", [text], Reader(lambda _: 0.9))
    assert "**" not in whole.text
    (one,) = choose("May the pump lift milk?", [text], Reader(lambda _: 0.9))
    assert "- **Milk**" in one.text


@pytest.mark.parametrize(("first", "is_needed"), [("This", True), ("Straw", False)])
def test_what_a_first_word_refers_to_is_quoted_with_it(first: str, *, is_needed: bool) -> None:
    """Though what follows would fill the quote, which is more useful otherwise."""
    shed = "The pump stands in a shed of wood that the works built behind the mill when the river was still clean."
    after = " ".join(f"Somebody oils part {number} of the pump in winter." for number in range(20))
    read = f"Paper 0: {first} keeps"
    reader = Reader(lambda text: float(text.startswith(read)))
    quote, *_ = choose("What keeps the pump dry?", [f"# Pump\n\n{shed} {first} keeps it dry. {after}"], reader)
    assert quote.score == 1
    assert (shed in quote.plain) == is_needed


def test_a_window_far_below_its_lead_stays_short() -> None:
    """What lies between the sentence that introduces a list and the items of a window is no part of the quote."""
    items = "\n".join(f"- part {number} of the pump needs grease, oil and water" for number in range(40))
    reader = Reader(lambda text: float("part 37 " in text))
    (quote, *_) = choose("What does part 37 need?", [f"These parts want care:\n\n{items}\n"], reader)
    assert quote.text.startswith("These parts want care:")
    assert "part 37" in quote.text
    assert quote.word_count <= MAX_WORDS


TAGS = """
| Tag | Description |
|---|---|
| 3.1.8 | Release |
| 3.1.8-debug | Debug image |
| `3.1.7` | Older release |
"""


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What is the description of 3.1.8-debug?", "Debug image"),
        ("What is the description of 3.1.8?", "Release"),
        ("what's the description of tag 3.1.7", "Older release"),
    ],
)
def test_a_row_that_the_question_names_is_the_quote(question: str, row: str) -> None:
    """Alone, because its neighbours say the same of something else; what explains the column is no answer (ANS-4)."""
    explained = "# Columns\n\nThe description of an image says what it is for."
    reader = Reader(lambda text: 0.6 if "says what" in text else 0.1)
    best, *_ = choose(question, [explained, TAGS], reader)
    _header, _ruler, quoted_row = best.text.splitlines()
    assert quoted_row.endswith(f"| {row} |")
    assert best.score > 0.6


def test_a_longer_name_is_another_name() -> None:
    """No row is the quote because the question has its label as a part of a name that the table does not have."""
    explained = "# Columns\n\nThe description of an image says what it is for."
    reader = Reader(lambda text: 0.6 if "says what" in text else 0.1)
    best, *_ = choose("What is the description of 3.1.8-slim?", [explained, TAGS], reader)
    assert best.text == "The description of an image says what it is for."


def test_a_row_that_the_question_names_is_read() -> None:
    """Though every other window has more of the question's words (ANS-4)."""
    others = ["The number of incidents of an airline."] * MAX_READ
    table = "| airline | n |\n|---|---|\n| Aeroflot* | 76 |\n| Condor | 2 |\n"
    question = "number of incidents of the airline Aeroflot between two years"
    best, *_ = choose(question, [*others, table], Reader(lambda _text: 0.1))
    assert best.text.endswith("| Aeroflot* | 76 |")


def test_a_row_without_anything_but_a_label_is_quoted_with_those_below_it() -> None:
    """It names a group of rows (ANS-4)."""
    table = "| | 20 | 45 |\n|---|---|---|\n| Low income | | |\n| Two days | 60 | 100 |\n| Four days | 70 | 120 |\n"
    best, *_ = choose("what does it cost with low income and 45?", [table], Reader(lambda _text: 0.9))
    assert "| Four days | 70 | 120 |" in best.text


def test_several_rows_are_quoted_if_the_question_names_them() -> None:
    """And no row that it does not name (ANS-4)."""
    table = "| Pump | Oil |\n|---|---|\n| P1 | 5 |\n| P2 | 7 |\n| P3 | 9 |\n"
    best, *_ = choose("which oil for P1 and for P3?", [table], Reader(lambda _text: 0.9))
    assert ["P1" in best.text, "P2" in best.text, "P3" in best.text] == [True, False, True]
    assert best.core is not None
    assert "P2" not in best.core.text


@pytest.mark.parametrize(
    "entry",
    [
        "# Options\n\n- **`max_rate`** *count*: Messages each second. Defaults to 5.\n- **`min`**: Defaults to 1.\n",
        "# Options\n\n**`-r`, `max_rate` count**\n\nMessages per second. Defaults to 5.\n",
    ],
)
def test_the_entry_of_an_option_comes_before_what_mentions_it(entry: str) -> None:
    """But it says nothing of whether the question is answered: the score stays the reader's (ANS-4)."""
    mention = "# Limits\n\nThe default limit is 9, unless max_rate is set to its default."
    reader = Reader(lambda text: 0.6 if "limit is" in text else 0.2)
    best, second = choose("What is the default of max_rate?", [mention, entry], reader)
    assert "Defaults to 5." in best.text
    assert (best.score, second.score) == (0.2, 0.6)
    first, *_ = choose("What is the default of the rate?", [mention, entry], reader)
    assert "limit is 9" in first.text


@pytest.mark.parametrize("question", ["What is a pump review?", "What is Pump Review?", "pump review"])
def test_the_entry_of_a_term_comes_before_what_mentions_it(question: str) -> None:
    """A term may have several words, and small letters (ANS-4)."""
    mention = "# Pumps\n\nEach pump has a pump review. The review of a pump is in May."
    glossary = "# Words\n\n- **Pump**: It lifts water.\n- **Pump Review**: A look at all seals.\n"
    reader = Reader(lambda text: 0.6 if "in May" in text else 0.2)
    best, *_ = choose(question, [mention, glossary], reader)
    assert "A look at all seals." in best.text


def test_an_entry_comes_first_in_other_languages_too() -> None:
    """Without a model that reads them (ANS-4)."""
    mention = "# Pumpen\n\nFür die Wartung der Pumpe gibt es einen Plan für die Wartung der Pumpe im Mai."
    glossary = "# Begriffe\n\n- **Wartung der Pumpe**: Ein Blick auf alle Dichtungen.\n"
    best, *_ = choose("Wartung der Pumpe?", [mention, glossary], None, language="de")
    assert "alle Dichtungen" in best.text


@pytest.mark.parametrize(("option", "meaning"), [("-t", "Where to."), ("-T", "Not where to.")])
def test_options_of_one_letter_differ_by_case(option: str, meaning: str) -> None:
    """Each has an entry of its own (ANS-4)."""
    options = [
        f"# Options\n\n- **`{name}`**: {text}\n" for name, text in (("-t", "Where to."), ("-T", "Not where to."))
    ]
    best, *_ = choose(f"What does {option} do?", options, Reader(lambda _text: 0.2))
    assert best.line.endswith(f": {meaning}")


def test_a_heading_with_a_name_among_other_words_is_no_entry_of_it() -> None:
    """What is asked for stands elsewhere (ANS-4)."""
    channels = "# Chat\n\nMandatory channels include two on Slack."
    planning = "# Tools\n\n**Slack people-planning channel**\n\nA channel on Slack for who works on what."
    reader = Reader(lambda text: 0.9 if "Mandatory" in text else 0.7)
    best, *_ = choose("Which channels on Slack should I join?", [planning, channels], reader)
    assert "Mandatory" in best.text


def test_an_item_below_the_heading_of_an_option_is_of_its_entry() -> None:
    """Its own label hides nothing (ANS-4)."""
    mention = "# Files\n\nThe default of store_dir is set here or there."
    entry = "# Settings\n\n**store_dir**\n\n- **Default**: /var/store\n"
    reader = Reader(lambda text: 0.6 if "or there" in text else 0.2)
    best, *_ = choose("What is the default of store_dir?", [mention, entry], reader)
    assert "/var/store" in best.text


FACTS = " ".join(f"Fact {number} is about rust and salt." for number in range(24))


@pytest.mark.parametrize(
    ("question", "has_opening"), [("Why does the pump hum?", True), ("Why does the pump hum in winter?", False)]
)
def test_a_section_whose_heading_asks_the_question_is_quoted_with_its_opening(
    question: str, *, has_opening: bool
) -> None:
    """What decides may stand far below; the gap is marked (ANS-4)."""
    text = f"# Guide\n\n## Why does the pump hum?\n\nAsk Ada. {FACTS} The pump hums dry.\n"
    one = passage(text, title="Guide", breadcrumb=("Guide", "Why does the pump hum?"))
    weights = dict.fromkeys(content_words(question), 1.0)
    reader = Reader(lambda read: 0.9 if "hums dry" in read else 0.1)
    best, *_ = choose_quotes(question, [one], weights=weights, reader=reader)
    assert best.text.startswith("Ask Ada. Fact 0 is about rust and salt.") == has_opening
    assert ("[…]" in best.text) == has_opening
    assert "The pump hums dry." in best.text
    assert best.word_count <= MAX_WORDS + MAX_OPENING_WORDS


@pytest.mark.parametrize(("name", "is_likely"), [("Kafka", False), ("5", True), ("Acme", True)])
def test_a_window_without_a_name_that_another_one_has_is_unlikely(name: str, *, is_likely: bool) -> None:
    """A number is no name, and one that no window has, such as that of the reader's company, tells nothing (ANS-4)."""
    question = f"How many messages does {name} send in a minute?"
    passages = [
        passage("It sends 60 messages in a minute.", uri="1.md", title="Outputs", breadcrumb=("Outputs", "Slack")),
        passage("It is a queue.", uri="2.md", title="Outputs", breadcrumb=("Outputs", "Kafka")),
    ]
    weights = dict.fromkeys(content_words(question), 1.0)
    quotes = choose_quotes(question, passages, weights=weights, reader=Reader(lambda text: 0.8 * ("60" in text)))
    best = max(quotes, key=lambda quote: quote.score)
    assert (best.score > 0.5) is is_likely


def test_what_stands_around_a_table_is_quoted_with_a_row() -> None:
    """A unit above it, a condition below it; and no row that the question does not name (ANS-4)."""
    table = "| Pump | Weight |\n|---|---|\n" + "".join(f"| P{number} | {number} |\n" for number in range(20))
    text = f"All weights are in pounds.\n\n{table}\nWith the box, add 3 pounds.\n"
    best, *_ = choose("weight of P3 and P17", [text], Reader(lambda text: 0.9 * ("P3" in text)))
    assert best.text.splitlines()[0] == "All weights are in pounds."
    assert best.text.splitlines()[-1] == "With the box, add 3 pounds."
    rows = [line.replace("*", "") for line in best.text.splitlines() if line.startswith("| ")]
    assert rows == ["| Pump | Weight |", "| --- | --- |", "| P3 | 3 |", "| […] |", "| P17 | 17 |"]


def test_rows_without_a_label_belong_to_the_row_above_them() -> None:
    """As cells that are merged over several rows (ANS-4)."""
    table = "| Queue | Version |\n|---|---|\n| Pulsar | 4 |\n| Kafka | 1 |\n| | 2 |\n| | 3 |\n| Rabbit | 9 |\n"
    best, *_ = choose("which version of Kafka is the newest?", [table], Reader(lambda _text: 0.9))
    rows = [line.replace("*", "").split("|")[1:-1] for line in best.text.splitlines()[2:]]
    assert [[cell.strip() for cell in row] for row in rows] == [["Kafka", "1"], ["", "2"], ["", "3"]]


def test_text_with_as_many_words_as_a_row_is_not_passed_over() -> None:
    """A row that has nothing but the name is no better than a sentence with it (ANS-4)."""
    text = (
        "The port cannot be changed once it runs.\n\n| Key | Type |\n|---|---|\n| port | integer |\n| host | string |\n"
    )
    best, *_ = choose("Is it possible to modify the port later?", [text], Reader(lambda _text: 0.6))
    assert best.line == "The port cannot be changed once it runs."
    assert best.score == 0.6
