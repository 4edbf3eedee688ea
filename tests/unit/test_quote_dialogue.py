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


def speaker_of(text: str, words: str, *, is_transcript: bool = False) -> str:
    """Who says something in a text."""
    turn = Dialogue(text, is_transcript=is_transcript).turn_at(text.index(words))
    return turn.name if turn else ""


@pytest.mark.parametrize(("words", "speaker"), [
    ("How long", "Ida Long"), ("thirty", "Max"), ("Every spring", "Max"), ("And the valve", "Ida Long"), ("mill", ""),
])  # fmt: skip
def test_a_speaker_speaks_until_the_next_one(words: str, speaker: str) -> None:
    """In all paragraphs up to there, but not below the next heading."""
    assert speaker_of(INTERVIEW, words) == speaker


@pytest.mark.parametrize(
    "label",
    [
        "Max M.:\n\n",
        "**Max M.**: ",
        "Max M. (00:12:34):\n",
        "**Max M. (0:12):** ",
        "Max M.: 00:16:17\n\n",
        "[01:02] Max M.: ",
    ],
)
def test_names_are_written_in_several_ways(label: str) -> None:
    """Alone in their line, with a time before or behind the colon."""
    text = f"{label}It lifts water.\n\n{label.replace('Max M.', 'Ida Long')}Why?\n\n{label}It has to.\n"
    assert [speaker_of(text, words) for words in ("lifts", "Why", "has")] == ["Max M.", "Ida Long", "Max M."]


def test_a_transcript_names_whom_it_wants() -> None:
    """In bold, as ours do: one turn is enough, no sentence has to end, and the name may be of any kind."""
    text = "so it begins\n\n**王伟:** 你好\n\n**3Com \\[bot\\]:** it lifts\n\nwater\n\nNote: none\n"
    speakers = [speaker_of(text, words, is_transcript=True) for words in ("begins", "你好", "lifts", "water", "none")]
    assert speakers == ["", "王伟", *["3Com \\[bot\\]"] * 3]
    assert speaker_of(text, "lifts") == ""


def test_a_rule_ends_a_turn_and_code_does_not() -> None:
    """What stands below a rule is said by nobody; a comment in code is no heading."""
    text = INTERVIEW.replace("Every spring.", "```sh\n\n# oil\n\n```\n\nEvery spring.\n\n---\n\nBuy oil.")
    assert [speaker_of(text, words) for words in ("Every", "Buy oil", "never")] == ["Max", "", "Max"]


@pytest.mark.parametrize(
    "text",
    [
        "**Range:** 60 feet\n\n**Components:** V, S\n\n**Range:** 30 feet\n\n**Components:** V\n",
        "Note: It is hot.\n\nOpen it.\n\nWait.\n\nGo.\n\nTake it.\n\nRest.\n\nTip: Use gloves.\n\nNote: It is heavy.\n",
        "Note: It is hot.\n\nNote: It is heavy.\n\nNote: It is dear.\n",
        "**Returns:** It is sorted.\n\n**Raises:** It is shut.\n\n**Returns:** It is open.\n\n**Raises:** It fails.\n",
        "**Question:** Why?\n\n**Answer:** It is hot.\n\n**Question:** And now?\n\n**Answer:** It is cold.\n",
        "Pump House: It is old.\n\nMill Pond: It is deep.\n\nOld Town: It is far.\n",
        "Pump: It lifts water.\n\nValve: It opens.\n\nLid: It closes.\n",
        "",
    ],
)
def test_what_is_no_dialogue_has_no_speakers(text: str) -> None:
    """Fields of a form, notes between paragraphs, the same word alone, labels without a full name, definitions."""
    assert {Dialogue(text).turn_at(offset) for offset in range(len(text) + 1)} == {None}


def test_a_quote_says_who_speaks() -> None:
    """If it begins within what somebody says; where the text itself has the name, it does not stand there twice."""
    every = fragments(INTERVIEW)
    assert [fragment.speaker_to_name for fragment in every] == ["", "", "Max", "Max", "Max", "", "", ""]
    assert render(every, [2, 3]).text == "**Max:** […] Ours is thirty years old. We oil it."
    assert render(every, [1]).text == "**Max:** It depends."
    assert render(every, [7]).text == "It was recorded in a mill."
    assert render(every, [0, 3]).text == "**Ida Long:** How long does a pump last?\n\n[…]\n\n**Max:** We oil it."
    items = fragments(INTERVIEW.replace("Every spring.", "- Every spring\n- Every fall"))
    assert render(items, [4, 5]).text == "**Max:** […]\n\n- Every spring\n- Every fall"
