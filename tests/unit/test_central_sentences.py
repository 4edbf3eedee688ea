"""Which sentences may stand for a text when no model summarises it (SUM-4)."""

import pytest

from headwater.summaries.central import central_sentence

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
