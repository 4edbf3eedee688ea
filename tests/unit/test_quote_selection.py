"""Which fragments are quoted together, and what speaks for each (ANS-4)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.quote.block_reader import Kind
from headwater.quote.extension import MAX_LIST_WORDS, MAX_WORDS, extend_window
from headwater.quote.fragment_evidence import FragmentEvidence, Question, find_evidence
from headwater.quote.fragments import read_fragments
from headwater.quote.quote_markdown import render
from headwater.quote.selection import Selection, introduces
from headwater.understanding.words import content_words
from tests.fragments import BLOCKS, fragments, selections, stretch

OTHER = "Nobody has said of what kind of iron these parts of the mill are made. "
"""Words that no question of these tests has, too many to be quoted beside an answer."""
LONG = f"{' and '.join(['Nobody has said it'] * 30)}."
"""A sentence that is too long to be quoted beside anything."""


def texts(question: str, text: str, **values: object) -> list[str]:
    """What each selection quotes, best first."""
    found = sorted(selections(question, text, **values), key=lambda one: -one.score)
    return [" ".join(fragment.plain for fragment in one.chosen) for one in found]


def evidence(question: str, text: str) -> list[FragmentEvidence]:
    asked = Question(text=question, weights=dict.fromkeys(content_words(question), 1.0))
    return find_evidence(asked, fragments(text))


def test_a_fragment_has_a_share_of_the_words_of_the_question() -> None:
    """In itself and in the headings above it, each by its weight."""
    (pump, valve) = evidence("red pump valve", "The red pump. A valve.")
    assert pump.covered == pytest.approx(2 / 3)
    assert valve.covered == pytest.approx(1 / 3)
    asked = Question(text="", weights={"red": 3.0, "pump": 1.0})
    assert asked.share(asked.words_in("It is red.")) == 0.75
    assert Question(text="", weights={}).share(frozenset()) == 0.0


def test_only_a_wanted_quantity_counts() -> None:
    """A number says nothing where none was asked for."""
    text = "It lifts 40 litres. It lifts water."
    assert [one.has_quantity for one in evidence("How many litres?", text)] == [True, False]
    assert [one.has_quantity for one in evidence("Which litres?", text)] == [False, False]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Why does the computed clock never change?", "The clock is not reactive, so it never changes once computed:"),
        ("時計の算出プロパティが更新されない理由", "時計はリアクティブではないので次の算出プロパティは更新されません:"),
    ],
)
def test_a_sentence_that_introduces_may_answer(question: str, says: str) -> None:
    """What stands before a colon is quoted if it answers best, in any language."""
    assert says in texts(question, f"{OTHER}{says}\n\n```js\nconst now = 1\n```\n")[0]


def test_a_quote_is_of_one_section() -> None:
    """Two sections say two things, however short they are."""
    text = "# Pump\n\nThe pump stops in frost.\n\n## Care\n\nDrain the pump with the red tap.\n"
    assert set(texts("Which tap drains the pump in frost?", text)) == {
        "The pump stops in frost.", "Drain the pump with the red tap.",
    }  # fmt: skip


def test_an_item_and_code_come_with_the_sentence_that_introduces_them() -> None:
    """However far above it stands."""
    items = f"- {OTHER}\n" * 20
    best = texts("Where is the red tap?", f"You need:\n\n{items}- The red tap is left.\n")[0]
    assert best.startswith("You need:")
    assert "The red tap" in best
    assert texts("pump status", "Ask it:\n\n```\npump status\n```\n")[0] == "Ask it: pump status"


LIST = "You can use:\n\n" + "".join(f"- tap {name}, {OTHER}\n" for name in ("one", "two", "red", "four", "five"))


def test_a_list_that_is_asked_for_is_quoted_from_its_beginning() -> None:
    """Its items up to the last one; of another question, only what is near the item that answers."""
    best = selections("Which red taps are there?", LIST)[0]
    assert best.positions == (0, 1, 2, 3, 4, 5)
    assert not best.is_cut
    assert selections("Where is the red tap?", LIST)[0].positions != best.positions


@pytest.mark.parametrize(
    ("row", "mark"), [("- tap {}, " + OTHER, "- […]"), ("| tap {} | " + OTHER + " |", "| […] |")], ids=["items", "rows"]
)
def test_a_list_that_is_too_long_says_so(row: str, mark: str) -> None:
    """It is cut behind a whole item or row, and a mark stands for the others."""
    rows = "".join(f"{row.format(number)}\n" for number in range(30))
    text = f"| tap | note |\n| --- | --- |\n{rows}" if row.startswith("|") else f"You can use:\n\n{rows}"
    best = selections("Which taps are there?", text)[0]
    assert best.is_cut
    assert MAX_WORDS < best.word_count <= MAX_LIST_WORDS
    written = render(best.fragments, best.positions, is_cut=best.is_cut)
    assert written.text.splitlines()[-1] == mark
    assert not written.is_open


@pytest.mark.parametrize(
    ("text", "first", "is_cut"),
    [
        ("You can use:\n\n- tap one\n- **Hoses**: {long}\n  - red tap nested\n  - blue tap\n- outer\n", 3, False),
        ("You can use:\n\n- red tap\n- tap two\n- tap three: {long}\n- four\n", 0, True),
        ("| tap | at |\n| --- | --- |\n{rows}| red tap | here |\n| blue tap | here |\n", 60, False),
    ],
    ids=["nested", "long-item", "far-away"],
)
def test_only_a_list_of_one_level_is_completed(text: str, first: int, is_cut: bool) -> None:
    """Items of another level stay apart, as does a beginning too far away; a long item that follows is marked."""
    rows = "".join(f"| tap {number} | there |\n" for number in range(80))
    best = selections("Which red taps are there?", text.format(long="word " * 90, rows=rows))[0]
    assert best.positions[0] >= first
    assert len({fragment.headings for fragment in best.chosen}) == 1
    assert best.is_cut == is_cut


def test_who_asks_for_a_number_gets_no_list() -> None:
    """It is one thing that is asked for."""
    text = f"The number of the desk is 555.\n\nThe desk has:\n\n{LIST.partition(chr(10) * 2)[2]}"
    (best, *_) = selections("What is the number of the desk?", text)
    assert best.word_count <= MAX_WORDS


def test_what_the_last_sentence_introduces_is_quoted_with_it() -> None:
    """Also if its items are cut, because they are long, and as far as there is room; without any, it stands alone."""
    sentences = "".join(f"Tap {number} {'drips ' * 12}now. " for number in range(6))
    merits = f"The red taps have these merits:\n\n- **Water**: {sentences}\n- **Air**: {sentences}\n"
    quotes = []
    for text in (merits, "The red taps have these merits:\n\n## Oil\n\nIt is.\n"):
        lead = Selection(fragments=read_fragments(stretch(text)), positions=(0,), core=(0,), best=0, score=1.0)
        quotes.append(extend_window(lead))
    assert quotes[0].chosen[1].line.startswith("Water: Tap 0 drips")
    assert MAX_WORDS < quotes[0].word_count <= MAX_LIST_WORDS
    assert quotes[1].positions == (0,)


def test_a_quote_does_not_begin_with_the_end_of_an_aside() -> None:
    """The sentences before it, in parentheses, are left out."""
    text = f"(The drawing {'of the tap ' * 25}is old. Used by permission.)\n\nThe red tap drains the pump in frost."
    best = selections("What drains the pump in frost?", text)[0]
    assert best.chosen[0].plain == "The red tap drains the pump in frost."
    steps = "Variant 1) do this:\n\n- Drain the red tap in frost.\n- Open the valve.\n- Wait.\n"
    assert selections("How do I drain the red tap in frost?", steps)[0].chosen[0].plain == "Variant 1) do this:"


def test_a_lead_in_or_a_scrap_is_not_quoted_alone() -> None:
    """It says nothing without what follows it; a short item or row does."""
    assert texts("What do you need for the tap?", "What you need for the tap:\n\n# Oil\n\nE.g. tap.\n") == ["E.g. tap."]
    assert set(texts("tap?", "You need:\n\n- a tap\n")) == {"You need: - a tap"}


def test_a_short_sentence_may_be_all_that_is_said() -> None:
    """A value, a yes or no: often nothing else answers."""
    assert texts("What is the default of PORT?", "**PORT**\n\nDefault: 8080.\n")
    assert texts("May I open the valve?", "Never open it.\n")


def test_one_fragment_may_be_longer_than_a_quote() -> None:
    """A sentence is never cut; nothing else joins it."""
    (one,) = [each for each in selections("tap?", f"The tap {'drips ' * 100}now. It is quite red.") if each.best == 0]
    assert one.positions == (0,)
    assert one.word_count == 103 > MAX_WORDS


def lead_and_seed(one: Selection) -> set[int]:
    lead = one.fragments[one.best].lead
    return {one.best} if lead is None else {one.best, lead}


@settings(deadline=None)
@given(
    BLOCKS,
    st.sampled_from(
        ["", "pump lifts water", "How many litres?", "item d e", "one two three four", "Which pumps are there?"]
    ),
)
def test_any_selection_is_within_its_limits(text: str, question: str) -> None:
    """In the order of the text, of one section, with lead-ins, no longer than a quote unless its best fragment is."""
    found = read_fragments(stretch(text))
    tried = selections(question, text)
    assert not tried or found
    for one in tried:
        assert one.best in one.positions
        assert list(one.positions) == sorted(set(one.positions))
        depth = len(one.headings)
        assert {fragment.headings[:depth] for fragment in one.chosen} == {one.headings}
        assert all(fragment.lead is None or fragment.lead in one.positions for fragment in one.chosen)
        headers = 2 * sum(fragment.kind == Kind.ROW for fragment in one.chosen)  # words that are not shown again
        is_introduced = any(introduces(fragment) for fragment in one.chosen)
        most = MAX_LIST_WORDS + headers if question.startswith("Which") or is_introduced else MAX_WORDS
        assert one.word_count <= most or set(one.positions) == lead_and_seed(one)
        assert one.word_count == sum(fragment.word_count for fragment in one.chosen)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The spell burns. ***At Higher Levels***. " + LONG, "The spell burns."),
        ("The spell burns.\n\n_Limits of the spell_\n\n" + LONG, "The spell burns."),
        ("**6.1** The spell burns wood.\n\n**6.2** Refunds. " + LONG, "6.1 The spell burns wood."),
        ("The spell burns. **Never use it at home.** " + LONG, "The spell burns. Never use it at home."),
    ],
)
def test_a_quote_does_not_end_with_the_name_of_what_follows(text: str, quote: str) -> None:
    """A name before its description says nothing alone; a whole sentence in bold does."""
    assert texts("What burns the spell?", text)[0] == quote


def test_a_list_follows_a_sentence_that_announces_it() -> None:
    """Also without a colon."""
    text = f"{LONG}\n\nThe mill has the following levers in all its rooms.\n\n- Red\n- Blue\n"
    assert texts("Which levers has the mill?", text)[0] == (
        "The mill has the following levers in all its rooms. - Red - Blue"
    )
