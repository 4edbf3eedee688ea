"""Which sentences may stand for a text when no model summarises it (SUM-4)."""

import pytest

from headwater.summaries.central import central_sentence, choose_leading_sentences

PROSE = "The pump lifts forty litres of water per minute."


@pytest.mark.parametrize(
    "cut",
    [
        "![Pump architecture: the pump lifts water. The pump has a filter and a lid.](pump.png)",
        "[The pump lifts water from the well. The pump of the well has a filter and a lid](pump.md).",
        '[Pump](pump.md "The pump lifts water from the well. The pump has a filter and a lid.")',
    ],
)
def test_a_sentence_inside_an_image_or_a_link_is_none(cut: str) -> None:
    """A part of it would be broken markup; the prose beside it is chosen."""
    assert central_sentence(cut, tokens=80) == ""
    assert central_sentence(f"{cut}\n\n{PROSE}", tokens=80) == PROSE


def test_a_whole_link_or_image_leaves_a_sentence_one() -> None:
    """Such as an icon between words, or brackets that are closed."""
    for said in (
        "To stop the pump, click ![stop](stop.png) or see [the guide](guide.md).",
        "The pump of the mill has a [lid] of steel.",
    ):
        assert central_sentence(said, tokens=80) == said


def test_nothing_stands_before_the_first_sentence() -> None:
    """So it leans on none, and says what the document is for."""
    text = "This is a manual of the old mill.\n\nPrinted copies of the manual are on the shelf, others come by post."
    assert choose_leading_sentences([text], title="README", tokens=20) == ["This is a manual of the old mill."]


def test_a_sentence_behind_code_leans_on_it() -> None:
    """Although no sentence stands before it."""
    text = "# Pump\n\n```sh\nrun\n```\n\nThis starts it in the background. Pumps lift water for mills."
    assert choose_leading_sentences([text], title="Pump", tokens=8) == ["Pumps lift water for mills."]


def test_two_sentences_stand_beside_one_another() -> None:
    """What a list between them says is not left out in silence."""
    text = (
        "The mill grinds corn for the whole valley.\n\n- One of its wheels\n- turns.\n\nVisit the shop behind the mill."
    )
    assert choose_leading_sentences([text], title="The mill", tokens=80) == [
        "The mill grinds corn for the whole valley."
    ]
