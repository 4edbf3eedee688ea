"""Who speaks in what is quoted (ANS-4)."""

import pytest

from headwater.quote.dialogue import Dialogue
from headwater.quote.quote_markdown import render
from tests.fragments import fragments

INTERVIEW = """\
**Ida Long:** How long does a pump last?

**Max:** It depends. Ours is thirty years old. We oil it.

Every spring.

**Ida Long:** And the valve?

**Max:** We never changed it.

## Credits

It was recorded in a mill.
"""


def speaker_of(text: str, words: str) -> str:
    """Who says something in a text."""
    return Dialogue(text).speaker_at(text.index(words))


@pytest.mark.parametrize(("words", "speaker"), [
    ("How long", "Ida Long"), ("thirty", "Max"), ("Every spring", "Max"), ("And the valve", "Ida Long"), ("mill", ""),
])  # fmt: skip
def test_a_speaker_speaks_until_the_next_one(words: str, speaker: str) -> None:
    """In all paragraphs up to there, but not below the next heading."""
    assert speaker_of(INTERVIEW, words) == speaker


@pytest.mark.parametrize("label", ["Max:\n\n", "Max: ", "Max (00:12:34):\n", "Max: 00:16:17\n\n", "Max [01:02]: "])
def test_names_are_written_in_several_ways(label: str) -> None:
    """Alone in their line, with a time before or behind the colon."""
    text = f"{label}It lifts water.\n\n{label.replace('Max', 'Ida')}Why?\n\n{label}It has to.\n"
    assert [speaker_of(text, words) for words in ("lifts", "Why", "has")] == ["Max", "Ida", "Max"]


@pytest.mark.parametrize(
    "text",
    [
        "**Range:** 60 feet\n\n**Components:** V, S\n\n**Range:** 30 feet\n\n**Components:** V\n",
        "Note: It is hot.\n\nOpen it.\n\nWait.\n\nGo.\n\nTake it.\n\nRest.\n\nTip: Use gloves.\n\nNote: It is heavy.\n",
        "Note: It is hot.\n\nNote: It is heavy.\n\nNote: It is dear.\n",
        "Pump: It lifts water.\n\nValve: It opens.\n\nLid: It closes.\n",
        "",
    ],
)
def test_what_is_no_dialogue_has_no_speakers(text: str) -> None:
    """Fields of a form, notes between paragraphs, the same word alone, definitions."""
    assert {Dialogue(text).speaker_at(offset) for offset in range(len(text) + 1)} == {""}


def test_a_quote_says_who_speaks() -> None:
    """If it begins within what somebody says; where the text itself has the name, it does not stand there twice."""
    every = fragments(INTERVIEW)
    assert [fragment.speaker_to_name for fragment in every] == ["", "", "Max", "Max", "Max", "", "", ""]
    assert render(every, [2, 3]).text == "**Max:** […] Ours is thirty years old. We oil it."
    assert render(every, [1]).text == "**Max:** It depends."
    assert render(every, [7]).text == "It was recorded in a mill."
    items = fragments(INTERVIEW.replace("Every spring.", "- Every spring\n- Every fall"))
    assert render(items, [4, 5]).text == "**Max:** […]\n\n- Every spring\n- Every fall"
