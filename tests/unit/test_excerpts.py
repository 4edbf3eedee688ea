"""What is shown of a passage is the place that matched."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from headwater.retrieval.excerpts import LENGTH, Excerpt, excerpt
from headwater.retrieval.trust import question_weights

TALK = "The mill is old and its wheel is of oak, which was felled when the road was built. " * 6
ANSWER = "The pump lifts forty litres of water a minute when its gasket is new."


def _shown(question: str, text: str, **idf: float) -> tuple[Excerpt, list[str]]:
    found = excerpt(text, question_weights(question, idf))
    return found, [found.text[start:end] for start, end in found.matches]


def test_the_sentence_that_matched_is_shown_and_not_the_beginning() -> None:
    """Though it stands far behind the first 200 characters; what matched has its place."""
    found, matched = _shown("How much water does the pump lift?", f"{TALK}{ANSWER} {TALK}")
    assert found.text.startswith(ANSWER)
    assert matched[:3] == ["pump", "lifts", "water"]
    assert len(found.text) <= LENGTH


def test_rare_words_outweigh_frequent_ones() -> None:
    """One rare word counts more than two that all entries contain."""
    text = f"The mill has a wheel. {TALK}{ANSWER}"
    found, _ = _shown("the mill wheel gasket", text, mill=0.1, wheel=0.1, gasket=5.0)
    assert "gasket" in found.text


def test_a_sentence_too_long_is_cut_at_words_around_the_match() -> None:
    """The match is in it, and neither end is a part of a word."""
    text = "word " * 200 + "gasket " + "word " * 200
    found, matched = _shown("gasket", text)
    assert matched == ["gasket"]
    assert set(found.text.split()) == {"word", "gasket"}


def test_without_a_match_the_beginning_is_shown() -> None:
    """Such as where only the meaning is alike, or only the heading has the words."""
    found, matched = _shown("astronomy", TALK)
    assert (found.start, matched) == (0, [])
    assert TALK.startswith(found.text)
    assert 0 < len(found.text) <= LENGTH


def test_words_without_spaces_between_them_are_matched_by_pairs() -> None:
    """As keyword search finds them."""
    found, matched = _shown("怎么连接", "数据库安装指南。" * 40 + "如何连接数据库服务器。")
    assert matched == ["连接"]
    assert "连接" in found.text


def test_the_pairs_of_one_word_are_one_match() -> None:
    """They overlap: marked one after the other, each letter between them would be shown twice."""
    found, matched = _shown("水車小屋の掃除", "毎朝、水車小屋を掃除します。")
    assert matched == ["水車小屋", "掃除"]
    assert all(end <= start for (_, end), (start, _) in pairwise(found.matches))


def test_words_of_another_language_are_matched_by_its_stems() -> None:
    """As the passage's language inflects them; what only asks is not marked."""
    question, text = "Warum haben die Häuser rote Dächer?", f"{TALK}Warum? Das Haus hat ein rotes Dach."
    found = excerpt(text, question_weights(question, {}, "de"), "de")
    assert [found.text[start:end] for start, end in found.matches] == ["Haus", "rotes", "Dach"]


@given(st.text(max_size=900), st.text(max_size=30))
def test_an_excerpt_is_a_short_part_of_its_text(text: str, question: str) -> None:
    """For any question and any text; matches are parts of the excerpt, in order."""
    found = excerpt(text, question_weights(question, {}))
    assert found.text == text[found.start : found.end]
    assert len(found.text) <= LENGTH
    assert list(found.matches) == sorted(found.matches)
    assert all(0 <= start < end <= len(found.text) for start, end in found.matches)
